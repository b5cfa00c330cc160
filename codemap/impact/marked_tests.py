"""Finds which methods of a file a runner runs as tests by what is written on them, and what it runs along with these.

A helper is none of them, wherever it stands: a test that calls it is reached by that call. What is run with each test
of a class (`@BeforeEach`, a constructor, what takes the place of a base's method) stands for the whole class. So does
all of a class that has no test of its own and a base to inherit them from.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import msgspec

from codemap.facts import Base, Symbol, SymbolFlag, SymbolKind, rows
from codemap.file_roles import Role
from codemap.graph.index.inheritance import ARE_TYPES
from codemap.graph.index.node_roles import role_of_row
from codemap.graph.model.edges import ARE_FUNCTIONS
from codemap.graph.model.indexed_file import IndexedFile
from codemap.graph.model.named_expressions import last_name
from codemap.languages import by_name
from codemap.languages.liveness import is_found, is_name
from codemap.languages.runner import TestRunner

_CASE, _HOOK, _EXPORTED = (int(flag) for flag in (SymbolFlag.CASE, SymbolFlag.HOOK, SymbolFlag.EXPORTED))
_AROUND = (SymbolKind.FILE, SymbolKind.MODULE)


class Marked(msgspec.Struct, frozen=True):
    """The tests of a file, by row."""

    owner: Mapping[int, int]
    """Definition -> the test that it is a part of, or the class whose tests all run it."""
    cases: Mapping[int, Sequence[int]]
    """Class -> its own tests."""


def find_marked(file: IndexedFile, runner: TestRunner) -> Marked:
    read = _Read(file, runner)
    cases = read.cases()
    of_class: dict[int, list[int]] = {}
    for case in sorted(cases):
        for cls in read.above(case):
            if read.is_type(cls):
                of_class.setdefault(cls, []).append(case)
    heirs = {row for row in range(1, file.symbol_count) if row not in of_class and read.inherits_tests(row)}
    owner: dict[int, int] = {}
    for row in range(1, file.symbol_count):
        found = read.owner_of(row, cases, of_class, heirs)
        if found is not None:
            owner[row] = found
        elif runner.names_modules and read.is_module_of_tests(row):
            owner[row] = row
    return Marked(owner, of_class)


class _Read:
    def __init__(self, file: IndexedFile, runner: TestRunner) -> None:
        self._file, self._runner = file, runner
        self._constructors = by_name()[file.lang].constructors
        bases = rows(file.facts.bases)
        pairs = [(bases[at + Base.CLASS], bases[at + Base.EXPR]) for at in range(0, len(bases), Base.WIDTH)]
        self.heirs = {cls for cls, _ in pairs}
        """The classes with a base."""
        named = runner.base_names
        self._test_heirs = {cls for cls, base in pairs if not named or is_found(named, last_name(file.facts, base))}

    def above(self, row: int) -> Iterable[int]:
        """What a definition is in, from the inside."""
        while (row := self._file.cell(row, Symbol.PARENT)) > 0:
            yield row

    def is_type(self, row: int) -> bool:
        return bool(ARE_TYPES[self._file.cell(row, Symbol.KIND)])

    def is_module_of_tests(self, row: int) -> bool:
        return self._file.cell(row, Symbol.KIND) == SymbolKind.MODULE and role_of_row(self._file, row) is Role.TEST

    def cases(self) -> set[int]:
        """The methods that are tests."""
        functions = [row for row in range(1, self._file.symbol_count) if self._is_function(row)]
        marked = {row for row in functions if self._is_marked(row)}
        if self._runner.case_names and not (marked and self._runner.prefers_marks):
            marked |= {row for row in functions if self._is_named(row)}
        if self._runner.case_signatures:
            marked |= {row for row in functions if self._is_stated(row)}
        return marked

    def _is_function(self, row: int) -> bool:
        return bool(ARE_FUNCTIONS[self._file.cell(row, Symbol.KIND)]) and role_of_row(self._file, row) is Role.TEST

    def _is_marked(self, row: int) -> bool:
        """Itself, or by a mark of its class, which is for all methods that others see."""
        flags, parent = self._file.cell(row, Symbol.FLAGS), self._file.cell(row, Symbol.PARENT)
        if flags & _CASE:
            return True
        is_seen = flags & _EXPORTED and not flags & _HOOK and not self._is_hook(row)
        return bool(is_seen and self.is_type(parent) and self._file.cell(parent, Symbol.FLAGS) & _CASE)

    def _is_named(self, row: int) -> bool:
        parent, name = self._file.cell(row, Symbol.PARENT), self._file.name_of(row)
        is_inside = parent in self._test_heirs and is_name(self._runner.class_names, self._file.name_of(parent))
        return is_inside and is_name(self._runner.case_names, name)

    def _is_stated(self, row: int) -> bool:
        is_free = not self.is_type(self._file.cell(row, Symbol.PARENT))
        return is_free and is_found(self._runner.case_signatures, self._file.text_of(row, Symbol.SIGNATURE))

    def inherits_tests(self, row: int) -> bool:
        """Whether it is a class that may have tests by its base alone."""
        parent = self._file.cell(row, Symbol.PARENT)
        is_apart = self._file.cell(parent, Symbol.KIND) in _AROUND
        is_heir = self.is_type(row) and is_apart and row in self._test_heirs
        return is_heir and is_name(self._runner.class_names, self._file.name_of(row))

    def owner_of(self, row: int, cases: set[int], of_class: Mapping[int, Sequence[int]], heirs: set[int]) -> int | None:
        """The test that it is a part of, or the class that it is run for."""
        is_for_all = True
        for one in (row, *self.above(row)):
            if one in cases or one in heirs:
                return one
            if one in of_class:
                return one if is_for_all else None
            is_for_all = self._is_hook(one) or (is_for_all and one != row and one not in self.heirs)
        return None

    def _is_hook(self, row: int) -> bool:
        name = self._file.name_of(row)
        is_marked = bool(self._file.cell(row, Symbol.FLAGS) & _HOOK)
        return is_marked or name in self._constructors or is_name(self._runner.hook_names, name)
