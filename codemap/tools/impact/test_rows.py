"""Shows the tests that a change reaches.

    {"runner": "pytest", "count": 1, "tiers": {"certain": 1}, "command": "pytest tests/test_a.py::test_one"}
    {"runner": "pytest", "count": 1, "command": "pytest test_a.py::test_one", "rows": {"test_a.py": ["test_one"]}}

Folded tests are counted. Where the command does not name each of them, the nearest that it does not name are, and
files; it runs the certain ones and those named after what changed, where there are any, or the nearest in place of all
tests of the repository, and `forAll` is one that runs all.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from codemap.graph.model.edges import Numbers, first_places
from codemap.impact.selection import NAMED_MAX, TestRun, selector_of
from codemap.root_paths import MARK, name_of
from codemap.tools.compact import fill_groups
from codemap.tools.impact.params import TIER_NAMES, RunView, TestView

FILES_SHOWN = 8
"""Files of tests on a page of a usual size, the nearest."""
_FILE_CHARS_MIN = 40
"""Fewer than a path of a test, its count and what is around them have on an average."""
NEAREST_MAX = 5
"""Tests that are named where they are folded."""


def folded_runs(runs: Iterable[TestRun], page_chars: int, *, is_short: bool) -> tuple[list[RunView], int]:
    """The tests of each runner as counts by tier and file, with the command that runs them, and how many files are not
    made; `is_short`: whether files are few."""
    views: list[RunView] = []
    more = 0
    for run in runs:
        view = _head_of(run)
        counts = np.bincount(run.found.tier, minlength=len(TIER_NAMES)).tolist()
        view["tiers"] = {name: count for name, count in zip(TIER_NAMES, counts, strict=True) if count}
        if run.is_wider or len(run) > NAMED_MAX:
            nearest = [selector_of(run.runner, run.test(row)) for row in range(min(NEAREST_MAX, len(run)))]
            if not all(selector in run.command for selector in nearest):
                view["nearest"] = nearest
            files, per_file = _count_by_file(run)
            made = page_chars // _FILE_CHARS_MIN if page_chars else len(files)
            made = FILES_SHOWN if is_short else made
            more += max(0, len(files) - made)
            pairs = zip(files[:made].tolist(), per_file[:made].tolist(), strict=True)
            view["files"] = [f"{run.found.snapshot.files[file].path} {count}" for file, count in pairs]
        views.append(view)
    return views, more


def _count_by_file(run: TestRun) -> tuple[Numbers, Numbers]:
    """The numbers of the files of some tests, the nearest first, and how many are in each."""
    counts = np.bincount(run.found.file)
    files = np.flatnonzero(counts)
    files = files[np.argsort(first_places(run.found.file, len(run.found.snapshot.files))[files], kind="stable")]
    return files, counts[files]


def _head_of(run: TestRun) -> RunView:
    name = run.runner.name if run.command else f"not known: {run.runner.name}"
    runner = f"{name} in {MARK}{name_of(run.root)}" if run.root else name
    view: RunView = {"runner": runner, "count": len(run)}
    if run.command:
        view["command"] = run.command
    if run.command and run.is_wider:
        view["runsMore"] = True
    if run.command_for_all:
        view["forAll"] = run.command_for_all
    return view


def run_views(runs: Iterable[TestRun], page_chars: int, *, is_compact: bool) -> tuple[list[RunView], int]:
    """The tests of each runner, with the command that runs them, and how many tests are counted alone."""
    views: list[RunView] = []
    groups: list[Iterator[tuple[str, str]]] = []
    total = 0
    for run in runs:
        view = _head_of(run)
        if is_compact:
            view["rows"] = {}
        else:
            view["tests"] = _full_tests(run, page_chars)
            total += len(run) - len(view["tests"])
        views.append(view)
        groups.append(_test_texts(run))
    if not is_compact:
        return views, total
    made = fill_groups([view["rows"] for view in views], groups, page_chars, 1)
    return views, sum(view["count"] for view in views) - made


def _test_texts(run: TestRun) -> Iterator[tuple[str, str]]:
    """(file, text) of each test; those of a file together, at the place of the first."""
    first = first_places(run.found.file, len(run.found.snapshot.files)).take(run.found.file)
    for row in np.argsort(first, kind="stable").tolist():
        test = run.test(row)
        yield test.file, " ".join((test.selector or "(whole file)", *([TIER_NAMES[test.tier]] if test.tier else [])))


def _full_tests(run: TestRun, page_chars: int) -> list[TestView]:
    views: list[TestView] = []
    chars = 0
    for row in range(len(run)):
        if page_chars and chars > page_chars:
            break
        test = run.test(row)
        selector = selector_of(run.runner, test)
        views.append({"selector": selector, "file": test.file, "tier": TIER_NAMES[test.tier], "depth": test.depth})
        chars += len(selector) + len(test.file)
    return views
