"""The graph of files: edges between definitions, summed to edges between the files that they are in."""

from __future__ import annotations

from collections.abc import Generator, Sequence

import msgspec
import numpy as np
from numpy.typing import NDArray

from codemap.graph.model.edges import EdgeKind, EdgeTable, Ints

WEIGHTS = {
    EdgeKind.IMPORTS: 3.0,
    EdgeKind.EXPORTS: 3.0,
    EdgeKind.EXTENDS: 3.0,
    EdgeKind.IMPLEMENTS: 3.0,
    EdgeKind.CALLS: 2.0,
    EdgeKind.REFERENCES: 1.0,
}
"""How close an edge between their symbols brings two files."""
BLOCK = 250_000
"""Edges of one step: some tens of milliseconds."""


class FileGraph(msgspec.Struct, frozen=True):
    """The undirected graph of files: the neighbors of file n are `indices[starts[n]:starts[n + 1]]`."""

    starts: NDArray[np.int64]
    indices: Ints
    weights: NDArray[np.float64]


def make_file_graph(bases: Ints, first_external: int, edges: EdgeTable) -> Generator[None, None, FileGraph]:
    """Edges between symbols summed to edges between files; `bases` are the nodes of the files. In steps."""
    count = len(bases)
    weight_of = np.array([WEIGHTS.get(kind, 0.0) for kind in EdgeKind])
    keys, sums = [np.empty(0, dtype=np.int64)], [np.empty(0)]
    for begin in range(0, len(edges.source), BLOCK):
        block = slice(begin, begin + BLOCK)
        inside = edges.target[block] < first_external
        sources = np.searchsorted(bases, edges.source[block][inside], side="right") - 1
        targets = np.searchsorted(bases, edges.target[block][inside], side="right") - 1
        across = sources != targets
        low, high = np.minimum(sources, targets)[across], np.maximum(sources, targets)[across]
        key, total = _sum_by_key(low * count + high, weight_of[edges.kind[block][inside][across]])
        keys.append(key)
        sums.append(total)
        yield
    pairs, summed = _sum_by_key(np.concatenate(keys), np.concatenate(sums))
    yield
    low, high = pairs // max(count, 1), pairs % max(count, 1)
    ends, others = np.concatenate((low, high)), np.concatenate((high, low))
    order = np.lexsort((others, ends))
    return FileGraph(
        np.searchsorted(ends[order], np.arange(count + 1)).astype(np.int64),
        others[order].astype(np.int32),
        np.concatenate((summed, summed))[order],
    )


def _sum_by_key(keys: NDArray[np.int64], weights: NDArray[np.float64]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """The keys in order, each once, and the sum of the weights of each."""
    distinct, place = np.unique(keys, return_inverse=True)
    return distinct, np.bincount(place, weights=weights, minlength=len(distinct)).astype(np.float64)


def cut_graph(graph: FileGraph, members: Sequence[int]) -> FileGraph:
    """The part of the graph between some files, which are numbered anew."""
    place = np.full(len(graph.starts) - 1, -1, dtype=np.int32)
    place[np.array(members)] = np.arange(len(members), dtype=np.int32)
    ends = place[np.repeat(np.arange(len(place)), np.diff(graph.starts))]
    others = place[graph.indices]
    inside = (ends >= 0) & (others >= 0)
    ends, others, weights = ends[inside], others[inside], graph.weights[inside]
    starts = np.searchsorted(ends, np.arange(len(members) + 1)).astype(np.int64)
    degree = np.maximum(np.diff(starts), 1)
    return FileGraph(starts, others, weights / np.sqrt(degree[ends] * degree[others]))
