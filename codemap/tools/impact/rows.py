"""Shows who a change reaches and the tests among them.

    {"tier": "certain", "depth": 1, "rows": {"app/api.py": ["login 31", "Session.renew 77 dispatches"]}}
    {"runner": "pytest", "command": "pytest tests/test_a.py::test_one", "rows": {"tests/test_a.py": ["test_one"]}}

Rows are made for one page: where it is known how much that holds, rows beyond are counted and not made. What is made of
each list is then longer than the page, and as long in each group, so that the page ends in it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import cast

import numpy as np

from codemap.graph.model.edges import Numbers, first_places
from codemap.graph.model.root_paths import MARK, name_of
from codemap.graph.model.snapshot import Snapshot
from codemap.impact.assess import Assessed, Hit, hit_at
from codemap.impact.reach import Reach, sites_of, tables_of_steps
from codemap.impact.selection import TestRun, selector_of
from codemap.impact.steps import How
from codemap.tools.compact import LINES_MAX, GroupedRows, Row, lines_of, row_place, texts_of
from codemap.tools.impact.choice import sections_of
from codemap.tools.impact.params import HOW_NAMES, TIER_NAMES, ImpactedView, RunView, TestView
from codemap.tools.tool import World
from codemap.tools.view import node_place

_WORDLESS = (How.CALLS, How.UNDECIDED, How.CONSTRUCTS)
"""What a row does not say: that it calls, and what its tier says."""
_AROUND = 3
"""Characters around a row: quotes and a comma."""


def compact_rows(
    world: World, snapshot: Snapshot, found: Assessed, places: Numbers, *, is_single: bool
) -> tuple[list[ImpactedView], int]:
    """Rows by tier and depth, and how many are not made. `is_single`: whether what the direct users use needs no
    name."""
    sections = sections_of(snapshot, found.reached, places)
    views: list[ImpactedView] = []
    groups: list[Iterator[tuple[str, str]]] = []
    for section in sections:
        tier, depth = int(found.reached.tier[section[0]]), int(found.reached.depth[section[0]])
        views.append({"tier": TIER_NAMES[tier], "depth": depth, "rows": {}})
        groups.append(_texts(world, snapshot, found, section, is_plain=is_single and depth == 1))
    made = _fill([view["rows"] for view in views], groups, world.page_chars)
    return views, _count_texts(snapshot, found.reached, places) - made


def full_rows(world: World, snapshot: Snapshot, found: Assessed, places: Numbers) -> tuple[list[ImpactedView], int]:
    """The same as objects, in the order given."""
    views: list[ImpactedView] = []
    chars = 0
    for place in places.tolist():
        if world.page_chars and chars > world.page_chars:
            break
        views.append(_show_hit(world, snapshot, hit_at(snapshot, found, place)))
        chars += len(views[-1]["id"]) + len(views[-1]["via"])
    return views, len(places) - len(views)


def _fill(rows: Sequence[GroupedRows], groups: Sequence[Iterator[tuple[str, str]]], page_chars: int) -> int:
    """Adds a text to each of some objects of rows in turn, until all that a page holds is there; how many it added."""
    waiting = list(zip(rows, groups, strict=True))
    chars = made = 0
    while waiting and (not page_chars or chars <= page_chars):
        left = []
        for grouped, texts in waiting:
            following = next(texts, None)
            if following is not None:
                file, text = following
                grouped.setdefault(file, []).append(text)
                left.append((grouped, texts))
                chars += len(text) + _AROUND
                made += 1
        waiting = left
    return made


def _texts(
    world: World, snapshot: Snapshot, found: Assessed, places: Numbers, *, is_plain: bool
) -> Iterator[tuple[str, str]]:
    """(file, text) of some rows."""
    for place in places.tolist():
        row = _show_row(world, snapshot, hit_at(snapshot, found, place), is_plain=is_plain)
        for text in texts_of(row):
            yield row.file, text


def _count_texts(snapshot: Snapshot, reached: Reach, places: Numbers) -> int:
    """How many texts those rows have: more than one where the lines are many."""
    rows, hows = reached.row[places], reached.how[places]
    counts = np.zeros(len(places), dtype=np.int32)
    for table, are_its in tables_of_steps(snapshot, rows, hows):
        counts[are_its] = table.count[rows[are_its]]
    many = np.flatnonzero(counts > LINES_MAX)
    sites = map(partial(sites_of, snapshot), rows[many].tolist(), hows[many].tolist())
    lines = (len(lines_of(some, has_columns=False)) for some in sites)
    return len(places) + sum((count - 1) // LINES_MAX for count in lines)


def _show_row(world: World, snapshot: Snapshot, hit: Hit, *, is_plain: bool) -> Row:
    file, name = row_place(snapshot, hit.node)
    words = [HOW_NAMES[hit.how]] if hit.how not in _WORDLESS else []
    words += [] if is_plain else [f"via {hit.via}"]
    words += ["stale"] if world.disk.differs(file) else []
    return Row(file, name, lines_of(hit.sites, has_columns=False), words)


def _show_hit(world: World, snapshot: Snapshot, hit: Hit) -> ImpactedView:
    view = cast("ImpactedView", node_place(world, snapshot, hit.node))
    view["tier"] = TIER_NAMES[hit.tier]
    view["depth"] = hit.depth
    view["edge"] = HOW_NAMES[hit.how]
    view["via"] = hit.via
    if hit.via_node >= 0:
        view["viaId"] = snapshot.id_of(hit.via_node)
    if hit.sites:
        view["sites"] = [{"line": line, "col": col} for line, col in hit.sites]
    return view


def run_views(runs: Iterable[TestRun], page_chars: int, *, is_compact: bool) -> tuple[list[RunView], int]:
    """The tests of each runner, with the command that runs them, and how many tests are counted alone."""
    views: list[RunView] = []
    groups: list[Iterator[tuple[str, str]]] = []
    total = 0
    for run in runs:
        runner = f"{run.runner.name} in {MARK}{name_of(run.root)}" if run.root else run.runner.name
        view: RunView = {"runner": runner, "count": len(run), "command": run.command}
        if run.is_wider:
            view["runsMore"] = True
        if is_compact:
            view["rows"] = {}
        else:
            view["tests"] = _full_tests(run, page_chars)
            total += len(run) - len(view["tests"])
        views.append(view)
        groups.append(_test_texts(run))
    if not is_compact:
        return views, total
    made = _fill([view["rows"] for view in views], groups, page_chars)
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
