"""What is around a node: its neighbors, and the uses that could not be decided.

Expansion is best-first: by depth, then by hub score. A node brings at most `FAN_OUT_MAX` neighbors; what that or
`max_nodes` leaves out is counted. External packages are neighbors, but are expanded only when they were asked about.
"""

from __future__ import annotations

from collections.abc import Collection
from heapq import nsmallest
from typing import Literal

import msgspec
import numpy as np

from codemap.graph.columns import columns_of
from codemap.graph.edges import Edge, EdgeKind, Ints, Mask, Unresolved
from codemap.graph.snapshot import Snapshot
from codemap.graph.values import Confidence

Side = Literal["in", "out"]

FAN_OUT_MAX = 20
"""Neighbors that one node brings: the contract's."""
CANDIDATES_MAX = 5
"""Candidates named for one undecided use: the contract's."""
UNDECIDED_MAX = 50
"""Owners of undecided uses that are listed; all are counted."""


class Neighbor(msgspec.Struct, frozen=True):
    """One edge to a neighbor; a neighbor with edges of several kinds has one of these for each."""

    node: int
    edge: Edge
    side: Side
    """`out`: the edge leaves the node it was reached from."""
    depth: int
    via: int
    """The node it was reached from."""


class Neighborhood(msgspec.Struct, frozen=True):
    neighbors: tuple[Neighbor, ...]
    omitted: int
    """Neighbors left out by the limits, as far as they were seen."""


class Undecided(msgspec.Struct, frozen=True):
    use: Unresolved
    side: Side
    """`in`: the node asked about is one of the candidates."""
    candidates: tuple[int, ...]
    """The nearest few."""
    candidate_count: int


class UndecidedUses(msgspec.Struct, frozen=True):
    uses: tuple[Undecided, ...]
    omitted: int
    """Owners beyond the limit."""
    sites: int
    """Sites of all of them, listed or not."""


def neighborhood(
    snapshot: Snapshot, node: int, sides: Collection[Side], kinds: Collection[EdgeKind], depth: int, max_nodes: int
) -> Neighborhood:
    """The neighbors of a node along edges of some kinds, up to `depth` steps and `max_nodes` neighbors."""
    wanted = np.isin(np.arange(len(EdgeKind)), [int(kind) for kind in kinds])
    seen = {node}
    found: list[Neighbor] = []
    left_out: set[int] = set()
    frontier = [node]
    room = max_nodes
    for level in range(1, depth + 1):
        reached: dict[int, list[Neighbor]] = {}
        for via in frontier:
            if via != node and snapshot.is_external(via):
                continue
            edges = _edges_around(snapshot, via, sides, wanted)
            near = [other for other in _best_first(snapshot, edges) if other not in seen or other == via == node]
            left_out.update(near[FAN_OUT_MAX:])
            for other in near[:FAN_OUT_MAX]:
                if other not in reached:
                    reached[other] = _between(edges, other, level, via)
        order = sorted(reached, key=lambda other: (-float(snapshot.scores[other]), other))
        left_out.update(order[room:])
        frontier = order[:room]
        room -= len(frontier)
        seen.update(frontier)
        found.extend(neighbor for other in frontier for neighbor in reached[other])
    return Neighborhood(tuple(found), len(left_out - seen))


class _Edges(msgspec.Struct, frozen=True):
    """The edges around one node, as columns."""

    node: int
    other: Ints
    kind: Ints
    row: Ints
    confidence: Ints
    outgoing: int
    """So many leave the node; the rest arrive."""


def _edges_around(snapshot: Snapshot, node: int, sides: Collection[Side], wanted: Mask) -> _Edges:
    table = snapshot.edges
    columns = columns_of(snapshot)
    is_inside = not snapshot.is_external(node)
    empty = np.empty(0, dtype=np.int32)
    children, parents, out_rows, in_rows = empty, empty, empty, empty
    if "out" in sides:
        out_rows = np.arange(table.out_start[node], table.out_start[node + 1], dtype=np.int32)
        if is_inside and wanted[EdgeKind.CONTAINS]:
            children = columns.children_of(node)
    if "in" in sides:
        in_rows = table.by_target[table.in_start[node] : table.in_start[node + 1]]
        if is_inside and wanted[EdgeKind.CONTAINS] and columns.parent[node] >= 0:
            parents = columns.parent[node : node + 1]
        if "out" in sides:
            in_rows = in_rows[table.source[in_rows] != node]
    out_rows, in_rows = out_rows[wanted[table.kind[out_rows]]], in_rows[wanted[table.kind[in_rows]]]
    rows = np.concatenate((np.full(len(children), -1), out_rows, np.full(len(parents), -1), in_rows)).astype(np.int32)
    is_stored = rows >= 0
    return _Edges(
        node,
        np.concatenate((children, table.target[out_rows], parents, table.source[in_rows])),
        np.where(is_stored, table.kind[rows], EdgeKind.CONTAINS) if len(table.kind) else np.zeros_like(rows),
        rows,
        np.where(is_stored, table.confidence[rows], Confidence.EXACT) if len(table.kind) else np.ones_like(rows),
        len(children) + len(out_rows),
    )


