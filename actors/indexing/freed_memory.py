"""When the memory that builds have freed is returned to the system: at once after a large one, now and then after
small ones."""

from __future__ import annotations

import math

import trio

from actors.ports import Ports

LARGE_ROUND = 200
"""Files; a build of so many leaves a third of the process's memory free and unreturned."""

RETURN_S = 10.0
"""So often small rounds give back what they have freed: each makes arrays anew, and what the old ones leave between
what stays would come to 3 MB in a hundred edits, for ever."""


class FreedMemory:
    def __init__(self, ports: Ports) -> None:
        self._ports = ports
        self._return_at_s = math.inf
        """At the earliest; never, where nothing was built since the last time."""

    def note_bound(self, changed: int) -> None:
        """A build has bound so many files: what binding needed goes back before anything is made that stays, else that
        would stand between what is free."""
        if changed >= LARGE_ROUND:
            self._ports.return_memory()

    def note_built(self, changed: int) -> None:
        """A build of so many files was published."""
        if changed >= LARGE_ROUND:
            self._ports.return_memory()
        else:
            self._return_at_s = min(self._return_at_s, trio.current_time() + RETURN_S)

    def note_idle(self) -> None:
        """There is time for it now."""
        self._return_at_s = -math.inf

    def return_due(self) -> None:
        """Returns what small builds left, where it is time for that; for when nobody waits for an answer."""
        if trio.current_time() >= self._return_at_s:
            self._return_at_s = math.inf
            self._ports.return_free()
