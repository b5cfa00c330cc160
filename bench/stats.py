"""Numbers out of repeated measurements. Pure."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import median

import msgspec


class Sample(msgspec.Struct, frozen=True):
    """What repeated rounds of one measurement gave."""

    median: float
    low: float
    high: float
    rounds: int


def sample(values: Sequence[float]) -> Sample:
    """Raises ValueError when there is no value."""
    if not values:
        raise ValueError("no rounds")
    return Sample(median(values), min(values), max(values), len(values))


def ratios(numerators: Sequence[float], denominators: Sequence[float]) -> list[float]:
    """Round by round, so that what slowed the machine in one round slows both sides of its ratio.

    Raises ValueError when the numbers of rounds differ.
    """
    return [above / below for above, below in zip(numerators, denominators, strict=True)]


def percentile(values: Sequence[float], share: float) -> float:
    """The nearest-rank percentile; `share` is over 0, and at most 1. Raises ValueError when there is no value."""
    if not values or not 0 < share <= 1:
        raise ValueError("a percentile needs values, and a share over 0 and at most 1")
    return sorted(values)[math.ceil(share * len(values)) - 1]
