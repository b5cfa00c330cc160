"""How alike names of receivers and of classes are."""

from __future__ import annotations

import pytest

from codemap.graph.likelihood.name_likeness import Likeness, likeness


@pytest.mark.parametrize(
    ("name", "cls", "expected"),
    [
        ("event_dispatcher", "EventDispatcher", Likeness.SAME),
        ("eventdispatcher", "EventDispatcher", Likeness.SAME),
        ("_token", "Token", Likeness.SAME),
        ("dispatcher", "EventDispatcher", Likeness.TAIL),
        ("default_token", "Token", Likeness.TAIL),
        ("req", "Request", Likeness.PART),
        ("tag", "TagList", Likeness.PART),
        ("re", "Request", Likeness.NONE),
        ("filter_", "StatementSplitter", Likeness.NONE),
        ("_", "Token", Likeness.NONE),
        ("", "Token", Likeness.NONE),
    ],
)
def test_likeness(name: str, cls: str, expected: Likeness) -> None:
    assert likeness(name, cls) is expected
