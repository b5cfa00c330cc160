"""What the disk says of files, against what was indexed; of many files, for many who ask at the same time.

A file differs from the map when its size or mtime does. Where it was indexed so shortly after it changed that these say
nothing, its content is compared.
"""

from __future__ import annotations

from collections.abc import Mapping
from weakref import ref

import trio

from actors.files.reading import digest_of
from actors.indexing.latest import Published
from actors.messaging.messages import FileStat
from actors.ports import Ports
from codemap.graph.model.snapshot import Snapshot
from codemap.tools import Disk

READ_STEP = 64
"""Files read at a time, of those that changed so shortly before they were indexed that their stat does not show it."""

FEW = 64
"""So many files are asked about whenever they are wanted."""

EVERY_S = 0.25
"""More are asked about so often at most."""


class RecentStats:
    """See `of`."""

    def __init__(self, ports: Ports) -> None:
        self._ports = ports
        self._lock = trio.Lock()
        self._paths: frozenset[str] = frozenset()
        self._stats: Mapping[str, FileStat] = {}
        self._until = 0.0

    async def of(self, paths: frozenset[str]) -> Mapping[str, FileStat]:
        """What `Ports.stat_files` gives; of many files, what it gave a moment ago."""
        if len(paths) <= FEW:
            return await self._ports.stat_files(paths) if paths else {}
        async with self._lock:
            if paths != self._paths or trio.current_time() >= self._until:
                self._stats = await self._ports.stat_files(paths)
                self._paths, self._until = paths, trio.current_time() + EVERY_S
            return self._stats


class RecentDisk:
    """See `of`."""

    def __init__(self, ports: Ports) -> None:
        self._ports = ports
        self._stats = RecentStats(ports)
        self._last: tuple[Mapping[str, FileStat], ref[Published[Snapshot]], Disk] | None = None
        """What was compared, what with, and what came of it; a map that was replaced is not kept by this."""

    async def of(self, published: Published[Snapshot], paths: frozenset[str]) -> Disk:
        """Which of some files differ from the map; of many files, as it was a moment ago."""
        stats = await self._stats.of(paths)
        if self._last is not None and self._last[0] is stats and self._last[1]() is published:
            return self._last[2]
        disk = await compared(self._ports, published, paths, stats)
        self._last = stats, ref(published), disk
        return disk


async def compared(
    ports: Ports, published: Published[Snapshot], paths: frozenset[str], stats: Mapping[str, FileStat]
) -> Disk:
    """Which of some files differ from the map, by their stats or else their content."""
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
