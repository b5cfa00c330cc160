"""The indexes that a snapshot holds, each in the place of its own type."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Generic, TypeVar

T = TypeVar("T")


class Key(Generic[T]):
    """Identifies an index of type T among those of a snapshot."""

    __slots__ = ()


class Indexes:
    """The indexes of one snapshot by key, in the order in which they were made: one comes after those that it uses."""

    __slots__ = ("_held",)

    def __init__(self) -> None:
        self._held: dict[Key[Any], Any] = {}

    def get(self, key: Key[T]) -> T | None:
        """The index, where it is made."""
        found: T | None = self._held.get(key)
        return found

    def put(self, key: Key[T], index: T) -> None:
        self._held[key] = index

    def add(self, key: Key[T], index: T) -> T:
        """Puts an index unless there is one; the one that is there now."""
        found: T = self._held.setdefault(key, index)
        return found

    def __contains__(self, key: Key[Any]) -> bool:
        return key in self._held

    def __iter__(self) -> Iterator[Key[Any]]:
        return iter(self._held)
