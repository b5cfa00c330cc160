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
from codemap.graph.model.edges import Ints, Mask, Numbers, are_first, starts
from codemap.graph.model.snapshot import Snapshot
from codemap.impact.folders import are_near_calls
from codemap.impact.reached import LastSteps, Reach
from codemap.impact.step_table import TIERS, StepTable
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
    first = joined([_find_first(snapshot, table, seeds), others])
    labels = _Search(table, seeds, depth_max or _DEPTHS).run(first, snapshot.node_count)
    by_rank = columns_of(snapshot).by_rank
    of_ranks = labels.take(by_rank)
    ranks = np.flatnonzero(of_ranks < _UNREACHED)
    keys = np.sort(of_ranks.take(ranks).astype(np.int64) << 32 | ranks)
    found = (keys >> 32).astype(np.int32)
    nodes = by_rank.take(keys & 0xFFFF_FFFF)
    return Reach(nodes, found >> _DEPTH_BITS, found & _DEPTHS, _Chains(snapshot, table, labels, first))


def _find_first(snapshot: Snapshot, table: StepTable, seeds: Ints) -> Arrivals:
    """The uses of some nodes by others, as they are where those change themselves."""
    are_seeds = np.zeros(snapshot.node_count, dtype=np.bool_)
    are_seeds[seeds] = True
    users = np.flatnonzero(_find_users(table, seeds) & ~are_seeds).astype(np.int32)
    rows = places(table.start, users)[0]
    return table.steps.where(rows.compress(are_seeds.take(table.steps.via.take(rows))))


def _find_users(table: StepTable, nodes: Ints) -> Mask:
    """By node: whether it uses some nodes."""
    found, are_asked = np.zeros(len(table.number), dtype=np.bool_), np.zeros(len(table.used), dtype=np.bool_)
    numbers, users, shared = table.numbers_of(nodes), table.of_used, table.of_unused
    found[table.used.take(_items(users.source, users.start, numbers * TIERS, numbers * TIERS + TIERS)[0])] = True
    are_asked[numbers] = True
    lists = np.flatnonzero(np.logical_or.reduceat(are_asked.take(shared.used), shared.used_start))
    found[table.unused.take(_items(shared.source, shared.start, lists, lists + 1)[0])] = True
    return found


def _items(items: Ints, start: Ints, begin: Numbers, end: Numbers) -> tuple[Ints, Ints]:
    """The items of some runs, and how many each has; `start` says where the n-th begins."""
    begins = start.take(begin)
    counts = start.take(end) - begins
    found = (begins + counts - counts.cumsum(dtype=np.int32)).repeat(counts)
    found += np.arange(len(found), dtype=np.int32)
    return items.take(found), counts


