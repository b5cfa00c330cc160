"""What an answer weighs decides whether it is rendered beside others: texts are packed sooner than objects."""

from __future__ import annotations

import pytest

from codemap.envelope.answer import Answer, CutList

LISTS = (
    CutList(("rows",), "rows", ""),
    CutList(("rows", "*", "inner"), "inner rows", ""),
    CutList(("a", "b"), "b", ""),
)


@pytest.mark.parametrize(
    ("data", "weight"),
    [
        ({}, 0),
        ({"rows": [{"inner": [1, 2]}] * 10}, 10),
        ({"rows": ["x"] * 400, "other": [{}] * 9}, 100),
        ({"rows": {"a": ["x"] * 4, "b": ["y"]}, "a": {"b": [{}] * 3}}, 8),
        ({"rows": None, "a": 1}, 0),
    ],
)
def test_weight(data: dict[str, object], weight: int) -> None:
    assert Answer(data, LISTS).weight == weight
