"""What a change reaches, as columns.

A hub reaches most of a repository, and few of those are shown: the last step to each is looked up when it is asked for.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Protocol, Self

import msgspec
import numpy as np

from codemap.graph.model.columnar import Columnar
from codemap.graph.model.edges import (
    EdgeTable,
    Ints,
    Mask,
    Numbers,
    UnresolvedTable,
    are_among,
    distinct,
)
from codemap.graph.model.snapshot import Snapshot
from codemap.impact.steps import How


class LastSteps(msgspec.Struct, frozen=True):
    """The last steps of the best chains to some definitions."""

    via: Ints
    """What each uses; -1 where that is no longer in the map."""
    row: Ints
    how: Ints
    """See `Arrivals`."""


class Chains(Protocol):
    """Knows by which step each definition was reached."""

    def last(self, nodes: Ints, /) -> LastSteps: ...

    def users(self, nodes: Ints, among: Ints, /) -> Ints:
        """All of some that were reached which use some nodes, and maybe more of them."""
        ...


class Reach(Columnar, frozen=True, dict=True):
    """The definitions that a change reaches: by tier, then depth, then hub score."""

    node: Ints
    tier: Ints
    depth: Ints
    """Steps from what was changed, from 1."""
    chains: Chains

    def __len__(self) -> int:
        return len(self.node)

    @cached_property
    def last(self) -> LastSteps:
        """Of all. Cost: a look at all uses by what is reached."""
        return self.chains.last(self.node)

    def last_at(self, places: Numbers) -> LastSteps:
        """Of some, by their places."""
        return self.chains.last(self.node.take(places))

    def lead_on(self, nodes: Ints) -> Mask:
        """Which of some nodes the best chains lead through to others. Cost: a look at all uses by who uses them."""
        return are_among(nodes, distinct(self.chains.last(self.chains.users(nodes, self.node)).via))

    @cached_property
    def place(self) -> dict[int, int]:
        """Node -> its place in the columns."""
        return {node: place for place, node in enumerate(self.node.tolist())}


class Recorded(msgspec.Struct, frozen=True):
    """The steps that a search has noted."""

    via: Ints
    """By node, as the others."""
    row: Ints
    how: Ints

    @classmethod
    def of(cls, node_count: int, nodes: Ints, steps: LastSteps) -> Self:
        """Those to some nodes."""
        columns = np.empty((3, node_count), dtype=np.int32)
        columns[:, nodes] = steps.via, steps.row, steps.how
        return cls(*columns)

    def last(self, nodes: Ints, /) -> LastSteps:
        return LastSteps(self.via.take(nodes), self.row.take(nodes), self.how.take(nodes))

    def users(self, _nodes: Ints, among: Ints, /) -> Ints:
        return among


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
