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
from codemap.graph.model.edges import EdgeTable, Ints, Mask, Numbers, UnresolvedTable
from codemap.graph.model.snapshot import Snapshot
from codemap.impact.arrivals import importing, overriding
from codemap.impact.step_table import Steps
from codemap.impact.steps import Arrivals, How, Tier, joined

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
        return Reach(*(column[chosen] for column in columns))


def reach(
    snapshot: Snapshot, changed: Collection[int], gone: Collection[int] = (), depth_max: int | None = None
) -> Reach:
    """Who is reached from some nodes; importers count for those that are `gone`, which may be among them.

    Cost: each node that is reached is looked at once.
    """
    search = _Search(snapshot)
    seeds = np.array(sorted({*changed, *gone}), dtype=np.int32)
    search.tier[seeds] = Tier.CERTAIN
    search.are_unseen[seeds] = False
    missing = np.array(sorted(gone), dtype=np.int32)
    first = [search.steps.to(seeds, search.are_unseen), overriding(snapshot, seeds), importing(snapshot, missing)]
    search.note(joined(first), int(Tier.CERTAIN), 1)
    search.run(depth_max)
    search.tier[seeds] = _UNSEEN
    return search.found()


class _Search:
    def __init__(self, snapshot: Snapshot) -> None:
        self.snapshot = snapshot
        self.steps = Steps(snapshot)
        count = snapshot.node_count
        self.tier = np.full(count, _UNSEEN, dtype=np.int8)
        self.are_unseen = np.ones(count, dtype=np.bool_)
        self._depth = np.zeros(count, dtype=np.int16)
        self._via = np.full(count, -1, dtype=np.int32)
        self._row = np.full(count, -1, dtype=np.int32)
        self._how = np.zeros(count, dtype=np.int8)
        self._pending: dict[tuple[int, int], list[Arrivals]] = {}
        """Steps by the tier and depth of what they lead to."""

    def note(self, found: Arrivals, tier: int, depth: int) -> None:
        """Keeps steps from definitions of a tier to others at a depth."""
        tiers = np.maximum(found.tier, tier)
        for level in range(tier, _UNSEEN):
            chosen = np.flatnonzero(tiers == level)
            if len(chosen):
                self._pending.setdefault((level, depth), []).append(found.where(chosen))

    def run(self, depth_max: int | None) -> None:
        """Takes the steps in order of tier, then depth."""
        while self._pending:
            tier, depth = best = min(self._pending)
            steps = joined(self._pending.pop(best))
            fresh = np.flatnonzero(self.are_unseen[steps.source])
            source, first = np.unique(steps.source[fresh], return_index=True)
            if not len(source):
                continue
            first = fresh[first]
            self.tier[source] = tier
            self.are_unseen[source] = False
            self._depth[source] = depth
            self._via[source], self._row[source], self._how[source] = (
                steps.via[first],
                steps.row[first],
                steps.how[first],
            )
            if depth_max is None or depth < depth_max:
                self.note(self.steps.to(source, self.are_unseen), tier, depth + 1)

    def found(self) -> Reach:
        """What was reached, in order."""
        nodes = np.flatnonzero(self.tier < _UNSEEN).astype(np.int32)
        rank = columns_of(self.snapshot).rank[nodes]
        nodes = nodes[np.lexsort((rank, self._depth[nodes], self.tier[nodes]))]
        columns = (self.tier, self._depth, self._via, self._row, self._how)
        return Reach(nodes, *(column[nodes].astype(np.int32) for column in columns))


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
