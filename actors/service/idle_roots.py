"""Lets go of roots that nobody asks for: after a while, or sooner where memory runs short.

What they hold most of is their maps, which the store has: the next question loads them again. Where the processes of
codemap are above their ceiling, joined maps go first, then the root that was asked for least lately; one a look, as it
takes a moment until memory is back.

Rules of the file:
- A root that was asked for within QUIET_S stays, whatever the memory, and so does one with a call or a subscriber.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

import trio

from actors.messaging.log import log
from actors.processes.memory_grants import Memory
from actors.service.joined_maps import JoinedMaps

QUIET_S = 60.0
"""Longer than any call takes, as one to another root may use this one's map."""
LOOK_S = 5.0
"""Time between two looks."""


class IdleRoot(Protocol):
    """A root as far as it is let go."""

    @property
    def name(self) -> str: ...

    @property
    def asked_s(self) -> float:
        """When it was last asked for, by Trio's clock."""
        ...

    def is_idle(self, seconds: float) -> bool:
        """Whether it is loaded and nobody has asked for it so long, nor watches it."""
        ...

    def let_go(self) -> None:
        """Has the service end; the next call starts it again."""
        ...


async def let_idle_go(roots: Iterable[IdleRoot], maps: JoinedMaps, memory: Memory, idle_s: float) -> None:
    """Looks for idle roots until cancelled; after `idle_s` one is let go even where there is memory."""
    while True:
        await trio.sleep(LOOK_S)
        gone = [root for root in roots if root.is_idle(max(idle_s, QUIET_S))]
        if not gone and memory.is_over and not maps.forget():
            quiet = [root for root in roots if root.is_idle(QUIET_S)]
            gone = sorted(quiet, key=lambda root: root.asked_s)[:1]
            log("memory", roots=len(quiet))
        for root in gone:
            maps.forget(root.name)
            root.let_go()
