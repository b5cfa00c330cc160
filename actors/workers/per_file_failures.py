"""Catches failures over one file, so that a parser process goes on with the others."""

from __future__ import annotations

from collections.abc import Callable
from typing import ParamSpec, TypeVar

from outcome import Error, Value, capture

P = ParamSpec("P")
T = TypeVar("T")


def attempt(work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> Value[T] | Error:
    """Runs a function: its result, or its failure as a value.

    Raises MemoryError and SystemError: after them nothing in this process can be relied on.
    """
    result = capture(work, *args, **kwargs)
    if isinstance(result, Error) and isinstance(result.error, MemoryError | SystemError):
        raise result.error
    return result
