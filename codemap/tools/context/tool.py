"""`map_context`: where to begin with a task: what to read first and why, its code, what that needs, callers and tests.

The task may be words, names, a pasted stack trace, the output of a failing test, or node IDs. The code of the best is
whole as long as there is room; what is related to it, and the code of the rest, follow.
"""

from __future__ import annotations

from typing import Annotated, Literal, TypedDict

from msgspec import Meta

from codemap.context.seeds import Seed, Task, read_task, reasons_of
from codemap.envelope.answer import Answer, CutList, Failure, Spare
from codemap.envelope.errors import ErrorCode
from codemap.envelope.native import BUDGET_DEFAULT
from codemap.facts import Symbol
from codemap.graph.model.edges import EdgeKind
from codemap.graph.model.snapshot import Snapshot
from codemap.graph.model.values import Confidence
from codemap.graph.query.chain_marks import Mark
from codemap.graph.query.reachability import joined
from codemap.tools.code.related import Relation, Surroundings, find_surroundings
from codemap.tools.code.shown import Piece, RelatedView, code_pieces, code_texts, related_rows, related_views
from codemap.tools.compact import GroupedRows, Row, group_by_file, row_place, short_id
from codemap.tools.context.companions import find_companions
from codemap.tools.context.essential import (
    ESSENTIAL_CHARS,
    FURTHER_CHARS,
    OF_SUSPECTS_CHARS,
    REST_CHARS,
    choose_essential,
    choose_fitting,
    read_codes,
)
from codemap.tools.history.params import CompanionView
from codemap.tools.history.views import companion_rows, companion_views
from codemap.tools.params import MapParams, NodeIdText, Rows
from codemap.tools.path.found import chain_of_calls
from codemap.tools.path.views import chain_texts
from codemap.tools.search.tool import TOO_EARLY
from codemap.tools.tool import Asking, Replied, Spans, Tool, World
from codemap.tools.view import (
    EmptyBecause,
    empty_because,
    find_node,
    map_incomplete,
    map_warnings,
    not_built,
    stale_files,
)

IDS_MAX = 20
READ_MAX = 8
"""Definitions that are named as what to read first."""
ALSO_MAX = 40
"""Further definitions that may be meant, by name alone: a line each."""
SUSPECTS_MAX = 160
"""The same where a failing test leads to them: which of those that ran is at fault its text seldom says."""
MORE_MAX = 4
"""Further definitions whose code follows where there is room."""
ROOTS = 3
"""Of those to read first, whose surroundings are shown."""
PATH_MAX = 5
PATH_STARTS, PATH_ENDS = 2, 4
"""Of those to read first, between which a path is looked for."""
_STEPS = frozenset((Mark.CALL, Mark.CONSTRUCTOR, Mark.OVERRIDE, Mark.DECORATED))
"""Of a path that is worth its room: what runs when the first runs."""

Purpose = Literal["understand", "fix", "extend", "refactor", "test"]

_RELATIONS: dict[Purpose, tuple[Relation, ...]] = {
    "understand": ("callees", "types", "callers"),
    "fix": ("callees", "callers", "tests"),
    "extend": ("types", "callees", "tests"),
    "refactor": ("callers", "tests", "callees"),
    "test": ("tests", "callees", "types"),
}
"""What is worth knowing of the surroundings, the best first."""


class Params(MapParams, frozen=True, kw_only=True):
    task: Annotated[str, Meta(description="Words, names, a stack trace, test output, a diff")] = ""
    node_ids: Annotated[tuple[NodeIdText, ...], Meta(max_length=IDS_MAX)] = ()
    purpose: Purpose = "understand"
    rows: Rows = "compact"


class ReadView(TypedDict, total=False):
    id: str
    line: int
    endLine: int
    why: list[str]


class Payload(TypedDict, total=False):
    read: list[str | ReadView]
    code: dict[str, list[str]]
    pieces: list[Piece]
    path: list[str]
    callees: GroupedRows
    types: GroupedRows
    callers: GroupedRows
    tests: GroupedRows
    changesWith: GroupedRows
    companions: list[CompanionView]
    related: list[RelatedView]
    outsideFrames: int
    unknown: list[str]
    also: GroupedRows
    bodies: dict[str, list[str]]
    emptyBecause: EmptyBecause
    staleFiles: list[str]


