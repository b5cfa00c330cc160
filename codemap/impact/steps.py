"""Steps of impact as columns: who uses what, by which kind of step, and how sure that is."""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntEnum

import numpy as np

from codemap.graph.model.columnar import Columnar
from codemap.graph.model.edges import Ints
from codemap.graph.model.values import Confidence


class Tier(IntEnum):
    """How sure it is that a definition is affected: as sure as the weakest step that leads to it."""

    CERTAIN = 0
    LIKELY = 1
    POSSIBLE = 2
    REMOTE = 3
    """By way of a class alone: of who makes its objects or names it, nothing is known to run what changed."""


class How(IntEnum):
    """The kind of a step; those below `CONSTRUCTS` are kinds of edges."""

    CONTAINS = 0
    IMPORTS = 1
    EXPORTS = 2
    CALLS = 3
    EXTENDS = 4
    IMPLEMENTS = 5
    REFERENCES = 6
    CONSTRUCTS = 7  # calls the class
    DISPATCHES = 8  # calls what the definition overrides
    OVERRIDES = 9
    UNDECIDED = 10
    INJECTED = 11  # names it as a parameter, for a framework to run it
    HELD = 12  # calls a place that it is assigned to
    SENDS = 13  # sends to what it is registered with


class Arrivals(Columnar, frozen=True):
    """Steps as columns."""

    source: Ints
    """Who uses."""
    via: Ints
    """What it uses."""
    row: Ints
    """Of the edge, of the undecided use for `UNDECIDED`; -1 where there is none."""
    how: Ints
    tier: Ints


TIERS = np.array(
    [Tier.CERTAIN if level < Confidence.NAME else Tier.POSSIBLE for level in sorted(Confidence)], dtype=np.int32
)
"""By Confidence."""
NO_NODES: Ints = np.empty(0, dtype=np.int32)


def joined(parts: Iterable[Arrivals]) -> Arrivals:
    """All of them, in order."""
    columns = [(one.source, one.via, one.row, one.how, one.tier) for one in parts]
    if not columns:
        return Arrivals(NO_NODES, NO_NODES, NO_NODES, NO_NODES, NO_NODES)
    return Arrivals(*(np.concatenate(column) for column in zip(*columns, strict=True)))


def make_arrivals(source: Ints, via: Ints, row: Ints, how: How, tier: Tier) -> Arrivals:
    count = len(source)
    return Arrivals(source, via, row, np.full(count, how, np.int32), np.full(count, tier, np.int32))
