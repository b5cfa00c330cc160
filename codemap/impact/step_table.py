"""All steps of a map, so that a wide search looks up those of a definition instead of finding them.

A hub reaches most of a repository in dozens of rounds, and to find the steps of a round takes hundreds of array
operations. A narrow search, as most are, finds its steps sooner than the table is made, which an edit makes worthless.
So do all searches of a repository whose steps take longer to find than any search.
"""

from __future__ import annotations

import msgspec
import numpy as np

from codemap.graph.model.edges import Ints, are_first, starts
from codemap.graph.model.index_slots import Slot, reuse
from codemap.graph.model.snapshot import Snapshot
from codemap.impact.arrivals import arrivals, weaken
from codemap.impact.steps import Arrivals, Tier

WIDE = 2_000
"""Nodes that a search has asked about when it becomes a wide one."""
NODES_MAX = 300_000
"""Nodes up to which all steps are found at once: some six microseconds and 18 bytes a node."""
TIERS = len(Tier)
_NODE_BITS = 20
"""Of a key: more than `NODES_MAX` needs."""


class Users(msgspec.Struct, frozen=True):
    """Who is a step away from each node, each once for a tier."""

    source: Ints
    start: Ints
    """Element 4 * n + t: where those of node n by steps of tier t begin."""


class StepTable(msgspec.Struct, frozen=True):
    steps: Arrivals
    """In order of the source, those of one as `arrivals` lists them."""
    later: Ints
    """Their tiers, weakened."""
    start: Ints
    """Element n: where the steps of node n begin; one longer than there are nodes."""
    used: Users
    """By weakened tier: those that others use in turn."""
    unused: Users
    """The same of those that nothing uses, as tests: no chain goes on from them."""
    are_used: np.ndarray[tuple[int], np.dtype[np.bool_]]
    """By node."""


def _make_table(snapshot: Snapshot) -> StepTable:
    count = snapshot.node_count
    found = arrivals(snapshot, np.arange(count, dtype=np.int32))
    found = Arrivals(found.source, found.via, found.row, found.how.astype(np.int8), found.tier.astype(np.int8))
    later = weaken(snapshot, found).tier
    are_used = np.zeros(count, dtype=np.bool_)
    are_used[found.via] = True
    keys = (found.via.astype(np.int64) * TIERS + later) << _NODE_BITS | found.source
    are_inner = are_used.take(found.source)
    used, unused = _list_users(keys[are_inner], count), _list_users(keys[~are_inner], count)
    by_source = np.argsort(found.source, kind="stable")
    steps = found.where(by_source)
    return StepTable(steps, later.take(by_source), starts(steps.source, count), used, unused, are_used)


def _list_users(keys: np.ndarray[tuple[int], np.dtype[np.int64]], node_count: int) -> Users:
    keys = np.sort(keys)
    keys = keys.compress(are_first(keys))
    tiers_of_nodes = (keys >> _NODE_BITS).astype(np.int32)
    return Users((keys & ((1 << _NODE_BITS) - 1)).astype(np.int32), starts(tiers_of_nodes, TIERS * node_count))


TABLE = Slot[StepTable](_make_table, rescore=reuse)


def table_for(snapshot: Snapshot, asked: int) -> StepTable | None:
    """The table, where it is made, or is to be made as a search has asked about so many nodes."""
    if asked > WIDE and snapshot.node_count <= NODES_MAX:
        return TABLE.of(snapshot)
    return TABLE.held_by(snapshot)
