"""`map_impact`: what a change may break, and which tests show it."""

from __future__ import annotations

from collections import Counter
from functools import partial
from typing import cast

import msgspec

from codemap.changes.changed_definitions import changed_files
from codemap.envelope.answer import Answer, CutList, Failure, Spare
from codemap.envelope.errors import ErrorCode
from codemap.envelope.near import near
from codemap.file_roles import Role
from codemap.graph.index.node_roles import role_of_node
from codemap.graph.model.snapshot import Snapshot
from codemap.impact.assess import Assessed, Hit, assess
from codemap.impact.selection import test_at
from codemap.tools.compact import FoldedCounts, short_id
from codemap.tools.impact.changed import changed_rows, changed_views, left_rows, left_views
from codemap.tools.impact.co_changed import with_co_changed
from codemap.tools.impact.of_base import change_of
from codemap.tools.impact.params import TIER_NAMES, Params, Payload
from codemap.tools.impact.rows import compact_rows, full_rows, run_views
from codemap.tools.mentions import ask_ledger, with_mentions
from codemap.tools.sifting import Place, Sifted, folded_counts, is_plain, place_of, sift
from codemap.tools.tool import Asking, Replied, Tool, World
from codemap.tools.view import empty_because, find_node, map_incomplete, map_warnings, not_built, refuse

SCORE_DIGITS = 2
SHORT_ID = 12
"""Digits of a commit."""
_NARROWER = "pass fileFilter, or fewer nodeIds"

LISTS = (
    CutList(("of",), "changed nodes", "ask about fewer at a time", keep=0),
    Spare(("folded",), "folded counts", "pass tests:include"),
    CutList(("companions",), "companions", "call map_history"),
    CutList(("coChanged",), "companions", "call map_history", is_grouped=True),
    CutList(("impacted", "*", "sites"), "sites", "pass rows:compact", keep=1),
    CutList(("tests", "*", "tests"), "tests", _NARROWER, keep=1),
    CutList(("tests", "*", "rows"), "tests", _NARROWER, keep=1, key=("runner",), is_grouped=True),
    CutList(("impacted", "*", "rows"), "impacted", _NARROWER, keep=1, is_grouped=True),
    CutList(("impacted",), "impacted", _NARROWER, key=("tier", "depth")),
    Spare(("tests", "*", "command"), "commands", "pass a larger tokenBudget"),
    CutList(("tests",), "runners", "pass a larger tokenBudget", key=("runner",)),
    CutList(("changed", "*", "rows"), "changes", _NARROWER, keep=1, key=("what",), is_grouped=True),
    CutList(("changed",), "changes", _NARROWER, key=("what", "file", "line")),
    CutList(("notAdapted", "*", "rows"), "uses not adapted", _NARROWER, keep=1, is_grouped=True),
    CutList(("notAdapted",), "uses not adapted", _NARROWER, key=("used", "why", "misfit", "file", "line")),
)


def answer(world: World, params: Params) -> Replied | Asking[Replied]:
    """Who is reached from what changes, the surest and nearest first, and the tests among them."""
    if [bool(params.node_ids), bool(params.file), bool(params.base)].count(True) != 1:
        return Failure(ErrorCode.BAD_ARGS, "Pass exactly one of nodeIds, file and base.")
    if ((params.staged or params.head) and not params.base) or (params.staged and params.head):
        return Failure(ErrorCode.BAD_ARGS, "staged, head: expected with base, and one of them at most.")
    snapshot = world.snapshot
    if snapshot is None:
        return not_built(world)
    if params.base:
        return _of_base(world, snapshot, params)
    seeds = _of_file(world, snapshot, params.file) if params.file else _of_ids(world, snapshot, params.node_ids)
    if isinstance(seeds, Failure):
        return seeds
    files = [node for node in seeds if snapshot.is_file(node)]
    found = _answer(world, snapshot, params, seeds, assess(snapshot, seeds, files))
    return _of_nodes(snapshot, params, seeds, found)


def _of_nodes(snapshot: Snapshot, params: Params, seeds: list[int], found: Answer) -> Asking[Replied]:
    """The same, with mentions of what nothing uses, and with what usually changes together."""
    if len(seeds) == 1 and "emptyBecause" in found.data:
        found = yield from _accounted(snapshot, seeds[0], found)
    own = {snapshot.row_of(node)[0].path for node in seeds if not snapshot.is_external(node)}
    nodes = seeds[:1] if params.file else seeds
    touched = own if params.file else ()
    is_compact = params.rows == "compact"
    return (yield from with_co_changed(found, snapshot, nodes, touched, is_compact=is_compact, begins=False))


def _of_base(world: World, snapshot: Snapshot, params: Params) -> Asking[Replied]:
    """The answer about a change that git knows of."""
    change = yield from change_of(snapshot, params)
    if isinstance(change, Failure):
        return change
    answer = _answer(world, change.after, params, list(change.seeds), change.found)
    is_compact = params.rows == "compact"
    files, pairs = change.files, change.pairs
    changed = changed_rows if is_compact else changed_views
    data: Payload = {"base": files.base[:SHORT_ID], "head": files.head[:SHORT_ID]}
    data["changed"] = changed(change.compared.changes, pairs)
    if change.compared.unchanged:
        data["notChanged"] = len(change.compared.unchanged)
    if files.others:
        data["otherFiles"] = files.others
    if files.omitted:
        data["omitted"] = {path: why.value for path, why in files.omitted.items()}
    if change.left:
        data["notAdapted"] = (left_rows if is_compact else left_views)(change.left)
    if change.misfits.not_checked:
        first = short_id(change.after, change.misfits.of[0])
        data["notChecked"] = {"sites": change.misfits.not_checked, "how": f"map_neighbors nodeId:{first} direction:in"}
    warnings = list(answer.warnings)
    if files.omitted:
        warnings.append(f"{len(files.omitted)} file(s) that differ are not compared: see omitted.")
    if files.is_shallow:
        warnings.append("The clone is shallow: the merge base may be another in the whole history.")
    touched = changed_files(change.compared.changes)
    answer = msgspec.structs.replace(
        answer, data=data | answer.data, warnings=tuple(warnings), rests_on=answer.rests_on | touched
    )
    ids = (change.after.id_of(seed) for seed in change.seeds)
    nodes = [node for node in map(snapshot.find, ids) if node is not None]
    return (yield from with_co_changed(answer, snapshot, nodes, touched, is_compact=is_compact, begins=True))


