"""The numbers that nodes and files have after an edit, by those that they had, for the records of before."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from codemap.facts import Symbol
from codemap.graph.evaluate.file_views import GraphFile
from codemap.graph.incremental.answer_comparison import find_path
from codemap.graph.incremental.file_changes import Change
from codemap.graph.incremental.state import State
from codemap.graph.model.edges import Ints
from codemap.graph.model.indexed_file import IndexedFile
from codemap.graph.model.records import GONE
from codemap.graph.model.snapshot import Snapshot


def renumber_nodes(before: Snapshot, after: State, changes: Iterable[Change]) -> Ints | None:
    """Of each node before, its number now, GONE where it is gone; None where all have those that they had."""
    edits = [change for change in changes if change.old is not None]
    if before.bases is after.bases and all(map(_has_same_rows, edits)):
        return None
    nodes = move_nodes(before, after, renumber_files(before, after), gone=GONE)
    for change in edits:
        assert change.old is not None
        if change.new is not None and not _has_same_rows(change):
            rows = _rows_after(change, change.old, change.new)
            nodes[_nodes_of(change.old)] = np.where(rows >= 0, rows + change.new.base, GONE)
    return nodes


def renumber_files(before: Snapshot, after: State) -> Ints | None:
    """The same of files."""
    if after.by_path.has_keys_of(before.by_path):
        return None
    found = [after.by_path.get(file.path) for file in before.files]
    return np.array([GONE if file is None else file.number for file in found], np.int32)


def move_nodes(before: Snapshot, after: State, files: Ints | None, *, gone: int) -> Ints:
    """Of each node before, its number now if every file had the definitions that it had; `gone` where its file is gone.
    `files` is what `renumber_files` finds."""
    bases, now = np.array(before.bases, np.int32), np.array(after.bases, np.int32)
    begins = now[: len(bases) - 1] if files is None else now[np.maximum(files, 0)]
    nodes: Ints = np.arange(bases[-1], dtype=np.int32) + np.repeat(begins - bases[:-1], np.diff(bases))
    if files is not None:
        nodes[np.repeat(files < 0, np.diff(bases))] = gone
    return nodes


def _nodes_of(file: IndexedFile) -> slice:
    return slice(file.base, file.base + file.symbol_count)


def _has_same_rows(change: Change) -> bool:
    """Whether each definition has the row that it had."""
    if change.like is None:
        return False
    numbers = change.like.symbols[:-1]
    count = len(change.like.old.symbols) // (4 * Symbol.WIDTH)
    return len(numbers) == count and bool((numbers == np.arange(count)).all())


def _rows_after(change: Change, before: IndexedFile, after: IndexedFile) -> Ints:
    """Of each definition before, its row now; negative where it is gone."""
    if change.like is not None:
        now = np.full(before.symbol_count, GONE, dtype=np.int32)
        rows = change.like.symbols[:-1]
        now[rows[rows >= 0]] = np.flatnonzero(rows >= 0)
        return now
    old, new = GraphFile.of(before), GraphFile.of(after)
    of_path = {find_path(new, row): row for row in range(new.symbol_count - 1, -1, -1)}
    return np.array([of_path.get(find_path(old, row), GONE) for row in range(old.symbol_count)], np.int32)
