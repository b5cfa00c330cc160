"""The renderer: an answer becomes the text that is sent, off the loop when it is large.

It keeps no state and so is called, not told: a small answer is rendered at once, without a hop to another task; large
ones go to threads, a few at a time, so that one caller's big answer delays no other's small one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import msgspec
import trio

from actors.ports import Ports

T = TypeVar("T")

INLINE_MAX = 400
"""List items that are packed on the loop: about a millisecond."""

THREADS = 2
"""Large answers rendered at the same time; more would only take turns at the interpreter."""


class RendererStatistics(msgspec.Struct, frozen=True, rename="camel"):
    inline: int
    """Answers rendered on the loop."""
    in_thread: int
    running: int
    """Threads that render now."""
    waiting: int


class Renderer:
    """Renders for every connection."""

    def __init__(self, ports: Ports) -> None:
        self._ports = ports
        self._limiter = trio.CapacityLimiter(THREADS)
        self._inline = self._in_thread = 0

    async def render(self, function: Callable[[], T], weight: int) -> T:
        """The result of a pure function; `weight` is the number of list items that it packs.

        When cancelled, a result that a thread still makes is dropped.
        """
        if weight <= INLINE_MAX:
            self._inline += 1
            return function()
        async with self._limiter:
            self._in_thread += 1
            return await self._ports.run_in_thread(function)

    def statistics(self) -> RendererStatistics:
        used = self._limiter.statistics()
        return RendererStatistics(self._inline, self._in_thread, used.borrowed_tokens, used.tasks_waiting)
