"""Debounces changes: collects what was reported, and decides when it goes to the resolver.

Changes come in bursts: an editor writes a file thrice, a branch switch touches thousands. So they wait until it has
been quiet for a moment, though never longer than a given time.

Rules of the file:
- Time is an argument: seconds of any one clock.
- What was handed on counts as pending until `done` is called.
"""

from __future__ import annotations

import math
from collections.abc import Set
from functools import cached_property

import msgspec

PATHS_MAX = 2_000
"""More changed paths than this are one change of everything: to list all costs less than to ask about each."""

IGNORED_MAX = 10_000


class Pace(msgspec.Struct, frozen=True):
    quiet_s: float
    """Hand changes on after so long without another one."""
    wait_max_s: float
    """Hand changes on when the first is so old, quiet or not."""


class Hints(msgspec.Struct, frozen=True, dict=True):
    """Paths that may have changed; a folder ends with `/`."""

    paths: frozenset[str] = frozenset()
    is_everything: bool = False

    @cached_property
    def files(self) -> frozenset[str]:
        """The paths that are files."""
        return frozenset(path for path in self.paths if not path.endswith("/"))

    @property
    def has_folders(self) -> bool:
        return len(self.files) < len(self.paths)


class Pending:
    """Collects changes, hands them on, and remembers them until they are in the map."""

    def __init__(self, pace: Pace) -> None:
        self._pace = pace
        self._paths: set[str] = set()
        self._is_everything = False
        self._first_at = self._last_at = math.inf
        self._under_way = Hints()
        self._ignored: set[str] = set()

    def add(self, path: str, now: float) -> None:
        """Notes that a path changed; a folder ends with `/`."""
        self._tell(now)
        if not self._is_everything:
            self._paths.add(path)
            if len(self._paths) > PATHS_MAX:
                self.add_everything(now)

    def add_everything(self, now: float) -> None:
        """Notes that anything may have changed."""
        self._tell(now)
        self._paths.clear()
        self._ignored.clear()
        self._is_everything = True

    def due_at(self) -> float:
        """When to hand on what waits; infinite where nothing does."""
        return min(self._last_at + self._pace.quiet_s, self._first_at + self._pace.wait_max_s)

    def hand_on(self) -> Hints:
        """Takes all waiting changes; they count as under way from now on."""
        self._under_way = Hints(frozenset(self._paths), self._is_everything)
        self._paths = set()
        self._is_everything = False
        self._first_at = self._last_at = math.inf
        return self._under_way

    def done(self, ignored: Set[str] = frozenset()) -> None:
        """Notes that what was under way is in the map; `ignored` files never will be."""
        self._under_way = Hints()
        if len(self._ignored) + len(ignored) > IGNORED_MAX:
            self._ignored.clear()
        self._ignored |= ignored

    def known(self) -> Hints:
        """All pending changes, without files that were seen to be ignored."""
        paths = self._paths | self._under_way.paths
        return Hints(frozenset(paths - self._ignored), self._is_everything or self._under_way.is_everything)

    def _tell(self, now: float) -> None:
        self._last_at = now
        self._first_at = min(self._first_at, now)
