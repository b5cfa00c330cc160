"""Persistent sequences and mappings: a changed copy shares what did not change with the original.

One of a hundred thousand items costs a copy of its block and of the list of blocks; the other items are not touched,
which is what a copy of the whole would spend its time on (persistent data structures: Driscoll and others, 1989).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain, compress, count
from operator import is_not
from typing import TypeVar, overload

K = TypeVar("K")
T = TypeVar("T")
V = TypeVar("V")

_BITS = 8
_BLOCK = 1 << _BITS
_MASK = _BLOCK - 1


class PersistentList(Sequence[T]):
    """A sequence that never changes."""

    __slots__ = ("_blocks", "_length")

    def __init__(self, items: Iterable[T] = ()) -> None:
        whole = tuple(items)
        self._blocks = tuple(whole[at : at + _BLOCK] for at in range(0, len(whole), _BLOCK))
        self._length = len(whole)

    def replaced(self, items: Mapping[int, T]) -> PersistentList[T]:
        """A copy with other items at some places, each from 0 and below its length."""
        blocks: dict[int, list[T]] = {}
        for place, item in items.items():
            number = place >> _BITS
            if number not in blocks:
                blocks[number] = list(self._blocks[number])
            blocks[number][place & _MASK] = item
        made = PersistentList[T]()
        made._blocks = tuple(
            tuple(blocks[number]) if number in blocks else block for number, block in enumerate(self._blocks)
        )
        made._length = self._length
        return made

    def differing(self, other: PersistentList[T]) -> Iterator[int]:
        """The places where another sequence of the same length holds another object. Cost: the blocks that differ."""
        for number, (left, right) in enumerate(zip(self._blocks, other._blocks, strict=True)):
            if left is not right:
                yield from compress(count(number << _BITS), map(is_not, left, right))

    def __len__(self) -> int:
        return self._length

    def __iter__(self) -> Iterator[T]:
        return chain.from_iterable(self._blocks)

    def at(self, place: int) -> T:
        """The item at a place, from 0 and below the length; a little sooner than by an index."""
        return self._blocks[place >> _BITS][place & _MASK]

    @overload
    def __getitem__(self, place: int) -> T: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[T]: ...
    def __getitem__(self, place: int | slice) -> T | Sequence[T]:
        if type(place) is int and place >= 0:  # as nearly all are
            return self._blocks[place >> _BITS][place & _MASK]
        if isinstance(place, slice):
            return [self[each] for each in range(*place.indices(self._length))]
        place = range(self._length)[place]
        return self._blocks[place >> _BITS][place & _MASK]


class PersistentMap(Mapping[K, V]):
    """A mapping that never changes, in the order in which its keys came."""

    __slots__ = ("_items", "_keys", "_places")

    def __init__(self, items: Mapping[K, V] | None = None) -> None:
        known = {} if items is None else items
        self._fill(tuple(known), PersistentList(known.values()))

    @classmethod
    def keyed(cls, keys: Iterable[K], items: PersistentList[V]) -> PersistentMap[K, V]:
        """A mapping of as many keys, no two the same, to these items, in this order."""
        made = cls()
        made._fill(tuple(keys), items)
        return made

    def _fill(self, keys: tuple[K, ...], items: PersistentList[V]) -> None:
        self._keys = keys
        self._places = {key: place for place, key in enumerate(keys)}
        self._items = items

    @property
    def in_order(self) -> PersistentList[V]:
        """The values."""
        return self._items

    def updated(self, items: Mapping[K, V], without: Collection[K] = ()) -> PersistentMap[K, V]:
        """The same with some other or further items, and without those of some keys, known or not. Cost where keys come
        or go: all items."""
        places = self._places
        if items.keys() <= places.keys() and not any(key in places for key in without):
            return self.holding(self._items.replaced({places[key]: item for key, item in items.items()}))
        whole = {**dict(zip(self._keys, self._items, strict=True)), **items}
        for key in without:
            whole.pop(key, None)
        return PersistentMap(whole)

    def holding(self, items: PersistentList[V]) -> PersistentMap[K, V]:
        """A copy with the same keys, in the same order, and as many other items."""
        made = PersistentMap[K, V].__new__(type(self))
        made._keys, made._places, made._items = self._keys, self._places, items
        return made

    def has_keys_of(self, other: PersistentMap[K, V]) -> bool:
        """Whether both have the same keys. Cost: none, where one was made from the other."""
        return self._places is other._places or self._places.keys() == other._places.keys()

    def differing(self, other: PersistentMap[K, V]) -> Iterator[K]:
        """The keys under which this has another object than `other`, or `other` has none. Cost: what was changed, where
        one was made from the other and no key came or went."""
        if self._places is other._places:
            for place in self._items.differing(other._items):
                yield self._keys[place]
            return
        theirs = other._places
        for key, item in zip(self._keys, self._items, strict=True):
            if key not in theirs or other._items[theirs[key]] is not item:
                yield key

    def __getitem__(self, key: K) -> V:
        return self._items[self._places[key]]

    @overload
    def get(self, key: K, /) -> V | None: ...
    @overload
    def get(self, key: K, /, default: V | T) -> V | T: ...
    def get(self, key: K, /, default: V | T | None = None) -> V | T | None:
        """Without an exception for what is not there: most of what is asked for often is not."""
        place = self._places.get(key)
        return default if place is None else self._items[place]

    def __contains__(self, key: object) -> bool:
        return key in self._places

    def __iter__(self) -> Iterator[K]:
        return iter(self._keys)

    def __len__(self) -> int:
        return len(self._keys)
