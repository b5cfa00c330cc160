"""The exported lists: one object an edge, with the definition that holds the use as its source."""

from __future__ import annotations

import json
from typing import Any

import msgspec

from codemap.graph.build.build import build_snapshot
from codemap.graph.likelihood.candidates import CANDIDATES_MAX
from codemap.graph.model.snapshot import Snapshot
from codemap.graph.query.export import exported_edges, exported_nodes

SOURCES = {
    "a.py": b"""
import json

def make(): ...

TABLE = make()

class Store:
    limit = make()

    @property
    def size(self):
        return make()

def later(x):
    local = make()
    return x.close()
""",
    **{f"m{number}.py": b"class A:\n    def close(self): ...\n" for number in range(7)},
}


def edges(snapshot: Snapshot, kind: str) -> list[dict[str, Any]]:
    found = [json.loads(msgspec.json.encode(edge)) for edge in exported_edges(snapshot)]
    return [edge for edge in found if edge["kind"] == kind]


def test_variables_own_what_the_definition_around_them_calls() -> None:
    calls = [edge for edge in edges(build_snapshot(SOURCES), "calls") if edge["resolved"]]
    assert [(edge["source"], edge.get("owner", ""), edge["sites"]) for edge in calls] == [
        ("py:a.py", "py:a.py#TABLE", [{"line": 6, "col": 9}]),
        ("py:a.py#Store", "py:a.py#Store.limit", [{"line": 9, "col": 13}]),
        ("py:a.py#Store.size", "", [{"line": 13, "col": 16}]),
        ("py:a.py#later", "", [{"line": 16, "col": 13}]),
    ]
    assert {edge["target"] for edge in calls} == {"py:a.py#make"}


def test_undecided_uses_name_the_first_candidates_and_count_all() -> None:
    (use,) = [edge for edge in edges(build_snapshot(SOURCES), "calls") if not edge["resolved"]]
    candidates = use.pop("candidates")
    assert candidates == [f"py:m{number}.py#A.close" for number in range(CANDIDATES_MAX)]
    assert use == {
        "source": "py:a.py#later",
        "kind": "calls",
        "confidence": "candidate",
        "resolved": False,
        "sites": [{"line": 17, "col": 14}],
        "name": "close",
        "candidateCount": 7,
        "likelihood": "low",
        "likely": 5,
    }


def test_other_kinds_are_listed_too() -> None:
    snapshot = build_snapshot(SOURCES)
    (imported,) = edges(snapshot, "imports")
    assert (imported["source"], imported["target"]) == ("py:a.py", "py:ext:json")
    contained = [edge["target"] for edge in edges(snapshot, "contains") if edge["source"] == "py:a.py#Store"]
    assert contained == ["py:a.py#Store.limit", "py:a.py#Store.size"]


def test_nodes_say_where_their_name_stands_and_what_is_around_them() -> None:
    nodes = {node.id: json.loads(msgspec.json.encode(node)) for node in exported_nodes(build_snapshot(SOURCES))}
    assert nodes["py:a.py#Store.size"] == {
        "id": "py:a.py#Store.size",
        "kind": "property",
        "name": "size",
        "file": "a.py",
        "line": 12,
        "col": 9,
        "parent": "py:a.py#Store",
    }
    assert nodes["py:ext:json"] == {"id": "py:ext:json", "kind": "module", "name": "json"}


def test_no_files_give_no_lines() -> None:
    snapshot = build_snapshot({})
    assert [*exported_edges(snapshot), *exported_nodes(snapshot)] == []


def test_what_only_holds_additions_to_a_type_is_no_node() -> None:
    snapshot = build_snapshot(
        {"a.kt": b"class Box\n", "b.kt": b"fun Box.open() {}\nval URL.size = go()\nfun go() {}\n"}
    )
    assert {node.id: node.parent for node in exported_nodes(snapshot)} == {
        "kt:a.kt": "",
        "kt:a.kt#Box": "kt:a.kt",
        "kt:b.kt": "",
        "kt:b.kt#Box.open": "kt:b.kt",
        "kt:b.kt#URL.size": "kt:b.kt",
        "kt:b.kt#go": "kt:b.kt",
    }
    found = {(edge.source, edge.kind, edge.target) for edge in exported_edges(snapshot)}
    assert found == {
        ("kt:a.kt", "contains", "kt:a.kt#Box"),
        ("kt:b.kt", "contains", "kt:b.kt#Box.open"),
        ("kt:b.kt", "calls", "kt:b.kt#go"),
        ("kt:b.kt", "contains", "kt:b.kt#URL.size"),
        ("kt:b.kt", "contains", "kt:b.kt#go"),
        ("kt:b.kt#Box.open", "references", "kt:a.kt#Box"),
    }


def test_as_many_candidates_are_named_as_are_asked_for() -> None:
    found = [edge for edge in exported_edges(build_snapshot(SOURCES), 7) if not edge.resolved]
    assert [len(edge.candidates) for edge in found] == [7]
