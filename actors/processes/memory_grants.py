"""Grants memory to parser processes, so that all processes of codemap together keep below a ceiling.

The map and language servers take what they take, and what is left is shared out: a parser process is granted so much
for a batch, which the kernel holds it to, and keeps what it holds when it is idle. Who wants more than is left waits
until others give back; idle processes are ended for it.

Rules of the file:
- Grants are given in the order in which they were asked for: a large one is not passed by for ever.
- A grant is no more than was left when it was given, but for the least that one process needs.

Source: sysconf(3), cgroups(7), "memory.max".
"""

from __future__ import annotations

import math
import os
from collections.abc import Awaitable, Callable
from contextlib import suppress

import trio

from actors.processes.resident_memory import resident_bytes

MACHINE_SHARE = 0.75
"""Default ceiling, as a share of the memory of the machine or the container."""

PARSERS_SHARE = 0.5
"""Share of the ceiling for all parser processes together."""

PARSERS_USUAL_MAX_BYTES = 4_000_000_000
"""Memory of all parser processes where the user sets no ceiling: some sixty batches at a time, or a file of 30 MB."""

LEAST_BYTES = 64_000_000
"""Granted to one process whatever is left: otherwise no edit would get into a map that fills the ceiling."""

EDIT_BYTES = 16_000_000
"""What facts take at least before they are held against the ceiling: an edit of hundreds of files takes less."""

BINDING_FACTOR = 5.0
"""Of what facts take while they come, the map and all that binding needs take so many times as much at most: over 78 MB
of twelve repositories 184 MB became 884, and 546 when it was done."""

EVERYTHING = math.inf
"""Asks for all memory that is left, once nobody else has a grant."""


class Memory:
    """The memory account of codemap's processes: a ceiling and the grants under it."""

    def __init__(
        self, ceiling_bytes: float, parsers_max_bytes: float, *, own: Callable[[], int] = resident_bytes
    ) -> None:
        """`own` returns the bytes that this process holds now."""
        self.ceiling_bytes = ceiling_bytes
        self.parsers_max_bytes = parsers_max_bytes
        """For all parser processes together."""
        self.own = own
        self._granted = 0.0
        self._working = 0
        self._turn = trio.Lock()
        self._changed = trio.lowlevel.ParkingLot()
        self.enders: set[Callable[[], Awaitable[bool]]] = set()
        """Each ends an idle process, and returns whether it had one."""
        self.others: set[Callable[[], int]] = set()
        """Each gives what processes hold that work without a grant, as language servers do."""

    @property
    def left_bytes(self) -> float:
        """Bytes that can be granted now."""
        return min(self.parsers_max_bytes, self.ceiling_bytes - self._ungranted()) - self._granted

    @property
    def is_over(self) -> bool:
        """Whether all processes together use more than the ceiling."""
        return self._ungranted() + self._granted > self.ceiling_bytes

    def _ungranted(self) -> int:
        return self.own() + sum(held() for held in self.others)

    def has_room_for_facts(self, own_before: int) -> bool:
        """Whether a map may grow by more files, given what this process held before the first."""
        own = self.own()
        facts = own - own_before
        return facts < EDIT_BYTES or own + facts * (BINDING_FACTOR - 1) <= self.ceiling_bytes

    async def take(self, wanted: float, usual: float = 0) -> float:
        """Grants `wanted` bytes, at most all there can be, and up to `usual` where so much is left. Waits until others
        have returned enough."""
        async with self._turn:
            while self.left_bytes < wanted:
                if await self._end_one():
                    continue
                if not self._working:
                    wanted = max(self.left_bytes, LEAST_BYTES)
                    break
                await self._changed.park()
            granted = max(wanted, min(usual, self.left_bytes))
            self._granted += granted
            self._working += 1
            return granted

    def keep(self, granted: float, kept: float) -> None:
        """Returns a grant, except for what an idle process keeps of it."""
        self._working -= 1
        self._granted += kept - granted
        self._changed.unpark_all()

    def drop(self, kept: float) -> None:
        """Returns what an idle process had kept."""
        self._granted -= kept
        self._changed.unpark_all()

    async def _end_one(self) -> bool:
        for end in tuple(self.enders):
            if await end():
                return True
        return False


def memory_for(wanted_mb: int) -> Memory:
    """Makes the memory account of this process and all that it starts; 0: the default share of the machine."""
    if wanted_mb:
        ceiling = wanted_mb * 1e6
        return Memory(ceiling, ceiling * PARSERS_SHARE)
    ceiling = machine_bytes() * MACHINE_SHARE
    return Memory(ceiling, min(ceiling * PARSERS_SHARE, PARSERS_USUAL_MAX_BYTES))


def machine_bytes() -> float:
    """Memory in bytes of the machine, or of the container that this process runs in; infinite where unknown."""
    found = math.inf
    with suppress(OSError, ValueError):
        found = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return min(found, _container_bytes())


def _container_bytes() -> float:
    limits = [math.inf]
    for path in (*_limit_files(_group()), "/sys/fs/cgroup/memory/memory.limit_in_bytes"):
        with suppress(OSError, ValueError), open(path, encoding="ascii") as file:
            limits.append(float(file.read()))  # "max" is no number
    return min(limits)


def _limit_files(group: str) -> list[str]:
    """Paths of the files with the limits of a cgroup and of those around it."""
    parts = group.split("/")
    return [f"/sys/fs/cgroup{'/'.join(parts[:depth])}/memory.max" for depth in range(len(parts), 0, -1)]


def _group() -> str:
    """The path of this process's group, beginning with a slash; empty where it has none."""
    with suppress(OSError), open("/proc/self/cgroup", encoding="utf-8", errors="surrogateescape") as file:
        for line in file:
            if line.startswith("0::/"):
                return line[3:].rstrip("\n").rstrip("/")
    return ""
