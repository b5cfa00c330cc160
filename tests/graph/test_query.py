"""Neighbors and paths: order, limits, direction, and agreement with a plain search of the graph."""

from __future__ import annotations

import itertools
from collections import deque

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codemap.graph.build import build_snapshot
from codemap.graph.edges import EdgeKind
from codemap.graph.query import FAN_OUT_MAX, neighborhood, undecided_uses
from codemap.graph.route import STRUCTURAL, edge_between, route
from codemap.graph.snapshot import Snapshot

ALL = frozenset(EdgeKind)
CALLS = frozenset((EdgeKind.CALLS,))


def calls_graph(calls: dict[str, list[str]]) -> Snapshot:
    """One file with a function for each key, which calls the functions of its value."""
    text = "".join(
        f"def {name}():\n" + "".join(f"    {other}()\n" for other in others) + "    pass\n\n\n"
        for name, others in calls.items()
    )
    return build_snapshot({"a.py": text.encode()})


def node(snapshot: Snapshot, name: str) -> int:
    found = snapshot.find(f"py:a.py#{name}")
    assert found is not None
    return found


def names(snapshot: Snapshot, nodes: list[int]) -> list[str]:
    return [snapshot.name_of(node) for node in nodes]


def test_depth_comes_before_score() -> None:
    snapshot = calls_graph({"start": ["near"], "near": ["hub"], "hub": [], "x": ["hub"], "y": ["hub"], "z": ["hub"]})
    found = neighborhood(snapshot, node(snapshot, "start"), ("out",), CALLS, 3, 50).neighbors
    assert [(snapshot.name_of(n.node), n.depth, snapshot.name_of(n.via)) for n in found] == [
        ("near", 1, "start"),
        ("hub", 2, "near"),
    ]


def test_a_node_brings_at_most_twenty_and_the_rest_is_counted() -> None:
    callers = {f"caller{number:02}": ["target"] for number in range(30)}
    snapshot = calls_graph({"target": [], **callers, "extra": ["caller07"]})
    found = neighborhood(snapshot, node(snapshot, "target"), ("in",), CALLS, 1, 200)
    assert len(found.neighbors) == FAN_OUT_MAX
    assert found.omitted == 10
    assert snapshot.name_of(found.neighbors[0].node) == "caller07"


def test_max_nodes_counts_neighbors_and_not_edges() -> None:
    source = b"class A: ...\n\n\nclass B(A):\n    a = A()\n\n\ndef f() -> A:\n    return A()\n"
    snapshot = build_snapshot({"a.py": source})
    found = neighborhood(snapshot, node(snapshot, "A"), ("in",), ALL - {EdgeKind.CONTAINS}, 1, 1)
    assert len({neighbor.node for neighbor in found.neighbors}) == 1
    assert found.omitted >= 1


def test_recursion_is_an_edge_to_itself() -> None:
    snapshot = calls_graph({"f": ["f"]})
    both = neighborhood(snapshot, node(snapshot, "f"), ("in", "out"), CALLS, 1, 50).neighbors
    assert [(snapshot.name_of(n.node), n.side) for n in both] == [("f", "out")]


def test_external_packages_are_not_expanded() -> None:
    snapshot = build_snapshot({"a.py": b"import os\n", "b.py": b"import os\n"})
    start = snapshot.find("py:a.py")
    assert start is not None
    found = neighborhood(snapshot, start, ("in", "out"), ALL, 3, 50).neighbors
    assert [snapshot.id_of(n.node) for n in found] == ["py:ext:os"]


def test_undecided_uses_are_seen_from_both_ends() -> None:
    source = (
        b"class A:\n    def m(self): ...\n\n\nclass B:\n    def m(self): ...\n\n\ndef f(x):\n    x.m()\n    x.m()\n"
    )
    snapshot = build_snapshot({"a.py": source})
    incoming = undecided_uses(snapshot, node(snapshot, "A.m"), ("in",), CALLS)
    assert (len(incoming.uses), incoming.sites, incoming.uses[0].candidate_count) == (1, 2, 2)
    assert set(incoming.uses[0].candidates) == {node(snapshot, "A.m"), node(snapshot, "B.m")}
    outgoing = undecided_uses(snapshot, node(snapshot, "f"), ("out",), CALLS)
    assert [use.use for use in outgoing.uses] == [use.use for use in incoming.uses]
    assert undecided_uses(snapshot, node(snapshot, "A.m"), ("in",), frozenset((EdgeKind.IMPORTS,))).sites == 0


def test_paths_do_not_lead_through_external_packages() -> None:
    snapshot = build_snapshot({"a.py": b"import os\n", "b.py": b"import os\n"})
    one, other, external = (snapshot.find(text) for text in ("py:a.py", "py:b.py", "py:ext:os"))
    assert one is not None
    assert other is not None
    assert external is not None
    assert route(snapshot, one, other, 10) is None
    assert route(snapshot, one, external, 10) == [one, external]
    assert route(snapshot, external, other, 10) == [external, other]


def test_references_count_only_on_request() -> None:
    snapshot = build_snapshot({"a.py": b"def f(): ...\n", "b.py": b"import a\n\n\ndef g():\n    return a.f\n"})
    start, end = snapshot.find("py:b.py#g"), snapshot.find("py:a.py#f")
    assert start is not None
    assert end is not None
    longer, shorter = route(snapshot, start, end, 10), route(snapshot, start, end, 10, ALL)
    assert longer is not None
    assert len(longer) > 2
    assert shorter == [start, end]


@pytest.mark.parametrize(("max_len", "is_found"), [(3, True), (2, False)])
def test_a_path_is_no_longer_than_asked(max_len: int, is_found: bool) -> None:
    snapshot = calls_graph({"a": ["b"], "b": ["c"], "c": ["d"], "d": []})
    found = route(snapshot, node(snapshot, "a"), node(snapshot, "d"), max_len, CALLS)
    assert (found is not None) == is_found


@given(st.lists(st.tuples(st.integers(0, 7), st.integers(0, 7)), max_size=16), st.integers(1, 8))
def test_paths_are_as_short_as_a_plain_search_finds(calls: list[tuple[int, int]], max_len: int) -> None:
    graph: dict[str, list[str]] = {f"f{number}": [] for number in range(8)}
    for caller, called in calls:
        graph[f"f{caller}"].append(f"f{called}")
    snapshot = calls_graph(graph)
    start, end = node(snapshot, "f0"), node(snapshot, "f7")
    found = route(snapshot, start, end, max_len, CALLS)
    expected = plain_distance(graph, "f0", "f7")
    if expected is None or expected > max_len:
        assert found is None
    else:
        assert found is not None
        assert (found[0], found[-1], len(found) - 1) == (start, end, expected)
        assert all(edge_between(snapshot, *pair, CALLS) for pair in itertools.pairwise(found))
        assert found == route(snapshot, start, end, max_len, CALLS)


def plain_distance(graph: dict[str, list[str]], start: str, end: str) -> int | None:
    distance = {start: 0}
    waiting = deque([start])
    while waiting:
        name = waiting.popleft()
        for other in graph:
            if other not in distance and (other in graph[name] or name in graph[other]):
                distance[other] = distance[name] + 1
                waiting.append(other)
    return distance.get(end)


def test_containment_is_structure() -> None:
    assert EdgeKind.CONTAINS in STRUCTURAL
    assert EdgeKind.REFERENCES not in STRUCTURAL
