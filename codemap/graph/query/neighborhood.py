"""Finds the neighbors of a node, best first.

Expansion is by depth, then by hub score; a whole step from all nodes of a depth is taken at once. What the limits leave
out is counted:
- `max_nodes` neighbors in all;
- where it goes deeper than one step, `FAN_OUT_MAX` neighbors for each node, so that one hub does not fill the answer;
  not where a whole hierarchy is asked for.

Where inheritance alone is asked for, the parts of a type that is in several places count as the type.

External packages are neighbors, but are expanded only when they were asked about.
"""

from __future__ import annotations

from collections.abc import Collection

import msgspec
import numpy as np
from msgspec.structs import replace

from codemap.file_roles import Role
from codemap.graph.index.columns import Columns, columns_of, gathered, places
from codemap.graph.index.node_roles import FILE_ROLES
from codemap.graph.index.part_nodes import PARTS
from codemap.graph.model.columnar import Columnar
from codemap.graph.model.edges import (
    INHERITANCE,
    Edge,
    EdgeKind,
    Ints,
    Mask,
    Numbers,
    among,
    are_among,
    distinct,
)
from codemap.graph.model.snapshot import CONFIDENCES, KINDS, Snapshot
from codemap.graph.model.values import Confidence
from codemap.graph.query.undecided import Side

FAN_OUT_MAX = 20
"""Neighbors that one node brings, on the way to others: the contract's."""

FEW = 200
"""Up to so many edges are read one by one, which is faster than as columns."""


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
    beyond_max: int
    """Neighbors left out by `max_nodes`, as far as they were seen."""
    beyond_fan_out: int
    """Others, left out because a node brought too many."""
    aside: int = 0
    """How many of these are in tests, examples and the like."""

    @property
    def omitted(self) -> int:
        return self.beyond_max + self.beyond_fan_out


def neighborhood(
    snapshot: Snapshot,
    node: int,
    sides: Collection[Side],
    kinds: Collection[EdgeKind],
    depth: int,
    max_nodes: int,
    fan_out: int = FAN_OUT_MAX,
    routes: int = 1,
) -> Neighborhood:
    """The neighbors of a node along edges of some kinds, up to `depth` steps and `max_nodes` neighbors; where they are
    several steps, at most `fan_out` for each node, and each neighbor with so many `routes`: nodes of the step before
    that it was reached from."""
    columns = columns_of(snapshot)
    is_united = columns.has_parts and set(kinds).issubset(INHERITANCE)
    if depth == 1 and not is_united and _has_few(snapshot, columns, node):
        return _find_beside(snapshot, columns, node, sides, kinds, max_nodes)
    wanted = among(kinds)
    fan_out = snapshot.node_count if depth == 1 else fan_out
    is_seen = np.zeros(snapshot.node_count, dtype=np.bool_)
    found: list[Neighbor] = []
    crowded_out, no_room = [np.empty(0, dtype=np.int32)], [np.empty(0, dtype=np.int32)]
    frontier = np.array([node], dtype=np.int32)
    room = max_nodes
    ranking = columns if depth == 1 else _rank_product_first(snapshot, columns, node)
    for level in range(1, depth + 1):
        step = (_step_united if is_united else _step)(snapshot, columns, frontier, sides, wanted)
        step = step.where(~is_seen.take(step.other))
        is_seen[node] = True  # from now on: at the first step it may be its own neighbor
        # Pairs of (node it was reached from, rank of the neighbor), each once, in that order.
        width = len(ranking.rank)
        pairs = distinct(step.owner * np.int64(width) + ranking.rank.take(step.other))
        owner, rank = pairs // width, pairs % width
        turn = np.arange(len(pairs)) - np.searchsorted(owner, owner)
        crowded_out.append(ranking.by_rank[rank[turn >= fan_out]])
        reached = distinct(rank[turn < fan_out])
        no_room.append(ranking.by_rank[reached[room:]])
        reached = reached[:room]
        links = _choose_links(pairs[turn < fan_out], width, reached, routes)
        found += _make_neighbors(ranking.rank, step, frontier, links, level)
        frontier = ranking.by_rank[reached]
        room -= len(frontier)
        is_seen[frontier] = True
        frontier = frontier[(frontier < snapshot.first_external) & (frontier != node)]
    left = distinct(np.concatenate(no_room))
    left = left[~is_seen[left]]
    crowded = distinct(np.concatenate(crowded_out))
    crowded = crowded[~is_seen[crowded]]
    if len(crowded):
        crowded = crowded[~np.isin(crowded, left)]
    inner = crowded[crowded < snapshot.first_external]
    are_aside = FILE_ROLES.of(snapshot)[columns.file[inner]] != int(Role.PRODUCT)
    return Neighborhood(tuple(found), len(left), len(crowded), int(are_aside.sum()))


