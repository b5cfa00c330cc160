"""The watcher's state as other actors read it: how changes are noticed, and which are pending."""

from __future__ import annotations

import math
from collections import deque
from enum import Enum
from itertools import islice

import msgspec

from actors.watch.debounce import Hints


class Mode(Enum):
    STARTING = "starting"
    EVENTS = "events"
    POLLING = "polling"
    OFF = "off"


class WatcherStatistics(msgspec.Struct, frozen=True, rename="camel"):
    """Counts of the watcher's present life."""

    mode: str
    reason: str | None = None
    """Why there are no events, although they are wanted."""
    folders: int = 0
    """Number of watched folders."""
    events: int = 0
    overflows: int = 0
    """How often events were lost."""
    looks: int = 0
    """How often changes were handed to the resolver."""
    last_event_at_s: float = -math.inf
    """Time of the last event by the caller's clock; minus infinity: there was none."""


JOURNAL_MAX = 4096
"""Changed paths that are remembered; a reader that is further behind compares everything."""


class Changes(msgspec.Struct, frozen=True):
    """What may have changed since a position of the journal."""

    paths: frozenset[str] = frozenset()
    """A folder ends with `/` and stands for all below it."""
    is_everything: bool = False


class Journal:
    """The changes reported so far, in order, for readers that keep their own copy of the disk (language servers)."""

    def __init__(self) -> None:
        self._paths: deque[str] = deque(maxlen=JOURNAL_MAX)
        self._lost_before = 0
        self.position = 0
        """How many changes were reported so far."""

    def add(self, path: str) -> None:
        self.position += 1
        self._paths.append(path)

    def add_everything(self) -> None:
        """Notes that anything may have changed."""
        self.position += 1
        self._paths.clear()
        self._lost_before = self.position

    def since(self, position: int) -> Changes:
        """Returns what was reported after a position."""
        if position < max(self._lost_before, self.position - len(self._paths)):
            return Changes(is_everything=True)
        return Changes(frozenset(islice(self._paths, len(self._paths) - (self.position - position), None)))


class Watching:
    """The watcher's present state: written by the watcher, read when calls are answered."""

    def __init__(self) -> None:
        self.journal = Journal()
        self.others = Journal()
        """Changes of files that are not indexed, and folders that may have such."""
        self.statistics = WatcherStatistics(Mode.STARTING.value)
        self.pending = Hints()
        """What may have changed and is not in the map yet, as far as events say."""
