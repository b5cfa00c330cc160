"""The log: one event, one line."""

from __future__ import annotations

import sys

import pytest

from actors.messaging.log import LEAST, Severity, leaf, line, log, trace


def test_a_line_stays_a_line() -> None:
    assert line("crash", 0.0, group="index", n=3, delay_s=0.25, gone=None, why='a "b"\nc=d', empty="") == (
        'at=1970-01-01T00:00:00Z event=crash group=index n=3 delay_s=0.250 why="a \\"b\\"\\nc=d" empty=""'
    )


def test_events_below_the_least_severity_are_dropped(capsys: pytest.CaptureFixture[str]) -> None:
    token = LEAST.set(Severity.WARNING)
    log("a", Severity.INFO)
    log("b", Severity.WARNING)
    LEAST.reset(token)
    assert [text.split(" ", 1)[1] for text in capsys.readouterr().err.splitlines()] == ["event=b level=warning"]


def test_a_lost_stderr_loses_the_event_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", None)
    log("a", Severity.ERROR)


def test_the_leaf_of_a_group() -> None:
    error = KeyError("x")
    assert leaf(ExceptionGroup("", [ExceptionGroup("", [error]), OSError()])) is error
    assert leaf(error) is error
    assert "KeyError: 'x'" in trace(error)
