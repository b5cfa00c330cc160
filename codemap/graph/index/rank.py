"""Computes the hub score: how much of the repository depends on a node.

Half of it is the degree, half the PageRank, each scaled to its maximum. Both count resolved edges inside the repository
only: uses of an external package would make `typing` or `react` the hub of everything, and containment would make large
files hubs of themselves. An edge from a node to itself counts for nothing. External packages score 0.

Source: Brin and Page, The Anatomy of a Large-Scale Hypertextual Web Search Engine (1998).
"""

from __future__ import annotations

from collections.abc import Generator

import numpy as np
from numpy.typing import NDArray

from codemap.graph.model.edges import Ints

DAMPING = 0.85
"""The paper's: how often one follows an edge rather than begin anew anywhere."""

TOLERANCE = 1e-9
"""Mean change of a node's PageRank at which the iteration ends."""

ITERATIONS_MAX = 200
"""Enough for every graph: the change shrinks by 0.85 with each iteration, and 0.85**130 < 1e-9."""

BLOCK = 250_000
"""Edges of one step: some milliseconds."""

Scores = NDArray[np.float32]


def rank(source: Ints, target: Ints, node_count: int, first_external: int) -> Generator[None, None, Scores]:
    """The hub score of each node, 0 to 1; all 0 where there are no edges. In steps; quickest where edges are in order
    of their target.
    """
    scores = np.zeros(node_count, dtype=np.float32)
    inside = (source < first_external) & (target < first_external) & (source != target)
    source, target = source[inside], target[inside]
    if not len(source):
        return scores
    yield
    leaving, arriving = np.bincount(source, minlength=first_external), np.bincount(target, minlength=first_external)
    degree = leaving + arriving
    yield
    importance = yield from _pagerank(source, target, leaving)
    scores[:first_external] = 0.5 * degree / degree.max() + 0.5 * importance / importance.max()
    return scores


def _pagerank(source: Ints, target: Ints, leaving: NDArray[np.int64]) -> Generator[None, None, NDArray[np.float64]]:
    """The PageRank of each node by power iteration; `leaving` counts the edges that leave each. What has none is
    followed by any node.
    """
    count = len(leaving)
    ends_here = leaving == 0
    share = np.where(ends_here, 0.0, DAMPING / np.maximum(leaving, 1))
    found = np.full(count, 1 / count)
    for _ in range(ITERATIONS_MAX):
        handed = found * share
        following = np.full(count, (DAMPING * found[ends_here].sum() + 1 - DAMPING) / count)
        for begin in range(0, len(source), BLOCK):
            to = target[begin : begin + BLOCK]
            first = int(to.min())
            sums = np.bincount(to - first, weights=handed[source[begin : begin + BLOCK]])
            following[first : first + len(sums)] += sums
            yield
        change = float(np.abs(following - found).sum())
        found = following
        if change < count * TOLERANCE:
            break
    return found
