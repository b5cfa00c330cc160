"""Numbers the tests of each file, says of each definition which of them it is a part of, and which runner runs those of
each file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from types import MappingProxyType

import msgspec
import numpy as np
from numpy.typing import NDArray

from codemap.facts import Symbol, SymbolFlag, qualified_names
from codemap.file_roles import Role, has_tests_inside, role_of
from codemap.graph.index.node_roles import role_of_row
from codemap.graph.model.edges import Ints
from codemap.graph.model.index_slots import Edit, Reach, Slot, reuse, reuse_for_contents
from codemap.graph.model.indexed_file import IndexedFile
from codemap.graph.model.renumbering import KeptRun
from codemap.graph.model.snapshot import Snapshot
from codemap.impact.marked_tests import find_marked
from codemap.languages import by_name
from codemap.languages.liveness import is_found
from codemap.languages.runner import TestRunner

WHOLE = 0
"""The number of a whole file, whatever is in it."""
_NOTHING: Sequence[str] = ("",)
_NO_CLASSES: Mapping[int, Sequence[int]] = MappingProxyType({})


class TestPlaces(msgspec.Struct, frozen=True, dict=True):
    of_node: Ints
    """Of each node, the number of the test in its file that it is a part of; -1: of none."""
    selectors: Sequence[Sequence[str]]
    """By file number: what selects its tests, by their numbers."""
    classes: Sequence[Mapping[int, Sequence[int]]]
    """By file number: the tests of those numbers that stand for a class."""

    @cached_property
    def first(self) -> Ints:
        """By file number: how many tests the files before it have; one longer, with how many all have."""
        counts = np.fromiter(map(len, self.selectors), np.int32, len(self.selectors))
        return np.concatenate((np.zeros(1, np.int32), counts.cumsum(dtype=np.int32)))

    @cached_property
    def have_classes(self) -> NDArray[np.bool_]:
        """By file number: whether any test stands for a class."""
        return np.fromiter(map(bool, self.classes), np.bool_, len(self.classes))


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


def is_named_for_tests(file: IndexedFile) -> bool | None:
    """Whether a file has the name of one that holds tests, or gives some to what runs them; None where names do not
    matter."""
    runner = runner_of(file)
    if runner is None or not runner.case_files or runner.select_made is not None:
        return None
    return bool(file.cell(0, Symbol.FLAGS) & SymbolFlag.CASE) or is_found(runner.case_files, file.path)


class _Own(msgspec.Struct, frozen=True):
    """What the columns say of one file."""

    of_node: Ints
    selectors: Sequence[str] = _NOTHING
    classes: Mapping[int, Sequence[int]] = _NO_CLASSES


def _read_file(file: IndexedFile) -> _Own:
    runner = runner_of(file)
    found = np.full(file.symbol_count, -1, dtype=np.int32)
    if runner is None or (role_of(file.path) is not Role.TEST and not has_tests_inside(file.path)):
        return _Own(found)
    numbers = {"": WHOLE}
    if runner.is_marked:
        return _read_marked(file, runner, found, numbers)
    if runner.case_files and not _gives_cases(file):
        return _Own(found)
    for row, name in enumerate(qualified_names(file.facts)):
        if role_of_row(file, row) is Role.TEST:
            selector = runner.select(file.path, name)
            if selector is not None:
                found[row] = numbers.setdefault(selector, len(numbers))
    return _Own(found, tuple(numbers))


def _read_marked(file: IndexedFile, runner: TestRunner, found: Ints, numbers: dict[str, int]) -> _Own:
    marked = find_marked(file, runner)
    if runner.select_made is not None and not marked.owner:
        return _Own(np.zeros_like(found) if _is_program(file, runner) else found)
    number_of: dict[int, int] = {}
    for owner in sorted({*marked.owner.values(), *(case for cases in marked.cases.values() for case in cases)}):
        selector = _selector_of(file, runner, owner)
        if selector is not None:
            number_of[owner] = numbers.setdefault(selector, len(numbers))
    for row, owner in marked.owner.items():
        found[row] = number_of.get(owner, -1)
    is_run_whole = role_of(file.path) is Role.TEST and runner.select_made is None
    selector = runner.select(file.path, "") if is_run_whole else None
    found[0] = -1 if selector is None else numbers.setdefault(selector, len(numbers))
    classes = {
        number_of[cls]: [number_of[case] for case in cases if case in number_of]
        for cls, cases in marked.cases.items()
        if number_of.get(cls, WHOLE) != WHOLE
    }
    return _Own(found, tuple(numbers), classes)


def _selector_of(file: IndexedFile, runner: TestRunner, row: int) -> str | None:
    """What selects the test that a definition is."""
    if runner.select_made is None:
        return runner.select(file.path, file.qualified_name(row))
    return runner.select_made(file.facts.texts[file.cell(row, Symbol.SIGNATURE)])


def _is_program(file: IndexedFile, runner: TestRunner) -> bool:
    """Whether a file of tests that has none by itself is one whole."""
    entries = by_name()[file.lang].entries.functions
    return is_found(runner.case_files, file.path) or any(
        file.name_of(row) in entries and file.cell(row, Symbol.PARENT) == 0 for row in range(1, file.symbol_count)
    )


def _gives_cases(file: IndexedFile) -> bool:
    """Whether a file holds tests: by its name, by giving them to what runs them, or as one that nobody else uses."""
    return is_named_for_tests(file) is not False or not file.facts.exports


def _read_places(snapshot: Snapshot) -> TestPlaces:
    return _joined([_read_file(file) for file in snapshot.files])


def _joined(parts: Sequence[_Own]) -> TestPlaces:
    empty = np.empty(0, dtype=np.int32)
    return TestPlaces(
        np.concatenate([empty, *(part.of_node for part in parts)]),
        [part.selectors for part in parts],
        [part.classes for part in parts],
    )


def _carry(before: TestPlaces, edit: Edit) -> TestPlaces:
    """What it says of a file depends on that file alone."""
    files = edit.snapshot.files
    if edit.reach is Reach.CONTENTS:
        return _carry_edited(before, [edit.snapshot.by_path[path] for path in edit.paths])
    if edit.reach is Reach.DEFINITIONS:
        read = {run: _read_file(files[run]) for run in edit.runs if isinstance(run, int)}
        parts = [before.of_node[run.nodes] if isinstance(run, KeptRun) else read[run].of_node for run in edit.runs]
        selectors, classes = list(before.selectors), list(before.classes)
        for number, own in read.items():
            selectors[number], classes[number] = own.selectors, own.classes
        return TestPlaces(np.concatenate(parts), selectors, classes)
    found = []
    for file in files:
        old = edit.previous.by_path.get(file.path)
        if old is not None and old.held is file.held:
            rows_of_file = before.of_node[old.base : old.base + old.symbol_count]
            found.append(_Own(rows_of_file, before.selectors[old.number], before.classes[old.number]))
        else:
            found.append(_read_file(file))
    return _joined(found)


def _carry_edited(before: TestPlaces, edited: Iterable[IndexedFile]) -> TestPlaces:
    """The same for other calls and bases in files whose definitions are where they were."""
    of_node, selectors, classes = before.of_node.copy(), list(before.selectors), list(before.classes)
    for file in edited:
        own = _read_file(file)
        of_node[file.base : file.base + file.symbol_count] = own.of_node
        selectors[file.number], classes[file.number] = own.selectors, own.classes
    same = selectors == before.selectors and classes == before.classes and np.array_equal(of_node, before.of_node)
    return before if same else TestPlaces(of_node, selectors, classes)


TEST_PLACES = Slot[TestPlaces](_read_places, carry=_carry, rescore=reuse)


class TestFiles(msgspec.Struct, frozen=True):
    runners: tuple[TestRunner, ...]
    runner: NDArray[np.int8]
    """By file number: the number of its runner; -1 where its language has none."""
    named: NDArray[np.int8]
    """By file number: 1 where it has the name of a file that holds tests, or gives some to what runs them, 0 where it
    does not, -1 where names do not matter."""


def _read_files(snapshot: Snapshot) -> TestFiles:
    numbers: dict[TestRunner, int] = {}
    runner, named = np.full((2, len(snapshot.files)), -1, dtype=np.int8)
    for file in snapshot.files:
        own, is_named = runner_of(file), is_named_for_tests(file)
        runner[file.number] = -1 if own is None else numbers.setdefault(own, len(numbers))
        named[file.number] = -1 if is_named is None else is_named
    return TestFiles(tuple(numbers), runner, named)


TEST_FILES = Slot[TestFiles](_read_files, carry=reuse_for_contents, rescore=reuse)


def mark_files(snapshot: Snapshot, files: Ints) -> NDArray[np.bool_]:
    """By file number: whether it is among some."""
    found = np.zeros(len(snapshot.files), dtype=np.bool_)
    found[files] = True
    return found
