"""Hub score: how much of the repository hangs on a node.

Half of it is the degree, half the PageRank, each scaled to its maximum. Both count resolved edges inside the repository
only: uses of an external package would make `typing` or `react` the hub of everything, and containment would make large
files hubs of themselves. An edge from a node to itself counts for nothing. External packages score 0.

Source: Brin and Page, The Anatomy of a Large-Scale Hypertextual Web Search Engine (1998).
"""

from __future__ import annotations

import numpy as np
import rustworkx
from numpy.typing import NDArray

from codemap.graph.edges import Ints

TOLERANCE = 1e-9
"""Mean change of a node's PageRank at which the iteration ends; rustworkx multiplies it by the number of nodes."""

ITERATIONS_MAX = 200
"""Enough for every graph: the change shrinks by 0.85 with each iteration, and 0.85**130 < 1e-9."""

Scores = NDArray[np.float32]


def rank(source: Ints, target: Ints, node_count: int, first_external: int) -> Scores:
    """The hub score of each node, 0 to 1; all 0 where there are no edges."""
    scores = np.zeros(node_count, dtype=np.float32)
    inside = (source < first_external) & (target < first_external) & (source != target)
    source, target = source[inside], target[inside]
    if not len(source):
        return scores
    degree = np.bincount(source, minlength=first_external) + np.bincount(target, minlength=first_external)
    importance = _pagerank(source, target, first_external)
    scores[:first_external] = 0.5 * degree / degree.max() + 0.5 * importance / importance.max()
    return scores


def _pagerank(source: Ints, target: Ints, node_count: int) -> NDArray[np.float64]:
    graph = rustworkx.PyDiGraph()
    graph.add_nodes_from(range(node_count))
    graph.add_edges_from_no_data(list(zip(source.tolist(), target.tolist(), strict=True)))
    found = rustworkx.pagerank(graph, tol=TOLERANCE, max_iter=ITERATIONS_MAX)
    return np.fromiter(found.values(), dtype=np.float64, count=node_count)
