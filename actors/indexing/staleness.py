"""Finds files that differ from the map, and shares the result among callers at the same time.

A file differs from the map when its size or mtime does. Where it was indexed so shortly after it changed that these say
nothing, its content is compared.
"""

from __future__ import annotations

from collections.abc import Mapping
from weakref import ref

import trio

from actors.files.reading import digest_of
from actors.indexing.latest_snapshot import Published
from actors.messaging.messages import FileStat
from actors.ports import Ports
from codemap.graph.model.snapshot import Snapshot
from codemap.tools import Disk

READ_STEP = 64
"""Files read in one step, of those whose stat cannot show another change."""

FEW = 64
"""Up to so many files are checked at every call."""

EVERY_S = 0.25
"""Results for more files are shared for so long."""


class RecentStats:
    """Stats of files, shared among callers; see `of`."""

    def __init__(self, ports: Ports) -> None:
        self._ports = ports
        self._lock = trio.Lock()
        self._paths: frozenset[str] = frozenset()
        self._stats: Mapping[str, FileStat] = {}
        self._until = 0.0

    async def of(self, paths: frozenset[str]) -> Mapping[str, FileStat]:
        """Stats files; for many files, the result may be a moment old."""
        if len(paths) <= FEW:
            return await self._ports.stat_files(paths) if paths else {}
        async with self._lock:
            if paths != self._paths or trio.current_time() >= self._until:
                self._stats = await self._ports.stat_files(paths)
                self._paths, self._until = paths, trio.current_time() + EVERY_S
            return self._stats


class RecentDisk:
    """Which files differ from the map, shared among callers; see `of`."""

    def __init__(self, ports: Ports) -> None:
        self._ports = ports
        self._stats = RecentStats(ports)
        self._last: tuple[Mapping[str, FileStat], ref[Published[Snapshot]], Disk] | None = None
        """What was compared, what with, and what came of it; a map that was replaced is not kept by this."""

    async def of(self, published: Published[Snapshot], paths: frozenset[str]) -> Disk:
        """Finds which of some files differ from the map; for many files, the result may be a moment old."""
        stats = await self._stats.of(paths)
        if self._last is not None and self._last[0] is stats and self._last[1]() is published:
            return self._last[2]
        disk = await compared(self._ports, published, paths, stats)
        self._last = stats, ref(published), disk
        return disk


async def compared(
    ports: Ports, published: Published[Snapshot], paths: frozenset[str], stats: Mapping[str, FileStat]
) -> Disk:
    """Compares files with the map, by their stats or else their contents: those that differ."""
    known, configs = published.files, published.config_files
    stale: set[str] = set()
    unsettled: list[str] = []
    for path, stat in stats.items():
        record = known.get(path) or configs.get(path)
        if record is None or stat != record.stat:
            stale.add(path)
        elif not record.is_settled and record.digest:
            unsettled.append(path)
    for begin in range(0, len(unsettled), READ_STEP):
        contents = await ports.read_files(unsettled[begin : begin + READ_STEP])
        stale.update(path for path, content in contents.items() if digest_of(content.content) != known[path].digest)
    deleted = frozenset(path for path in paths if path not in stats and (path in known or path in configs))
    return Disk(frozenset(stale), deleted)
