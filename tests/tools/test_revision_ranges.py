"""Revisions that `map_impact` is asked about."""

from __future__ import annotations

from collections.abc import Generator

import pytest

from codemap.graph.build.build import build_snapshot
from codemap.live_queries import ChangedSince
from codemap.tools import World
from codemap.tools.impact.params import Params
from codemap.tools.impact.tool import answer

WORLD = World(build_snapshot({"m.py": b"def f(): ...\n"}))


@pytest.mark.parametrize(
    ("base", "wanted"),
    [
        ("main", ChangedSince("main", "", False)),
        ("HEAD~2", ChangedSince("HEAD~2", "", False)),
        ("v1.0..v1.1", ChangedSince("v1.0", "v1.1", False)),
        ("main...topic", ChangedSince("main", "topic", False)),
        ("main..", ChangedSince("main", "HEAD", False)),
        ("..topic", ChangedSince("HEAD", "topic", False)),
    ],
)
def test_a_range_is_a_base_and_a_head(base: str, wanted: ChangedSince) -> None:
    asking = answer(WORLD, Params(base=base))
    assert isinstance(asking, Generator)
    assert next(asking) == (wanted,)


def test_a_range_beside_a_head_is_no_revision() -> None:
    asking = answer(WORLD, Params(base="a..b", head="c"))
    assert isinstance(asking, Generator)
    assert next(asking) == (ChangedSince("a..b", "c", False),), "git says that there is none"
