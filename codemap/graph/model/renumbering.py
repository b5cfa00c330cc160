"""Maps node numbers before an edit to those after it, where no file was added or removed.

Files keep their numbers, and nodes of files with the same content their order, so that columns of nodes are made of
pieces of the columns before.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple


class KeptRun(NamedTuple):
    """Neighbouring files with the same content."""

    nodes: slice
    """Their nodes before."""
    shift: int
    """To be added for their nodes now."""


def split_runs(before: Sequence[int], after: Sequence[int], changed: Sequence[int]) -> Iterator[KeptRun | int]:
    """All files in order: runs of those that are as before, and the numbers of the changed ones, which ascend.

    `before` and `after` are the node of each file, and the first node beyond the last.
    """
    first = 0
    for number in (*changed, len(before) - 1):
        if first < number:
            yield KeptRun(slice(before[first], before[number]), after[first] - before[first])
        if number < len(before) - 1:
            yield number
        first = number + 1
