"""How deep `map_neighbors` goes where it is asked for heirs or bases and not how deep."""

from __future__ import annotations

from typing import Any

from codemap.graph.build.build import build_snapshot
from codemap.tools import World
from codemap.tools.neighbors.meant import FEW_TYPES
from codemap.tools.neighbors.tool import TOOL
from tests.tools.calls import answered


def heirs(count: int, **asked: Any) -> tuple[list[str], tuple[str, ...]]:
    """The rows about `Top`, which has an heir `Mid`, which has `count`, and the warnings."""
    source = b"class Top: ...\nclass Mid(Top): ...\n" + b"".join(b"class C%d(Mid): ...\n" % at for at in range(count))
    world = World(snapshot=build_snapshot({"a.py": source}))
    call = {"nodeId": "Top", "direction": "in", "edgeKinds": ["extends"], **asked}
    found = answered(world, TOOL, call)
    return [row for view in found.data["neighbors"] for row in view["rows"]["a.py"]], found.warnings


def test_few_are_shown_whole() -> None:
    assert heirs(2) == (["Mid 2", "C0 3 of Mid", "C1 4 of Mid"], ())
    assert heirs(2, nodeId="C1", direction="out") == (["Top 1 of Mid", "Mid 2"], ())


def test_of_many_the_next_are_and_it_is_said() -> None:
    assert len(heirs(FEW_TYPES - 1)[0]) == FEW_TYPES
    rows, warnings = heirs(FEW_TYPES)
    assert rows == ["Mid 2"]
    assert warnings == ("1 of these have heirs of their own: pass depth:10 for all.",)


def test_a_number_of_nodes_is_kept_to() -> None:
    rows, _ = heirs(3, maxNodes=2)
    assert rows == ["Mid 2"]


def test_a_name_of_several_means_the_heirs_of_all_by_either_word() -> None:
    files = {"a.rs": b"pub trait Size {}\npub struct Term;\nimpl Size for Term {}\n", "b.rs": b"pub struct Size;\n"}
    world = World(snapshot=build_snapshot(files))
    found = answered(world, TOOL, {"nodeId": "Size", "direction": "in", "edgeKinds": ["extends"]})
    assert [view["rows"] for view in found.data["neighbors"]] == [{"a.rs": ["Term 3"]}]