def _accounted(snapshot: Snapshot, node: int, found: Answer) -> Asking[Answer]:
    """The same, with all mentions of a definition that nothing uses: that there is no use must be sure."""
    ledger = yield from ask_ledger(snapshot, node, lambda _path: True)
    how = f"map_neighbors nodeId:{short_id(snapshot, node)} direction:in mentions:true"
    return found if ledger is None else with_mentions(found, snapshot, ledger, how=how, listed=False)


def _of_ids(world: World, snapshot: Snapshot, ids: tuple[str, ...]) -> list[int] | Failure:
    found: dict[int, None] = {}
    for place, text in enumerate(ids):
        node = find_node(world, snapshot, text)
        if isinstance(node, Failure):
            return _of_argument(f"nodeIds[{place}]", node)
        found[node] = None
    return list(found)


def _of_argument(name: str, failure: Failure) -> Failure:
    return Failure(
        failure.code,
        f"{name}: {failure.message}",
        suggestion=failure.suggestion,
        recovery_options=failure.recovery_options,
    )


def _of_file(world: World, snapshot: Snapshot, path: str) -> list[int] | Failure:
    """The file and all that is defined in it."""
    file = snapshot.by_path.get(path)
    if path in world.disk.deleted:
        return Failure(ErrorCode.FILE_DELETED, f"file: {path} has vanished from disk.")
    if file is None:
        matches = near(path, [one.path for one in snapshot.files]).matches
        return refuse(ErrorCode.NODE_NOT_FOUND, f"file: {path} is not in the map.", matches)
    return list(range(file.base, file.base + file.symbol_count))


def _answer(world: World, snapshot: Snapshot, params: Params, seeds: list[int], found: Assessed) -> Answer:
    is_compact = params.rows == "compact"
    place = partial(_place, snapshot)
    own = role_of_node(snapshot, seeds[0]) if seeds else Role.PRODUCT
    shown = Sifted(found.hits) if is_plain(params) else sift(found.hits, place, params, own)
    data: Payload = {}
    if params.node_ids:
        data["of"] = [short_id(snapshot, node) for node in seeds]
    data["risk"] = found.risk
    data["score"] = round(found.score, SCORE_DIGITS)
    data["factors"] = {
        "directUsers": found.factors.direct_users,
        "files": found.factors.files,
        "folders": found.factors.folders,
        "tests": sum(len(run.tests) for run in found.tests),
        "public": found.is_public,
    }
    counts = Counter(hit.tier for hit in found.hits)
    data["counts"] = {TIER_NAMES[tier]: counts[tier] for tier in sorted(counts)}
    if is_compact:
        data["impacted"] = compact_rows(world, snapshot, shown.rows, is_single=len(seeds) == 1)
    else:
        data["impacted"] = full_rows(world, snapshot, shown.rows)
    listed = {(test.file, test.selector) for run in found.tests for test in run.tests}
    if others := [one for one in shown.folded if not _is_listed(snapshot, one.row, listed)]:
        data["folded"] = cast("FoldedCounts", folded_counts(others))
    if shown.only:
        data["onlyIn"] = list(shown.only)
    data["tests"] = run_views(snapshot, found.tests, is_compact=is_compact)
    if found.open_sites:
        first = short_id(snapshot, found.open_nodes[0])
        data["undecided"] = {"sites": found.open_sites, "how": f"map_neighbors nodeId:{first} direction:in"}
    warnings = map_warnings(world, snapshot)
    if not shown.rows and not shown.folded:
        data["emptyBecause"] = _emptiness(world, snapshot, found, shown.hidden)
        if shown.hidden:
            warnings.append(f"{shown.hidden} row(s) do not pass fileFilter or tests: drop them, or pass tests:include.")
    nodes = (*seeds, *(hit.node for hit in found.hits))
    return Answer(
        data,
        LISTS,
        tuple(warnings),
        incomplete=map_incomplete(world, snapshot),
        rests_on=frozenset(file.path for file in map(snapshot.file_of, nodes) if file is not None),
    )


def _place(snapshot: Snapshot, hit: Hit) -> Place:
    return place_of(snapshot, hit.node)


def _is_listed(snapshot: Snapshot, hit: Hit, listed: set[tuple[str, str]]) -> bool:
    """Whether it is among the tests."""
    found = test_at(snapshot, hit.node)
    return found is not None and not listed.isdisjoint(((found[0], found[1]), (found[0], "")))


def _emptiness(world: World, snapshot: Snapshot, found: Assessed, hidden: int) -> str:
    because = empty_because(world, snapshot)
    if because == "building":
        return because
    return "filtered" if hidden else "unresolved" if found.open_sites else because


TOOL = Tool(
    name="map_impact",
    command="impact",
    title="Impact of a change",
    description=(
        "What breaks if this changes: users of users, how sure (certain, likely, possible), risk, and the tests to run."
    ),
    params=Params,
    payload=Payload,
    answer=answer,
    needs_edges=True,
)
