"""Shows the definitions that a change reaches: in sections by tier and depth with rows by file, or as objects.

    {"tier": "certain", "depth": 2, "rows": {"app/api.py": ["login 31,40 via Session.renew"]}}

A row has the lines of the uses in it and, but for a direct use of the one definition that was asked about, what it
uses; a word says what the use is that is no call.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import cast

from codemap.graph.model.snapshot import Snapshot
from codemap.impact.arrivals import How
from codemap.impact.assess import Hit
from codemap.impact.selection import TestRun, selector_of
from codemap.languages import by_name
from codemap.tools.compact import Row, group_by_file, lines_of, row_place
from codemap.tools.impact.params import HOW_NAMES, TIER_NAMES, ImpactedView, RunView
from codemap.tools.tool import World
from codemap.tools.view import node_place

_WORDLESS = (How.CALLS, How.UNDECIDED, How.CONSTRUCTS)
"""What a row does not say: that it calls, and what its tier says."""


def compact_rows(world: World, snapshot: Snapshot, hits: Sequence[Hit], *, is_single: bool) -> list[ImpactedView]:
    """`is_single`: whether what the direct users use needs no name."""
    listed: dict[tuple[int, int], list[Hit]] = {}
    for hit in hits:
        listed.setdefault((hit.tier, hit.depth), []).append(hit)
    return [
        {
            "tier": TIER_NAMES[tier],
            "depth": depth,
            "rows": group_by_file(
                _show_row(world, snapshot, hit, is_plain=is_single and depth == 1)
                for hit in _sort_by_file(snapshot, rows)
            ),
        }
        for (tier, depth), rows in sorted(listed.items())
    ]


def full_rows(world: World, snapshot: Snapshot, hits: Sequence[Hit]) -> list[ImpactedView]:
    return [_show_hit(world, snapshot, hit) for hit in hits]


def _sort_by_file(snapshot: Snapshot, hits: Sequence[Hit]) -> list[Hit]:
    """By file, in the order of the first of each; in a file by line."""
    place: dict[str, int] = {}
    for hit in hits:
        place.setdefault(row_place(snapshot, hit.node)[0], len(place))
    return sorted(hits, key=lambda hit: (place[row_place(snapshot, hit.node)[0]], hit.sites[:1]))


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


def run_views(snapshot: Snapshot, runs: Iterable[TestRun], *, is_compact: bool) -> list[RunView]:
    """The tests of each runner, with the command that runs them."""
    views: list[RunView] = []
    for run in runs:
        view: RunView = {"runner": run.runner, "count": len(run.tests), "command": run.command}
        if run.is_wider:
            view["runsMore"] = True
        if is_compact:
            view["rows"] = {}
            for test in run.tests:
                words = [test.selector or "(whole file)", *([TIER_NAMES[test.tier]] if test.tier else [])]
                view["rows"].setdefault(test.file, []).append(" ".join(words))
        else:
            runner = by_name()[snapshot.by_path[run.tests[0].file].lang].runner
            assert runner is not None, "it found the tests"
            view["tests"] = [
                {
                    "selector": selector_of(runner, test),
                    "file": test.file,
                    "tier": TIER_NAMES[test.tier],
                    "depth": test.depth,
                }
                for test in run.tests
            ]
        views.append(view)
    return views
