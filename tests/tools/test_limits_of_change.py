"""What `map_impact` says of a change that it could compare in part only."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec
import pytest

from codemap.changes.change_set import INDEX, ChangeSet, Omitted
from codemap.envelope.answer import Answer
from codemap.graph.build.build import build_snapshot
from codemap.live_queries import Because, ChangedSince, Fact, Found, MapWith, Missed
from codemap.tools.impact.params import Params
from codemap.tools.impact.tool import answer
from codemap.tools.tool import World

SNAPSHOT = build_snapshot({"a.py": b"def f(): ...\n"})
NOTHING = ChangeSet("b" * 40, INDEX, ())


def answered(change: ChangeSet) -> Answer:
    """The answer, with no history."""
    asking = answer(World(SNAPSHOT), Params(base="main"))
    assert not isinstance(asking, Answer | msgspec.Struct)
    facts: tuple[Fact, ...] = ()
    try:
        questions = next(asking)
        while True:
            match questions[0]:
                case ChangedSince():
                    facts = (Found(change),)
                case MapWith():
                    facts = (Found(SNAPSHOT),)
                case _:
                    facts = (Missed(Because.UNAVAILABLE, "No history."),)
            questions = asking.send(facts)
    except StopIteration as end:
        found = end.value
    assert isinstance(found, Answer)
    return found


@pytest.mark.parametrize(
    ("change", "because", "said"),
    [
        ({}, "none", ["No file that is indexed differs."]),
        (
            {"omitted": {"a.py": Omitted.CONFLICT}},
            "notIndexed",
            ["1 file(s) that differ are not compared: see omitted."],
        ),
        (
            {"inside_submodules": ("sub",), "is_shallow": True},
            "none",
            [
                "No file that is indexed differs.",
                "What is edited in submodules is not compared: sub.",
                "The clone is shallow: the merge base may be another in the whole history.",
            ],
        ),
    ],
)
def test_a_change_without_users_says_what_was_not_compared(
    change: Mapping[str, Any], because: str, said: list[str]
) -> None:
    found = answered(msgspec.structs.replace(NOTHING, **change))
    assert found.data["emptyBecause"] == because
    assert list(found.warnings) == said
    assert found.data.get("omitted", {}) == {path: why.value for path, why in change.get("omitted", {}).items()}
