"""A sketch: definitions can be found, nothing is claimed of edges."""

from __future__ import annotations

from typing import Any

from codemap.envelope.answer import Answer
from codemap.graph.build.build import extracted
from codemap.graph.build.partial_snapshot import sketch
from codemap.graph.model.indexed_file import Extracted
from codemap.graph.model.snapshot import Snapshot
from codemap.graph.model.steps import finish
from codemap.graph.query.search import search
from codemap.tools import TOOLS, World
from tests.tools.calls import answered

SOURCES = {
    "app/store.py": b"class Store:\n    def save(self): ...\n",
    "app/api.py": b"from app.store import Store\ndef put(store: Store): store.save()\n",
    "web/main.ts": b"export function main() {}\n",
}


def read_of(sources: dict[str, bytes]) -> dict[str, Extracted]:
    return {path: extracted(path, source) for path, source in sources.items()}


def sketched(sources: dict[str, bytes]) -> Snapshot:
    return finish(sketch(read_of(sources), {}, built_at="2000-01-01T00:00:00Z"))


def test_definitions_are_found_and_there_is_no_edge() -> None:
    snapshot = sketched(SOURCES)
    assert snapshot.is_partial
    assert [snapshot.id_of(node) for node in search(snapshot, "save", frozenset(), 9).nodes] == [
        "py:app/store.py#Store.save"
    ]
    node = snapshot.find("py:app/store.py#Store")
    assert node is not None
    assert [edge.kind.name for edge in snapshot.edges_out(node)] == ["CONTAINS"]
    assert len(snapshot.edges.source) == 0


def test_every_map_tool_answers_from_it_and_says_that_it_is_partial() -> None:
    world = World(sketched(SOURCES))
    arguments: dict[str, dict[str, Any]] = {
        "map_overview": {},
        "map_search": {"query": "save"},
        "map_neighbors": {"nodeId": "py:app/store.py#Store.save", "direction": "in", "edgeKinds": ["calls"]},
        "map_path": {"from": "py:app/api.py#put", "to": "py:app/store.py#Store.save"},
    }
    for tool in TOOLS:
        if tool.name in arguments:
            answer = answered(world, tool, arguments[tool.name])
            assert isinstance(answer, Answer)
            assert any("still being built" in warning for warning in answer.warnings), tool.name
            if tool.name in ("map_neighbors", "map_path"):
                assert answer.data["emptyBecause"] == "building"


def test_nothing_gives_an_empty_map() -> None:
    assert sketched({}).node_count == 0
