"""Finds where else a test method runs: in classes that inherit it, and in files that import one of these."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec
import numpy as np

from codemap.facts import SymbolKind
from codemap.file_roles import Role, role_of
from codemap.graph.index.columns import columns_of, gathered
from codemap.graph.model.edges import EdgeKind, Ints, Mask, Numbers, are_among, distinct
from codemap.graph.model.index_slots import Slot, reuse
from codemap.graph.model.indexed_file import IndexedFile
from codemap.graph.model.snapshot import Snapshot
from codemap.impact.test_places import TEST_PLACES, runner_of

_EXTENDS, _IMPORTS = (EdgeKind.EXTENDS,), (EdgeKind.IMPORTS,)


class More(msgspec.Struct, frozen=True):
    """Tests of methods that other classes or files have as well."""

    at: Numbers
    """Place of the method."""
    file: Ints
    number: Ints
    selectors: Sequence[str]
    """Selectors of tests in the names of classes that inherit them."""


def find_more(snapshot: Snapshot, nodes: Ints) -> More:
    """The tests in other classes and files that some methods are."""
    heirs = _HEIRS.of(snapshot)
    places = np.flatnonzero(_find_inheritable(snapshot, nodes))
    tests = [heirs.tests_of(snapshot, node) for node in nodes[places].tolist()]
    none = np.empty((0, 2), dtype=np.int32)
    file, number = np.concatenate([none, *tests]).T
    inherited, first, of = np.unique(number[number < 0], return_index=True, return_inverse=True)
    order = np.argsort(first)
    place = np.empty(len(order), dtype=np.int32)
    place[order] = np.arange(len(order), dtype=np.int32)
    number[number < 0] = -1 - place[of]
    selectors = [heirs.inherited[-1 - each] for each in inherited[order].tolist()]
    counts = np.array([len(some) for some in tests], dtype=np.int64)
    return More(np.repeat(places, counts), file, number, selectors[::-1])


def _find_inheritable(snapshot: Snapshot, nodes: Ints) -> Mask:
    """Which nodes are methods of a class that others inherit or import."""
    columns, edges = columns_of(snapshot), snapshot.edges
    owners = columns.parent.take(nodes)
    are_methods = columns.kind.take(nodes) == int(SymbolKind.METHOD)
    classes = distinct(owners.compress(are_methods))
    rows, of = gathered(edges.by_target, edges.in_start, classes)
    used = distinct(classes[of[np.isin(edges.kind[rows], (*_EXTENDS, *_IMPORTS))]])
    found: Mask = are_methods & are_among(owners, used)
    return found


class _Heirs:
    """The classes that inherit tests, each looked at once, when it is first asked for."""

    def __init__(self) -> None:
        self._known: dict[int, _Heir] = {}
        self._tests: dict[int, Ints] = {}
        self._numbers: dict[int, dict[str, int]] = {}
        self.inherited: list[str] = []
        """Selectors of tests in the names of classes that inherit them."""

    def tests_of(self, snapshot: Snapshot, node: int) -> Ints:
        """(file, number of the test in it; -1 - n: selector n of `inherited`) of a method elsewhere: in the classes
        that inherit it and have none of its name, and in the files of tests that import one of these or its own, which
        a runner takes for theirs."""
        found = self._tests.get(node)
        if found is None:
            tests = [
                (file, self._number(snapshot, file, selector)) for file, selector in self._find_tests(snapshot, node)
            ]
            found = self._tests[node] = np.array(tests, dtype=np.int32).reshape(-1, 2)
        return found

    def _number(self, snapshot: Snapshot, file: int, selector: str) -> int:
        numbers = self._numbers.get(file)
        if numbers is None:
            selectors = TEST_PLACES.of(snapshot).selectors[file]
            numbers = self._numbers[file] = {each: number for number, each in enumerate(selectors)}
        if selector not in numbers:
            self.inherited.append(selector)
            numbers[selector] = -len(self.inherited)
        return numbers[selector]

    def _find_tests(self, snapshot: Snapshot, node: int) -> Iterator[tuple[int, str]]:
        parent = snapshot.parent_of(node)
        name = snapshot.name_of(node)
        case = "" if _is_for_class(snapshot, node) else f".{name}"
        waiting = [] if parent is None else [parent]
        seen = set(waiting)
        while waiting:
            cls = waiting.pop()
            known = self._look_at(snapshot, cls)
            for file in (*([known.file] if cls != parent else []), *known.importers):
                runner = runner_of(file)
                if runner is not None and role_of(file.path) is Role.TEST:
                    selector = runner.select(file.path, f"{known.name}{case}")
                    if selector is not None:
                        yield file.number, selector
            for heir in known.heirs:
                if heir not in seen and name not in self._look_at(snapshot, heir).members:
                    seen.add(heir)
                    waiting.append(heir)

    def _look_at(self, snapshot: Snapshot, cls: int) -> _Heir:
        known = self._known.get(cls)
        if known is None:
            known = self._known[cls] = _read_heir(snapshot, cls)
        return known


def _is_for_class(snapshot: Snapshot, node: int) -> bool:
    """Whether a method is no test, and runs with all tests of its class."""
    places, parent = TEST_PLACES.of(snapshot), snapshot.parent_of(node)
    return parent is not None and places.of_node[node] == places.of_node[parent]


_HEIRS = Slot[_Heirs](lambda _: _Heirs(), rescore=reuse)


class _Heir(msgspec.Struct, frozen=True):
    """A class that has tests."""

    file: IndexedFile
    name: str
    members: frozenset[str]
    importers: list[IndexedFile]
    heirs: list[int]


def _read_heir(snapshot: Snapshot, cls: int) -> _Heir:
    file, row = snapshot.row_of(cls)
    members = frozenset(map(snapshot.name_of, columns_of(snapshot).children_of(cls).tolist()))
    importers = [snapshot.row_of(edge.source)[0] for edge in snapshot.edges_in(cls, _IMPORTS)]
    heirs = [edge.source for edge in snapshot.edges_in(cls, _EXTENDS)]
    return _Heir(file, file.qualified_name(row), members, importers, heirs)
