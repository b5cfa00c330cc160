"""Shows who a change reaches and the tests among them.

    {"tier": "certain", "depth": 1, "rows": {"app/api.py": ["login 31", "Session.renew 77 dispatches"]}}
    {"tier": "certain", "depth": 2, "via": "login", "rows": {"app/views.py": ["index 9", "renew 14 via Session.renew"]}}
    {"runner": "pytest", "count": 1, "tiers": {"certain": 1}, "command": "pytest tests/test_a.py::test_one"}
    {"runner": "pytest", "count": 1, "command": "pytest test_a.py::test_one", "rows": {"test_a.py": ["test_one"]}}

What most rows of a group use is said once (`via`). Folded tests are counted. Where the command does not name each of
them, the nearest that it does not name are, and files; it runs the certain ones and those named after what changed,
where there are any, or the nearest in place of all tests of the repository, and `forAll` is one that runs all.

Rows are made for one page: where it is known how much that holds, rows beyond are counted and not made. A page has
`ROWS_KEPT` rows of each group, and all groups, before it has more of any; what is made is longer than the page. Of
users of users a usual page has few where direct ones are many: who looks at all that a change touches begins with them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import islice
from typing import cast

import numpy as np

from codemap.facts import Symbol, SymbolKind
from codemap.graph.model.edges import Ints, Numbers, first_places
from codemap.graph.model.snapshot import Snapshot
from codemap.ids import without_ordinal
from codemap.impact.assess import Assessed, Hit, hit_at
from codemap.impact.reach import Reach, sites_of, tables_of_steps
from codemap.impact.selection import NAMED_MAX, TestRun, selector_of
from codemap.impact.steps import How, Tier
from codemap.root_paths import MARK, name_of
from codemap.tools.compact import LINES_MAX, GroupedRows, Row, lines_of, row_place, texts_of
from codemap.tools.impact.choice import EXTENDS, IMPLEMENTS, OTHERS, OVERRIDES, Choice, sections_of
from codemap.tools.impact.params import HOW_NAMES, REACH_NAMES, TIER_NAMES, ImpactedView, RunView, TestView
from codemap.tools.tool import World
from codemap.tools.view import node_place

_WORDLESS = (How.CALLS, How.UNDECIDED, How.CONSTRUCTS)
"""What a row does not say: that it calls, and what its tier says."""
_EDGE_OF = {EXTENDS: HOW_NAMES[How.EXTENDS], IMPLEMENTS: HOW_NAMES[How.IMPLEMENTS]}
"""What a group says for its rows, by rank."""
_AROUND = 3
"""Characters around a row: quotes and a comma."""
ROWS_KEPT = 30
"""Rows of a group that stay while later groups are cut: who is near says more than that others are far."""
FAR_MIN, NEAR_AND_FAR = 5, 20
"""Rows of users of users on a page of a usual size: so many with those of direct users, but no fewer than the first."""
VIA_MIN = 3
"""Rows that use the same, which a group says once."""
FILES_SHOWN = 8
"""Files of tests on a page of a usual size, the nearest."""
_FILE_CHARS_MIN = 40
"""Fewer than a path of a test, its count and what is around them have on an average."""
NEAREST_MAX = 5
"""Tests that are named where they are folded."""


def compact_rows(
    world: World, snapshot: Snapshot, found: Assessed, choice: Choice, *, is_single: bool, is_short: bool
) -> tuple[list[ImpactedView], int]:
    """Rows by tier and depth, and how many are not made. `is_single`: whether what the direct users use needs no
    name; `is_short`: whether users of users are few."""
    sections, ranks, places = sections_of(snapshot, found.reached, choice), choice.ranks, choice.shown
    are_overrides = ranks == OVERRIDES
    views: list[ImpactedView] = []
    groups: list[Iterator[tuple[str, str]]] = []
    listed = _count_texts(snapshot, found.reached, places[~are_overrides[places]])
    room = max(FAR_MIN, NEAR_AND_FAR - int((ranks[places] < OTHERS).sum()))
    for section in sections:
        if are_overrides[section[0]]:
            views.append({"tier": TIER_NAMES[Tier.LIKELY], "depth": 1, "edge": HOW_NAMES[How.OVERRIDES], "rows": {}})
            overrides = list(_name_overrides(world, snapshot, found, section))
            groups.append(iter(overrides))
            listed += len(overrides)
            continue
        tier, depth = int(found.reached.tier[section[0]]), int(found.reached.depth[section[0]])
        edge = _EDGE_OF.get(int(ranks[section[0]]), "")
        view: ImpactedView = {"tier": REACH_NAMES[tier], "depth": depth, **({"edge": edge} if edge else {})}
        is_plain = is_single and depth == 1
        via = -1 if is_plain else _find_usual(found.reached.via[section])
        if via >= 0:
            view["via"] = _name_via(
                snapshot, hit_at(snapshot, found, int(section[found.reached.via[section] == via][0]))
            )
        views.append({**view, "rows": {}})
        texts = _texts(world, snapshot, found, section, edge, is_plain=is_plain, usual=via)
        if is_short and ranks[section[0]] == OTHERS:
            texts, room = islice(texts, room), max(0, room - len(section))
        groups.append(texts)
    made = _fill([view["rows"] for view in views], groups, world.page_chars, ROWS_KEPT)
    return [view for view in views if view["rows"]], listed - made


def _find_usual(via: Ints) -> int:
    """What most rows use, where that is worth saying once; else -1."""
    values, counts = np.unique(via[via >= 0], return_counts=True)
    at = int(counts.argmax()) if len(counts) else 0
    is_usual = len(counts) and counts[at] >= VIA_MIN and 2 * counts[at] >= len(via)
    return int(values[at]) if is_usual else -1


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


def _fill(rows: Sequence[GroupedRows], groups: Sequence[Iterator[tuple[str, str]]], page_chars: int, kept: int) -> int:
    """Adds texts to some objects of rows until all that a page holds is there: so many to each, one after the other,
    then one in turn. How many it added."""
    waiting = list(zip(rows, groups, strict=True))
    chars = made = 0
    turn = kept
    while waiting and (not page_chars or chars <= page_chars):
        left = []
        for grouped, texts in waiting:
            if turn > 1 and page_chars and chars > page_chars:
                break
            some = list(islice(texts, turn))
            for file, text in some:
                grouped.setdefault(file, []).append(text)
                chars += len(text) + _AROUND
            made += len(some)
            if len(some) == turn:
                left.append((grouped, texts))
        waiting, turn = left, 1
    return made


def _texts(
    world: World, snapshot: Snapshot, found: Assessed, places: Numbers, edge: str, *, is_plain: bool, usual: int
) -> Iterator[tuple[str, str]]:
    """(file, text) of some rows; what is said of all of them is the `usual` node that they use."""
    for place in places.tolist():
        hit = hit_at(snapshot, found, place)
        has_own = not is_plain and (usual < 0 or hit.via_node != usual)
        row = _show_row(world, snapshot, hit, edge, has_via=has_own)
        for text in texts_of(row):
            yield row.file, text


def _name_overrides(world: World, snapshot: Snapshot, found: Assessed, places: Numbers) -> Iterator[tuple[str, str]]:
    """(file, text) of some methods with the lines of their names, those of overloads together: they have to stay alike;
    and where they use what changed."""
    rows: dict[tuple[str, str, str], list[str]] = {}
    for place in places.tolist():
        hit = hit_at(snapshot, found, place)
        file, name = row_place(snapshot, hit.node)
        lines = ",".join(lines_of(hit.sites, has_columns=False)) if hit.depth == 1 else ""
        words = " ".join([*([f"used {lines}"] if lines else []), *(["stale"] if world.disk.differs(file) else [])])
        rows.setdefault((file, without_ordinal(name), words), []).append(str(snapshot.cell(hit.node, Symbol.LINE)))
    for (file, name, words), numbers in rows.items():
        yield from ((file, text) for text in texts_of(Row(file, name, numbers, [words] if words else [])))


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


def _show_row(world: World, snapshot: Snapshot, hit: Hit, edge: str, *, has_via: bool) -> Row:
    file, name = row_place(snapshot, hit.node)
    is_said = hit.how in _WORDLESS and (hit.tier < Tier.REMOTE or hit.how != How.CONSTRUCTS)
    words = [] if is_said or edge else [HOW_NAMES[hit.how]]
    words += [f"via {_name_via(snapshot, hit)}"] if has_via else []
    words += ["stale"] if world.disk.differs(file) else []
    return Row(file, name, lines_of(hit.sites, has_columns=False), words)


def _name_via(snapshot: Snapshot, hit: Hit) -> str:
    """The name of what a hit uses without the namespaces around it, which are those of its row more often than not."""
    if hit.via_node < 0 or snapshot.is_external(hit.via_node) or snapshot.is_file(hit.via_node):
        return hit.via
    names = [snapshot.name_of(hit.via_node)]
    owner = snapshot.parent_of(hit.via_node)
    while owner is not None and not snapshot.is_file(owner) and snapshot.kind_of(owner) != SymbolKind.MODULE:
        names.append(snapshot.name_of(owner))
        owner = snapshot.parent_of(owner)
    return ".".join(reversed(names))


def _show_hit(world: World, snapshot: Snapshot, hit: Hit) -> ImpactedView:
    view = cast("ImpactedView", node_place(world, snapshot, hit.node))
    view["tier"] = REACH_NAMES[hit.tier]
    view["depth"] = hit.depth
    view["edge"] = HOW_NAMES[hit.how]
    view["via"] = hit.via
    if hit.via_node >= 0:
        view["viaId"] = snapshot.id_of(hit.via_node)
    if hit.sites:
        view["sites"] = [{"line": line, "col": col} for line, col in hit.sites]
    return view


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
    made = _fill([view["rows"] for view in views], groups, page_chars, 1)
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
