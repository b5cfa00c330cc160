"""What the test processes of a checkout do one at a time: they share its `.cache`."""

from __future__ import annotations

import fcntl
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")

CACHE = Path(__file__).parents[2] / ".cache"
_held = [0]


def alone(function: Callable[P, R]) -> Callable[P, R]:
    """The function, which no two processes run at a time; one such function may call another."""

    @wraps(function)
    def locked(*args: P.args, **kwargs: P.kwargs) -> R:
        with _lock():
            return function(*args, **kwargs)

    return locked


@contextmanager
def _lock() -> Iterator[None]:
    if _held[0]:
        yield
        return
    CACHE.mkdir(exist_ok=True)
    with (CACHE / "lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        _held[0] += 1
        try:
            yield
        finally:
            _held[0] -= 1
