"""Holds the latest snapshot: every query reads it, only the resolver replaces it.

A reader takes `get()` once and uses what it got to the end; nothing in it ever changes. `Publisher` is the writing
side: it is given to the resolver and to nobody else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Set
from contextlib import contextmanager
from typing import Generic, TypeVar

import msgspec
import trio

from actors.messaging.messages import FileStat
from actors.ports import RootIdentity
from codemap.extract.skipped_files import SkipReason
from codemap.persistent import PersistentMap

S = TypeVar("S")


class FileRecord(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """The record of one listed file."""

    stat: FileStat
    digest: bytes
    """Digest of the content; empty where it was not read."""
    is_settled: bool
    """False: another change might not show in the stat, so read the file again."""
    skipped: SkipReason | None = None
    """Why it is not in the snapshot; None where it is."""
    detail: str = ""


class Published(msgspec.Struct, Generic[S], frozen=True, weakref=True):
    """A snapshot with what it was made from."""

    version: int
    """Counts snapshots from 1; records alone do not change it."""
    snapshot: S
    files: PersistentMap[str, FileRecord]
    """Records of all source files that were read or tried, by path. These records decide what is stale: the snapshot's
    own stamps are as old as the content."""
    configs: Mapping[str, bytes]
    """Contents of the configuration files, by path."""
    config_files: PersistentMap[str, FileRecord]
    unlisted: Mapping[str, SkipReason]
    """Files that the listing saw and left out."""
    others: Mapping[str, int]
    """Number of files that no language knows, by the ending of their name."""
    warnings: tuple[str, ...]
    """Sentences that say what the listing could not do."""
    built_ns: int
    """When the snapshot was made, nanoseconds since the epoch."""
    unknown: Mapping[str, FileStat] | None = None
    """The files that no language knows; None where nothing was listed yet in this run."""
    is_partial: bool = False
    """Whether a first build has not ended: it lacks files, and edges."""


class Building(msgspec.Struct, frozen=True):
    """The progress of a running build."""

    stage: str
    """`list`, `extract` or `graph`."""
    files_done: int = 0
    files_total: int = 0


class Latest(Generic[S]):
    """The reading side."""

    def __init__(self) -> None:
        self._published: Published[S] | None = None
        self._building: Building | None = None
        self._changed = trio.lowlevel.ParkingLot()
        self._last_version = 0
        self._losses = 0
        self._lost = trio.lowlevel.ParkingLot()
        self._wanted: set[str] | None = None
        self._root: RootIdentity | None = None
        self._is_compared = False

    def get(self) -> Published[S] | None:
        """Returns what was published last; None before the first build is done, and after the map was withdrawn."""
        return self._published

    @property
    def version(self) -> int:
        """The version of what `get` returns; 0 for None."""
        return 0 if self._published is None else self._published.version

    @property
    def last_version(self) -> int:
        """The version that was published last, withdrawn or not; 0 before the first."""
        return self._last_version

    def withdraw(self) -> None:
        """Takes back the map, a part of which was lost: it is built anew."""
        if self._published is not None:
            self._published = None
            self._losses += 1
            self._lost.unpark_all()

    @property
    def losses(self) -> int:
        """How often the map was withdrawn."""
        return self._losses

    async def wait_lost(self, losses: int) -> int:
        """Waits until the map was withdrawn more often than so many times; returns how often it was."""
        while self._losses <= losses:
            await self._lost.park()
        await trio.lowlevel.checkpoint()
        return self._losses

    @property
    def root(self) -> RootIdentity | None:
        """Identifies the folder that the map is compared with; None before the first comparison."""
        return self._root

    @property
    def is_compared(self) -> bool:
        """Whether the present life of the resolver has compared the map with the disk; False while none runs."""
        return self._is_compared

    @property
    def building(self) -> Building | None:
        """The progress of the running build; None while none runs."""
        return self._building

    def want_more(self, text: str = "") -> None:
        """Asks for more of a partial map during the first build: files that contain `text` should be parsed next."""
        self._wanted = (self._wanted or set()) | ({text} if text else set())

    async def wait_until(self, holds: Callable[[Published[S]], bool]) -> Published[S]:
        """Waits for a published state for which `holds` is true; the present one counts. No time limit."""
        while True:
            published = self._published
            if published is not None and holds(published):
                await trio.lowlevel.checkpoint()
                return published
            del published  # who waits keeps no map alive
            await self._changed.park()

    async def wait_version_above(self, version: int) -> Published[S]:
        """Waits for a state with a higher version; 0 waits for the first build."""
        return await self.wait_until(lambda published: published.version > version)


class Publisher(Generic[S]):
    """The writing side of a `Latest`, for the resolver."""

    def __init__(self, latest: Latest[S]) -> None:
        self._latest = latest

    def publish(self, published: Published[S]) -> None:
        """Replaces what readers get from now on."""
        self._latest._published = published
        self._latest._last_version = max(published.version, self._latest._last_version)
        self._latest._changed.unpark_all()

    def compare_with(self, root: RootIdentity | None) -> None:
        """Notes which folder the map is compared with from now on."""
        self._latest._root = root

    def note_compared(self) -> None:
        """Notes that the map was compared with the disk, in this life of the resolver."""
        self._latest._is_compared = True

    @contextmanager
    def life(self) -> Iterator[None]:
        """Spans one life of the resolver; at its end nothing is known of the disk any more."""
        try:
            yield
        finally:
            self._latest._is_compared = False

    def take_wanted(self) -> Set[str] | None:
        """Takes the texts that were wanted since the last call; None where nobody wanted more."""
        wanted, self._latest._wanted = self._latest._wanted, None
        return wanted

    def report(self, building: Building | None) -> None:
        """Reports the progress of the build; None: none runs."""
        self._latest._building = building
