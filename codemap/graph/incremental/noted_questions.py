"""The questions that frames asked, as rows of numbers: the evaluator notes a tuple for each, and there are millions.

Rules of the file:
- Rows are in the order in which the questions were first asked, whenever they were collected.
- Forms and names are numbered as they come; `Listed` numbers them anew, in the order of the questions that have them.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

import numpy as np

from codemap.graph.evaluate.fixpoint import Frame
from codemap.graph.model.edges import Ints, Mask, are_first
from codemap.graph.model.records import FORM, NAME, NODE, OTHER, Form, Key, split

WIDTH = 4
"""FORM, NODE, NAME, OTHER, as in `Records.cells`."""


class Listed(NamedTuple):
    """Distinct questions, in the order in which they were met."""

    forms: list[Form]
    names: list[str]
    rows: Ints
    numbers: Ints
    """Of each row that was given, its place in `rows`."""


class Noted:
    """Questions by who asked them."""

    def __init__(self) -> None:
        self._forms: dict[Form, int] = {}
        self._names: dict[str, int] = {}
        self._chunks: dict[Frame, list[Ints]] = {}

    def take(self, frame: Frame) -> None:
        """Collects what a frame has asked since the last time."""
        if frame.asked:
            self._chunks.setdefault(frame, []).append(self.rows_of(frame.asked))
            frame.asked.clear()

    def asked_by(self, frame: Frame) -> Ints:
        """Hands over what was collected of a frame, each question once."""
        chunks = self._chunks.pop(frame, [])
        if len(chunks) == 1:
            return chunks[0]
        rows = np.concatenate((_NO_ROWS, *chunks))
        return rows[_number(rows)[1]]

    def rows_of(self, keys: Iterable[Key]) -> Ints:
        """Questions as rows."""
        form_of, name_of = self._forms, self._names
        cells: list[int] = []
        for form, node, name, other in map(split, keys):
            cells += (form_of.setdefault(form, len(form_of)), node, name_of.setdefault(name, len(name_of)), other)
        return np.frombuffer(array("i", cells), np.int32).reshape(-1, WIDTH)

    def forms_where(self, is_wanted: Callable[[Form], bool]) -> Mask:
        """Of each form that was met so far, whether it is wanted."""
        return np.fromiter(map(is_wanted, self._forms), np.bool_, count=len(self._forms))

    def list_distinct(self, rows: Ints) -> Listed:
        """The questions of some rows, each once."""
        numbers, firsts = _number(rows)
        found = rows[firsts]
        forms, found[:, FORM] = _named(list(self._forms), found[:, FORM])
        names, found[:, NAME] = _named(list(self._names), found[:, NAME])
        return Listed(forms, names, found, numbers)


_NO_ROWS = np.empty((0, WIDTH), np.int32)


def _number(rows: Ints) -> tuple[Ints, Ints]:
    """Of each row the number of the distinct one that it is, in order of first places; and those places."""
    left = rows[:, NODE].astype(np.int64) << 32 | rows[:, NAME]
    right = rows[:, OTHER].astype(np.int64) << 32 | rows[:, FORM]
    order = np.lexsort((right, left)).astype(np.int32)
    is_new = are_first(left[order]) | are_first(right[order])
    firsts = order[is_new]
    place = np.empty(len(firsts), np.int32)
    by_first = np.argsort(firsts)
    place[by_first] = np.arange(len(firsts), dtype=np.int32)
    numbers = np.empty(len(rows), np.int32)
    numbers[order] = np.repeat(place, np.diff(np.flatnonzero(is_new), append=len(rows)))
    return numbers, firsts[by_first]


def _named(of: Sequence[Form] | Sequence[str], column: Ints) -> tuple[list, Ints]:  # type: ignore[type-arg]
    """What the numbers of a column stand for, in the order in which they first come, and the column in those."""
    seen, firsts = np.unique(column, return_index=True)
    in_order = seen[np.argsort(firsts)]
    number = np.full(len(of), -1, np.int32)
    number[in_order] = np.arange(len(in_order), dtype=np.int32)
    return [of[each] for each in in_order.tolist()], number[column]
