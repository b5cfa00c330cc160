"""The latest snapshot: what every query reads, and what only the resolver replaces.

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
from codemap.extract.skip import SkipReason
from codemap.persistent import PersistentMap

S = TypeVar("S")


class FileRecord(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """What the snapshot knows of one file that was listed."""

    stat: FileStat
    digest: bytes
    """Of the content; empty where it was not read."""
    is_settled: bool
    """False: look again, even when the stat is the same."""
    skipped: SkipReason | None = None
    """Why it gives nothing; None where it is in the snapshot."""
    detail: str = ""


class Published(msgspec.Struct, Generic[S], frozen=True, weakref=True):
    """A snapshot with what it was made from."""

    version: int
    """From 1, one more for each snapshot; the same while the snapshot is."""
    snapshot: S
    files: PersistentMap[str, FileRecord]
    """Every source file that was read or tried, by path. These records decide what is stale: the snapshot's own
    stamps are as old as the content."""
    configs: Mapping[str, bytes]
    """Contents of the configuration files, by path."""
    config_files: PersistentMap[str, FileRecord]
    unlisted: Mapping[str, SkipReason]
    """Files that the listing saw and left out."""
    others: Mapping[str, int]
    """How many files no language knows, by the ending of their name."""
    warnings: tuple[str, ...]
    """What the listing could not do."""
    built_ns: int
    """When the snapshot was made, nanoseconds since the epoch."""
    is_partial: bool = False
    """Whether a first build has not ended: it lacks files, and edges."""


class Building(msgspec.Struct, frozen=True):
    """How far a running build is."""

    stage: str
    """`list`, `extract` or `graph`."""
    files_done: int = 0
    files_total: int = 0


class Latest(Generic[S]):
    """The readers' side."""

    def __init__(self) -> None:
        self._published: Published[S] | None = None
        self._building: Building | None = None
        self._changed = trio.lowlevel.ParkingLot()
        self._wanted: set[str] | None = None
        self._root: RootIdentity | None = None
        self._is_compared = False

    def get(self) -> Published[S] | None:
        """What was published last; None before the first build is done."""
        return self._published

    @property
    def root(self) -> RootIdentity | None:
        """Which folder the map is compared with; None before the first comparison."""
        return self._root

    @property
    def is_compared(self) -> bool:
        """Whether the resolver that runs has compared the map with the disk; False while none runs."""
        return self._is_compared

    @property
    def building(self) -> Building | None:
        """How far the running build is; None while none runs."""
        return self._building

    def want_more(self, text: str = "") -> None:
        """Records that somebody asks for what is not in the map yet: during the first build, a partial one is of use,
        best one of the files that have `text`."""
        self._wanted = (self._wanted or set()) | ({text} if text else set())

    async def wait_until(self, holds: Callable[[Published[S]], bool]) -> Published[S]:
        """The first published state for which `holds` is true, be it the present one. Waits without an end."""
        while True:
            published = self._published
            if published is not None and holds(published):
                await trio.lowlevel.checkpoint()
                return published
            await self._changed.park()

    async def wait_version_above(self, version: int) -> Published[S]:
        """The first state with a higher version; 0 waits for the first build."""
        return await self.wait_until(lambda published: published.version > version)


class Publisher(Generic[S]):
    """The resolver's side of a `Latest`."""

    def __init__(self, latest: Latest[S]) -> None:
        self._latest = latest

    def publish(self, published: Published[S]) -> None:
        """Replaces what readers get from now on."""
        self._latest._published = published
        self._latest._changed.unpark_all()

    def compare_with(self, root: RootIdentity | None) -> None:
        """Records with which folder the map is compared from now on."""
        self._latest._root = root

    def note_compared(self) -> None:
        """Records that the map was compared with the disk, in this life of the resolver."""
        self._latest._is_compared = True

    @contextmanager
    def life(self) -> Iterator[None]:
        """Where it ends, so does what is known of the disk."""
        try:
            yield
        finally:
            self._latest._is_compared = False

    def take_wanted(self) -> Set[str] | None:
        """The texts that were wanted since this was asked last; None where nobody wanted more."""
        wanted, self._latest._wanted = self._latest._wanted, None
        return wanted

    def report(self, building: Building | None) -> None:
        """Records how far the build is, or that none runs."""
        self._latest._building = building
