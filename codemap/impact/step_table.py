"""All steps of a map, so that a wide search looks up those of a definition instead of finding them.

A hub reaches most of a repository in dozens of rounds, and to find the steps of a round takes hundreds of array
operations. A narrow search, as most are, finds its steps sooner than the table is made, which an edit makes worthless.
So do all searches of a repository whose steps take longer to find than any search.
"""

from __future__ import annotations

import msgspec
import numpy as np

from codemap.graph.index.columns import places
from codemap.graph.model.edges import Ints, Mask, Numbers, starts
from codemap.graph.model.index_slots import Slot, reuse
from codemap.graph.model.snapshot import Snapshot
from codemap.impact.arrivals import arrivals, weaken
from codemap.impact.steps import Arrivals

WIDE = 2_000
"""Nodes that a search has asked about when it becomes a wide one."""
NODES_MAX = 300_000
"""Nodes up to which all steps are found at once: some six microseconds and 18 bytes a node."""


class Some(msgspec.Struct, frozen=True):
    """Some of many steps."""

    steps: Arrivals
    rows: Numbers
    """In order."""

    def all(self) -> Arrivals:
        return self.steps.where(self.rows)


class _Table(msgspec.Struct, frozen=True):
    steps: Arrivals
    later: Arrivals
    """The same, weakened."""
    by_via: Ints
    """Rows in order of what is used, then their own."""
    source: Ints
    """Who uses, in that order."""
    start: Ints
    """Row n: where those of node n begin; one longer than there are nodes."""


def _make_table(snapshot: Snapshot) -> _Table:
    found = arrivals(snapshot, np.arange(snapshot.node_count, dtype=np.int32))
    found = Arrivals(found.source, found.via, found.row, found.how.astype(np.int8), found.tier.astype(np.int8))
    by_via = np.argsort(found.via, kind="stable").astype(np.int32)
    later = weaken(snapshot, found)
    return _Table(found, later, by_via, found.source[by_via], starts(found.via[by_via], snapshot.node_count))


TABLE = Slot[_Table](_make_table, rescore=reuse)


class Steps:
    """The steps of one search."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self._asked = 0

    def to(self, nodes: Ints, wanted: Mask, *, are_changed: bool) -> Some:
        """`arrivals` of some definitions from those that are `wanted`, by node; weakened unless they are changed."""
        snapshot = self._snapshot
        self._asked += len(nodes)
        table = TABLE.held_by(snapshot)
        if table is None and self._asked > WIDE and snapshot.node_count <= NODES_MAX:
            table = TABLE.of(snapshot)
        if table is None:
            found = arrivals(snapshot, nodes)
            found = found if are_changed else weaken(snapshot, found)
            return Some(found, np.flatnonzero(wanted[found.source]))
        found_at = places(table.start, nodes)[0]
        wanted_at = found_at.compress(wanted.take(table.source.take(found_at)))
        return Some(table.steps if are_changed else table.later, np.sort(table.by_via.take(wanted_at)))
