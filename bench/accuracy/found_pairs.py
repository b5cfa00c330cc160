"""Pairs that ran, counted by what the map says of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import msgspec

from bench.accuracy.edges import Claim
from bench.accuracy.score import Pair


class Found(msgspec.Struct, frozen=True):
    """Some pairs that ran, counted by what the map says of them."""

    calls: int
    resolved: int
    high: int
    """Of the others, those that are likely candidates of an undecided use."""
    named: int
    """Of the others, those that are among the candidates that a reply names."""
    listed: int
    """Those that are only among all candidates."""

    @property
    def sure(self) -> int:
        return self.resolved + self.high

    @property
    def covered(self) -> int:
        return self.sure + self.named + self.listed


def total(parts: Iterable[Found]) -> Found:
    """The counts of some parts together."""
    counts = [(one.calls, one.resolved, one.high, one.named, one.listed) for one in parts]
    return Found(*map(sum, zip(*counts, strict=True)))


class Known(msgspec.Struct, frozen=True):
    """The pairs that a map has."""

    claimed: Sequence[Claim]
    related: Mapping[str, frozenset[str]]
    resolved: set[Pair]
    high: set[Pair]
    named: set[Pair]
    listed: set[Pair]


def count(pairs: set[Pair], held: Known) -> Found:
    counts, rest = [], pairs
    for known in (held.resolved, held.high, held.named, held.listed):
        counts.append(len(rest & known))
        rest = rest - known
    return Found(len(pairs), *counts)
