"""Finds the shortest path between two nodes, breadth-first from both ends, over resolved edges in either direction.

All edges count the same. Paths do not lead through external packages, though they may begin or end at one. Of several
shortest paths the same one is found every time.
"""

from __future__ import annotations

import numpy as np

from codemap.graph.index.columns import columns_of, gathered, places
from codemap.graph.model.edges import Edge, EdgeKind, Ints, Mask, among
from codemap.graph.model.snapshot import Snapshot
from codemap.graph.model.values import Confidence

STRUCTURAL = frozenset(EdgeKind) - {EdgeKind.REFERENCES}

UNREACHED = -2
START = -1


def route(
    snapshot: Snapshot,
    start: int,
    end: int,
    max_len: int,
    kinds: frozenset[EdgeKind] = STRUCTURAL,
    around: Mask | None = None,
) -> list[int] | None:
    """The nodes of a shortest path of at most `max_len` edges, both ends included; None where there is none. It leads
    around the definitions in files that `around` marks, by number."""
    if start == end:
        return [start]
    came_from = [np.full(snapshot.node_count, UNREACHED, dtype=np.int32) for _ in range(2)]
    fronts = [np.array([start], dtype=np.int32), np.array([end], dtype=np.int32)]
    for side, node in enumerate((start, end)):
        came_from[side][node] = START
    wanted, file = among(kinds), columns_of(snapshot).file
    for _ in range(max_len):
        side = 0 if len(fronts[0]) <= len(fronts[1]) else 1
        others, via = _step(snapshot, fronts[side], wanted)
        inside = others < snapshot.first_external
        if around is not None:
            inside[inside] = ~around[file[others[inside]]]
        inside |= others == (start, end)[1 - side]
        fresh = inside & (came_from[side][others] == UNREACHED)
        front, first = np.unique(others[fresh], return_index=True)
        if not len(front):
            return None
        came_from[side][front] = via[fresh][first]
        fronts[side] = front
        met = front[came_from[1 - side][front] != UNREACHED]
        if len(met):
            best = int(met[np.argmax(snapshot.scores[met])])
            return _trace_back(came_from[0], best)[::-1] + _trace_back(came_from[1], best)[1:]
    return None


def edge_between(
    snapshot: Snapshot, node: int, other: int, kinds: frozenset[EdgeKind] = STRUCTURAL
) -> tuple[Edge, str] | None:
    """The surest edge between two nodes, and `out` or `in` as seen from the first; None where there is none."""
    found = [(edge, "out") for edge in _connect_directly(snapshot, node, other)]
    found += [(edge, "in") for edge in _connect_directly(snapshot, other, node)]
    allowed = [(edge, side) for edge, side in found if edge.kind in kinds]
    return min(allowed, key=lambda item: (item[0].confidence, item[0].kind, item[1] == "in"), default=None)


def _connect_directly(snapshot: Snapshot, source: int, target: int) -> list[Edge]:
    table = snapshot.edges
    begin, end = int(table.out_start[source]), int(table.out_start[source + 1])
    rows = (begin + np.flatnonzero(table.target[begin:end] == target)).tolist()
    found = [
        Edge(row, source, target, EdgeKind(int(table.kind[row])), Confidence(int(table.confidence[row])))
        for row in rows
    ]
    if snapshot.parent_of(target) == source:
        found.append(Edge(-1, source, target, EdgeKind.CONTAINS, Confidence.EXACT))
    return found


def _step(snapshot: Snapshot, front: Ints, wanted: Mask) -> tuple[Ints, Ints]:
    """Every node one edge away from a front, and the node of the front that it was reached from."""
    table = snapshot.edges
    out_rows, out_owner = places(table.out_start, front)
    in_rows, in_owner = gathered(table.by_target, table.in_start, front)
    keep_out, keep_in = wanted[table.kind[out_rows]], wanted[table.kind[in_rows]]
    others = [table.target[out_rows[keep_out]], table.source[in_rows[keep_in]]]
    via = [front[out_owner[keep_out]], front[in_owner[keep_in]]]
    if wanted[EdgeKind.CONTAINS]:
        columns = columns_of(snapshot)
        inside = front[front < snapshot.first_external]
        children, owner = gathered(columns.children, columns.child_start, inside)
        parents = columns.parent[inside]
        others += [children, parents[parents >= 0]]
        via += [inside[owner], inside[parents >= 0]]
    return np.concatenate(others), np.concatenate(via)


def _trace_back(came_from: Ints, node: int) -> list[int]:
    """From a node back to where the search began."""
    trail = [node]
    while (previous := int(came_from[trail[-1]])) != START:
        trail.append(previous)
    return trail
