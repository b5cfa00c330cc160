"""Runs the steps of a builder on the event loop and yields to other tasks between them."""

from __future__ import annotations

import gc
from collections.abc import Callable, Generator
from typing import Any, TypeVar

from actors.messaging.inbox import Inbox
from actors.messaging.yielding import Turns

S = TypeVar("S")


async def run_steps(steps: Generator[object, None, S], tell: Callable[[object], None] = lambda _step: None) -> S:
    """Runs a generator of steps to its end and returns its result; `tell` gets each step. When cancelled, it is closed.

    The collector rests meanwhile: a build makes millions of objects and no cycles, and each of its passes would walk
    them all (a third of the build's time). What a large round has made leaves its sight with `return_memory`, for its
    passes to stay short; nothing after a small one: all else that lives then (the clients' connections) would leave it
    too, and what holds itself would never be freed.
    """
    turns = Turns()
    gc.disable()
    try:
        while True:
            try:
                tell(next(steps))
            except StopIteration as end:
                result: S = end.value
                return result
            await turns.step()
    finally:
        steps.close()
        gc.enable()


def while_idle(steps: Generator[object, None, S], inbox: Inbox[Any]) -> Generator[object, None, S | None]:
    """Yields the same steps, and stops without a result as soon as the inbox has a message."""
    while not inbox.statistics().queued:
        try:
            next(steps)
        except StopIteration as end:
            result: S = end.value
            return result
        yield None
    steps.close()
    return None
