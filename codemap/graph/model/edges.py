"""Edges as arrays: sorted by source, indexed by target, sites beside them.

Rules of the file:
- Arrays are int32 and never written after `EdgeTable` is made.
- One row is one (source, target, kind); `FIRST` and `COUNT` delimit its sites in `sites` (rows of line, col).
- `unresolved` rows have a name instead of a target: use sites whose target could not be decided.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from enum import IntEnum
from typing import ClassVar, Self, cast

import msgspec
import numpy as np
from numpy.typing import NDArray

from codemap.facts import SymbolKind
from codemap.graph.model.values import Confidence

Ints = NDArray[np.int32]
Mask = NDArray[np.bool_]
Numbers = NDArray[np.signedinteger]


class EdgeKind(IntEnum):
    CONTAINS = 0
    IMPORTS = 1
    EXPORTS = 2
    CALLS = 3
    EXTENDS = 4
    IMPLEMENTS = 5
    REFERENCES = 6


INHERITANCE = (EdgeKind.EXTENDS, EdgeKind.IMPLEMENTS)
USES = (EdgeKind.CALLS, EdgeKind.REFERENCES, *INHERITANCE)
"""Uses of a definition where it is named, other than by an import or export."""


class _Table:
    """Columns that are given, or made: each when it is asked for, or all when the first of them is."""

    COLUMNS: ClassVar[tuple[str, ...]] = ()
    __slots__ = ("_make", "_make_column")

    def __init__(self, **columns: Ints | Callable[[], Ints]) -> None:
        self._make: Callable[[], _Table] | None = None
        self._make_column: dict[str, Callable[[], Ints]] = {}
        for name in self.COLUMNS:
            column = columns.pop(name)
            if callable(column):
                self._make_column[name] = column
            else:
                setattr(self, name, column)
        if columns:
            raise TypeError(f"no such columns: {', '.join(columns)}")

    @classmethod
    def later(cls, make: Callable[[], Self]) -> Self:
        """A table that is what `make` gives, when something first asks for it."""
        table = cls.__new__(cls)
        table._make, table._make_column = make, {}
        return table

    @property
    def is_made(self) -> bool:
        return self._make is None

    def make(self) -> None:
        """Makes the columns, where they are not made yet."""
        getattr(self, self.COLUMNS[0])

    def with_columns(self, **columns: Ints) -> Self:
        """A copy of the table with some other columns."""
        return type(self)(**{name: getattr(self, name) for name in self.COLUMNS} | columns)

    def __getattr__(self, name: str) -> Ints:
        make_column = self._make_column.get(name) if name in self.COLUMNS else None
        if make_column is not None:
            column = make_column()
            setattr(self, name, column)
            return column
        make = self._make if name in self.COLUMNS else None
        if make is None:
            raise AttributeError(name)
        made = make()  # two threads may: they make the same
        for each in self.COLUMNS:
            setattr(self, each, getattr(made, each))
        self._make = None
        found: Ints = getattr(made, name)
        return found


class EdgeTable(_Table):
    """Edges between nodes."""

    COLUMNS = (
        "source",
        "target",
        "kind",
        "confidence",
        "first",
        "count",
        "sites",  # shape (n, 2)
        "out_start",  # row n: where the edges of source node n begin; one longer than there are nodes
        "by_target",  # edge rows in order of target
        "in_start",  # like `out_start`, for `by_target`
    )
    __slots__ = COLUMNS
    source: Ints
    target: Ints
    kind: Ints
    confidence: Ints
    first: Ints
    count: Ints
    sites: Ints
    out_start: Ints
    by_target: Ints
    in_start: Ints

    def out_rows(self, node: int) -> range:
        return range(int(self.out_start[node]), int(self.out_start[node + 1]))

    def in_rows(self, node: int) -> list[int]:
        rows: list[int] = self.arriving(node).tolist()
        return rows

    def leaving(self, node: int) -> Ints:
        """`out_rows` as an array."""
        return np.arange(self.out_start[node], self.out_start[node + 1], dtype=np.int32)

    def arriving(self, node: int) -> Ints:
        """`in_rows` as an array."""
        return self.by_target[self.in_start[node] : self.in_start[node + 1]]


class UnresolvedTable(_Table):
    """Uses by nodes that could not be decided."""

    COLUMNS = (
        "source",
        "name",  # index into the snapshot's names
        "kind",
        "first",
        "count",
        "sites",
        "out_start",
        "by_name",  # rows in order of name
        "name_start",
    )
    __slots__ = COLUMNS
    source: Ints
    name: Ints
    kind: Ints
    first: Ints
    count: Ints
    sites: Ints
    out_start: Ints
    by_name: Ints
    name_start: Ints

    def out_rows(self, node: int) -> range:
        return range(int(self.out_start[node]), int(self.out_start[node + 1]))

    def named_rows(self, name: int) -> list[int]:
        rows: list[int] = self.by_name[self.name_start[name] : self.name_start[name + 1]].tolist()
        return rows


def starts(sorted_keys: Ints, count: int) -> Ints:
    """Where each of `count` keys begins in a sorted column; one longer than `count`."""
    found = np.zeros(count + 1, dtype=np.int32)
    np.cumsum(np.bincount(sorted_keys, minlength=count)[:count], out=found[1:])
    return found


def find_run(ordered: Numbers, begin: int, end: int) -> slice:
    """Where in a sorted column the numbers from `begin` on below `end` are. NumPy copies the whole column when it is
    asked for numbers of another type, as those of Python are."""
    first, last = np.searchsorted(ordered, np.array((begin, end), ordered.dtype)).tolist()
    return slice(first, last)


class Edge(msgspec.Struct, frozen=True):
    """A resolved edge; `other` is the end that was not asked about. `row` finds its sites; -1 for `contains`."""

    row: int
    source: int
    target: int
    kind: EdgeKind
    confidence: Confidence


class Unresolved(msgspec.Struct, frozen=True):
    """Uses of a name by one owner whose target could not be decided."""

    row: int
    source: int
    name: str
    kind: EdgeKind
    is_member: bool
    """Whether it is used as a member of something (`x.name`), or bare."""
    is_held: bool = False
    """Whether the name is that of a variable, and a function that this holds is called."""


NO_ROWS: Ints = np.empty(0, dtype=np.int32)

BARE = 8
"""Added to the kind of an unresolved use that is not a member's."""


