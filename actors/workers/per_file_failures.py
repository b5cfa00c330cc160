"""Catches failures over one file, so that a parser process goes on with the others.

Results are values like those of `outcome`, whose import takes a sixth of the start of a worker.
"""

from __future__ import annotations

from collections.abc import Callable
from types import TracebackType
from typing import Generic, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


class Success(Generic[T]):
    """What a function returned."""

    __slots__ = ("value",)

    def __init__(self, value: T) -> None:
        self.value = value


class Failure:
    """What a function raised; as a context, it ends what raises in it."""

    __slots__ = ("error",)

    def __init__(self) -> None:
        self.error: BaseException = AssertionError("nothing was raised")

    def __enter__(self) -> None:
        pass

    def __exit__(self, _kind: object, error: BaseException | None, _trace: TracebackType | None) -> bool:
        if error is None or isinstance(error, MemoryError | SystemError):
            return False
        self.error = error
        return True


def attempt(work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> Success[T] | Failure:
    """Runs a function: its result, or its failure as a value.

    Raises MemoryError and SystemError: after them nothing in this process can be relied on.
    """
    failure = Failure()
    with failure:
        return Success(work(*args, **kwargs))
    return failure
