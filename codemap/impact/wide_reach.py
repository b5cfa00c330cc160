"""Searches in the table of all steps: first how far each definition is, then by which step, for those that are asked.

Definitions that nothing uses, most of what a hub reaches, are no part of the search. How far they are follows from what
they use, once that is known.

A label is a tier and a depth as one number, so that the smaller is the better one.
"""

from __future__ import annotations

from functools import cached_property

import msgspec
import numpy as np

from codemap.graph.index.columns import columns_of, places
from codemap.graph.model.edges import Ints, Mask, are_first, starts
from codemap.graph.model.snapshot import Snapshot
from codemap.impact.folders import are_near_calls
from codemap.impact.reached import LastSteps, Reach
from codemap.impact.step_table import TIERS, StepTable, Users
from codemap.impact.steps import NO_NODES, Arrivals, joined

_DEPTH_BITS = 24
"""More than any chain is long."""
_DEPTHS = (1 << _DEPTH_BITS) - 1
_UNREACHED = np.int32(TIERS << _DEPTH_BITS)


def wide_reach(
    snapshot: Snapshot, table: StepTable, seeds: Ints, others: Arrivals, depth_max: int | None = None
) -> Reach:
    """Who is reached from some nodes; `others` are first steps besides the uses of these. Cost: each definition that is
    reached and used itself is looked at once, and each use of these."""
    first = joined([_find_first(table, seeds), others])
    labels = _Search(snapshot, table, seeds, depth_max).run(first)
    by_rank = columns_of(snapshot).by_rank
    of_ranks = labels.take(by_rank)
    ranks = np.flatnonzero(of_ranks < _UNREACHED)
    keys = np.sort(of_ranks.take(ranks).astype(np.int64) << 32 | ranks)
    found = (keys >> 32).astype(np.int32)
    nodes = by_rank.take(keys & 0xFFFF_FFFF)
    return Reach(nodes, found >> _DEPTH_BITS, found & _DEPTHS, _Chains(snapshot, table, labels, first))


def _find_first(table: StepTable, seeds: Ints) -> Arrivals:
    """The uses of some nodes by others, as they are where those change themselves."""
    sources = np.concatenate([_users_of(users, seeds, 0, TIERS)[0] for users in (table.used, table.unused)])
    are_asked = np.zeros(len(table.are_used), dtype=np.bool_)
    are_asked[sources] = True
    are_seeds = np.zeros(len(table.are_used), dtype=np.bool_)
    are_seeds[seeds] = True
    rows = places(table.start, np.flatnonzero(are_asked & ~are_seeds).astype(np.int32))[0]
    return table.steps.where(rows.compress(are_seeds.take(table.steps.via.take(rows))))


def _users_of(users: Users, nodes: Ints, least: int, end: int) -> tuple[Ints, Ints]:
    """Those of some nodes by steps of tiers from `least` to below `end`, and how many each node has."""
    begins = users.start.take(nodes * TIERS + least)
    counts = users.start.take(nodes * TIERS + end) - begins
    ends = counts.cumsum(dtype=np.int32)
    found = (begins - ends + counts).repeat(counts)
    found += np.arange(len(found), dtype=np.int32)
    return users.source.take(found), counts


