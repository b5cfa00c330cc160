"""What the test processes of a checkout do one at a time: they share its `.cache`."""

from __future__ import annotations

import fcntl
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

CACHE = Path(__file__).parents[2] / ".cache"


class _Held(threading.local):
    def __init__(self) -> None:
        self.names: set[str] = set()


_held = _Held()


@contextmanager
def alone(name: str) -> Iterator[None]:
    """Keeps other threads and processes out of the part of `.cache` of that name; a decorator, too.

    Who is in may enter again. Those of npm and Debian may be entered from others, and lead to no others.
    """
    if name in _held.names:
        yield
        return
    CACHE.mkdir(exist_ok=True)
    with (CACHE / f"{name}.lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        _held.names.add(name)
        try:
            yield
        finally:
            _held.names.remove(name)