_RELATED_PAGE: dict[Relation, int] = {"callees": 3, "types": 3, "callers": 4, "tests": 4}
_CODE_NOTE = "map_code with their IDs"
_BODIES = CutList(("bodies",), "further code", _CODE_NOTE, is_grouped=True)
_ALSO = CutList(("also",), "further definitions", "name the task more closely", is_grouped=True)


FULL_LISTS: tuple[CutList | Spare, ...] = (
    CutList(("companions",), "companions", "call map_history"),
    CutList(("staleFiles",), "stale files", "call map_rebuild"),
    CutList(("unknown",), "unknown names", "map_search finds what resembles one"),
    CutList(("related",), "related definitions", "map_neighbors lists all"),
    _ALSO,
    Spare(("path",), "paths", "call map_path"),
    CutList(("pieces",), "pieces of code", _CODE_NOTE),
    CutList(("read",), "definitions to read", "name the task more closely"),
)


def _compact_lists(params: Params, *, has_suspects: bool) -> tuple[CutList | Spare, ...]:
    """A few of what is related are worth more than names that may be meant as well, but where one of these is at fault.
    Where there is much room, all of it is shown."""
    pages = {} if has_suspects or params.token_budget > BUDGET_DEFAULT else _RELATED_PAGE
    related = [
        CutList((one,), one, "map_neighbors lists all", page=pages.get(one, 0), is_grouped=True)
        for one in reversed(_RELATIONS[params.purpose])
    ]
    return (
        _BODIES,
        CutList(("changesWith",), "companions", "call map_history", is_grouped=True),
        CutList(("staleFiles",), "stale files", "call map_rebuild"),
        CutList(("unknown",), "unknown names", "map_search finds what resembles one"),
        *((*related, _ALSO) if has_suspects else (_ALSO, *related)),
        Spare(("path",), "paths", "call map_path"),
        CutList(("code",), "pieces of code", _CODE_NOTE, is_grouped=True),
        CutList(("read",), "definitions to read", "name the task more closely"),
    )


def answer(world: World, params: Params) -> Replied | Asking[Replied]:
    """Finds the definitions that the task is about, and shows them with their code and what is related."""
    if world.snapshot is None:
        return not_built(world)
    if not params.task.strip() and not params.node_ids:
        return Failure(ErrorCode.BAD_ARGS, "task: missing; expected words, names, a stack trace, or pass nodeIds.")
    given = []
    for text in params.node_ids:
        node = find_node(world, world.snapshot, text)
        if isinstance(node, Failure):
            return node
        given.append(node)
    return _answer_task(world, world.snapshot, read_task(world.snapshot, params.task, given, world.own), params)


def _answer_task(world: World, snapshot: Snapshot, task: Task, params: Params) -> Asking[Replied]:
    seeds = [seed for seed in task.seeds if not snapshot.is_external(seed.node)]
    read = seeds[:READ_MAX]
    codes = yield from read_codes(snapshot, seeds[: READ_MAX + MORE_MAX], params.task)
    essential = choose_essential(codes.shown, OF_SUSPECTS_CHARS if task.has_suspects else ESSENTIAL_CHARS)
    rest = choose_fitting(codes.rest_of(essential), REST_CHARS)
    more = choose_fitting([code for code in codes.shown if code not in essential], FURTHER_CHARS)[:MORE_MAX]
    roots = [seed.node for seed in read[:ROOTS]]
    around = find_surroundings(snapshot, roots, _RELATIONS[params.purpose], 1)
    data: Payload = {}
    is_compact = params.rows == "compact"
    reasons = [(seed, reasons_of(snapshot, task, seed)) for seed in read]
    data["read"] = [_read_text(snapshot, *one) if is_compact else _read_view(snapshot, *one) for one in reasons]
    if is_compact:
        data["code"] = code_texts(essential)
    else:
        data["pieces"] = code_pieces([*essential, *rest], more)
    if also := seeds[READ_MAX : READ_MAX + (SUSPECTS_MAX if task.has_suspects else ALSO_MAX)]:
        data["also"] = group_by_file(_show_row(snapshot, seed) for seed in also)
    path = _find_path(world, snapshot, read)
    if path:
        data["path"] = path
    _add_related(world, snapshot, data, around, params)
    usual = yield from find_companions(snapshot, read)
    if usual and is_compact:
        data["changesWith"] = companion_rows(snapshot, usual)
    elif usual:
        data["companions"] = companion_views(snapshot, usual)
    if task.outside:
        data["outsideFrames"] = task.outside
    if task.unknown:
        data["unknown"] = list(task.unknown)
    if is_compact and (rest or more):
        data["bodies"] = code_texts([*rest, *more])
    if stale := stale_files(world):
        data["staleFiles"] = stale
    warnings, incomplete = map_warnings(world, snapshot), map_incomplete(world, snapshot)
    if task.found.is_too_early:
        incomplete = f"{TOO_EARLY} {incomplete}".rstrip()
        warnings.append(f"{TOO_EARLY} Repeat the call in a moment.")
    elif not read:
        warnings.append("Nothing in the map is named or described so: try other words, or start from map_overview.")
    if not read:
        data["emptyBecause"] = "building" if task.found.is_too_early else empty_because(world, snapshot)
    if task.is_of_words and world.own is not None:
        warnings.append('Words were looked for in this root alone: map_search with fileFilter:"@*" looks in all.')
    files = {snapshot.row_of(seed.node)[0].path for seed in seeds}
    return Answer(
        data,
        _compact_lists(params, has_suspects=task.has_suspects) if is_compact else FULL_LISTS,
        tuple(warnings),
        incomplete=incomplete,
        rests_on=frozenset(files),
    )


