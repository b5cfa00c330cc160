"""Decides when memory that builds have freed goes back to the system: at once after a large build, now and then
after small ones."""

from __future__ import annotations

import math

import trio

from actors.ports import Ports

LARGE_ROUND = 200
"""Files of a large build: it leaves a third of the process's memory free and unreturned."""

RETURN_S = 10.0
"""Interval at which small rounds return memory: each allocates new arrays, and the gaps of the old ones would add up to
3 MB in a hundred edits."""


class FreedMemory:
    def __init__(self, ports: Ports) -> None:
        self._ports = ports
        self._return_at_s = math.inf
        """At the earliest; never, where nothing was built since the last time."""

    def note_bound(self, changed: int) -> None:
        """Notes that binding has ended: its memory is returned before lasting objects are made, which would otherwise
        lie between the free blocks."""
        if changed >= LARGE_ROUND:
            self._ports.return_memory()

    def note_built(self, changed: int) -> None:
        """Notes that a build of so many files was published."""
        if changed >= LARGE_ROUND:
            self._ports.return_memory()
        else:
            self._return_at_s = min(self._return_at_s, trio.current_time() + RETURN_S)

    def note_replaced(self) -> None:
        """Notes that a whole map was replaced by another."""
        self._ports.return_memory()

    def note_idle(self) -> None:
        """Notes that nothing else is to do."""
        self._return_at_s = -math.inf

    def return_due(self) -> None:
        """Returns what small builds left, where it is due; call it when nobody waits for an answer."""
        if trio.current_time() >= self._return_at_s:
            self._return_at_s = math.inf
            self._ports.return_free()
