"""Shows the tests that a change reaches.

    {"runner": "pytest", "count": 1, "tiers": {"certain": 1}, "command": "pytest tests/test_a.py::test_one"}
    {"runner": "pytest", "count": 1, "command": "pytest test_a.py::test_one", "rows": {"test_a.py": ["test_one"]}}

Each test is said once: where the command does not name them all, the nearest that it does not name are, and the files
that are not named by then; or all, as rows, where tests are listed. The command runs the certain ones and those named
after what changed, where there are any, or the nearest in place of all tests of the repository, and `forAll` is one
that runs all.
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
"""Files of tests that are named where tests are folded, the nearest."""
NEAREST_MAX = 5
"""Tests that are named where they are folded."""


def folded_runs(runs: Iterable[TestRun]) -> tuple[list[RunView], int]:
    """The tests of each runner as counts by tier and file, with the command that runs them, and how many files are not
    made."""
    views: list[RunView] = []
    more = 0
    for run in runs:
        view = _head_of(run) | {"tiers": _count_by_tier(run)}
        if _has_unnamed(run):
            if nearest := _nearest(run):
                view["nearest"] = nearest
            paths, count = _list_files(run) if len(nearest) < len(run) else ([], 0)
            more += count - len(paths)
            if paths:
                view["files"] = paths
        views.append(view)
    return views, more


def _has_unnamed(run: TestRun) -> bool:
    """Whether the command does not name each of the tests."""
    return run.is_wider or len(run) > NAMED_MAX


def _count_by_tier(run: TestRun) -> dict[str, int]:
    counts = np.bincount(run.found.tier, minlength=len(TIER_NAMES)).tolist()
    return {name: count for name, count in zip(TIER_NAMES, counts, strict=True) if count}


def _nearest(run: TestRun) -> list[str]:
    """What selects the first tests that the command does not name; where there are more, files run whole are not among
    them, as these are listed."""
    first = [run.test(row) for row in range(min(NEAREST_MAX, len(run)))]
    first = [test for test in first if test.selector or len(run) <= NEAREST_MAX]
    selectors = (selector_of(run.runner, test) for test in first)
    return [selector for selector in selectors if selector not in run.command]


def _list_files(run: TestRun) -> tuple[list[str], int]:
    """The first of the files of the tests with their counts, the nearest first, without those that the command runs
    whole; how many these are in all."""
    snapshot, (files, counts) = run.found.snapshot, _count_by_file(run)
    named = (snapshot.by_path.get(f"{run.root}{word}") for word in run.command.split())
    are_left = ~np.isin(files, [file.number for file in named if file is not None])
    files, counts = files.compress(are_left), counts.compress(are_left)
    pairs = zip(files[:FILES_SHOWN].tolist(), counts[:FILES_SHOWN].tolist(), strict=True)
    return [f"{snapshot.files[file].path} {count}" for file, count in pairs], len(files)


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
        views.append(view)
        if not is_compact:
            view["tests"] = _full_tests(run, page_chars)
            total += len(run) - len(view["tests"])
        elif _has_unnamed(run):
            view["rows"] = {}
            groups.append(_test_texts(run))
            total += len(run)
        else:
            view["tiers"] = _count_by_tier(run)
    filled = [view["rows"] for view in views if "rows" in view]
    return views, total - fill_groups(filled, groups, page_chars, 1)


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
