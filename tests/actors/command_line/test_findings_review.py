"""Findings as reviews show them: nothing breaks out of its place, and a failure is no clean bill."""

from __future__ import annotations

import json
from typing import Any

import pytest

from actors.command_line.reviews.findings import failures, markdown, sarif
from codemap.findings.sarif import read_sarif

FINDING: dict[str, Any] = {
    "severity": "high",
    "tool": "Bandit",
    "rule": "B602",
    "message": "shell | <b>\x1b[31m",
    "file": "a b.py",
    "line": 4,
    "endLine": 5,
    "col": 3,
    "id": "py:a b.py#f",
    "reached": "entry",
    "path": ["main.py", "a b.py#f"],
    "sure": "certain",
}
OUTSIDE = {"severity": "low", "tool": "Bandit", "rule": "", "message": "m", "notInMap": "../x: it lies outside"}
ENVELOPE: dict[str, Any] = {
    "ok": True,
    "data": {
        "summary": {"critical": 0, "high": 1, "medium": 0, "low": 1, "info": 0, "suppressed": 1},
        "reached": {"entry": 1},
        "findings": [FINDING, OUTSIDE, {**FINDING, "suppressed": True}],
        "tools": [{"tool": "Bandit", "version": "1", "failed": True, "problems": ["x.py is broken"]}, {"tool": "ruff"}],
        "notScanned": {"ts": 3},
    },
    "warnings": ["Something."],
}
FAILED: dict[str, Any] = {"ok": False, "error": {"message": "there is no such file."}, "warnings": []}


@pytest.mark.parametrize(
    ("named", "said"),
    [
        (["critical"], []),
        (["high"], ["1 finding(s) are high or worse"]),
        (["info"], ["2 finding(s) are info or worse"]),
        (["reachable", "reachable"], ["an entry point leads to 1 finding(s)"]),
        (["incomplete"], ["Bandit did not end well"]),
    ],
)
def test_what_a_check_fails_on(named: list[str], said: list[str]) -> None:
    assert failures(ENVELOPE["data"], named) == said
    assert failures({}, named) == []


def test_a_comment_names_all_and_breaks_nothing() -> None:
    text = markdown(ENVELOPE)
    assert "### Findings: 1 high, 1 low, 1 suppressed" in text
    assert "`a b.py:4`" in text
    assert "entry: `main.py` → `a b.py#f` (certain)" in text
    assert "shell \\| &lt;b>\\u001b[31m" in text
    assert "../x: it lies outside" in text
    assert "Files that were not scanned: 3 ts." in text
    assert "Bandit: x.py is broken" in text
    assert "no such file" in markdown(FAILED)


def test_sarif_is_read_back_with_nothing_lost() -> None:
    text = sarif(ENVELOPE, "1.0")
    report = read_sarif(text.encode())
    assert [(run.tool, run.is_successful) for run in report.runs] == [("Bandit", False), ("ruff", True)]
    first, outside, suppressed = report.findings
    assert (first.uri, first.line, first.end_line, first.col, first.rule) == ("a%20b.py", 4, 5, 3, "B602")
    assert (outside.uri, suppressed.is_suppressed) == ("", True)
    result = json.loads(text)["runs"][0]["results"][0]
    assert result["properties"]["codemap/path"] == ["main.py", "a b.py#f"]


def test_a_call_that_failed_is_no_clean_run() -> None:
    (run,) = read_sarif(sarif(FAILED, "1.0").encode()).runs
    assert (run.is_successful, run.problems) == (False, ("there is no such file.",))