def _add_related(world: World, snapshot: Snapshot, data: Payload, around: Surroundings, params: Params) -> None:
    if params.rows != "compact":
        if views := related_views(world, snapshot, around):
            data["related"] = views
        return
    for relation in _RELATIONS[params.purpose]:
        if rows := related_rows(snapshot, around, relation):
            data[relation] = rows


def _find_path(world: World, snapshot: Snapshot, read: list[Seed]) -> list[str]:
    """A chain of calls from one of the best to another, where there is one."""
    nodes = [seed.node for seed in read[:PATH_ENDS]]
    possible = joined(snapshot, nodes, PATH_MAX)
    for one in nodes[:PATH_STARTS]:
        for other in nodes[1:]:
            for start, end in ((one, other), (other, one)):
                if (start, end) not in possible or _calls(snapshot, start, end):
                    continue
                chain = chain_of_calls(snapshot, start, end, PATH_MAX)
                if len(chain) > 1 and all(link.mark in _STEPS and link.confidence < Confidence.NAME for link in chain):
                    return chain_texts(world, snapshot, start, chain)
    return []


def _calls(snapshot: Snapshot, start: int, end: int) -> bool:
    """Whether a call leads there at once: no chain costs less, and one of a single step is not worth its room."""
    table = snapshot.edges
    rows = table.leaving(start)
    rows = rows[(table.target[rows] == end) & (table.kind[rows] == EdgeKind.CALLS)]
    return bool((table.confidence[rows] < Confidence.NAME).any())


def _read_text(snapshot: Snapshot, seed: Seed, reasons: tuple[str, ...]) -> str:
    """`app/store.py#Store.get 12-40 frame 1, line 31; named`."""
    file, row = snapshot.row_of(seed.node)
    lines = f" {file.cell(row, Symbol.LINE)}-{file.cell(row, Symbol.END_LINE)}" if row else ""
    return f"{short_id(snapshot, seed.node)}{lines} {'; '.join(reasons)}"


def _show_row(snapshot: Snapshot, seed: Seed) -> Row:
    """A definition that may be meant, without its reasons."""
    file, name = row_place(snapshot, seed.node)
    return Row(file, name, (str(snapshot.cell(seed.node, Symbol.LINE)),) if name else ())


def _read_view(snapshot: Snapshot, seed: Seed, reasons: tuple[str, ...]) -> ReadView:
    file, row = snapshot.row_of(seed.node)
    view: ReadView = {"id": snapshot.id_of(seed.node), "line": file.cell(row, Symbol.LINE) if row else 1}
    if row:
        view["endLine"] = file.cell(row, Symbol.END_LINE)
    view["why"] = list(reasons)
    return view


TOOL = Tool(
    name="map_context",
    command="context",
    title="Where to begin",
    description="Begin here: a task in words, names, a stack trace or test output; gives what to read first and why, "
    "its code, what it needs, callers, tests.",
    params=Params,
    payload=Payload,
    answer=answer,
    long_texts=frozenset(("task",)),
    spans_roots=Spans.ALWAYS,
)
