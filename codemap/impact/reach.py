"""Finds everyone that depends on changed definitions, directly or through others, the surest and nearest first.

Each definition is listed once. Its best chain is the best one of something that it uses and a step from there: the one
whose weakest step is the surest, and among those the shortest. What steps there are, `codemap.impact.arrivals` says.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from functools import cached_property

import msgspec
import numpy as np

from codemap.graph.index.columns import columns_of
from codemap.graph.model.edges import EdgeTable, Ints, Mask, Numbers, UnresolvedTable, places_of
from codemap.graph.model.index_slots import Slot, reuse, reuse_for_paths
from codemap.graph.model.snapshot import Snapshot
from codemap.impact.arrivals import importing, overriding
from codemap.impact.step_table import Some, Steps
from codemap.impact.steps import NO_NODES, How, Tier, joined

_UNSEEN = len(Tier)


class Reach(msgspec.Struct, frozen=True, dict=True):
    """The definitions that a change reaches, as columns: by tier, then depth, then hub score."""

    node: Ints
    tier: Ints
    depth: Ints
    """Steps from what was changed, from 1."""
    via: Ints
    """What it uses, by the last step."""
    row: Ints
    how: Ints
    """Of that step: see `Arrivals`."""

    def __len__(self) -> int:
        return len(self.node)

    @cached_property
    def place(self) -> dict[int, int]:
        """Node -> its place in the columns."""
        return {node: place for place, node in enumerate(self.node.tolist())}

    def where(self, chosen: Mask | Numbers) -> Reach:
        """Selects rows by a mask or by their places."""
        columns = (self.node, self.tier, self.depth, self.via, self.row, self.how)
        places = places_of(chosen)
        return Reach(*(column.take(places) for column in columns))


def reach(
    snapshot: Snapshot, changed: Collection[int], gone: Collection[int] = (), depth_max: int | None = None
) -> Reach:
    """Who is reached from some nodes; importers count for those that are `gone`, which may be among them.

    Cost: each node that is reached is looked at once.
    """
    search = _Search(snapshot)
    seeds = np.array(sorted({*changed, *gone}), dtype=np.int32)
    search.are_unseen[seeds] = False
    missing = np.array(sorted(gone), dtype=np.int32)
    of_seeds = search.steps.to(seeds, search.are_unseen, are_changed=True).all()
    first = joined([of_seeds, overriding(snapshot, seeds), importing(snapshot, missing)])
    search.note(Some(first, np.arange(len(first.source))), int(Tier.CERTAIN), 1)
    search.run(depth_max)
    return search.found()


class _Search:
    def __init__(self, snapshot: Snapshot) -> None:
        self.steps = Steps(snapshot)
        self._snapshot = snapshot
        self.are_unseen = np.ones(snapshot.node_count, dtype=np.bool_)
        self._columns = columns_of(snapshot)
        self._via, self._row, self._how, self._first = np.empty((4, snapshot.node_count), dtype=np.int32)
        """By node. Of a round, the place of the first step that leads to it."""
        self._pending: dict[tuple[int, int], list[Some]] = {}
        """Steps by the tier and depth of what they lead to."""
        self._rounds: list[tuple[Ints, int, int]] = []
        """Nodes that were reached together, the best hub first, with their tier and depth."""

    def note(self, found: Some, tier: int, depth: int) -> None:
        """Keeps steps from definitions of a tier to others at a depth."""
        if tier == _UNSEEN - 1:  # no step is surer than what leads to it
            levels = [(tier, found)]
        else:
            tiers = np.maximum(found.steps.tier.take(found.rows), tier)
            levels = [(level, Some(found.steps, found.rows.compress(tiers == level))) for level in range(tier, _UNSEEN)]
        for level, some in levels:
            if len(some.rows):
                self._pending.setdefault((level, depth), []).append(some)

    def run(self, depth_max: int | None) -> None:
        """Takes the steps in order of tier, then depth."""
        while self._pending:
            tier, depth = best = min(self._pending)
            parts = [self._take(some) for some in self._pending.pop(best)]
            ranks = np.sort(np.concatenate(parts))
            if not len(ranks):
                continue
            nodes = self._columns.by_rank.take(ranks)
            self._rounds.append((nodes, tier, depth))
            if depth_max is None or depth < depth_max:
                self.note(self.steps.to(np.sort(nodes), self.are_unseen, are_changed=False), tier, depth + 1)

    def _take(self, some: Some) -> Ints:
        """Takes the first step to each node that was not reached yet; the ranks of these nodes."""
        steps = some.steps
        source = steps.source.take(some.rows)
        fresh = np.flatnonzero(self.are_unseen.take(source))
        source, rows = source.take(fresh), some.rows.take(fresh)
        nearest = self._put_near_first(source, steps.via.take(rows), steps.how.take(rows))
        if nearest is not None:
            source, rows = source.take(nearest), rows.take(nearest)
        places = np.arange(len(source), dtype=np.int32)
        self._first[source[::-1]] = places[::-1]  # of equal ones the last is written
        first = np.flatnonzero(self._first.take(source) == places)
        source, rows = source.take(first), rows.take(first)
        self.are_unseen[source] = False
        self._via[source], self._row[source], self._how[source] = (
            column.take(rows) for column in (steps.via, steps.row, steps.how)
        )
        return self._columns.rank.take(source)

    def _put_near_first(self, source: Ints, via: Ints, how: Ints) -> Numbers | None:
        """An order in which of calls that may run several methods that are reached, that of one in the caller's folder
        comes first; None for the order as it is."""
        dispatching = np.flatnonzero(how == int(How.DISPATCHES))
        if not len(dispatching):
            return None
        folder = _FOLDERS.of(self._snapshot)
        near = np.zeros(len(source), dtype=np.bool_)
        file = self._columns.file
        near[dispatching] = folder[file[source[dispatching]]] == folder[file[via[dispatching]]]
        return np.argsort(~near, kind="stable") if near.any() else None

    def found(self) -> Reach:
        """What was reached, in order."""
        nodes = np.concatenate([NO_NODES, *(nodes for nodes, _, _ in self._rounds)])
        counts = [len(nodes) for nodes, _, _ in self._rounds]
        tier = np.array([tier for _, tier, _ in self._rounds], dtype=np.int32).repeat(counts)
        depth = np.array([depth for _, _, depth in self._rounds], dtype=np.int32).repeat(counts)
        return Reach(nodes, tier, depth, *(column.take(nodes) for column in (self._via, self._row, self._how)))


def _number_folders(snapshot: Snapshot) -> Ints:
    numbers: dict[str, int] = {}
    folders = (file.path.rpartition("/")[0] for file in snapshot.files)
    return np.array([numbers.setdefault(folder, len(numbers)) for folder in folders], dtype=np.int32)


_FOLDERS = Slot[Ints](_number_folders, carry=reuse_for_paths, rescore=reuse)
"""By file number: its folder, as a number."""


def tables_of_steps(snapshot: Snapshot, rows: Ints, hows: Ints) -> Iterator[tuple[EdgeTable | UnresolvedTable, Mask]]:
    """Each table that holds steps, with which of some steps it holds; none holds a step that stands for no use."""
    are_undecided = hows == int(How.UNDECIDED)
    yield snapshot.unresolved, (rows >= 0) & are_undecided
    yield snapshot.edges, (rows >= 0) & ~are_undecided


def sites_of(snapshot: Snapshot, row: int, how: int) -> list[tuple[int, int]]:
    """(line, column) of the uses that a step stands for; none where it stands for no use."""
    if row < 0:
        return []
    table = snapshot.unresolved if how == How.UNDECIDED else snapshot.edges
    first = int(table.first[row])
    found = table.sites[first : first + int(table.count[row])].tolist()
    return [(line, col) for line, col in found]
