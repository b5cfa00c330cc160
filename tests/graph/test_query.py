"""Neighbors and paths: order, limits, direction, and agreement with a plain search of the graph."""

from __future__ import annotations

import itertools
from collections import deque

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from codemap.graph.build.build import build_snapshot
from codemap.graph.model.edges import EdgeKind
from codemap.graph.model.snapshot import Snapshot
from codemap.graph.query import neighborhood as query
from codemap.graph.query.neighborhood import FAN_OUT_MAX, neighborhood
from codemap.graph.query.shortest_path import STRUCTURAL, edge_between, route
from codemap.graph.query.undecided import Side, undecided_uses

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


def test_on_the_way_to_others_a_node_brings_at_most_twenty_and_the_rest_is_counted() -> None:
    callers = {f"caller{number:02}": ["target"] for number in range(30)}
    snapshot = calls_graph({"target": [], **callers, "extra": ["caller07"]})
    found = neighborhood(snapshot, node(snapshot, "target"), ("in",), CALLS, 2, 200)
    assert [n.depth for n in found.neighbors] == [1] * FAN_OUT_MAX + [2]
    assert (found.omitted, found.beyond_fan_out, found.beyond_max) == (10, 10, 0)
    assert snapshot.name_of(found.neighbors[0].node) == "caller07"


def test_tests_are_the_first_to_be_left_out() -> None:
    tests = "from a import target\n" + "\n".join(f"def test_{number}(): target()" for number in range(FAN_OUT_MAX))
    product = "def target(): ...\n" + "\n".join(f"def use_{number}(): target()" for number in range(5))
    snapshot = build_snapshot({"a.py": product.encode(), "tests/test_a.py": tests.encode()})
    found = neighborhood(snapshot, node(snapshot, "target"), ("in",), CALLS, 2, 200)
    shown = [snapshot.row_of(one.node)[0].path for one in found.neighbors]
    assert shown == ["a.py"] * 5 + ["tests/test_a.py"] * (FAN_OUT_MAX - 5)
    assert (found.beyond_fan_out, found.aside) == (5, 5)


SIDES: tuple[tuple[Side, ...], ...] = (("in",), ("out",), ("in", "out"))


@given(
    st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), max_size=25),
    st.sampled_from(SIDES),
    st.sampled_from((ALL, CALLS, ALL - CALLS)),
    st.integers(1, 12),
)
def test_few_edges_are_found_one_by_one_as_many_are_in_columns(
    pairs: list[tuple[int, int]], sides: tuple[Side, ...], kinds: frozenset[EdgeKind], most: int
) -> None:
    calls = {f"f{number}": [f"f{other}" for by, other in pairs if by == number] for number in range(6)}
    snapshot = calls_graph(calls)
    for start in range(snapshot.node_count):
        few = neighborhood(snapshot, start, sides, kinds, 1, most)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(query, "FEW", -1)
            assert neighborhood(snapshot, start, sides, kinds, 1, most) == few


def test_alone_a_node_brings_all_up_to_max_nodes() -> None:
    snapshot = calls_graph({"target": [], **{f"caller{number:02}": ["target"] for number in range(30)}})
    found = neighborhood(snapshot, node(snapshot, "target"), ("in",), CALLS, 1, 25)
    assert len(found.neighbors) == 25
    assert (found.omitted, found.beyond_fan_out, found.beyond_max) == (5, 0, 5)


GRAPHS = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), max_size=40)


@given(GRAPHS, st.integers(1, 3), st.integers(1, 12), st.sampled_from([("in",), ("out",), ("in", "out")]))
def test_a_neighborhood_is_what_a_plain_walk_finds(
    calls: list[tuple[int, int]], depth: int, most: int, sides: tuple[Side, ...]
) -> None:
    graph: dict[str, list[str]] = {f"f{number}": [] for number in range(10)}
    for caller, called in calls:
        graph[f"f{caller}"].append(f"f{called}")
    snapshot = calls_graph(graph)
    found = neighborhood(snapshot, node(snapshot, "f0"), sides, CALLS, depth, most)
    shown = {snapshot.name_of(n.node): n.depth for n in found.neighbors}
    expected, seen = plain_neighbors(snapshot, graph, sides, depth, most)
    assert list(shown.items()) == expected
    assert found.omitted == len(seen - shown.keys() - {"f0"})
    for neighbor in found.neighbors:
        source, target = snapshot.name_of(neighbor.edge.source), snapshot.name_of(neighbor.edge.target)
        assert target in graph[source]
        assert neighbor.via == (neighbor.edge.source if neighbor.side == "out" else neighbor.edge.target)


def plain_neighbors(
    snapshot: Snapshot, graph: dict[str, list[str]], sides: tuple[Side, ...], depth: int, most: int
) -> tuple[list[tuple[str, int]], set[str]]:
    """The (name, depth) of the neighbors of f0, and all names that were seen on the way."""
    shown: dict[str, int] = {}
    seen: set[str] = set()
    frontier = ["f0"]
    for level in range(1, depth + 1):
        reached = set()
        for via in frontier:
            out = set(graph[via]) if "out" in sides else set()
            into = {name for name in graph if via in graph[name]} if "in" in sides else set()
            reached |= {name for name in out | into if name not in shown and (name != "f0" or level == 1)}
        seen |= reached
        order = sorted(reached, key=lambda name: (-float(snapshot.scores[node(snapshot, name)]), node(snapshot, name)))
        frontier = order[: most - len(shown)]
        shown |= dict.fromkeys(frontier, level)
        frontier = [name for name in frontier if name != "f0"]
    return list(shown.items()), seen


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


def test_a_path_leads_around_what_is_marked_but_may_end_there() -> None:
    called = {"a": "bc", "b": "d", "c": "e", "d": "", "e": "d"}
    texts = {
        f"{name}.py": "".join(f"from {other} import {other}\n" for other in others)
        + f"def {name}():\n    return [{', '.join(f'{other}()' for other in others)}]\n"
        for name, others in called.items()
    }
    snapshot = build_snapshot({path: text.encode() for path, text in texts.items()})
    a, b, c, d, e = (snapshot.named(name)[0] for name in "abcde")
    around = np.array([file.path in ("b.py", "d.py") for file in snapshot.files])
    assert route(snapshot, a, d, 5, CALLS) == [a, b, d]
    assert route(snapshot, a, d, 5, CALLS, around) == [a, c, e, d]
    assert route(snapshot, d, a, 5, CALLS, around) == [d, e, c, a]
    around |= np.array([file.path == "e.py" for file in snapshot.files])
    assert route(snapshot, a, d, 5, CALLS, around) is None


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
