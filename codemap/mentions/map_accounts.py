"""Decides what a word is by the map, where a definition, an edge or an undecided use is at its place."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec
import numpy as np
from numpy.typing import NDArray

from codemap.facts import Symbol
from codemap.graph.index.columns import columns_of
from codemap.graph.likelihood.candidates import is_hidden, unresolved_rows_in
from codemap.graph.likelihood.held_functions import held_rows
from codemap.graph.model.edges import EdgeKind, EdgeTable, Ints, Mask, UnresolvedTable, distinct
from codemap.graph.model.indexed_file import IndexedFile
from codemap.graph.model.ranges import expand_ranges
from codemap.graph.model.snapshot import Snapshot
from codemap.graph.model.values import Confidence
from codemap.graph.query.dispatch import dispatched
from codemap.mentions.account import ACCOUNTED, Account
from codemap.occurrences.words import MARKED, WORD_WIDTH

Keys = NDArray[np.int64]

Place = tuple[int, int, int]
"""Number of the file, line, column."""


class Known(msgspec.Struct, frozen=True):
    """A file as it was indexed, and the words in it."""

    file: IndexedFile
    words: list[int]

    @property
    def natures(self) -> set[int]:
        return set(self.words[2::WORD_WIDTH])

    def places(self) -> Iterator[Place]:
        number = self.file.number
        return (
            (number, line, col) for line, col in zip(self.words[::WORD_WIDTH], self.words[1::WORD_WIDTH], strict=True)
        )


class MapAccounts:
    """The accounts of the words in some files at whose places the map has something."""

    def __init__(self, snapshot: Snapshot, node: int | None, name: str, known: list[Known]) -> None:
        """`node` is asked about; None: all definitions of the name are."""
        self._snapshot = snapshot
        self._node = node
        self._named = [(one, mark) for mark in ("", *MARKED) for one in snapshot.named(mark + name)]
        self._own = frozenset(one for one, _ in self._named) if node is None else frozenset((node,))
        self._wanted = distinct(
            np.concatenate(
                [
                    np.empty(0, np.int64),
                    *(keys(one.file.number, *columns(one.words)) - back for one in known for back in (0, 1)),
                ]
            )
        )
        self.places: dict[Place, Account] = {}
        """The first account of each."""
        if known:
            self._add_definitions({one.file.number for one in known})
            files = [one.file for one in known]
            self._add_edges(files)
            self._add_undecided(files)

    def _add(self, places: Iterable[tuple[Place, Account]]) -> None:
        """Adds accounts of places; of two in one step, the one that is asked about counts."""
        found: dict[Place, Account] = {}
        for place, account in places:
            if place not in found or account in ACCOUNTED:
                found[place] = account
        for place, account in found.items():
            self.places.setdefault(place, account)

    def _add_definitions(self, files: set[int]) -> None:
        snapshot = self._snapshot
        self._add(
            (
                (file.number, file.cell(row, Symbol.LINE), file.cell(row, Symbol.COL) + len(mark)),
                Account.DEFINITION if node in self._own else Account.OTHER_DEFINITIONS,
            )
            for node, mark in self._named
            for file, row in (snapshot.row_of(node),)
            if file.number in files
        )

    def _add_edges(self, files: list[IndexedFile]) -> None:
        """A use of a member that is written with the name of its owner (a constructor) is one of the owner, too."""
        snapshot, table = self._snapshot, self._snapshot.edges
        sites = self._find_sites(table, files)
        chosen = np.array([row for row, _ in sites], dtype=np.int32)
        abstract = () if self._node is None else dispatched(snapshot, self._node, ("in",), (EdgeKind.CALLS,))
        through, own = {call.edge.row for call in abstract}, self._own
        targets, sure = table.target[chosen], table.confidence[chosen] < Confidence.TYPE
        parents, last = columns_of(snapshot).parent, snapshot.first_external - 1
        owners = np.where(targets <= last, parents[np.minimum(targets, last)], -1)
        accounts = [
            Account.RESOLVED
            if target in own or owner in own
            else Account.UNDECIDED
            if row in through
            else Account.OTHER_USES
            if target < snapshot.first_external
            else Account.OUTSIDE
            if is_sure
            else Account.UNKNOWN
            for row, target, owner, is_sure in zip(
                chosen.tolist(), targets.tolist(), owners.tolist(), sure.tolist(), strict=True
            )
        ]
        self._add((place, account) for (_, place), account in zip(sites, accounts, strict=True))

    def _add_undecided(self, files: list[IndexedFile]) -> None:
        snapshot = self._snapshot
        own = {row for node in self._own for row in unresolved_rows_in(snapshot, node).tolist()}
        sites = self._find_sites(snapshot.unresolved, files)
        held = set(held_rows(snapshot).tolist())  # a variable is called: its facts say what the word is
        sites = [(row, place) for row, place in sites if row not in held]
        for row, place in sites:
            if row in own and self.places.get(place) in _OTHERS:  # a call of an outside base may run one of them
                self.places[place] = Account.UNDECIDED
        are_hidden = bool(self._own) and all(is_hidden(snapshot, node) for node in self._own)
        others = Account.OTHER_USES if are_hidden else Account.UNKNOWN
        self._add((place, Account.UNDECIDED if row in own else others) for row, place in sites)

    def _find_sites(self, table: EdgeTable | UnresolvedTable, files: list[IndexedFile]) -> list[tuple[int, Place]]:
        """Rows of uses in the files that are at one of the words, and where."""
        chosen = _rows_of(table, files)
        places, owner = expand_ranges(table.first[chosen], table.count[chosen])
        numbers = columns_of(self._snapshot).file[table.source[chosen]][owner]
        lines, cols = table.sites[places].T
        is_wanted = is_in(keys(numbers, lines, cols), self._wanted)
        found = chosen[owner[is_wanted]], numbers[is_wanted], lines[is_wanted], cols[is_wanted]
        return [(row, (file, line, col)) for row, file, line, col in zip(*(one.tolist() for one in found), strict=True)]


_OTHERS = (Account.OTHER_USES, Account.OUTSIDE, Account.UNKNOWN)
_KEY_BITS = 22
"""Of a line, and of a column: larger ones lead to places that are none, too, which are looked up in vain."""


def keys(file: Ints | int, line: Ints, col: Ints) -> Keys:
    """A number for each place; two places may share one."""
    files: Keys | int = file << 2 * _KEY_BITS if isinstance(file, int) else file.astype(np.int64) << 2 * _KEY_BITS
    found: Keys = (line.astype(np.int64) << _KEY_BITS) + files + col
    return found


def columns(words: list[int]) -> tuple[Ints, Ints]:
    table = np.array(words, dtype=np.int32).reshape(-1, WORD_WIDTH)
    return table[:, 0], table[:, 1]


def is_in(keys: Keys, wanted: Keys) -> Mask:
    """Marks the keys that are among some sorted ones."""
    if not len(wanted):
        return np.zeros(len(keys), dtype=np.bool_)
    found: Mask = wanted[np.minimum(np.searchsorted(wanted, keys), len(wanted) - 1)] == keys
    return found


def _rows_of(table: EdgeTable | UnresolvedTable, files: list[IndexedFile]) -> Ints:
    """The rows of the uses in some files."""
    bases = np.array([file.base for file in files], dtype=np.int32)
    ends = np.array([file.base + file.symbol_count for file in files], dtype=np.int32)
    first = table.out_start[bases]
    return expand_ranges(first, table.out_start[ends] - first)[0]
