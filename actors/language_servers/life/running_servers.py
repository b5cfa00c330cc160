"""Limits how many language servers run at a time, and how much memory they use together.

Rules of the file:
- The limit holds over all languages; the idle server that was used least recently is stopped to make room.
- One server starts at a time: a starting server uses whole cores.
"""

from __future__ import annotations

import math
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import trio

from actors.language_servers.programs.ports import Processes
from actors.processes.memory_grants import MACHINE_SHARE, Memory

SERVERS_MAX = 4

RAM_SHARE = 0.35
"""Of the machine's memory, for all servers together."""

TOGETHER_MAX_BYTES = 4_000_000_000


class RunningServer:
    """What the limits need to know of one running server."""

    def __init__(self) -> None:
        self.stop: Callable[[str], None] = _ignore
        """Ends the server; the argument says why, as a clause."""
        self.used_at = trio.current_time()
        self.is_busy = True
        """Whether somebody waits for its answers; it was not started for nothing."""
        self.resident_bytes = 0


class RunningServers:
    """The running servers of all languages, as many as may run at a time."""

    def __init__(self, processes: Processes, servers_max: int = SERVERS_MAX, memory: Memory | None = None) -> None:
        """`memory` is the account that servers share with all other processes of codemap; None: they share none."""
        self.processes = processes
        self._memory = memory
        self.starting = trio.Semaphore(1)
        self._servers_max = servers_max
        self._taken: list[RunningServer] = []
        self._changed = trio.lowlevel.ParkingLot()
        self.ram_bytes = _limited(processes.ram_bytes(), memory)
        """The memory of which the limits of servers are shares, in bytes: the machine's, or less by the user's
        settings."""
        self._bytes_max = (
            TOGETHER_MAX_BYTES if self.ram_bytes is None else min(TOGETHER_MAX_BYTES, int(self.ram_bytes * RAM_SHARE))
        )
        if memory is not None:
            memory.others.add(self._resident_bytes)

    @asynccontextmanager
    async def take(self) -> AsyncIterator[RunningServer]:
        """Reserves a place for one server while the context lasts; waits for one, and stops the least recently used
        idle server."""
        while len(self._taken) >= self._servers_max:
            idle = [running for running in self._taken if not running.is_busy]
            if idle:
                min(idle, key=_used_at).stop("another server needs its place")
            await self._changed.park()
        running = RunningServer()
        self._taken.append(running)
        try:
            yield running
        finally:
            self._taken.remove(running)
            self._changed.unpark_all()

    def reconsider(self) -> None:
        """Looks again whether a server must stop: call when the use or the size of one has changed."""
        self._changed.unpark_all()
        idle = [one for one in self._taken if not one.is_busy]
        if not idle:
            return
        if self._memory is not None and self._memory.is_over:
            min(idle, key=_used_at).stop("all processes together take too much memory")
        elif self._resident_bytes() > self._bytes_max and len(self._taken) > 1:
            min(idle, key=_used_at).stop("all servers together take too much memory")

    def _resident_bytes(self) -> int:
        return sum(one.resident_bytes for one in self._taken)


def _limited(ram_bytes: int | None, memory: Memory | None) -> int | None:
    """The memory of the machine in bytes; under a lower ceiling, the memory of a machine whose usual share it would
    be."""
    if memory is None or math.isinf(memory.ceiling_bytes):
        return ram_bytes
    wanted = int(memory.ceiling_bytes / MACHINE_SHARE)
    return wanted if ram_bytes is None else min(ram_bytes, wanted)


def _ignore(_why: str) -> None:
    """Stops a server that has not begun."""


def _used_at(running: RunningServer) -> float:
    return running.used_at
