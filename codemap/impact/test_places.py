"""Numbers the tests of each file, and says of each definition which of them it is a part of."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import numpy as np

from codemap.file_roles import Role, has_tests_inside, role_of
from codemap.graph.index.node_roles import role_of_row
from codemap.graph.model.edges import Ints
from codemap.graph.model.index_slots import Edit, Reach, Slot, reuse
from codemap.graph.model.indexed_file import IndexedFile
from codemap.graph.model.renumbering import KeptRun
from codemap.graph.model.snapshot import Snapshot
from codemap.languages import by_name
from codemap.languages.runner import TestRunner

WHOLE = 0
"""The number of a whole file, whatever is in it."""
_NOTHING: Sequence[str] = ("",)


class TestPlaces(msgspec.Struct, frozen=True):
    of_node: Ints
    """Of each node, the number of the test in its file that it is a part of; -1: of none."""
    selectors: Sequence[Sequence[str]]
    """By file number: what selects its tests, by their numbers."""


def test_at(snapshot: Snapshot, node: int) -> tuple[str, str, str] | None:
    """(file, selector, runner) of the test that a definition is a part of; None where it is part of none."""
    file = snapshot.file_of(node)
    runner = None if file is None else runner_of(file)
    places = TEST_PLACES.of(snapshot)
    if file is None or runner is None or places.of_node[node] < 0:
        return None
    return file.path, places.selectors[file.number][places.of_node[node]], runner.name


def runner_of(file: IndexedFile) -> TestRunner | None:
    return by_name()[file.lang].runner


def _read_file(file: IndexedFile) -> tuple[Ints, Sequence[str]]:
    """Both columns of one file."""
    runner = runner_of(file)
    found = np.full(file.symbol_count, -1, dtype=np.int32)
    if runner is None or (role_of(file.path) is not Role.TEST and not has_tests_inside(file.path)):
        return found, _NOTHING
    numbers = {"": WHOLE}
    for row in range(file.symbol_count):
        if role_of_row(file, row) is Role.TEST:
            selector = runner.select(file.path, file.qualified_name(row))
            if selector is not None:
                found[row] = numbers.setdefault(selector, len(numbers))
    return found, tuple(numbers)


def _read_places(snapshot: Snapshot) -> TestPlaces:
    return _joined([_read_file(file) for file in snapshot.files])


def _joined(parts: Sequence[tuple[Ints, Sequence[str]]]) -> TestPlaces:
    empty = np.empty(0, dtype=np.int32)
    return TestPlaces(np.concatenate([empty, *(rows for rows, _ in parts)]), [selectors for _, selectors in parts])


def _carry(before: TestPlaces, edit: Edit) -> TestPlaces:
    """What it says of a file depends on that file alone."""
    if edit.reach is Reach.CONTENTS:
        return before
    files = edit.snapshot.files
    if edit.reach is Reach.DEFINITIONS:
        read = {run: _read_file(files[run]) for run in edit.runs if isinstance(run, int)}
        parts = [before.of_node[run.nodes] if isinstance(run, KeptRun) else read[run][0] for run in edit.runs]
        selectors = list(before.selectors)
        for number, (_, own) in read.items():
            selectors[number] = own
        return TestPlaces(np.concatenate(parts), selectors)
    found = []
    for file in files:
        old = edit.previous.by_path.get(file.path)
        if old is not None and old.held is file.held:
            rows = before.of_node[old.base : old.base + old.symbol_count]
            found.append((rows, before.selectors[old.number]))
        else:
            found.append(_read_file(file))
    return _joined(found)


TEST_PLACES = Slot[TestPlaces](_read_places, carry=_carry, rescore=reuse)