BESIDE = 2 * BARE
"""Added, until names are guessed, to the form of an undecided use of which something else is known for sure."""


def distinct(keys: Numbers) -> Numbers:
    """The keys in order, each once; `np.unique` hashes them, which takes longer, and imports all of masked arrays."""
    keys = np.sort(keys)
    return keys.compress(are_first(keys))


def places_of(chosen: Mask | Numbers) -> Numbers:
    """The places that a mask marks; places as they are. To select by places takes a fifth of the time."""
    return np.flatnonzero(chosen) if chosen.dtype == np.bool_ else cast("Numbers", chosen)


def first_places(keys: Numbers, size: int) -> Ints:
    """By key, all of them below `size`: the place where it is first; those that are nowhere have any number. Cost: the
    keys, which `np.unique` sorts."""
    found = np.empty(size, dtype=np.int32)
    found[keys[::-1]] = np.arange(len(keys), dtype=np.int32)[::-1]  # of equal ones the last is written
    return found


def are_first(values: Numbers) -> Mask:
    """Marks, among sorted values, the first of each run of equal ones."""
    found = np.ones(len(values), dtype=np.bool_)
    np.not_equal(values[1:], values[:-1], out=found[1:])
    return found


def are_among(values: Numbers, ordered: Numbers) -> Mask:
    """Marks the values that are among some sorted others; `np.isin` hashes or sorts them all."""
    if not len(ordered):
        return np.zeros(len(values), dtype=np.bool_)
    places = np.minimum(np.searchsorted(ordered, values), len(ordered) - 1)
    found: Mask = ordered[places] == values
    return found


def among(forms: Iterable[int]) -> Mask:
    """By kind of an edge, or form of an unresolved use: whether it is one of some."""
    found = np.zeros(2 * BARE, dtype=np.bool_)
    found[[int(form) for form in forms]] = True
    return found


FUNCTION_KINDS = frozenset((SymbolKind.FUNCTION, SymbolKind.METHOD))
CALLABLE_KINDS = frozenset((SymbolKind.CLASS, *FUNCTION_KINDS))
MEMBER_KINDS = frozenset((*CALLABLE_KINDS, SymbolKind.PROPERTY, SymbolKind.ENUM))
ARE_FUNCTIONS = np.array([kind in FUNCTION_KINDS for kind in SymbolKind])
ARE_VARIABLES = np.array([kind in (SymbolKind.VARIABLE, SymbolKind.PROPERTY) for kind in SymbolKind])
"""By SymbolKind."""
