"""Selects the tests that a change reaches, the nearest first, with one command for each test runner."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property

import msgspec
import numpy as np

from codemap.facts import SymbolKind
from codemap.file_roles import Role, role_of
from codemap.graph.index.columns import columns_of, gathered
from codemap.graph.model.edges import EdgeKind, Ints, Mask, Numbers, are_among, distinct, first_places, places_of
from codemap.graph.model.index_slots import Slot, reuse
from codemap.graph.model.indexed_file import IndexedFile
from codemap.graph.model.root_paths import OWN, split_path
from codemap.graph.model.snapshot import Snapshot
from codemap.impact.reach import Reach
from codemap.impact.steps import Tier
from codemap.impact.test_places import TEST_PLACES, WHOLE, runner_of
from codemap.languages.runner import TestRunner

NAMED_MAX = 20
"""Tests that a command names one by one; beyond, it names their files."""
FILES_MAX = 20
"""Files that a command names; beyond, it runs all tests."""


_EXTENDS, _IMPORTS = (EdgeKind.EXTENDS,), (EdgeKind.IMPORTS,)


class ReachedTest(msgspec.Struct, frozen=True):
    file: str
    selector: str
    """What selects it in its file; empty for the whole file."""
    tier: int
    depth: int
    """0 for a test that was changed itself."""


class TestRun(msgspec.Struct, frozen=True, dict=True):
    """The tests of one runner: the surest first, then the nearest."""

    runner: TestRunner
    command: str
    is_wider: bool
    """Whether the command runs more than the tests that were found."""
    found: Found
    """Its rows of it."""
    root: str = ""
    """The prefix of another root in whose folder the command is to run; empty for the root that is asked."""

    def __len__(self) -> int:
        return len(self.found.file)

    def test(self, row: int) -> ReachedTest:
        found = self.found
        path, selector = found.place(row)
        return ReachedTest(path, selector, int(found.tier[row]), int(found.depth[row]))

    @cached_property
    def tests(self) -> tuple[ReachedTest, ...]:
        return tuple(map(self.test, range(len(self))))


class Found(msgspec.Struct, frozen=True):
    """Tests as columns."""

    snapshot: Snapshot
    inherited: Sequence[str]
    """Selectors of tests in the names of classes that inherit them."""
    file: Ints
    number: Ints
    """In its file, as in `TestPlaces`; below: of `inherited`, from the end."""
    tier: Ints
    depth: Ints

    def where(self, chosen: Mask | Numbers) -> Found:
        places = places_of(chosen)
        columns = (self.file, self.number, self.tier, self.depth)
        return Found(self.snapshot, self.inherited, *(column.take(places) for column in columns))

    def place(self, row: int) -> tuple[str, str]:
        """(path, selector) of a row."""
        file, number = int(self.file[row]), int(self.number[row])
        selectors = self.inherited if number < 0 else TEST_PLACES.of(self.snapshot).selectors[file]
        return self.snapshot.files[file].path, selectors[number]


def tests_of(snapshot: Snapshot, changed: Iterable[int], reached: Reach) -> tuple[TestRun, ...]:
    """The tests that a change reaches or touches, by runner; certain ones first, then the nearest."""
    own = np.array(sorted(changed), dtype=np.int32)
    own = own[own < snapshot.first_external]
    nodes = np.concatenate((own, reached.node))
    surest = np.minimum(reached.tier, int(Tier.POSSIBLE))  # a test that makes an object is there to have it run
    tiers = np.concatenate((np.full(len(own), int(Tier.CERTAIN), np.int32), surest))
    depths = np.concatenate((np.zeros(len(own), np.int32), reached.depth))
    numbers = TEST_PLACES.of(snapshot).of_node.take(nodes)
    are_tests = np.flatnonzero(numbers >= 0)
    nodes, numbers, tiers, depths = (column.take(are_tests) for column in (nodes, numbers, tiers, depths))
    more = _find_more(snapshot, nodes)
    order = np.argsort(np.concatenate((np.arange(len(nodes)), more.at)), kind="stable")
    found = Found(
        snapshot,
        more.selectors,
        np.concatenate((columns_of(snapshot).file.take(nodes), more.file)).take(order),
        np.concatenate((numbers, more.number)).take(order),
        np.concatenate((tiers, tiers.take(more.at))).take(order),
        np.concatenate((depths, depths.take(more.at))).take(order),
    )
    return tuple(_split_by_runner(_drop_repeated(found)))


def _drop_repeated(found: Found) -> Found:
    """Each test once, and no test of a file that is run whole."""
    keys = (found.file.astype(np.int64) << 32) + found.number
    found = found.where(np.sort(np.unique(keys, return_index=True)[1]))
    is_whole = found.number == WHOLE
    return found.where(is_whole | ~np.isin(found.file, found.file[is_whole]))


def _split_by_runner(found: Found) -> Iterator[TestRun]:
    first = first_places(found.file, len(found.snapshot.files))
    files = distinct(found.file)
    files = files[np.argsort(first.take(files))]
    others = () if found.snapshot.roots is None else found.snapshot.roots.others
    runners: dict[tuple[str, str], tuple[TestRunner, list[int]]] = {}
    of_language: dict[tuple[str, str], list[int]] = {}
    for number in files.tolist():
        file = found.snapshot.files[number]
        root = split_path(file.path, others)[0] if others else OWN
        some = of_language.get((root, file.lang))
        if some is None:
            runner = runner_of(file)
            assert runner is not None, "it found the tests"
            some = of_language[root, file.lang] = runners.setdefault((root, runner.name), (runner, []))[1]
        some.append(number)
    for (root, _), (runner, some) in runners.items():
        its = found.where(np.isin(found.file, some)) if len(runners) > 1 else found
        yield _make_run(runner, root, its, np.array(some, dtype=np.int32))


def _make_run(runner: TestRunner, root: str, found: Found, files: Ints) -> TestRun:
    """`files` are those of the tests, in order of the first of each."""
    paths = [found.snapshot.files[file].path[len(root) :] for file in files[: FILES_MAX + 1].tolist()]
    selected: dict[str, list[str]] = {_write_argument(path): [] for path in paths}
    is_wider = len(found.file) > NAMED_MAX
    if is_wider:
        selected = selected if len(files) <= FILES_MAX else {}
    else:
        for path, selector in map(found.place, range(len(found.file))):
            selected[_write_argument(path[len(root) :])] += [selector] if selector else []
    return TestRun(runner, runner.command(selected, _configs_of(found.snapshot, root)), is_wider, found, root)


def _configs_of(snapshot: Snapshot, root: str) -> Mapping[str, bytes]:
    """The configuration files of a root, as it names them."""
    if snapshot.roots is None:
        return snapshot.configs
    placed = ((*split_path(path, snapshot.roots.others), text) for path, text in snapshot.configs.items())
    return {path: text for prefix, path, text in placed if prefix == root}


class _More(msgspec.Struct, frozen=True):
    """Tests of methods that other classes or files have as well."""

    at: Numbers
    """Place of the method."""
    file: Ints
    number: Ints
    selectors: Sequence[str]
    """See `Found.inherited`."""


def _find_more(snapshot: Snapshot, nodes: Ints) -> _More:
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
    return _More(np.repeat(places, counts), file, number, selectors[::-1])


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
        waiting = [] if parent is None else [parent]
        seen = set(waiting)
        while waiting:
            cls = waiting.pop()
            known = self._look_at(snapshot, cls)
            for file in (*([known.file] if cls != parent else []), *known.importers):
                runner = runner_of(file)
                if runner is not None and role_of(file.path) is Role.TEST:
                    selector = runner.select(file.path, f"{known.name}.{name}")
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


def _write_argument(file: str) -> str:
    """The file as a word of a command, never an option."""
    return f"./{file}" if file.startswith("-") else file


def selector_of(runner: TestRunner, test: ReachedTest) -> str:
    """The whole selector, as the runner takes it."""
    if not test.selector:
        return test.file
    return f"{test.file}{runner.join}{test.selector}" if runner.join else test.selector
