"""Ranges of rows, many at once: each a first row and how many follow it, itself included."""

from __future__ import annotations

import numpy as np

from codemap.graph.model.edges import Ints


def expand_ranges(first: Ints, count: Ints) -> tuple[Ints, Ints]:
    """`first[0]`, `first[0] + 1`, … `count[0]` of them, then those of the next; and the place of each in `first`."""
    owner = np.arange(len(count), dtype=np.int32).repeat(count)
    found = np.arange(len(owner), dtype=np.int32)
    shift: Ints = first + count - count.cumsum(dtype=np.int32)
    found += shift.take(owner)
    return found, owner
