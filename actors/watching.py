"""The state of the watch, as everyone but the watcher sees it: how changes are noticed, and which are pending."""

from __future__ import annotations

import math
from enum import Enum

import msgspec

from actors.pending import Hints


class Mode(Enum):
    STARTING = "starting"
    EVENTS = "events"
    POLLING = "polling"
    OFF = "off"


class WatcherStatistics(msgspec.Struct, frozen=True, rename="camel"):
    """Counts since the watcher began to run, the last time."""

    mode: str
    reason: str | None = None
    """Why there are no events, where there should be."""
    folders: int = 0
    """Folders that are watched."""
    events: int = 0
    overflows: int = 0
    """How often events were lost."""
    looks: int = 0
    """How often changes were handed on."""
    last_event_at_s: float = -math.inf
    """By the clock of the caller; before all time: there was none."""


class Watching:
    """Written by the watcher, read by whoever answers a call."""

    def __init__(self) -> None:
        self.statistics = WatcherStatistics(Mode.STARTING.value)
        self.pending = Hints()
        """What may have changed and is not in the map yet, as far as it was told."""
