"""Renders answers into the text that is sent: small ones on the event loop, large ones in threads.

It keeps no state, so it is a function call and no actor: a small answer is rendered at once, without a hop to another
task; large ones go to threads, a few at a time, so that one caller's big answer delays no other's small one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import msgspec
import trio

from actors.ports import Ports

T = TypeVar("T")

INLINE_MAX = 400
"""Most list items of an answer that is rendered on the event loop: about a millisecond."""

THREADS = 2
"""Large answers rendered at the same time; more would only compete for the interpreter."""


class RendererStatistics(msgspec.Struct, frozen=True, rename="camel"):
    inline: int
    """Answers rendered on the event loop."""
    in_thread: int
    running: int
    """Number of threads that render now."""
    waiting: int


class Renderer:
    """Renders for every connection."""

    def __init__(self, ports: Ports) -> None:
        self._ports = ports
        self._limiter = trio.CapacityLimiter(THREADS)
        self._inline = self._in_thread = 0

    async def render(self, function: Callable[[], T], weight: int) -> T:
        """Runs a pure function that renders; `weight` is the number of list items of the answer.

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