class _Search:
    """Of used nodes, by their numbers in the table."""

    def __init__(self, table: StepTable, seeds: Ints, depth_max: int) -> None:
        self._table, self._seeds, self._depth_max = table, seeds, depth_max
        self._are_unseen = np.ones(len(table.used), dtype=np.bool_)
        self._are_unseen[table.numbers_of(seeds)] = False
        self._first = np.empty(len(table.used), dtype=np.int32)
        """Of a round, the place where each is first."""
        self._rounds: list[Ints] = []
        """Those that were reached together."""
        self._labels: list[int] = []
        """By round."""

    def run(self, first: Arrivals, node_count: int) -> Ints:
        """The label of each node."""
        numbers = self._table.number.take(first.source)
        users = self._table.of_used
        for tier in range(TIERS):
            waiting = self._find_weaker(tier)
            waiting.setdefault(1, []).append(numbers.compress((numbers >= 0) & (first.tier == tier)))
            ends = users.start[tier + 1 :: TIERS]
            self._run_tier(tier, waiting, ends, ends - users.start[:-1:TIERS])
        reached, own = self._reached()
        found = np.full(node_count, _UNREACHED, dtype=np.int32)
        found[self._table.used.take(reached)] = own
        found[self._table.unused] = self._label_unused(first, numbers)
        found[self._seeds] = _UNREACHED
        return found

    def _reached(self) -> tuple[Ints, Ints]:
        """What was reached so far, with the labels."""
        counts = [len(some) for some in self._rounds]
        return np.concatenate([NO_NODES, *self._rounds]), np.array(self._labels, dtype=np.int32).repeat(counts)

    def _find_weaker(self, tier: int) -> dict[int, list[Ints]]:
        """By depth: who is first reached by a step of a tier from what is reached by surer ones."""
        nodes, labels = self._reached()
        depths = labels & _DEPTHS
        near = np.flatnonzero(depths < self._depth_max)
        users, at = self._table.of_used, nodes.take(near) * TIERS + tier
        source, counts = _items(users.source, users.start, at, at + 1)
        fresh = np.flatnonzero(self._are_unseen.take(source))
        depths = depths.take(near).repeat(counts).take(fresh)
        order = np.argsort(depths, kind="stable")
        parts = np.split(source.take(fresh).take(order), starts(depths, int(depths.max(initial=0)) + 1)[1:-1])
        return {depth + 1: [part] for depth, part in enumerate(parts) if len(part)}

    def _run_tier(self, tier: int, waiting: dict[int, list[Ints]], ends: Ints, counts: Ints) -> None:
        """Takes the steps to what is reached by that tier, in order of depth. `ends`: where the users of each node by
        steps as sure end, of whom there are so many."""
        source = self._table.of_used.source
        while waiting:
            depth = min(waiting)
            nodes = self._take(waiting.pop(depth))
            if not len(nodes):
                continue
            self._rounds.append(nodes)
            self._labels.append((tier << _DEPTH_BITS) + depth)
            if depth < self._depth_max:
                own = counts.take(nodes)
                found = (ends.take(nodes) - own.cumsum(dtype=np.int32)).repeat(own)
                if len(found):
                    found += np.arange(len(found), dtype=np.int32)
                    waiting.setdefault(depth + 1, []).append(source.take(found))

    def _take(self, parts: list[Ints]) -> Ints:
        """Those that were not reached yet, each once."""
        nodes = parts[0] if len(parts) == 1 else np.concatenate(parts)
        nodes = nodes.compress(self._are_unseen.take(nodes))
        self._are_unseen[nodes] = False
        numbers = np.arange(len(nodes), dtype=np.int32)
        self._first[nodes] = numbers
        return nodes.compress(self._first.take(nodes) == numbers)

    def _label_unused(self, first: Arrivals, numbers: Ints) -> Ints:
        """The label of each unused node, by what it uses of what was reached, and the first steps."""
        nodes, labels = self._reached()
        near = np.flatnonzero(labels & _DEPTHS < self._depth_max)
        users = self._table.of_unused
        of_used = np.full(len(self._table.used), _UNREACHED, dtype=np.int32)
        of_used[nodes.take(near)] = labels.take(near)
        own, least = of_used.take(users.used), users.tier << _DEPTH_BITS
        best = np.minimum.reduceat(np.where(own < least, least | own & _DEPTHS, own) + 1, users.used_start)
        lists = np.flatnonzero(best < _UNREACHED)
        keys = np.sort(best.take(lists).astype(np.int64) << 32 | lists)
        lists = (keys & 0xFFFF_FFFF)[::-1]
        source, counts = _items(users.source, users.start, lists, lists + 1)
        found = np.full(len(self._table.unused), _UNREACHED, dtype=np.int32)
        found[source] = (keys >> 32)[::-1].repeat(counts)  # of equal ones the last is written
        direct = np.flatnonzero(numbers < 0)
        np.minimum.at(found, -1 - numbers.take(direct), (first.tier.take(direct) << _DEPTH_BITS) + 1)
        return found


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

    def users(self, nodes: Ints, among: Ints, /) -> Ints:
        return among.compress(_find_users(self.table, nodes).take(among))

    @cached_property
    def _first_of(self) -> Ints:
        """By node: its row of `first`, where it is reached by that."""
        first = self.first
        rows = np.flatnonzero((first.tier.astype(np.int32) << _DEPTH_BITS) + 1 == self.labels.take(first.source))
        some = first.where(rows)
        are_near = are_near_calls(self.snapshot, some.source, some.via, some.how)
        order = np.argsort(~are_near, kind="stable")[::-1] if are_near.any() else slice(None, None, -1)
        found = np.empty(len(self.labels), dtype=np.int32)
        found[some.source[order]] = rows[order]  # of equal ones the last is written
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
