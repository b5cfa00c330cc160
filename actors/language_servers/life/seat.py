"""What a language server works with, the same over all its lives; and the places that servers of all languages share.

Rules of the file:
- So many servers run at the same time, whatever their languages; who was used least lately makes room.
- One server starts at a time: what starts takes whole cores.
"""

from __future__ import annotations

import math
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from hashlib import blake2b

import msgspec
import trio

from actors.language_servers.life.flight import Flights
from actors.language_servers.life.mirror import MirroredDisk
from actors.language_servers.life.texts import BaseTextsOver
from actors.language_servers.programs.ports import Processes
from actors.language_servers.programs.program import Program
from actors.processes.memory_grants import MACHINE_SHARE, Memory
from codemap.lsp.server import Server

SERVERS_MAX = 4

RAM_SHARE = 0.35
"""Of the machine's memory, for all servers together."""

TOGETHER_MAX_BYTES = 4_000_000_000


class Sitting:
    """One running server, as the others see it."""

    def __init__(self) -> None:
        self.stop: Callable[[str], None] = _ignore
        """Ends it; the argument is why, as a clause."""
        self.used_at = trio.current_time()
        self.is_busy = True
        """Whether somebody waits for its answers; it was not started for nothing."""
        self.resident_bytes = 0


class Places:
    """The places of running servers, over all languages."""

    def __init__(self, processes: Processes, servers_max: int = SERVERS_MAX, memory: Memory | None = None) -> None:
        """`memory` is what the servers share with all other processes; None: nothing."""
        self.processes = processes
        self._memory = memory
        self.starting = trio.Semaphore(1)
        self._servers_max = servers_max
        self._taken: list[Sitting] = []
        self._changed = trio.lowlevel.ParkingLot()
        self.ram_bytes = _limited(processes.ram_bytes(), memory)
        """What the limits of servers are shares of: the machine's memory, or less where the user wants less taken."""
        self._bytes_max = (
            TOGETHER_MAX_BYTES if self.ram_bytes is None else min(TOGETHER_MAX_BYTES, int(self.ram_bytes * RAM_SHARE))
        )
        if memory is not None:
            memory.others.add(self._resident_bytes)

    @asynccontextmanager
    async def take(self) -> AsyncIterator[Sitting]:
        """A place for one server; waits until there is one. The idle server that was used least lately is stopped."""
        while len(self._taken) >= self._servers_max:
            idle = [sitting for sitting in self._taken if not sitting.is_busy]
            if idle:
                min(idle, key=_used_at).stop("another server needs its place")
            await self._changed.park()
        sitting = Sitting()
        self._taken.append(sitting)
        try:
            yield sitting
        finally:
            self._taken.remove(sitting)
            self._changed.unpark_all()

    def reconsider(self) -> None:
        """A server's use or size changed: others may wait for its place, or all together take too much."""
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
    """The memory of the machine, or as much of it as would have the ceiling for its usual share."""
    if memory is None or math.isinf(memory.ceiling_bytes):
        return ram_bytes
    wanted = int(memory.ceiling_bytes / MACHINE_SHARE)
    return wanted if ram_bytes is None else min(ram_bytes, wanted)


def _ignore(_why: str) -> None:
    """Nothing runs there yet."""


def _used_at(sitting: Sitting) -> float:
    return sitting.used_at


class Seat(msgspec.Struct, frozen=True):
    """What every life of one server is given."""

    server: Server
    program: Program
    root: str
    """The repository, absolute."""
    places: Places
    disk: MirroredDisk
    flights: Flights
    version: str
    """Of codemap."""

    def over(self, base: BaseTextsOver, idle_stop_s: float) -> Seat:
        """The seat of a server that sees an earlier state, and ends when it is idle for so long."""
        server = msgspec.structs.replace(self.server, idle_stop_s=idle_stop_s)
        disk = msgspec.structs.replace(self.disk, texts=base)
        return msgspec.structs.replace(self, server=server, disk=disk, flights=Flights())

    @property
    def state_name(self) -> str:
        """Of its private folder, the same over all its lives."""
        return blake2b(
            f"{self.folder}\0{self.server.name}".encode("utf-8", "surrogateescape"), digest_size=12
        ).hexdigest()

    @property
    def title(self) -> str:
        """Name and version, for people."""
        return f"{self.server.name} {self.program.version}".strip()

    @property
    def folder(self) -> str:
        """The project that it serves, absolute."""
        return f"{self.root}/{self.program.project}" if self.program.project else self.root
