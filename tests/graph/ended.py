"""What work in steps gives in the end."""

from __future__ import annotations

from collections.abc import Generator
from typing import TypeVar

T = TypeVar("T")


def ended(steps: Generator[object, None, T]) -> T:
    """Takes all steps, one after the other."""
    while True:
        try:
            next(steps)
        except StopIteration as end:
            result: T = end.value
            return result