def _has_few(snapshot: Snapshot, columns: Columns, node: int) -> bool:
    """Whether a node has few edges."""
    table = snapshot.edges
    inner = 0 if snapshot.is_external(node) else len(columns.children_of(node))
    return len(table.leaving(node)) + len(table.arriving(node)) + inner <= FEW


def _find_beside(
    snapshot: Snapshot, columns: Columns, node: int, sides: Collection[Side], kinds: Collection[EdgeKind], most: int
) -> Neighborhood:
    """`neighborhood` for one step from a node with few edges."""
    found: list[Neighbor] = []
    stored = frozenset(kinds) - {EdgeKind.CONTAINS}
    if "out" in sides:
        if EdgeKind.CONTAINS in kinds and not snapshot.is_external(node):
            for child in columns.children_of(node).tolist():  # the snapshot would look through all of the file
                inner = Edge(-1, node, child, EdgeKind.CONTAINS, Confidence.EXACT)
                found.append(Neighbor(child, inner, "out", 1, node))
        found += [Neighbor(edge.target, edge, "out", 1, node) for edge in snapshot.edges_out(node, stored)]
    if "in" in sides:
        arriving = (edge for edge in snapshot.edges_in(node, kinds) if edge.source != node or "out" not in sides)
        found += [Neighbor(edge.source, edge, "in", 1, node) for edge in arriving]
    rank = dict(zip(others := [each.node for each in found], columns.rank[others].tolist(), strict=True))
    best = sorted(rank, key=rank.__getitem__)
    shown = frozenset(best[:most])
    beyond = len(best) - len(shown) - (node in rank and node not in shown)
    kept = sorted((each for each in found if each.node in shown), key=lambda each: rank[each.node])
    return Neighborhood(tuple(kept), beyond, 0)


class _Ranking(msgspec.Struct, frozen=True):
    """As in `Columns`."""

    rank: Ints
    by_rank: Ints


def _rank_product_first(snapshot: Snapshot, columns: Columns, node: int) -> Columns | _Ranking:
    """The best hubs first, those in tests, examples and the like behind those of product code, unless the node is in
    such itself: they are the first to be left out."""
    roles = FILE_ROLES.of(snapshot)[columns.file]
    own = Role.PRODUCT if snapshot.is_external(node) else Role(int(roles[node]))
    if own != Role.PRODUCT:
        return columns
    is_aside = np.zeros(snapshot.node_count, dtype=np.bool_)
    is_aside[: len(roles)] = roles != int(own)
    are_aside = is_aside[columns.by_rank]
    by_rank = np.concatenate((columns.by_rank[~are_aside], columns.by_rank[are_aside]))
    rank = np.empty_like(by_rank)
    rank[by_rank] = np.arange(len(by_rank), dtype=np.int32)
    return _Ranking(rank, by_rank)


class _Edges(Columnar, frozen=True):
    """Edges around some nodes, as columns: per node those to children, leaving, to the parent, arriving."""

    owner: Ints
    """Place of the node among those that were expanded."""
    other: Ints
    row: Ints
    """-1 for `contains`."""
    kind: Ints
    confidence: Ints
    is_out: Mask


