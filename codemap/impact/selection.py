"""Selects the tests that a change reaches, the nearest first, with one command for each test runner."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import msgspec
import numpy as np

from codemap.facts import SymbolKind
from codemap.file_roles import Role, has_tests_inside, role_of, role_of_definition
from codemap.graph.index.columns import columns_of
from codemap.graph.model.edges import EdgeKind, Ints, Mask
from codemap.graph.model.indexed import IndexedFile
from codemap.graph.model.snapshot import Snapshot
from codemap.impact.arrivals import Tier
from codemap.impact.reach import Reach
from codemap.languages import by_name
from codemap.languages.runner import TestRunner

NAMED_MAX = 20
"""Tests that a command names one by one; beyond, it names their files."""
FILES_MAX = 20
"""Files that a command names; beyond, it runs all tests."""


_HELD = "_tests"
_EXTENDS, _IMPORTS = (EdgeKind.EXTENDS,), (EdgeKind.IMPORTS,)


class ReachedTest(msgspec.Struct, frozen=True):
    file: str
    selector: str
    """What selects it in its file; empty for the whole file."""
    tier: int
    depth: int
    """0 for a test that was changed itself."""
    runner: str


class TestRun(msgspec.Struct, frozen=True):
    """The tests of one runner."""

    runner: str
    command: str
    is_wider: bool
    """Whether the command runs more than the tests that were found."""
    tests: tuple[ReachedTest, ...]


def tests_of(snapshot: Snapshot, changed: Iterable[int], reached: Reach) -> tuple[TestRun, ...]:
    """The tests that a change reaches or touches, by runner; certain ones first, then the nearest."""
    found: dict[tuple[str, str], ReachedTest] = {}
    own = np.array(sorted(changed), dtype=np.int32)
    nodes = np.concatenate((own, reached.node))
    tiers = np.concatenate((np.full(len(own), int(Tier.CERTAIN), np.int32), reached.tier))
    depths = np.concatenate((np.zeros(len(own), np.int32), reached.depth))
    columns = (nodes, tiers, depths, _find_inheritable(snapshot, nodes))
    for node, tier, depth, is_inheritable in zip(*(column.tolist() for column in columns), strict=True):
        here = test_at(snapshot, node)
        if here is None:
            continue
        for place in (here, *(_find_inherited(snapshot, node) if is_inheritable else ())):
            if place is not None and place[:2] not in found:
                file, selector, runner = place
                found[file, selector] = ReachedTest(file, selector, tier, depth, runner)
    by_runner: dict[str, list[ReachedTest]] = {}
    for test in found.values():
        if not test.selector or (test.file, "") not in found:  # a file that runs whole needs no names
            by_runner.setdefault(test.runner, []).append(test)
    return tuple(_run(snapshot, tests) for tests in by_runner.values())


def test_at(snapshot: Snapshot, node: int) -> tuple[str, str, str] | None:
    """(file, selector, runner) of the test that a definition is a part of; None where it is part of none."""
    if snapshot.is_external(node):
        return None
    file, row = snapshot.row_of(node)
    places = _find_tests(file)
    return places[row] if places else None


def _find_tests(file: IndexedFile) -> Sequence[tuple[str, str, str] | None]:
    """`test_at` of each definition of a file, by row; nothing where it can hold no tests. Kept with the file, which
    alone decides it."""
    held = vars(file).get(_HELD)
    if held is None:
        held = vars(file).setdefault(_HELD, tuple(_read_tests(file)))
    found: Sequence[tuple[str, str, str] | None] = held
    return found


def _read_tests(file: IndexedFile) -> Iterator[tuple[str, str, str] | None]:
    runner = by_name()[file.lang].runner
    if runner is None or (role_of(file.path) is not Role.TEST and not has_tests_inside(file.path)):
        return
    known: dict[str, tuple[str, str, str]] = {}
    for row in range(file.symbol_count):
        name = file.qualified_name(row)
        is_test = role_of_definition(file.path, name) is Role.TEST
        selector = runner.select(file.path, name) if is_test else None
        yield None if selector is None else known.setdefault(selector, (file.path, selector, runner.name))


def _find_inheritable(snapshot: Snapshot, nodes: Ints) -> Mask:
    """Which nodes are methods of a class that others inherit or import."""
    columns, edges = columns_of(snapshot), snapshot.edges
    is_used = np.zeros(snapshot.node_count, dtype=bool)
    is_used[edges.target[np.isin(edges.kind, (*_EXTENDS, *_IMPORTS))]] = True
    found = np.zeros(len(nodes), dtype=bool)
    inside = np.flatnonzero(nodes < snapshot.first_external)
    methods = inside[columns.kind[nodes[inside]] == int(SymbolKind.METHOD)]
    found[methods] = is_used[columns.parent[nodes[methods]]]
    return found


def _find_inherited(snapshot: Snapshot, node: int) -> Iterator[tuple[str, str, str] | None]:
    """`test_at` of a method elsewhere: in the classes that inherit it and have none of its name, and in the files of
    tests that import one of these or its own, which a runner takes for theirs."""
    name, parent = snapshot.name_of(node), snapshot.parent_of(node)
    waiting = [] if parent is None else [parent]
    seen = set(waiting)
    while waiting:
        cls = waiting.pop()
        places = [snapshot.file_of(edge.source) for edge in snapshot.edges_in(cls, _IMPORTS)]
        for file in (*([snapshot.file_of(cls)] if cls != parent else []), *places):
            runner = None if file is None else by_name()[file.lang].runner
            if file is not None and runner is not None and role_of_definition(file.path, "") is Role.TEST:
                selector = runner.select(file.path, f"{snapshot.qualified_name_of(cls)}.{name}")
                yield None if selector is None else (file.path, selector, runner.name)
        for edge in snapshot.edges_in(cls, _EXTENDS):
            heir = edge.source
            if heir not in seen and name not in {snapshot.name_of(child) for child in snapshot.children_of(heir)}:
                seen.add(heir)
                waiting.append(heir)


def _run(snapshot: Snapshot, tests: Sequence[ReachedTest]) -> TestRun:
    lang = snapshot.by_path[tests[0].file].lang
    runner = by_name()[lang].runner
    assert runner is not None, "it found the tests"
    selected: dict[str, list[str]] = {}
    for test in tests:
        selected.setdefault(_write_argument(test.file), []).extend([test.selector] if test.selector else [])
    is_wider = len(tests) > NAMED_MAX
    if is_wider:
        selected = {file: [] for file in selected} if len(selected) <= FILES_MAX else {}
    return TestRun(runner.name, runner.command(selected, snapshot.configs), is_wider, tuple(tests))


def _write_argument(file: str) -> str:
    """The file as a word of a command, never an option."""
    return f"./{file}" if file.startswith("-") else file


def selector_of(runner: TestRunner, test: ReachedTest) -> str:
    """The whole selector, as the runner takes it."""
    if not test.selector:
        return test.file
    return f"{test.file}{runner.join}{test.selector}" if runner.join else test.selector
