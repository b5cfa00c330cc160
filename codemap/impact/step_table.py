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
"""Nodes up to which all steps are found at once: some five microseconds and 190 bytes a node."""
TIERS = len(Tier)
_NODE_BITS = 20
"""Of a key: more than `NODES_MAX` needs."""


class Users(msgspec.Struct, frozen=True):
    """Who is a step away from each used node, by numbers in some list of nodes, each once for a tier."""

    source: Ints
    start: Ints
    """Element 4 * n + t: where those of used node n by steps of tier t begin."""


class SharedUsers(msgspec.Struct, frozen=True):
    """Lists of users by steps of one tier, each of which several nodes may have: the methods of a class all have who
    makes its objects."""

    used: Ints
    """The used nodes that have list 0, those that have list 1, …"""
    tier: Ints
    """Of the steps to each of these."""
    used_start: Ints
    """By list: where those that have it begin."""
    source: Ints
    start: Ints
    """Element n: where the users in list n begin; one longer than there are lists."""


class StepTable(msgspec.Struct, frozen=True):
    steps: Arrivals
    """In order of the source, those of one as `arrivals` lists them."""
    later: Ints
    """Their tiers, weakened."""
    start: Ints
    """Element n: where the steps of node n begin; one longer than there are nodes."""
    used: Ints
    """The nodes that others use."""
    unused: Ints
    """The others, as tests: no chain goes on from them."""
    number: Ints
    """By node: its number among the used ones; -1 - n for unused node n."""
    of_used: Users
    """By weakened tier: who uses each and is used."""
    of_unused: SharedUsers
    """The same of unused nodes."""

    def numbers_of(self, nodes: Ints) -> Ints:
        """Of those that are used."""
        numbers = self.number.take(nodes)
        return numbers.compress(numbers >= 0)


def _make_table(snapshot: Snapshot) -> StepTable:
    count = snapshot.node_count
    found = arrivals(snapshot, np.arange(count, dtype=np.int32))
    found = Arrivals(found.source, found.via, found.row, found.how.astype(np.int8), found.tier.astype(np.int8))
    later = weaken(snapshot, found).tier
    are_used = np.zeros(count, dtype=np.bool_)
    are_used[found.via] = True
    used, unused = (np.flatnonzero(some).astype(np.int32) for some in (are_used, ~are_used))
    number = np.empty(count, dtype=np.int32)
    number[used] = np.arange(len(used), dtype=np.int32)
    number[unused] = -1 - np.arange(len(unused), dtype=np.int32)
    source, via = number.take(found.source), number.take(found.via)
    inner, outer = np.flatnonzero(source >= 0), np.flatnonzero(source < 0)
    of_used = _list_users(via.take(inner) * TIERS + later.take(inner), source.take(inner), TIERS * len(used))
    of_unused = _list_users(via.take(outer) * TIERS + later.take(outer), -1 - source.take(outer), TIERS * len(used))
    by_source = np.argsort(found.source, kind="stable")
    steps = found.where(by_source)
    start = starts(steps.source, count)
    return StepTable(steps, later.take(by_source), start, used, unused, number, of_used, _share(of_unused))


def _list_users(keys: Ints, source: Ints, count: int) -> Users:
    """Those of each of so many keys, each once."""
    pairs = np.sort(keys.astype(np.int64) << _NODE_BITS | source)
    pairs = pairs.compress(are_first(pairs))
    found = (pairs & ((1 << _NODE_BITS) - 1)).astype(np.int32)
    return Users(found, starts((pairs >> _NODE_BITS).astype(np.int32), count))


def _share(users: Users) -> SharedUsers:
    numbers: dict[tuple[int, bytes], int] = {}
    having = np.flatnonzero(users.start[1:] > users.start[:-1]).astype(np.int32)
    begins, ends = users.start.take(having).tolist(), users.start.take(having + 1).tolist()
    its = (users.source[begin:end].tobytes() for begin, end in zip(begins, ends, strict=True))
    keys = zip((having % TIERS).tolist(), its, strict=True)
    of_each = np.array([numbers.setdefault(key, len(numbers)) for key in keys], dtype=np.int32)
    order = np.argsort(of_each, kind="stable")
    used, tiers = np.divmod(having.take(order), TIERS)
    texts = [text for _, text in numbers]
    counts = np.array([0, *map(len, texts)], dtype=np.int32) // users.source.itemsize
    return SharedUsers(
        used,
        tiers,
        starts(of_each.take(order), len(numbers))[:-1],
        np.frombuffer(b"".join(texts), dtype=np.int32),
        counts.cumsum(dtype=np.int32),
    )


TABLE = Slot[StepTable](_make_table, rescore=reuse)


def table_for(snapshot: Snapshot, asked: int) -> StepTable | None:
    """The table, where it is made, or is to be made as a search has asked about so many nodes."""
    if asked > WIDE and snapshot.node_count <= NODES_MAX:
        return TABLE.of(snapshot)
    return TABLE.held_by(snapshot)
