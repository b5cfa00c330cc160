"""Runs every golden call; `--update` rewrites the replies."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.tools import calls

_DOCUMENTS = sorted(Path(__file__).parent.glob("*.md"))
_CASES = [
    pytest.param(path, case, id=f"{path.name}::{case.title}")
    for path in _DOCUMENTS
    for case in calls.cases(path.read_text(encoding="utf-8"))
]


@pytest.mark.parametrize(("path", "case"), _CASES)
def test_call(path: Path, case: calls.Case, request: pytest.FixtureRequest) -> None:
    if request.config.getoption("update"):
        calls.rewrite(path, case.title)
        return
    lines = path.read_text(encoding="utf-8").split("\n")
    expected = [lines[call.start : call.end] for call in case.calls]
    assert calls.replies(case) == expected


def test_every_tool_has_golden_calls() -> None:
    called = {call.tool for path in _DOCUMENTS for case in calls.cases(path.read_text("utf-8")) for call in case.calls}
    assert called == {tool.name for tool in calls.TOOLS}
