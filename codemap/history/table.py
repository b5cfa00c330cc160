"""The commits of a repository as columns of integers, the oldest first.

A *touch* is a file that a commit changed. It has a *side* for each parent of its commit: the hunks, and the touch that
made the version that they begin from. From touch to touch, the history of any line can be read backwards.

Rules of the file:
- Rows are in topological order: what a row leads to has a smaller number.
- A file keeps its *lineage* through renames; of two that a merge joins, that of its first parent.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntFlag
from functools import cached_property
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int32]

NONE = -1
"""No such row: there was no file, or the commit is the first."""
UNREAD = -2
"""There is one, but this history does not have it."""

BULK_FILES = 50
"""A commit that changes more files than that says nothing about any two of them."""


class Flag(IntFlag):
    FIX = 1
    MERGE = 2
    BOT = 4
    BOUNDARY = 8
    """The clone ends there: what it changed is not known."""


class Kind:
    """Of a touch."""

    LINES = 0
    OPAQUE = 1
    """Its contents were not compared."""
    GONE = 2
    """The file was removed, or has another name from there on."""


class History(msgspec.Struct, frozen=True, dict=True):
    """Columns have one item a row, those named `…_begin` one more than that."""

    head: str
    """ID of the commit that it is the history of."""
    ids: bytes
    """Of the commits, one after the other."""
    authors: tuple[str, ...]
    subjects: tuple[str, ...]
    """By commit."""
    paths: tuple[str, ...]
    author: Ints
    time_s: NDArray[np.int64]
    flags: Ints
    reverts: Ints
    """The commit that it takes back."""
    parent_begin: Ints
    parents: Ints
    touch_begin: Ints
    """By commit."""
    touch_path: Ints
    touch_kind: Ints
    lineage: Ints
    side_begin: Ints
    """By touch."""
    side_before: Ints
    """The touch that made the version before it."""
    hunk_begin: Ints
    """By side; counts hunks."""
    hunks: Ints
    """Four numbers each, as in `codemap.history.commits.Side`."""
    links: Ints
    """Three numbers each: a merge, a path, and the touch that made the version which the merge took from a parent that
    is not its first."""
    head_paths: Ints
    """The paths that are there at the head, and beside each the touch that made its version."""
    head_touches: Ints
    lineages: int = 0
    """How many there are."""

    @property
    def id_bytes(self) -> int:
        return len(self.ids) // max(1, len(self.author))

    @property
    def count(self) -> int:
        """Of commits."""
        return len(self.author)

    def id_of(self, commit: int) -> str:
        size = self.id_bytes
        return self.ids[commit * size : (commit + 1) * size].hex()

    @cached_property
    def row_of(self) -> dict[bytes, int]:
        """Commit by its ID."""
        size = self.id_bytes
        return {self.ids[at : at + size]: row for row, at in enumerate(range(0, len(self.ids), size))} if size else {}

    @cached_property
    def path_rows(self) -> dict[str, int]:
        return {path: row for row, path in enumerate(self.paths)}

    @cached_property
    def head_row(self) -> int:
        return self.row_of.get(bytes.fromhex(self.head), NONE) if self.head else NONE

    @cached_property
    def at_head(self) -> dict[int, int]:
        """Touch by path, of the files at the head."""
        return dict(zip(self.head_paths.tolist(), self.head_touches.tolist(), strict=True))

    @cached_property
    def touch_commit(self) -> Ints:
        counts = np.diff(self.touch_begin)
        return np.repeat(np.arange(self.count, dtype=np.int32), counts)

    @cached_property
    def is_reachable(self) -> NDArray[np.bool_]:
        """By commit: whether it is in the history of the head."""
        found = np.zeros(self.count, np.bool_)
        if self.head_row < 0:
            return found
        begin, parents = self.parent_begin.tolist(), self.parents.tolist()
        seen = bytearray(self.count)
        waiting = [self.head_row]
        while waiting:
            row = waiting.pop()
            if not seen[row]:
                seen[row] = 1
                waiting += [one for one in parents[begin[row] : begin[row + 1]] if one >= 0 and not seen[one]]
        return np.frombuffer(bytes(seen), np.bool_)

    @cached_property
    def reverted_by(self) -> dict[int, int]:
        """Commits that were taken back -> the latest commit in the history of the head that did so."""
        return {int(self.reverts[row]): row for row in np.flatnonzero(self.is_reachable & (self.reverts >= 0)).tolist()}

    @cached_property
    def path_of_lineage(self) -> dict[int, str]:
        """The names that files have at the head."""
        lineage = self.lineage[self.head_touches].tolist() if len(self.head_touches) else []
        paths = [self.paths[row] for row in self.head_paths.tolist()]
        found: dict[int, str] = {}
        for one, path in zip(lineage, paths, strict=True):
            found.setdefault(one, path)
        return found

    @cached_property
    def couples(self) -> NDArray[np.bool_]:
        """By commit: whether it is evidence that the files it changes belong together."""
        files = np.diff(self.touch_begin)
        found: NDArray[np.bool_] = (files <= BULK_FILES) & (self.flags & (Flag.MERGE | Flag.BOT | Flag.BOUNDARY) == 0)
        return found

    @cached_property
    def weight(self) -> NDArray[np.float64]:
        """By commit: how much it says of the files that it changes, by how many; 0 where it does not couple them."""
        files = np.maximum(np.diff(self.touch_begin), 2)
        return np.where(self.couples, 1 / np.log2(files), 0.0)

    @cached_property
    def lists(self) -> Lists:
        """The columns that are walked, as lists: an item of an array takes ten times as long."""
        return Lists(
            self.side_begin.tolist(),
            self.side_before.tolist(),
            self.hunk_begin.tolist(),
            self.touch_commit.tolist(),
            self.touch_kind.tolist(),
        )

    def hunks_of(self, side: int) -> list[int]:
        begin = self.lists.hunk_begin
        found: list[int] = self.hunks[4 * begin[side] : 4 * begin[side + 1]].tolist()
        return found


class Lists(msgspec.Struct, frozen=True):
    side_begin: list[int]
    side_before: list[int]
    hunk_begin: list[int]
    touch_commit: list[int]
    touch_kind: list[int]


def ints(values: Sequence[int] | Ints) -> Ints:
    return np.asarray(values, dtype=np.int32)


def joined(old: NDArray[Any], new: Sequence[int]) -> Any:
    """A column that goes on."""
    return np.concatenate((old, np.asarray(new, dtype=old.dtype))) if len(new) else old


EMPTY = History(
    "", b"", (), (), (),
    author=ints(()), time_s=np.zeros(0, np.int64), flags=ints(()), reverts=ints(()),
    parent_begin=ints((0,)), parents=ints(()), touch_begin=ints((0,)), touch_path=ints(()), touch_kind=ints(()),
    lineage=ints(()), side_begin=ints((0,)), side_before=ints(()), hunk_begin=ints((0,)), hunks=ints(()),
    links=ints(()), head_paths=ints(()), head_touches=ints(()),
)  # fmt: skip
"""Of a repository without a commit."""
