"""`map_impact`: what a change may break, and which tests show it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from hashlib import blake2b

import msgspec
import numpy as np

from codemap.changes.changed_definitions import changed_files
from codemap.envelope.answer import Answer, CutList, Dropped, Failure, Spare
from codemap.envelope.errors import ErrorCode
from codemap.envelope.native import BUDGET_DEFAULT
from codemap.file_roles import Role
from codemap.graph.index.columns import columns_of
from codemap.graph.index.node_roles import role_of_node
from codemap.graph.likelihood.held_functions import evaluate_held
from codemap.graph.model.edges import Numbers, distinct
from codemap.graph.model.snapshot import Snapshot
from codemap.impact.assess import Assessed, assess, list_common
from codemap.impact.reached import Reach
from codemap.tools.code_lines import ask_code
from codemap.tools.compact import short_id
from codemap.tools.impact.changed import changed_rows, changed_views, left_rows, left_views, limits_of
from codemap.tools.impact.choice import choose
from codemap.tools.impact.co_changed import with_co_changed
from codemap.tools.impact.entries import entry_texts
from codemap.tools.impact.folded import folded_counts
from codemap.tools.impact.lost_chains import say_lost
from codemap.tools.impact.of_base import change_of
from codemap.tools.impact.params import REACH_NAMES, Params, Payload
from codemap.tools.impact.rows import ROWS_KEPT, compact_rows, full_rows
from codemap.tools.impact.seeds import find_alone, find_file, say_several, seeds_of_file, seeds_of_ids, without_members
from codemap.tools.impact.test_rows import folded_runs, run_views
from codemap.tools.mentions import ask_ledger, with_mentions
from codemap.tools.other_code import ask_other_code
from codemap.tools.row_selection import policy_of, say_hidden
from codemap.tools.tool import Asking, Replied, Spans, Tool, World, in_turns, settled
from codemap.tools.view import empty_because, map_incomplete, map_warnings, not_built

SCORE_DIGITS = 2
SHORT_ID = 12
"""Digits of a commit."""
CHANGES_KEPT = 5
"""Rows of a kind of change that stay as long as there are uses to cut: what an answer is about, and which tests to run,
is read first."""
_NARROWER = "pass fileFilter, or fewer nodeIds"
_ALL_TESTS = "pass tests:include"

LISTS = (
    CutList(("companions",), "companions", "call map_history"),
    CutList(("coChanged",), "companions", "call map_history", is_grouped=True),
    CutList(("impacted", "*", "sites"), "sites", "pass rows:compact", keep=1),
    CutList(("tests", "*", "tests"), "tests", _NARROWER, keep=1),
    CutList(("tests", "*", "files"), "files of tests", _ALL_TESTS, keep=6),
    CutList(("tests", "*", "nearest"), "nearest tests", _ALL_TESTS, keep=5),
    CutList(("overrides",), "overridden methods", "call map_neighbors"),
    CutList(("tests", "*", "rows"), "tests", _NARROWER, keep=1, key=("runner",), is_grouped=True),
    CutList(("impacted", "*", "rows"), "impacted", _NARROWER, keep=ROWS_KEPT, is_grouped=True),
    CutList(("impacted",), "impacted", _NARROWER, key=("tier", "depth", "edge")),
    Spare(("folded",), "folded counts", "pass tests:include"),
    Spare(("entries",), "entries", "pass a larger tokenBudget"),
    CutList(("of",), "changed nodes", "ask about fewer at a time"),
    Spare(("tests", "*", "forAll"), "commands for all", "pass a larger tokenBudget"),
    CutList(("changed", "*", "rows"), "changes", _NARROWER, keep=CHANGES_KEPT, key=("what",), is_grouped=True),
    CutList(("notAdapted", "*", "rows"), "uses not adapted", _NARROWER, keep=1, is_grouped=True),
    CutList(("notAdapted",), "uses not adapted", _NARROWER, key=("used", "why", "misfit", "file", "line")),
    Spare(("tests", "*", "command"), "commands", "pass a larger tokenBudget"),
    CutList(("tests",), "runners", "pass a larger tokenBudget", key=("runner",)),
    CutList(("changed",), "changes", _NARROWER, key=("what", "file", "line")),
)
GROUPED_LISTS = tuple(
    msgspec.structs.replace(cut, kind="groups of impacted") if cut.path == ("impacted",) else cut for cut in LISTS
)
"""Of compact rows, where what is listed are groups of rows."""


_RANGE = re.compile(r"(.*?)\.\.\.?(.*)")
_WITH_CODE = frozenset(("impacted", "notAdapted"))


def answer(world: World, params: Params) -> Replied | Asking[Replied]:
    """Who is reached from what changes, the surest and nearest first, and the tests among them; with the code of their
    uses where that is asked for."""
    found = _answer_asked(world, params)
    if world.snapshot is None or not params.code or params.rows != "compact":
        return found
    return _add_code(world.snapshot, found)


def _add_code(snapshot: Snapshot, asking: Replied | Asking[Replied]) -> Asking[Replied]:
    found = yield from settled(asking)
    return found if isinstance(found, Failure) else (yield from ask_code(snapshot, found, _WITH_CODE))


def _take_range(params: Params) -> Params:
    """The same with a range of revisions (`A..B`, `A...B`, either end may be left out) as its base and head."""
    found = None if params.staged or params.head else _RANGE.fullmatch(params.base)
    if found is None:
        return params
    begin, end = found.groups()
    return msgspec.structs.replace(params, base=begin or "HEAD", head=end or "HEAD")


def _answer_asked(world: World, params: Params) -> Replied | Asking[Replied]:
    params = _take_range(params)
    if [bool(params.node_ids), bool(params.file), bool(params.base)].count(True) != 1:
        return Failure(ErrorCode.BAD_ARGS, "Pass exactly one of nodeIds, file and base.")
    if ((params.staged or params.head) and not params.base) or (params.staged and params.head):
        return Failure(ErrorCode.BAD_ARGS, "staged, head: expected with base, and one of them at most.")
    snapshot = world.snapshot
    if snapshot is None:
        return not_built(world)
    if params.base:
        return _of_base(world, snapshot, params)
    if path := find_file(world, snapshot, params.node_ids):
        params = msgspec.structs.replace(params, node_ids=(), file=path)
    ids = params.node_ids
    seeds = seeds_of_file(world, snapshot, params.file) if params.file else seeds_of_ids(world, snapshot, ids)
    if isinstance(seeds, Failure):
        return seeds
    alone = [node for text in ids for node in find_alone(world, snapshot, text)]
    return _of_nodes(world, snapshot, params, seeds, alone)


def _of_nodes(world: World, snapshot: Snapshot, params: Params, seeds: list[int], alone: list[int]) -> Asking[Replied]:
    """The answer about some definitions, with mentions of what nothing uses or code of no language names, and what
    usually changes together. Others are answered while it is found out which variables hold the definitions."""
    yield from in_turns(evaluate_held(snapshot, list_common(snapshot, seeds)))
    assessed = assess(snapshot, seeds, [node for node in seeds if snapshot.is_file(node)], alone=alone)
    yield from in_turns(evaluate_held(snapshot, assessed.ends))
    found = _answer(world, snapshot, params, seeds, assessed)
    found = msgspec.structs.replace(found, warnings=(*say_several(world, snapshot, params.node_ids), *found.warnings))
    if len(seeds) == 1 and "emptyBecause" in found.data:
        found = yield from _accounted(snapshot, seeds[0], found)
    else:
        found = yield from _named(world, snapshot, seeds, found)
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
    is_open = bool(files.omitted) and answer.data.get("emptyBecause") == "none"
    emptiness: Payload = {"emptyBecause": "notIndexed"} if is_open else {}
    warnings = (*answer.warnings, *limits_of(files, change.compared, change.left))
    touched = changed_files(change.compared.changes)
    answer = msgspec.structs.replace(
        answer, data=data | answer.data | emptiness, warnings=warnings, rests_on=answer.rests_on | touched
    )
    if change.before is not None:
        answer = yield from _named(world, change.before, change.gone, answer)
    answer = yield from _named(world, change.after, change.resigned, answer)
    ids = (change.after.id_of(seed) for seed in change.seeds)
    nodes = [node for node in map(snapshot.find, ids) if node is not None]
    return (yield from with_co_changed(answer, snapshot, nodes, touched, is_compact=is_compact, begins=True))


def _named(world: World, snapshot: Snapshot, seeds: Iterable[int], found: Answer) -> Asking[Answer]:
    """The same, with where code of no language names what changes."""
    named = yield from ask_other_code(world, snapshot, seeds, lambda _path: True)
    return msgspec.structs.replace(found, warnings=tuple(dict.fromkeys((*found.warnings, *named))))


def _accounted(snapshot: Snapshot, node: int, found: Answer) -> Asking[Answer]:
    """The same, with all mentions of a definition that nothing uses: that there is no use must be sure."""
    ledger = yield from ask_ledger(snapshot, node, lambda _path: True)
    how = f"map_neighbors nodeId:{short_id(snapshot, node)} direction:in mentions:true"
    return found if ledger is None else with_mentions(found, snapshot, node, ledger, how=how, listed=False)


def _answer(world: World, snapshot: Snapshot, params: Params, seeds: list[int], found: Assessed) -> Answer:
    is_compact, is_short = params.rows == "compact", params.token_budget <= BUDGET_DEFAULT
    reached = found.reached
    own = role_of_node(snapshot, seeds[0]) if seeds else Role.PRODUCT
    choice = choose(snapshot, found, params, own)
    shown = reached.where(choice.shown)
    data: Payload = {}
    if params.node_ids:
        data["of"] = [short_id(snapshot, node) for node in without_members(snapshot, seeds)]
    if found.bases:
        data["overrides"] = [short_id(snapshot, node) for node in found.bases]
    data["risk"] = found.risk
    data["score"] = round(found.score, SCORE_DIGITS)
    data["factors"] = {
        "directUsers": found.factors.direct_users,
        "files": found.factors.files,
        "folders": found.factors.folders,
        "tests": sum(map(len, found.tests)),
        "public": found.is_public,
    }
    counts = np.bincount(reached.tier, minlength=len(REACH_NAMES)).tolist()
    data["counts"] = {name: count for name, count in zip(REACH_NAMES, counts, strict=True) if count}
    if entries := entry_texts(snapshot, seeds, reached):
        data["entries"] = entries
    if is_compact:
        is_single = len(seeds) == 1
        ranks = choice.ranks.take(choice.shown)
        data["impacted"], more = compact_rows(
            world, snapshot, found, shown, ranks, is_single=is_single, is_short=is_short
        )
    else:
        data["impacted"], more = full_rows(world, snapshot, found, shown)
    if folded := folded_counts(snapshot, reached.node[choice.folded], reached.node[choice.remote]):
        data["folded"] = folded
    if choice.only:
        data["onlyIn"] = list(choice.only)
    if is_compact and policy_of(params) in ("fold", "exclude"):
        data["tests"], more_files = folded_runs(found.tests)
        more_tests = 0
    else:
        data["tests"], more_tests = run_views(found.tests, world.page_chars, is_compact=is_compact)
        more_files = 0
    if found.open_sites:
        first = short_id(snapshot, found.open_nodes[0])
        data["undecided"] = {"sites": found.open_sites, "how": f"map_neighbors nodeId:{first} direction:in"}
    warnings = [*map_warnings(world, snapshot), *say_lost(snapshot, found)]
    if not len(choice.shown) and not len(choice.folded) and not len(choice.remote):
        data["emptyBecause"] = _emptiness(world, snapshot, found, choice.hidden)
        if choice.hidden:
            warnings.append(say_hidden(choice.hidden, "row", params))
    beyond = (
        Dropped("impacted", more, _NARROWER),
        Dropped("tests", more_tests, _NARROWER),
        Dropped("files of tests", more_files, _ALL_TESTS),
    )
    return Answer(
        data,
        GROUPED_LISTS if is_compact else LISTS,
        tuple(warnings),
        tuple(one for one in beyond if one.count),
        incomplete=map_incomplete(world, snapshot),
        rests_on=_files_of(snapshot, seeds, reached if not more else reached.where(reached.depth == 1)),
        identities=_identify(found, shown),
    )


def _files_of(snapshot: Snapshot, seeds: Sequence[int], reached: Reach) -> frozenset[str]:
    inside = [seed for seed in seeds if not snapshot.is_external(seed)]
    nodes = np.concatenate((np.array(inside, dtype=np.int32), reached.node))
    return frozenset(snapshot.files[file].path for file in distinct(columns_of(snapshot).file[nodes]).tolist())


def _identify(found: Assessed, shown: Reach) -> dict[str, str]:
    """Of the lists with all rows, be they made or not."""
    columns = (shown.node, shown.tier, shown.depth)
    tests = [column for run in found.tests for column in (run.found.file, run.found.number)]
    return {"impacted": _digest(columns), "tests": _digest(tests)}


def _digest(columns: Iterable[Numbers]) -> str:
    state = blake2b(digest_size=16)
    for column in columns:
        state.update(column.tobytes())
    return state.hexdigest()


def _emptiness(world: World, snapshot: Snapshot, found: Assessed, hidden: int) -> str:
    because = empty_because(world, snapshot, hidden)
    return "unresolved" if found.open_sites and because not in ("building", "filtered") else because


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
    spans_roots=Spans.ALWAYS,
)