class _Search:
    def __init__(self, snapshot: Snapshot, table: StepTable, seeds: Ints, depth_max: int | None) -> None:
        self._table, self._seeds, self._depth_max = table, seeds, depth_max or _DEPTHS
        self._are_unseen = np.ones(snapshot.node_count, dtype=np.bool_)
        self._are_unseen[seeds] = False
        self._first = np.empty(snapshot.node_count, dtype=np.int32)
        """By node: of a round, the place where it is first."""
        self._rounds: list[Ints] = []
        """Nodes that are used and were reached together."""
        self._labels: list[int] = []
        """By round."""

    def run(self, first: Arrivals) -> Ints:
        """The label of each node."""
        are_inner = self._table.are_used.take(first.source)
        for tier in range(TIERS):
            waiting = self._find_weaker(tier)
            waiting.setdefault(1, []).append(first.source.compress(are_inner & (first.tier == tier)))
            self._run_tier(tier, waiting)
        nodes = np.concatenate([NO_NODES, *self._rounds])
        own = np.array(self._labels, dtype=np.int32).repeat([len(some) for some in self._rounds])
        found = np.full(len(self._are_unseen), _UNREACHED, dtype=np.int32)
        for source, label in (*self._find_unused_first(first, ~are_inner), *self._find_unused(nodes, own)):
            _lower(found, source, label)
        found[nodes] = own
        found[self._seeds] = _UNREACHED
        return found

    def _find_weaker(self, tier: int) -> dict[int, list[Ints]]:
        """By depth: who is first reached by a step of a tier from what is reached by surer ones."""
        if not self._rounds or not tier:
            return {}
        nodes = np.concatenate(self._rounds)
        depths = (np.array(self._labels, dtype=np.int32) & _DEPTHS).repeat([len(some) for some in self._rounds])
        near = np.flatnonzero(depths < self._depth_max)
        source, counts = _users_of(self._table.used, nodes.take(near), tier, tier + 1)
        fresh = np.flatnonzero(self._are_unseen.take(source))
        depths = depths.take(near).repeat(counts).take(fresh)
        order = np.argsort(depths, kind="stable")
        parts = np.split(source.take(fresh).take(order), starts(depths, int(depths.max(initial=0)) + 1)[1:-1])
        return {depth + 1: [part] for depth, part in enumerate(parts) if len(part)}

    def _run_tier(self, tier: int, waiting: dict[int, list[Ints]]) -> None:
        """Takes the steps to what is reached by that tier, in order of depth."""
        while waiting:
            depth = min(waiting)
            nodes = self._take(waiting.pop(depth))
            if not len(nodes):
                continue
            self._rounds.append(nodes)
            self._labels.append((tier << _DEPTH_BITS) + depth)
            if depth < self._depth_max:
                source, _ = _users_of(self._table.used, nodes, 0, tier + 1)
                source = source.compress(self._are_unseen.take(source))
                if len(source):
                    waiting.setdefault(depth + 1, []).append(source)

    def _take(self, parts: list[Ints]) -> Ints:
        """Those that were not reached yet, each once."""
        nodes = parts[0] if len(parts) == 1 else np.concatenate(parts)
        nodes = nodes.compress(self._are_unseen.take(nodes))
        self._are_unseen[nodes] = False
        numbers = np.arange(len(nodes), dtype=np.int32)
        self._first[nodes] = numbers
        return nodes.compress(self._first.take(nodes) == numbers)

    def _find_unused_first(self, first: Arrivals, are_unused: Mask) -> list[tuple[Ints, Ints]]:
        found = []
        for tier in range(TIERS):
            source = first.source.compress(are_unused & (first.tier == tier))
            found.append((source, np.full(len(source), (tier << _DEPTH_BITS) + 1, dtype=np.int32)))
        return found

    def _find_unused(self, nodes: Ints, labels: Ints) -> list[tuple[Ints, Ints]]:
        """Of each tier, who is reached from some nodes by it and used by nobody, with labels."""
        tiers, depths = labels >> _DEPTH_BITS, labels & _DEPTHS
        near = depths < self._depth_max
        nodes, tiers, depths = nodes.compress(near), tiers.compress(near), depths.compress(near)
        found = []
        for tier in range(TIERS):
            own = (np.maximum(tiers, tier) << _DEPTH_BITS) + depths + 1
            order = np.argsort(own, kind="stable")[::-1]
            source, counts = _users_of(self._table.unused, nodes.take(order), tier, tier + 1)
            found.append((source, own.take(order).repeat(counts)))
        return found


def _lower(labels: Ints, nodes: Ints, own: Ints) -> None:
    """Gives nodes their labels where these are better; of one that is there more than once the last is its best."""
    best = np.full(len(labels), _UNREACHED, dtype=np.int32)
    best[nodes] = own
    np.minimum(labels, best, out=labels)


class _Chains(msgspec.Struct, frozen=True, dict=True):
    snapshot: Snapshot
    table: StepTable
    labels: Ints
    first: Arrivals

    def last(self, nodes: Ints, /) -> LastSteps:
        """By way of what is the surest, then as the steps are listed; see `are_near_calls`."""
        columns = np.empty((3, len(nodes)), dtype=np.int32)
        labels = self.labels.take(nodes)
        are_first_steps = labels & _DEPTHS == 1
        at = np.flatnonzero(are_first_steps)
        columns[:, at] = _columns_of(self.first, self._first_of.take(nodes.take(at)))
        at = np.flatnonzero(~are_first_steps)
        columns[:, at] = _columns_of(self.table.steps, self._find_later(nodes.take(at), labels.take(at)))
        return LastSteps(*columns)

    @cached_property
    def _first_of(self) -> Ints:
        """By node: its row of `first`, where it is reached by that."""
        first = self.first
        rows = np.flatnonzero((first.tier.astype(np.int32) << _DEPTH_BITS) + 1 == self.labels.take(first.source))
        some = first.where(rows)
        are_near = are_near_calls(self.snapshot, some.source, some.via, some.how)
        order = np.argsort(~are_near, kind="stable")[::-1]
        found = np.empty(len(self.labels), dtype=np.int32)
        found[some.source.take(order)] = rows.take(order)  # of equal ones the last is written
        return found

    def _find_later(self, nodes: Ints, labels: Ints) -> Ints:
        """The row of the table for each node that is reached by more than one step."""
        steps = self.table.steps
        rows, of = places(self.table.start, nodes)
        before, wanted = self.labels.take(steps.via.take(rows)), labels.take(of)
        tiers = np.maximum(before >> _DEPTH_BITS, self.table.later.take(rows))
        fitting = np.flatnonzero(((tiers << _DEPTH_BITS) + (before & _DEPTHS) + 1) == wanted)
        rows, of, tiers = rows.take(fitting), of.take(fitting), before.take(fitting) >> _DEPTH_BITS
        are_far = ~are_near_calls(self.snapshot, steps.source.take(rows), steps.via.take(rows), steps.how.take(rows))
        order = np.lexsort((are_far, tiers, of))
        return rows.take(order).compress(are_first(of.take(order)))


def _columns_of(steps: Arrivals, rows: Ints) -> tuple[Ints, Ints, Ints]:
    return steps.via.take(rows), steps.row.take(rows), steps.how.take(rows)
