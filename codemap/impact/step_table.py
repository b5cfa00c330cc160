"""All steps of a map, so that a search looks up those of a definition instead of finding them: a hub reaches most of a
repository in dozens of rounds, and to find the steps of a round takes hundreds of array operations.

Where a repository is so large that all of its steps take longer than a search, they are found as they are needed.
"""

from __future__ import annotations

import msgspec
import numpy as np

from codemap.graph.index.columns import gathered
from codemap.graph.model.edges import Ints, starts
from codemap.graph.model.index_slots import Slot, reuse
from codemap.graph.model.snapshot import Snapshot
from codemap.impact.arrivals import arrivals
from codemap.impact.steps import Arrivals

NODES_MAX = 300_000
"""Nodes up to which all steps are found at once: some six microseconds and 18 bytes a node."""


class _Table(msgspec.Struct, frozen=True):
    steps: Arrivals
    by_via: Ints
    """Rows in order of what is used, then their own."""
    start: Ints
    """Row n: where those of node n begin; one longer than there are nodes."""


def _make_table(snapshot: Snapshot) -> _Table:
    found = arrivals(snapshot, np.arange(snapshot.node_count, dtype=np.int32))
    found = Arrivals(found.source, found.via, found.row, found.how.astype(np.int8), found.tier.astype(np.int8))
    by_via = np.argsort(found.via, kind="stable").astype(np.int32)
    return _Table(found, by_via, starts(found.via[by_via], snapshot.node_count))


_TABLE = Slot[_Table](_make_table, rescore=reuse)


def steps_to(snapshot: Snapshot, nodes: Ints) -> Arrivals:
    """`arrivals` of some definitions."""
    if snapshot.node_count > NODES_MAX:
        return arrivals(snapshot, nodes)
    table = _TABLE.of(snapshot)
    return table.steps.where(np.sort(gathered(table.by_via, table.start, nodes)[0]))