def _best_first(snapshot: Snapshot, edges: _Edges) -> list[int]:
    others = np.unique(edges.other)
    found: list[int] = others[np.argsort(-snapshot.scores[others], kind="stable")].tolist()
    return found


def _between(edges: _Edges, other: int, depth: int, via: int) -> list[Neighbor]:
    found = []
    for place in np.flatnonzero(edges.other == other).tolist():
        is_out = place < edges.outgoing
        source, target = (via, other) if is_out else (other, via)
        kind, confidence = EdgeKind(int(edges.kind[place])), Confidence(int(edges.confidence[place]))
        edge = Edge(int(edges.row[place]), source, target, kind, confidence)
        found.append(Neighbor(other, edge, "out" if is_out else "in", depth, via))
    return found


def undecided_uses(
    snapshot: Snapshot, node: int, sides: Collection[Side], kinds: Collection[EdgeKind]
) -> UndecidedUses:
    """Undecided uses by a node (`out`) and those that it may be meant by (`in`), the nearest first."""
    found: list[tuple[Unresolved, Side]] = []
    if "in" in sides:
        found += [(use, "in") for use in _uses_of(snapshot, node)]
    if "out" in sides:
        found += [(use, "out") for use in snapshot.unresolved_out(node)]
    found = [(use, side) for use, side in found if use.kind in kinds]
    sites = sum(int(snapshot.unresolved.count[use.row]) for use, _ in found)
    places = _Places(snapshot)
    listed = found
    if len(found) > UNDECIDED_MAX:
        here = node if not snapshot.is_external(node) else 0
        listed = nsmallest(UNDECIDED_MAX, found, key=lambda item: (places.apart(here, item[0].source), item[0].row))
    named = [_named(snapshot, places, use, side) for use, side in listed]
    return UndecidedUses(tuple(named), len(found) - len(listed), sites)


def _uses_of(snapshot: Snapshot, node: int) -> list[Unresolved]:
    if snapshot.is_external(node) or snapshot.is_file(node):
        return []
    return snapshot.unresolved_in(node)


def _named(snapshot: Snapshot, places: _Places, use: Unresolved, side: Side) -> Undecided:
    possible = places.candidates(use)
    nearest = nsmallest(
        CANDIDATES_MAX, possible, key=lambda node: (places.apart(use.source, node), -float(snapshot.scores[node]), node)
    )
    return Undecided(use, side, tuple(nearest), len(possible))


class _Places:
    """Distances between files and candidates of names, remembered for one question."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self._folders: dict[int, list[str]] = {}
        self._apart: dict[tuple[int, int], int] = {}
        self._candidates: dict[tuple[str, EdgeKind, bool, str], list[int]] = {}

    def apart(self, node: int, other: int) -> int:
        """0 in the same file, else 1 and the folders on the way from one file to the other."""
        here, there = self._file(node), self._file(other)
        if here == there:
            return 0
        found = self._apart.get((here, there))
        if found is None:
            mine, its = self._folders[here], self._folders[there]
            shared = 0
            while shared < min(len(mine), len(its)) and mine[shared] == its[shared]:
                shared += 1
            found = self._apart[here, there] = 1 + len(mine) + len(its) - 2 * shared
        return found

    def _file(self, node: int) -> int:
        file = self._snapshot.file_of(node)
        assert file is not None, "external packages neither use nor are candidates"
        if file.number not in self._folders:
            self._folders[file.number] = file.path.split("/")[:-1]
        return file.number

    def candidates(self, use: Unresolved) -> list[int]:
        """Like `Snapshot.candidates`, unordered: they depend on the name, the use's form and its language family."""
        file = self._snapshot.file_of(use.source)
        assert file is not None, "external packages use nothing"
        key = (use.name, use.kind, use.is_member, file.family)
        if key not in self._candidates:
            named = self._snapshot.named(use.name)
            self._candidates[key] = [node for node in named if self._snapshot.is_candidate(use, node)]
        return self._candidates[key]
