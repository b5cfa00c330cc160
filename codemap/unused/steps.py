"""The graph of who keeps whom in use: steps from users to what they use, and who is reached from the roots by them.

A step has a doubt: how uncertain it is that it is a use. Reached without doubt is what is in use; what only
doubtful steps reach is perhaps unused; what none reaches is unused.

Beside the nodes of a snapshot there are the roots, a node that is always in use, and a node for each name that
something means by its text alone: all definitions of the name are reached from there.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import IntEnum

import numpy as np

from codemap.graph.index.columns import places
from codemap.graph.model.columnar import Columnar
from codemap.graph.model.edges import Ints, Mask, Numbers, starts


class Doubt(IntEnum):
    """How uncertain it is that a step is a use; also how certain it is that what no surer step reaches is unused."""

    NONE = 0
    LARGE = 1
    """It may well be one: a use that could not be decided, a decorator that may register."""
    SMALL = 2
    """It is none in the repository: somebody outside may use what is public, a document names it."""


class Why(IntEnum):
    """What a step is, in the order in which a reader wants to see them."""

    USE = 0
    OVERRIDES = 1
    NAME_GUESS = 2
    UNDECIDED = 3
    NAMED_IN_TEXT = 4
    """A string, or a file that is no source, has the name."""
    NAMED_IN_CODE = 5
    COMPUTED = 6
    """A name is computed that it may be."""
    DECORATED = 7
    OUTSIDE_BASE = 8
    CONTRACT = 9
    OUTSIDE_CONTRACT = 22
    """It looks like a method that an interface from outside asks for."""
    STARTED = 23
    """A file that does something when it runs."""
    SET_FOR_IMPORT = 24
    """A file from outside that is imported below it may read it."""
    STRUCTURE = 10
    """A field, or a member of a contract or of a value that is handed on whole."""
    WHOLE_MODULE = 11
    LOADED = 12
    ENTRY = 13
    PUBLIC = 14
    IMPORTED = 15
    LABEL = 16
    DOCUMENTED = 17
    ATTRIBUTE = 18
    BELONGS = 19
    """An owner of what is in use, or another part of it."""
    TEST = 20
    UNSEEN = 21


class Steps(Columnar, frozen=True):
    """Steps as columns."""

    source: Ints
    target: Ints
    doubt: Ints
    why: Ints
    place: Ints
    """Row of the edge for `USE`, `NAME_GUESS` and `IMPORTED`, of the undecided use for `UNDECIDED`, number of a note
    for what a text says; -1 where there is none."""

    def __len__(self) -> int:
        return len(self.source)


class Collected:
    """Steps as they are found, one by one."""

    def __init__(self) -> None:
        self._columns: tuple[list[int], ...] = ([], [], [], [], [])

    def add(self, source: int, target: int, doubt: Doubt, why: Why, place: int = -1) -> None:
        for column, value in zip(self._columns, (source, target, doubt, why, place), strict=True):
            column.append(value)

    def steps(self) -> Steps:
        return Steps(*(np.array(column, dtype=np.int32) for column in self._columns))


_NONE: Ints = np.empty(0, dtype=np.int32)


def steps(
    source: Numbers | int | Iterable[int],
    target: Numbers | Iterable[int],
    doubt: Numbers | Doubt,
    why: Why,
    place: Numbers | int = -1,
) -> Steps:
    """Steps of one kind; a single value stands for all of them."""
    targets = _column(target, 0)
    count = len(targets)
    return Steps(_column(source, count), targets, _column(doubt, count), _column(why, count), _column(place, count))


def _column(value: Numbers | int | Iterable[int], count: int) -> Ints:
    if isinstance(value, int):
        return np.full(count, int(value), dtype=np.int32)
    return np.asarray(value if isinstance(value, np.ndarray) else list(value), dtype=np.int32)


def joined(parts: Iterable[Steps]) -> Steps:
    columns = [(one.source, one.target, one.doubt, one.why, one.place) for one in parts if len(one)]
    if not columns:
        return Steps(_NONE, _NONE, _NONE, _NONE, _NONE)
    return Steps(*(np.concatenate(column) for column in zip(*columns, strict=True)))


class Names:
    """The nodes that stand for names, numbered as they are asked for."""

    def __init__(self, node_count: int) -> None:
        self.roots = node_count
        """The node of what is always in use."""
        self._known: dict[str, int] = {}

    def node(self, name: str) -> int:
        return self._known.setdefault(name, self.roots + 1 + len(self._known))

    def copy(self) -> Names:
        """The same, to be added to."""
        found = Names(self.roots)
        found._known = dict(self._known)
        return found

    @property
    def known(self) -> Mapping[str, int]:
        """Name -> its node."""
        return self._known

    @property
    def count(self) -> int:
        """Of all nodes."""
        return self.roots + 1 + len(self._known)


def reached(all_steps: Steps, names: Names, doubt_max: int) -> Mask:
    """Which nodes are reached from the roots by steps of that doubt at most. Cost: each step once."""
    chosen = all_steps.where(all_steps.doubt <= doubt_max)
    order = np.argsort(chosen.source, kind="stable")
    first = starts(chosen.source[order], names.count)
    targets = chosen.target[order]
    found = np.zeros(names.count, dtype=np.bool_)
    found[names.roots] = True
    level = np.array([names.roots], dtype=np.int32)
    while len(level):
        at, _ = places(first, level)
        fresh = np.zeros(names.count, dtype=np.bool_)
        fresh[targets[at]] = True
        level = np.flatnonzero(fresh & ~found).astype(np.int32)
        found[level] = True
    return found
