"""All steps of a map, so that searches for chains look them up: to find those of a few nodes takes as many array
operations as to find those of all.

Rules of the file:
- A table is made when a search first asks for it: some 150 nanoseconds a node, with undecided calls 500.
- What a step costs in the files of one question (`Ways.own`, `Ways.unlikely`) is no part of a table.
- A map of more than `NODES_MAX` nodes has no tables.
"""

from __future__ import annotations

from functools import partial

import msgspec
import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from codemap.file_roles import Role
from codemap.graph.index.columns import gathered, places
from codemap.graph.model.edges import Ints, starts
from codemap.graph.model.index_slots import Slot, reuse
from codemap.graph.model.snapshot import Snapshot
from codemap.graph.query.chain_steps import (
    NAMESAKE,
    NO_PAIRS,
    OVERRIDE,
    Along,
    Steps,
    Ways,
    cross,
    find_undecided,
    join_steps,
    price_unlikely,
    ways_of,
)
from codemap.graph.query.chain_steps import implied as find_implied
from codemap.graph.query.chain_steps import uses as find_uses

NODES_MAX = 300_000
"""As of `overrides`, which are found at once for maps up to this size, too."""

_NO_USE = np.iinfo(np.int8).max
_USES_LIKE = {Along.INDIRECT: Along.CALLS, Along.CANDIDATES: Along.CALLS}
"""Which use the same, apart from undecided calls."""
_IMPLIED_LIKE = {Along.LOOSE: Along.REFERENCES}
"""Where uses imply the same."""


class _Table(msgspec.Struct, frozen=True):
    """Steps in order of the source."""

    steps: Steps
    out_start: Ints
    by_target: Ints
    in_start: Ints

    def around(self, nodes: Ints, *, is_forward: bool) -> Steps:
        """Those from some nodes, or to them."""
        if is_forward:
            return self.steps.at(places(self.out_start, nodes)[0])
        return self.steps.at(gathered(self.by_target, self.in_start, nodes)[0])


def uses(ways: Ways, nodes: Ints, *, is_forward: bool) -> Steps:
    """`chain_steps.uses`."""
    if not _has_tables(ways):
        return find_uses(ways, nodes, is_forward=is_forward)
    if ways.kept is None:
        return _find_uses(ways, nodes, is_forward=is_forward)
    key = nodes.tobytes(), is_forward, True
    found = ways.kept.get(key)
    if found is None:
        even = replace(ways, unlikely=NO_PAIRS)
        found = ways.kept[key] = _find_uses(even, nodes, is_forward=is_forward)
    return price_unlikely(ways, found)


def _find_uses(ways: Ways, nodes: Ints, *, is_forward: bool) -> Steps:
    table = ways.snapshot.edges
    prices = _PRICES[_USES_LIKE.get(ways.along, ways.along)].of(ways.snapshot)
    rows = places(table.out_start, nodes)[0] if is_forward else gathered(table.by_target, table.in_start, nodes)[0]
    cost = prices.take(rows)
    counts = np.flatnonzero(cost != _NO_USE)
    rows = rows.take(counts)
    found = [Steps(table.source.take(rows), table.target.take(rows), rows, cost.take(counts).astype(np.int32))]
    if ways.along is Along.CANDIDATES:
        found.append(price_unlikely(ways, _UNDECIDED.of(ways.snapshot).around(nodes, is_forward=is_forward)))
    others = [some for some in (ways.named_goals, ways.bridges) if some is not None]
    found += [cross(some, nodes, is_forward=is_forward) for some in others]
    return _enter(ways, join_steps(found) if len(found) > 1 else found[0])


def implied(ways: Ways, nodes: Ints, *, is_forward: bool, is_first: bool = True) -> Steps:
    """`chain_steps.implied`."""
    if not _has_tables(ways):
        return find_implied(ways, nodes, is_forward=is_forward, is_first=is_first)
    if ways.kept is None:
        return _find_implied(ways, nodes, is_forward=is_forward, is_first=is_first)
    key = nodes.tobytes(), is_forward, False
    found = ways.kept.get(key)
    if found is None:
        found = ways.kept[key] = _find_implied(ways, nodes, is_forward=is_forward, is_first=True)
    return found if is_first else _leave_out_overrides(found)


def _find_implied(ways: Ways, nodes: Ints, *, is_forward: bool, is_first: bool) -> Steps:
    found = _IMPLIED[_IMPLIED_LIKE.get(ways.along, ways.along)].of(ways.snapshot).around(nodes, is_forward=is_forward)
    return _enter(ways, found if is_first else _leave_out_overrides(found))


def _leave_out_overrides(steps: Steps) -> Steps:
    return steps.at(((steps.row != OVERRIDE) & (steps.row != NAMESAKE)).nonzero()[0])


def _has_tables(ways: Ways) -> bool:
    return ways.snapshot.node_count <= NODES_MAX


def _enter(ways: Ways, steps: Steps) -> Steps:
    """The same with what it costs to enter the files of the targets."""
    known = _ENTERING.of(ways.snapshot)
    costs = known.get(ways.own)
    if costs is None:
        costs = known[ways.own] = np.zeros(ways.snapshot.node_count, dtype=np.int8)
        costs[: ways.snapshot.first_external] = ways.file_cost.take(ways.columns.file)
    return replace(steps, cost=steps.cost + costs.take(steps.target))


_ENTERING = Slot[dict[frozenset[Role], NDArray[np.int8]]](lambda _: {}, rescore=reuse)
"""By the roles that cost nothing: what it costs to enter the file of each node."""


def _all_ways(snapshot: Snapshot, along: Along) -> tuple[Ways, Ints]:
    """Ways on which no file costs anything to enter, and all nodes."""
    return ways_of(snapshot, tuple(Role), along), np.arange(snapshot.node_count, dtype=np.int32)


def _price_uses(along: Along, snapshot: Snapshot) -> NDArray[np.int8]:
    """By edge: what it costs as a use."""
    found = find_uses(*_all_ways(snapshot, along), is_forward=True)
    prices = np.full(len(snapshot.edges.target), _NO_USE, dtype=np.int8)
    prices[found.row] = found.cost
    return prices


def _make_table(snapshot: Snapshot, found: Steps) -> _Table:
    count = snapshot.node_count
    steps = replace(found, cost=found.cost.astype(np.int16)).at(np.argsort(found.source, kind="stable"))
    by_target = np.argsort(steps.target, kind="stable").astype(np.int32)
    return _Table(steps, starts(steps.source, count), by_target, starts(steps.target, count))


def _list_implied(along: Along, snapshot: Snapshot) -> _Table:
    return _make_table(snapshot, find_implied(*_all_ways(snapshot, along), is_forward=True))


def _list_undecided(snapshot: Snapshot) -> _Table:
    return _make_table(snapshot, find_undecided(*_all_ways(snapshot, Along.CANDIDATES), is_forward=True))


_PRICES = {along: Slot[NDArray[np.int8]](partial(_price_uses, along), rescore=reuse) for along in Along}
_IMPLIED = {along: Slot[_Table](partial(_list_implied, along), rescore=reuse) for along in Along}
_UNDECIDED = Slot[_Table](_list_undecided, rescore=reuse)
