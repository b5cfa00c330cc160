"""What is drawn of the answers of tools."""

from __future__ import annotations

import json
from typing import Any

import pytest

from actors.command_line.reviews.pictures import as_wanted, picture
from codemap.graph.build.build import build_snapshot
from codemap.pictures.of_answers import PICTURES
from codemap.pictures.picture import Picture
from codemap.tools import World
from tests.tools.calls import reply

SOURCES = {
    "app/store/base.py": b"class Base:\n    def save(self): ...\n",
    "app/store/store.py": (
        b"import time\nfrom app.store.base import Base\n"
        b"class Store(Base):\n    def save(self): time.time(); self.check()\n    def check(self): ...\n"
    ),
    "app/api.py": b"from app.store.store import Store\ndef put(store: Store): store.save()\ndef any(x): x.check()\n",
    "app/other.py": b"class Other:\n    def check(self): ...\n",
    "app/main.py": b"from app.api import put\ndef run(): put(None)\n",
    "tests/test_api.py": b"from app.api import put\ndef test_put(): put(None)\n",
}
WORLD = World(build_snapshot(SOURCES))
SAVE = "py:app/store/store.py#Store.save"


def drawn(tool: str, **arguments: Any) -> Picture:
    envelope = json.loads(reply(WORLD, tool, as_wanted(tool, arguments) | {"tokenBudget": 10_000}).text)
    return PICTURES[tool](envelope["data"])


def arrows(shown: Picture) -> set[tuple[str, str, str]]:
    """Ends by the last part of their texts."""
    name = {box.key: box.text for box in shown.boxes}
    return {(name[link.source], link.text, name[link.target]) for link in shown.links}


def test_neighbors() -> None:
    shown = drawn("map_neighbors", nodeId=SAVE)
    assert shown.boxes[0].tone == "center"
    assert shown.boxes[0].detail == "app/store/store.py:4"
    assert ("put", "calls", "Store.save") in arrows(shown)
    assert ("Store.save", "calls", "Store.check") in arrows(shown)
    assert [box.tone for box in shown.boxes if box.text == "time"] == ["aside"]


def test_neighbors_of_several_nodes_are_one_picture() -> None:
    both = [SAVE, "py:app/store/store.py#Store.check"]
    shown = drawn("map_neighbors", nodeIds=both, direction="in", edgeKinds=["calls"])
    assert {box.key for box in shown.boxes if box.tone == "center"} == {*both}
    assert arrows(shown) >= {("put", "calls", "Store.save"), ("Store.save", "calls", "Store.check")}


def test_undecided_uses_are_one_dotted_box() -> None:
    shown = drawn("map_neighbors", nodeId="py:app/store/store.py#Store.check", direction="in")
    (stub,) = [link for link in shown.links if not link.is_sure]
    assert stub.text == "may mean"
    assert [box.text for box in shown.boxes if box.key == stub.source] == ["1 undecided use(s)"]


def test_a_hierarchy_hangs_together() -> None:
    shown = drawn("map_neighbors", nodeId="py:app/store/base.py#Base", edgeKinds=["extends"], direction="in", depth=5)
    assert arrows(shown) == {("Store", "extends", "Base")}


def test_a_path_and_the_lack_of_one() -> None:
    shown = drawn("map_path", **{"from": "py:app/main.py#run", "to": SAVE})
    assert arrows(shown) == {("run", "calls", "put"), ("put", "calls", "Store.save")}
    assert [box.tone for box in shown.boxes] == ["center", "plain", "center"]
    assert shown.title == f"From py:app/main.py#run to {SAVE}"
    none = drawn("map_path", **{"from": SAVE, "to": "py:tests/test_api.py#test_put", "maxLen": 1})
    assert not none.links
    assert "No chain" in none.notes[0]


def test_impact_leads_to_what_changes() -> None:
    shown = drawn("map_impact", nodeIds=[SAVE])
    assert shown.boxes[0].key == SAVE
    assert shown.boxes[0].tone == "center"
    assert {("put", "calls", "Store.save"), ("run", "calls", "put")} <= arrows(shown)
    assert any("test" in note for note in shown.notes)
    assert [box.key for box in shown.boxes if box.tone == "center"] == [SAVE]


def test_what_is_reached_by_way_of_tests_does_not_count_as_changed() -> None:
    hit = {"tier": "possible", "edge": "calls", "depth": 3, "id": "py:a.py#f", "viaId": "py:tests/t.py#test"}
    shown = PICTURES["map_impact"]({"of": ["a.py#g"], "impacted": [hit]})
    assert [(box.key, box.tone) for box in shown.boxes] == [
        ("a.py#g", "center"),
        ("py:a.py#f", "plain"),
        ("py:tests/t.py#test", "aside"),
    ]


def test_an_overview_draws_who_uses_whom() -> None:
    shown = drawn("map_overview")
    assert shown.title == "6 files in 2 areas, and how they use one another"
    assert [(box.text, box.detail) for box in shown.boxes] == [
        ("app", "3 files, 5 definitions"),
        ("app/store", "2 files, 5 definitions"),
    ]
    assert [(link.text, link.weight) for link in shown.links] == [("4 uses", 4)]
    assert all(box.tone == "plain" for box in shown.boxes)
    assert any(box.tone == "aside" for box in drawn("map_overview", tests="include").boxes)


@pytest.mark.parametrize("shape", ["svg", "mermaid", "dot", "html"])
def test_what_was_cut_is_said_below(shape: str) -> None:
    envelope = {"ok": True, "data": {"found": False}, "dropped": {"note": "pass maxLen:9"}, "warnings": []}
    assert "--max-len 9" in picture(envelope, "map_path", shape, lambda text: text.replace("maxLen:", "--max-len "))
