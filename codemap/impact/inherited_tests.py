"""Finds where else a test method runs: in classes that inherit it, and in files that import one of these."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence

import msgspec
import numpy as np

from codemap.facts import SymbolKind
from codemap.file_roles import Role, role_of
from codemap.graph.index.columns import columns_of
from codemap.graph.model.columnar import Columnar
from codemap.graph.model.edges import EdgeKind, Ints, Mask, Numbers, first_places
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
    """In its file, as in `TestPlaces`; -1 - n: the n-th of `inherited`."""
    inherited: Ints
    """Of `inherited_selectors`."""


def inherited_selectors(snapshot: Snapshot) -> Sequence[str]:
    """Selectors of tests in the names of classes that inherit them, as far as they were asked for."""
    return _HEIRS.of(snapshot).inherited


class Found(Columnar, frozen=True):
    """Tests as columns."""

    snapshot: Snapshot
    more: More
    file: Ints
    number: Ints
    """See `More`."""
    tier: Ints
    depth: Ints
    kin: Ints
    """See `codemap.impact.namesakes`."""

    def place(self, row: int) -> tuple[str, str]:
        """(path, selector) of a row."""
        file, number = int(self.file[row]), int(self.number[row])
        path = self.snapshot.files[file].path
        if number < 0:
            return path, inherited_selectors(self.snapshot)[self.more.inherited[-1 - number]]
        return path, TEST_PLACES.of(self.snapshot).selectors[file][number]


def find_more(snapshot: Snapshot, nodes: Ints) -> More:
    """The tests in other classes and files that some methods are."""
    columns, heirs = columns_of(snapshot), _HEIRS.of(snapshot)
    methods = np.flatnonzero(columns.kind.take(nodes) == int(SymbolKind.METHOD))
    are_inherited = _INHERITED.of(snapshot).take(columns.parent.take(nodes.take(methods)))
    places = methods.compress(are_inherited)
    file, number, counts = heirs.tests_of(snapshot, nodes.take(places))
    inherited = np.flatnonzero(number < 0)
    own = -1 - number.take(inherited)
    first = own.compress(first_places(own, len(heirs.inherited)).take(own) == np.arange(len(own)))
    place = np.empty(len(heirs.inherited), dtype=np.int32)
    place[first] = np.arange(len(first), dtype=np.int32)
    number[inherited] = -1 - place.take(own)
    return More(np.repeat(places, counts), file, number, first)


def _find_inherited(snapshot: Snapshot) -> Mask:
    edges = snapshot.edges
    found = np.zeros(snapshot.node_count, dtype=np.bool_)
    found[edges.target[(edges.kind == int(EdgeKind.EXTENDS)) | (edges.kind == int(EdgeKind.IMPORTS))]] = True
    return found


_INHERITED = Slot[Mask](_find_inherited, rescore=reuse)
"""By node: whether others inherit or import it."""


class _Heirs:
    """The classes that inherit tests, each looked at once, when it is first asked for."""

    def __init__(self, node_count: int) -> None:
        self._known: dict[int, _Heir] = {}
        self._first, self._count = np.full((2, node_count), -1, dtype=np.int32)
        """By node: where its tests begin, and how many there are; -1 where it was not asked for."""
        self._file, self._number = array("i"), array("i")
        """Of these tests, one after the other."""
        self._numbers: dict[int, dict[str, int]] = {}
        self.inherited: list[str] = []
        """Selectors of tests in the names of classes that inherit them."""

    def tests_of(self, snapshot: Snapshot, nodes: Ints) -> tuple[Ints, Ints, Ints]:
        """File, number of the test in it (-1 - n: selector n of `inherited`), and how many there are of each of some
        methods elsewhere: in the classes that inherit it and have none of its name, and in the files of tests that
        import one of these or its own, which a runner takes for theirs."""
        for node in nodes.compress(self._first.take(nodes) < 0).tolist():
            self._first[node] = len(self._file)
            for file, selector in self._find_tests(snapshot, node):
                self._file.append(file)
                self._number.append(self._number_of(snapshot, file, selector))
            self._count[node] = len(self._file) - self._first[node]
        counts = self._count.take(nodes)
        rows = (self._first.take(nodes) - counts.cumsum() + counts).repeat(counts) + np.arange(counts.sum())
        return np.array(self._file).take(rows), np.array(self._number).take(rows), counts

    def _number_of(self, snapshot: Snapshot, file: int, selector: str) -> int:
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


_HEIRS = Slot[_Heirs](lambda snapshot: _Heirs(snapshot.node_count), rescore=reuse)


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
