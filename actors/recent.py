"""Stats of many files, that many ask for at the same time."""

from __future__ import annotations

from collections.abc import Mapping

import trio

from actors.messages import FileStat
from actors.ports import Ports

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
