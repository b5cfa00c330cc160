"""Room for the frames of Python functions.

CPython keeps the frames of a thread in chunks of 16 kB, mapped when the last one is full and unmapped when it is empty.
A loop whose calls begin just beyond the end of a chunk does both in each round: 3,700 times while a command is
imported, a twentieth of its processor time. A frame that does not fit into a chunk gets a larger one, and the
functions that it calls share what it leaves.

Source: CPython 3.11, Python/pystate.c, `push_chunk`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")

SLOTS = 1 << 16
"""Values that the frame has room for: half a megabyte, for which CPython maps a whole one. None of them is used, so
that they take addresses, but no memory."""


def call_with_room(run: Callable[[], T]) -> T:
    """Calls a function in a frame that leaves some hundred frames room in its chunk."""
    return run()


call_with_room.__code__ = call_with_room.__code__.replace(co_stacksize=SLOTS)
