"""Hub scores: what counts, what does not, and that they are the same every time."""

from __future__ import annotations

import numpy as np
import pytest
import rustworkx
from hypothesis import given
from hypothesis import strategies as st

from codemap.graph.index import rank as ranking
from codemap.graph.index.rank import DAMPING, TOLERANCE, rank
from codemap.graph.model.steps import finish


def scores(edges: list[tuple[int, int]], nodes: int, first_external: int) -> list[float]:
    columns = np.array(edges, dtype=np.int32).reshape(-1, 2)
    return [round(float(s), 4) for s in finish(rank(columns[:, 0], columns[:, 1], nodes, first_external))]


def test_the_node_that_all_use_is_the_hub() -> None:
    assert scores([(0, 3), (1, 3), (2, 3)], 4, 4)[3] == 1.0
    assert scores([(0, 3), (1, 3), (2, 3)], 4, 4)[0] < 0.5


def test_external_packages_score_nothing_and_lend_nothing() -> None:
    inside = [(0, 1)]
    with_external = [*inside, (0, 2), (1, 2), (0, 3)]
    assert scores(with_external, 4, 2) == [*scores(inside, 2, 2), 0.0, 0.0]


def test_recursion_makes_no_hub() -> None:
    assert scores([(0, 0), (0, 1)], 2, 2) == scores([(0, 1)], 2, 2)


def test_no_edges_no_hubs() -> None:
    assert scores([], 3, 2) == [0.0, 0.0, 0.0]
    assert scores([], 0, 0) == []


@given(st.lists(st.tuples(st.integers(0, 19), st.integers(0, 19)), max_size=80))
def test_scores_lie_between_0_and_1_and_repeat(edges: list[tuple[int, int]]) -> None:
    found = scores(edges, 20, 16)
    assert found == scores(edges, 20, 16)
    assert all(0 <= score <= 1 for score in found)
    assert all(score == 0 for score in found[16:])


@given(
    st.lists(st.tuples(st.integers(0, 14), st.integers(0, 14)), min_size=1, max_size=60), st.sampled_from((1, 7, 250))
)
def test_half_of_a_score_is_the_pagerank_that_another_library_finds(edges: list[tuple[int, int]], block: int) -> None:
    between = [(source, target) for source, target in edges if source != target]
    if not between:
        return
    graph = rustworkx.PyDiGraph()
    graph.add_nodes_from(range(15))
    graph.add_edges_from_no_data(between)
    expected = rustworkx.pagerank(graph, alpha=DAMPING, tol=TOLERANCE, max_iter=500)
    most = max(expected.values())
    degree = [sum(node in edge for edge in between) for node in range(15)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ranking, "BLOCK", block)
        found = scores(edges, 15, 15)
    for node, score in enumerate(found):
        assert abs(score - 0.5 * degree[node] / max(degree) - 0.5 * expected[node] / most) < 1e-4
