"""What a target of fuzzing is, and how inputs are made that replay."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from random import Random

import msgspec


class Broken(Exception):
    """An invariant does not hold; the message says which, and shows the input."""


_SHOWN_MAX = 3000


def shown(source: bytes) -> str:
    """An input for people, in Python's own words; a long one is cut, as it can be made again."""
    return repr(source[:_SHOWN_MAX]) + (
        f" and {len(source) - _SHOWN_MAX} bytes more" if len(source) > _SHOWN_MAX else ""
    )


class Inputs:
    """Sources of randomness, one an input, each made from a name and a number alone."""

    def __init__(
        self,
        target: str,
        numbers: Iterable[int],
        seconds: float | None = None,
        before_each: Callable[[], None] = lambda: None,
    ) -> None:
        """They end with the numbers, or when the seconds are over."""
        self._target = target
        self._numbers = iter(numbers)
        self._end = None if seconds is None else time.monotonic() + seconds
        self._before_each = before_each
        self.number: int | None = None
        """Of the last input; None before the first."""
        self.count = 0

    def __iter__(self) -> Iterator[Random]:
        while self._end is None or time.monotonic() < self._end:
            number = next(self._numbers, None)
            if number is None:
                return
            self._before_each()
            self.number = number
            self.count += 1
            yield Random(f"{self._target} {number}")


class Target(msgspec.Struct, frozen=True):
    name: str
    about: str
    run: Callable[[Inputs], None]
    """Takes inputs until there are none. Raises Broken, or whatever the code under test should not have raised."""
    is_alone: bool = True
    """Whether each input is worked on by itself, in this process; otherwise a server gets one after the other, and the
    ones before it may have a part in a failure."""
