"""Runs work in steps, so that other work can run between them: generators that return what they make."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from typing import TypeVar

P = TypeVar("P")
T = TypeVar("T")


def with_progress(progress: P, steps: Generator[object, None, T]) -> Generator[P, None, T]:
    """Runs steps to their result, with the same progress reported for each."""
    made: list[T] = []
    for _ in _collect(made, steps):
        yield progress
    return made[0]


def finish(steps: Generator[object, None, T]) -> T:
    """Runs steps to their end at once; their result."""
    made: list[T] = []
    for _ in _collect(made, steps):
        pass
    return made[0]


def _collect(made: list[T], steps: Generator[object, None, T]) -> Iterator[object]:
    made.append((yield from steps))
