"""`map_context`: where to begin with a task: what to read first and why, its code, what that needs, callers and tests.

The task may be words, names, a pasted stack trace, the output of a failing test, or node IDs. The code of the best is
whole as long as there is room; what is related to it, and the code of the rest, follow. On a page of the usual size
what only words describe is shown by the lines about it, and what its code does not name follows: who calls it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal, TypedDict

from msgspec import Meta
from msgspec.structs import replace

from codemap.context.seeds import Seed, Task, read_task, reasons_of
from codemap.envelope.answer import Answer, CutList, Dropped, Failure, Spare
from codemap.envelope.errors import ErrorCode
from codemap.envelope.native import BUDGET_DEFAULT
from codemap.facts import Symbol
from codemap.graph.model.snapshot import Snapshot
from codemap.tools.code.related import Relation, Surroundings, find_surroundings
from codemap.tools.code.shown import Piece, RelatedView, code_pieces, code_texts, related_rows, related_views
from codemap.tools.compact import GroupedRows, Row, group_by_file, row_place, short_id
from codemap.tools.context.companions import find_companions
from codemap.tools.context.essential import (
    BRIEF_CHARS,
    ESSENTIAL_CHARS,
    FURTHER_CHARS,
    OF_SUSPECTS_CHARS,
    REST_CHARS,
    choose_essential,
    choose_fitting,
    read_codes,
)
from codemap.tools.context.path import find_path
from codemap.tools.history.params import CompanionView
from codemap.tools.history.views import companion_rows, companion_views
from codemap.tools.node_lookup import find_node
from codemap.tools.params import MapParams, NodeIdText, Rows
from codemap.tools.search.tool import TOO_EARLY
from codemap.tools.tool import Asking, Replied, Spans, Tool, World
from codemap.tools.view import EmptyBecause, empty_because, map_incomplete, map_warnings, not_built, stale_files

IDS_MAX = 20
READ_MAX = 8
"""Definitions that are named as what to read first."""
ALSO_MAX, ALSO_BRIEF = 40, 5
"""Further definitions that may be meant, by name alone: a line each. Few on a page of the usual size."""
SUSPECTS_MAX = 160
"""The same where a failing test leads to them: which of those that ran is at fault its text seldom says."""
MORE_MAX = 4
"""Further definitions whose code follows where there is room."""
ROOTS = 3
"""Of those to read first, whose surroundings are shown."""
Purpose = Literal["understand", "fix", "extend", "refactor", "test"]

_RELATIONS: dict[Purpose, tuple[Relation, ...]] = {
    "understand": ("callees", "types", "callers"),
    "fix": ("callees", "callers", "tests"),
    "extend": ("types", "callees", "tests"),
    "refactor": ("callers", "tests", "callees"),
    "test": ("tests", "callees", "types"),
}
"""What is worth knowing of the surroundings, the best first."""
_NAMED_IN_CODE: frozenset[Relation] = frozenset(("callees", "types"))
"""What the code that is shown names itself: left out of a page of the usual size."""


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


_RELATED_PAGE: dict[Relation, int] = {"callers": 4, "tests": 4}
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


def _compact_lists(params: Params, *, has_suspects: bool, is_brief: bool) -> tuple[CutList | Spare, ...]:
    """A few of what is related are worth more than names that may be meant as well, but where one of these is at fault.
    Where there is much room, all of it is shown."""
    pages = _RELATED_PAGE if is_brief else {}
    related = [
        CutList((one,), one, "map_neighbors lists all", page=pages.get(one, 0), is_grouped=True)
        for one in reversed(_RELATIONS[params.purpose])
    ]
    return (
        _BODIES,
        CutList(("changesWith",), "companions", "call map_history", is_grouped=True),
        CutList(("staleFiles",), "stale files", "call map_rebuild"),
        CutList(("unknown",), "unknown names", "map_search finds what resembles one"),
        *((*related, _ALSO) if has_suspects else (replace(_ALSO, page=ALSO_BRIEF if is_brief else 0), *related)),
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
    is_compact = params.rows == "compact"
    is_of_frames = task.has_suspects or any(seed.line for seed in seeds)
    is_brief = is_compact and not is_of_frames and params.token_budget <= BUDGET_DEFAULT
    shown = read if is_brief else seeds[: READ_MAX + MORE_MAX]
    codes = yield from read_codes(snapshot, shown, params.task, is_brief=is_brief)
    room = OF_SUSPECTS_CHARS if task.has_suspects else BRIEF_CHARS if is_brief else ESSENTIAL_CHARS
    essential = choose_essential(codes.shown, room)
    rest = choose_fitting(codes.rest_of(essential), REST_CHARS)
    more = choose_fitting([code for code in codes.shown if code not in essential], FURTHER_CHARS)[:MORE_MAX]
    roots = [seed.node for seed in read[:ROOTS]]
    relations = tuple(one for one in _RELATIONS[params.purpose] if not (is_brief and one in _NAMED_IN_CODE))
    around = find_surroundings(snapshot, roots, relations, 1)
    data: Payload = {}
    reasons = [(seed, reasons_of(snapshot, task, seed)) for seed in read]
    data["read"] = [_read_text(snapshot, *one) if is_compact else _read_view(snapshot, *one) for one in reasons]
    if is_compact:
        data["code"] = code_texts(essential)
    else:
        data["pieces"] = code_pieces([*essential, *rest], more)
    if also := seeds[READ_MAX : READ_MAX + (SUSPECTS_MAX if task.has_suspects else ALSO_MAX)]:
        data["also"] = group_by_file(_show_row(snapshot, seed) for seed in also)
    path = find_path(world, snapshot, read)
    if path:
        data["path"] = path
    _add_related(world, snapshot, data, around, relations if is_compact else ())
    usual = yield from find_companions(snapshot, read)
    if usual and is_compact:
        data["changesWith"] = companion_rows(snapshot, usual)
    elif usual:
        data["companions"] = companion_views(snapshot, usual)
    if task.outside:
        data["outsideFrames"] = task.outside
    if task.unknown:
        data["unknown"] = list(task.unknown)
    beyond: tuple[Dropped, ...] = ()
    if is_brief and (rest or more):
        beyond = (Dropped(_BODIES.kind, len(rest) + len(more), _CODE_NOTE),)
    elif is_compact and (rest or more):
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
        _compact_lists(params, has_suspects=task.has_suspects, is_brief=is_brief) if is_compact else FULL_LISTS,
        tuple(warnings),
        beyond,
        incomplete=incomplete,
        rests_on=frozenset(files),
    )


def _add_related(
    world: World, snapshot: Snapshot, data: Payload, around: Surroundings, compact: Sequence[Relation]
) -> None:
    """Adds each of the `compact` relations as rows; where there are none of these, objects."""
    if not compact:
        if views := related_views(world, snapshot, around):
            data["related"] = views
        return
    for relation in compact:
        if rows := related_rows(snapshot, around, relation):
            data[relation] = rows


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