def _step(snapshot: Snapshot, columns: Columns, nodes: Ints, sides: Collection[Side], wanted: Mask) -> _Edges:
    """All wanted edges around some nodes; an edge from a node to itself once, as leaving where that was asked for."""
    table = snapshot.edges
    inner = np.flatnonzero(nodes < snapshot.first_external).astype(np.int32)
    owner, other, row, out = [], [], [], []

    def add(owners: Ints, others: Ints, rows: Ints, is_out: bool) -> None:
        owner.append(owners)
        other.append(others)
        row.append(rows)
        out.append(np.full(len(others), is_out))

    if "out" in sides:
        if wanted[EdgeKind.CONTAINS]:
            children, of = gathered(columns.children, columns.child_start, nodes[inner])
            add(inner[of], children, np.full(len(children), -1, dtype=np.int32), True)
        rows, of = places(table.out_start, nodes)
        is_wanted = np.flatnonzero(wanted.take(table.kind.take(rows)))
        rows, of = rows.take(is_wanted), of.take(is_wanted)
        add(of, table.target.take(rows), rows, True)
    if "in" in sides:
        if wanted[EdgeKind.CONTAINS]:
            parents = columns.parent[nodes[inner]]
            has_parent = parents >= 0
            parents = parents[has_parent]
            add(inner[has_parent], parents, np.full(len(parents), -1, dtype=np.int32), False)
        rows, of = gathered(table.by_target, table.in_start, nodes)
        counts = wanted.take(table.kind.take(rows))
        if "out" in sides:
            counts &= table.source.take(rows) != nodes.take(of)
        is_wanted = np.flatnonzero(counts)
        rows, of = rows.take(is_wanted), of.take(is_wanted)
        add(of, table.source.take(rows), rows, False)
    rows = np.concatenate(row)
    is_stored = np.flatnonzero(rows >= 0)
    kind = np.full(len(rows), EdgeKind.CONTAINS, dtype=np.int32)
    confidence = np.full(len(rows), Confidence.EXACT, dtype=np.int32)
    stored = rows.take(is_stored)
    kind[is_stored] = table.kind.take(stored)
    confidence[is_stored] = table.confidence.take(stored)
    return _Edges(np.concatenate(owner), np.concatenate(other), rows, kind, confidence, np.concatenate(out))


def _step_united(snapshot: Snapshot, columns: Columns, nodes: Ints, sides: Collection[Side], wanted: Mask) -> _Edges:
    """`_step` with the edges of the other parts of types as those of the one that is among the nodes."""
    inner = np.flatnonzero(nodes < snapshot.first_external).astype(np.int32)
    united, of = PARTS.of(snapshot).unite(nodes[inner])
    pairs = distinct(inner[of] * np.int64(snapshot.node_count) + united)
    of, united = (pairs // snapshot.node_count).astype(np.int32), (pairs % snapshot.node_count).astype(np.int32)
    outer = np.flatnonzero(nodes >= snapshot.first_external).astype(np.int32)
    of = np.concatenate((of, outer))
    step = _step(snapshot, columns, np.concatenate((united, nodes[outer])), sides, wanted)
    return replace(step, owner=of[step.owner])


def _choose_links(pairs: Numbers, width: int, reached: Numbers, routes: int) -> Numbers:
    """Of pairs, the first ones of each neighbor that was reached, by neighbor."""
    order = np.argsort(pairs % width, kind="stable")
    rank = pairs[order] % width
    turn = np.arange(len(rank)) - np.searchsorted(rank, rank)
    chosen: Numbers = pairs[order][(turn < routes) & are_among(rank, reached)]
    return chosen


def _make_neighbors(rank: Ints, step: _Edges, nodes: Ints, links: Numbers, depth: int) -> list[Neighbor]:
    """The edges of some pairs of (node it was reached from, rank of the neighbor), in the order of the pairs."""
    if not len(links):
        return []
    order = np.argsort(links)
    key = step.owner * np.int64(len(rank)) + rank.take(step.other)
    place = np.minimum(np.searchsorted(links, key, sorter=order), len(links) - 1)
    chosen = np.flatnonzero(links[order[place]] == key)
    chosen = chosen[np.argsort(order[place[chosen]], kind="stable")]
    edges = step.where(chosen)
    found = []
    for via, other, row, kind, confidence, is_out in zip(
        nodes[edges.owner].tolist(),
        edges.other.tolist(),
        edges.row.tolist(),
        edges.kind.tolist(),
        edges.confidence.tolist(),
        edges.is_out.tolist(),
        strict=True,
    ):
        source, target = (via, other) if is_out else (other, via)
        edge = Edge(row, source, target, KINDS[kind], CONFIDENCES[confidence])
        found.append(Neighbor(other, edge, "out" if is_out else "in", depth, via))
    return found
