"""Confidence intervals by bootstrap over files: how far a figure hangs on which files a package happens to have.

The generator is seeded: the same counts give the same interval.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

ROUNDS = 2000
LEVEL = 0.95
_SEED = 0

Counts = Mapping[str, tuple[int, int, int]]
"""File -> (true, found, wrong) pairs."""


def macro_interval(repositories: Sequence[Counts]) -> tuple[float, float]:
    """The interval of the mean F1 over repositories; the files of each are drawn anew, with replacement."""
    random = np.random.default_rng(_SEED)
    means = np.mean([_resampled(counts, random) for counts in repositories], axis=0)
    low, high = np.quantile(means, [(1 - LEVEL) / 2, (1 + LEVEL) / 2]).tolist()
    return low, high


def _resampled(counts: Counts, random: np.random.Generator) -> NDArray[np.float64]:
    table = np.array([*counts.values()], dtype=np.float64).reshape(-1, 3)
    if not len(table):
        return np.ones(ROUNDS)
    drawn = random.integers(0, len(table), size=(ROUNDS, len(table)))
    sums = np.stack([table[row].sum(axis=0) for row in drawn])
    whole = sums.sum(axis=1)
    figures = np.ones(ROUNDS)
    np.divide(2 * sums[:, 1], whole, out=figures, where=whole > 0)
    return figures
