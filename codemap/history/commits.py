"""One commit as git's log shows it: who made it, and which lines of which files it changed.

Paths are relative to the top of the repository, with `/`; bytes that are not UTF-8 as surrogate escapes. Lines are
0-based.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec


class Side(msgspec.Struct, frozen=True, gc=False):
    """What a commit changed in a file against one of its parents."""

    path: str
    """Of the file in the parent; empty where the parent has none."""
    hunks: Sequence[int] = ()
    """Four numbers each: first line and number of lines in the parent, and the same in the commit. In order; apart."""
    is_opaque: bool = False
    """Whether the contents were not compared: they are binary, too large, or a submodule's."""


class Entry(msgspec.Struct, frozen=True, gc=False):
    """A file that a commit changed; of a merge: that differs from all parents."""

    path: str
    sides: tuple[Side, ...]
    """One for each parent of the commit; a first commit has one, of no path."""
    is_removed: bool = False


class Commit(msgspec.Struct, frozen=True, gc=False):
    id: str
    parents: tuple[str, ...]
    author: str
    email: str
    time_s: int
    """Of the author, in seconds since the epoch."""
    message: str
    entries: tuple[Entry, ...] = ()
    from_others: tuple[str, ...] = ()
    """Of a merge: paths that differ from its first parent. Those that are no entries are as in another parent."""

    @property
    def is_merge(self) -> bool:
        return len(self.parents) > 1
