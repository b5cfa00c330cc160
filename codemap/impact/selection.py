"""The tests among those that a change reaches, the nearest first, and one command for each runner that runs them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

from codemap.file_roles import Role, role_of_definition
from codemap.graph.model.snapshot import Snapshot
from codemap.impact.arrivals import Tier
from codemap.impact.reach import Reach
from codemap.languages import by_name
from codemap.languages.runner import TestRunner

NAMED_MAX = 20
"""Tests that a command names one by one; beyond, it names their files."""
FILES_MAX = 20
"""Files that a command names; beyond, it runs all tests."""


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
    own = ((node, int(Tier.CERTAIN), 0) for node in sorted(changed))
    others = zip(reached.node.tolist(), reached.tier.tolist(), reached.depth.tolist(), strict=True)
    for node, tier, depth in (*own, *others):
        at = test_at(snapshot, node)
        if at is not None:
            file, selector, runner = at
            found.setdefault((file, selector), ReachedTest(file, selector, tier, depth, runner))
    by_runner: dict[str, list[ReachedTest]] = {}
    for test in found.values():
        if not test.selector or (test.file, "") not in found:  # a file that runs whole needs no names
            by_runner.setdefault(test.runner, []).append(test)
    return tuple(_run(snapshot, tests) for tests in by_runner.values())


def test_at(snapshot: Snapshot, node: int) -> tuple[str, str, str] | None:
    """(file, selector, runner) of the test that a definition is a part of; None where it is part of none."""
    file = snapshot.file_of(node)
    if file is None:
        return None
    runner = by_name()[file.lang].runner
    name = snapshot.qualified_name_of(node)
    if runner is None or role_of_definition(file.path, name) is not Role.TEST:
        return None
    selector = runner.select(file.path, name)
    return None if selector is None else (file.path, selector, runner.name)


def _run(snapshot: Snapshot, tests: Sequence[ReachedTest]) -> TestRun:
    lang = snapshot.by_path[tests[0].file].lang
    runner = by_name()[lang].runner
    assert runner is not None, "it found the tests"
    selected: dict[str, list[str]] = {}
    for test in tests:
        selected.setdefault(_argument(test.file), []).extend([test.selector] if test.selector else [])
    is_wider = len(tests) > NAMED_MAX
    if is_wider:
        selected = {file: [] for file in selected} if len(selected) <= FILES_MAX else {}
    return TestRun(runner.name, runner.command(selected, snapshot.configs), is_wider, tuple(tests))


def _argument(file: str) -> str:
    """The file as a word of a command, never an option."""
    return f"./{file}" if file.startswith("-") else file


def selector_of(runner: TestRunner, test: ReachedTest) -> str:
    """The whole selector, as the runner takes it."""
    if not test.selector:
        return test.file
    return f"{test.file}{runner.join}{test.selector}" if runner.join else test.selector
