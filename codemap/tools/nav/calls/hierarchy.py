"""`nav_callHierarchy`: who calls a function, or whom it calls, over up to three steps.

A server without call hierarchies is asked for references instead, where callers are wanted; all else comes from the
map. The answer says so.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Annotated

import msgspec
from msgspec import Meta

from codemap.envelope.answer import Answer, CutList, Dropped, Failure, Spare
from codemap.facts import Symbol, SymbolKind
from codemap.file_roles import Role
from codemap.graph.index.node_roles import role_of_node
from codemap.graph.model.edges import EdgeKind
from codemap.graph.model.snapshot import Snapshot
from codemap.graph.model.values import Confidence
from codemap.graph.query.undecided import Side
from codemap.live_queries import Because, CallItem, CallRoots, Missed, Place, doubt_of
from codemap.tools.nav.calls.rows import CallRow, Spot, Step, function_text, rows_of, steps
from codemap.tools.nav.calls.sources import function_of, map_calls, node_function, reference_calls, server_calls
from codemap.tools.nav.calls.tree import Function, Tree, Way, WayName, grow
from codemap.tools.nav.calls.views import FunctionView, tree_view
from codemap.tools.nav.locations import (
    SPARES,
    Beside,
    Source,
    empty_because,
    folded_members,
    incomplete,
    own_role,
    say_incomplete,
)
from codemap.tools.nav.map_meaning import map_meaning
from codemap.tools.nav.missing_uses import Further, calls_by, uses_of
from codemap.tools.nav.no_answer import fail_first, failed_part, neighbors_call
from codemap.tools.nav.target import Target, ask_at, find_target, is_mapped
from codemap.tools.params import DEPTH_MOST, PositionListParams
from codemap.tools.places.anchors import definitions_at, without_ids
from codemap.tools.places.rows import name_place
from codemap.tools.row_selection import Place as Stand
from codemap.tools.row_selection import filter_rows, is_plain, not_passed, place_of_path, sift
from codemap.tools.tool import SLOW_LIVE_S, Asking, Replied, Spans, Tool, World
from codemap.tools.view import map_incomplete, map_warnings

FROM_REFERENCES = "fallback-references"
FROM_MAP = "fallback-map"
NAMED_MAX = 3
"""Functions whose calls are missing that a warning names."""


class Params(PositionListParams, frozen=True, kw_only=True):
    direction: Way
    depth: Annotated[int, Meta(ge=1, le=DEPTH_MOST)] = 1


class Payload(Source, Beside, total=False):
    root: FunctionView | str
    direction: WayName
    calls: list[Step]


KEY = ("name", "id", "file", "line", "col")


def lists_of(params: Params) -> tuple[CutList | Spare, ...]:
    note = "pass depth:1" if params.depth > 1 else "call again with the nodeId of a child"
    if params.rows == "compact":
        rows = CutList(("calls", "*", "rows"), "calls", note, keep=1, is_grouped=True)
        return *SPARES, rows, CutList(("calls",), "steps", note, key=("depth",))
    below = ("root", "children", "*", "children")
    deepest = (*below, "*", "children")
    return (
        *(SPARES if not is_plain(params) else ()),
        CutList((*deepest, "*", "sites"), "sites", note, keep=1),
        CutList(deepest, "calls of the third step", note),
        CutList((*below, "*", "sites"), "sites", note, keep=1),
        CutList(below, "calls of the second step", note, key=KEY),
        CutList(("root", "children", "*", "sites"), "sites", note, keep=1, key=KEY),
        CutList(("root", "children"), "calls", note, key=KEY),
    )


def answer(world: World, params: Params) -> Asking[Replied]:
    """The tree of calls, as the best that knows it has it."""
    target = yield from find_target(world, params)
    if isinstance(target, Failure):
        return target
    target, fact = yield from ask_at(target, CallRoots)
    if isinstance(fact, Missed) and fact.because in (Because.UNSUPPORTED, Because.UNAVAILABLE):
        return (yield from _derive_tree(world, params, target, fact))
    if isinstance(fact, Missed):
        return fail_first(fact, _say_instead(world, params, target), target)
    items: tuple[CallItem, ...] = fact.value
    if not items:
        name = f"The language server knows no function {target.name} there: nav_references lists its uses."
        return (
            yield from _show_tree(world, params, target, (), Tree((), doubt=doubt_of((fact,))), fact.server, (name,))
        )
    roots = [function_of(item) for item in items]
    tree = yield from grow(roots, params.depth, server_calls(params.direction))
    if isinstance(tree, Missed):
        if tree.because is Because.UNSUPPORTED:
            return (yield from _derive_tree(world, params, target, tree))
        return fail_first(tree, _say_instead(world, params, target), target)
    tree = msgspec.structs.replace(tree, doubt=doubt_of((tree.doubt, fact)))
    return (yield from _show_tree(world, params, target, roots, tree, fact.server))


def _say_instead(world: World, params: Params, target: Target) -> str:
    return neighbors_call(world, target, "in" if params.direction == "incoming" else "out", "calls")


def _derive_tree(world: World, params: Params, target: Target, fact: Missed) -> Asking[Replied]:
    """Derives the tree from references, or from the map; the failure where there is neither."""
    why = failed_part(fact)
    if params.direction == "incoming" and fact.because is Because.UNSUPPORTED:
        root = _name_root(target)
        tree = yield from grow((root,), params.depth, reference_calls(world))
        if isinstance(tree, Tree):
            note = f"Callers are derived from references, as there is no call hierarchy ({why}): treat as approximate."
            return (yield from _show_tree(world, params, target, (root,), tree, FROM_REFERENCES, (note,)))
    node = _find_node_of(world, target)
    if node is None or world.snapshot is None:
        return fail_first(fact, _say_instead(world, params, target), target)
    root = node_function(world, world.snapshot, node)
    tree = yield from grow((root,), params.depth, map_calls(world, world.snapshot, params.direction))
    assert isinstance(tree, Tree), "the map always has an answer"
    note = (
        f"Calls are from the map, not from a language server ({why}): treat as approximate; map_neighbors shows more."
    )
    warnings = (note, *map_warnings(world, world.snapshot))
    return (yield from _show_tree(world, params, target, (root,), tree, FROM_MAP, warnings))


def _find_node_of(world: World, target: Target) -> int | None:
    if world.snapshot is None:
        return None
    if target.row is not None and target.now.parsed is not None:
        return world.snapshot.find(target.now.parsed.id_of(target.row))
    meaning = map_meaning(world, target.now, target.at)
    return None if meaning is None else meaning.node


def _name_root(target: Target) -> Function:
    """Describes a target by the parse of its file; a use of a function is called one."""
    parsed, at = target.now.parsed, target.at
    kind = SymbolKind.FUNCTION if parsed is None or not target.row else SymbolKind(parsed.cell(target.row, Symbol.KIND))
    return Function(target.name, kind.name.lower(), at.file, at.line, at.col)


def _show_tree(
    world: World,
    params: Params,
    target: Target,
    roots: Sequence[Function],
    tree: Tree,
    source: str,
    warnings: Iterable[str] = (),
) -> Asking[Answer]:
    root = roots[0] if roots else _name_root(target)
    functions = [root, *(row.function for row in rows_of(tree.branches))]
    ids = yield from _find_ids(world, target, functions)
    rows = list(rows_of(tree.branches))
    stand = _place_rows(world.snapshot, ids)
    passing = filter_rows(rows, stand, params) if is_plain(params) else sift(rows, stand, params, own_role(target))
    data: Payload = {
        **_list_branches(params, root, ids, tree, passing.rows),
        **folded_members(passing),
        "source": source or "lsp",
    }
    if params.rows == "full":
        data["language"] = target.now.language
    further = Further() if source == FROM_MAP or not roots else _find_further(world, params, target, root, tree)
    side: Side = "in" if params.direction == "incoming" else "out"
    notes = [*target.notes, *warnings, *incomplete(tree.doubt), *further.warning(world, target, side, "call", "calls")]
    notes += without_ids(world, [_place_function(function) for function in functions if function.place not in ids])
    cut_short = _cut_short(tree)
    if cut_short:
        mark = "carry complete:false" if params.rows == "full" else "are marked incomplete"
        notes.append(f"{cut_short} They {mark}: repeat the call, or call with the nodeId of each.")
    is_partial = source == FROM_MAP and world.snapshot is not None and world.snapshot.is_partial
    beyond = further.sentence("call")
    if tree.failures or tree.doubt.incomplete or is_partial or beyond:
        data["complete"] = False
    if tree.branches and not passing.rows:
        data["emptyBecause"] = "filtered"
        notes.append(not_passed(passing.hidden, "call", len({row.function.file for row in rows}), params))
    elif not tree.branches:
        data["emptyBecause"] = "building" if is_partial else empty_because(tree.doubt, beyond)
    note = "pass depth:1, or call again with the nodeId of a child"
    dropped = (Dropped("calls", tree.omitted, note),) if tree.omitted else ()
    why = " ".join(filter(None, (say_incomplete(tree.doubt.incomplete), cut_short, beyond)))
    if source == FROM_MAP and world.snapshot is not None:
        why = map_incomplete(world, world.snapshot)
    files = {target.at.file, *(row.function.file for row in rows if not row.function.is_external)}
    return Answer(data, lists_of(params), tuple(notes), dropped, incomplete=why, rests_on=further.files | files)


def _place_rows(snapshot: Snapshot | None, ids: Mapping[Spot, str]) -> Callable[[CallRow], Stand]:
    def stand(row: CallRow) -> Stand:
        function = row.function
        known = ids.get(function.place, "")
        node = snapshot.find(known) if snapshot is not None and known else None
        is_test = snapshot is not None and node is not None and role_of_node(snapshot, node) is Role.TEST
        count = max(len(row.branch.sites), 1)
        if function.is_external:  # whatever its path is like, it is no test of this repository
            return Stand(function.file, count=count)
        return Stand(function.file, Role.TEST, count) if is_test else place_of_path(function.file, count)

    return stand


def _list_branches(
    params: Params, root: Function, ids: Mapping[Spot, str], tree: Tree, shown: Sequence[CallRow]
) -> Payload:
    if params.rows == "full":
        root_view = tree_view(root, tree.branches, ids, {id(row.branch) for row in shown})
        return {"root": root_view, "direction": params.direction}
    return {"root": function_text(root, ids, params), "calls": steps(shown, ids, params.direction)}


def _find_further(world: World, params: Params, target: Target, root: Function, tree: Tree) -> Further:
    """What the map has beyond the first step of the tree. Servers differ in where a call is: what is on a line of
    calls, or by a caller that is named, counts as named."""
    meaning = map_meaning(world, target.now, target.at)
    if meaning is None or world.snapshot is None or meaning.confidence is Confidence.NAME or tree.omitted:
        return Further()
    by_path = world.snapshot.by_path
    is_incoming = params.direction == "incoming"
    lines = {
        (branch.function.file if is_incoming else root.file, line)
        for branch in tree.branches
        for line, _ in branch.sites
    }
    if not is_incoming:
        return calls_by(world, meaning.node, lambda site: (site.path, site.line) in lines)
    callers = {branch.function.place for branch in tree.branches}
    return uses_of(
        world,
        meaning.node,
        (EdgeKind.CALLS,),
        lambda site: (
            (site.path, site.line) in lines or (site.path, *name_place(by_path[site.path], site.owner)) in callers
        ),
    )


def _cut_short(tree: Tree) -> str:
    """Whose calls are missing, and why, as a sentence; empty where nobody's are."""
    if not tree.failures:
        return ""
    names = [function.name for function, _ in tree.failures]
    named = ", ".join(names[:NAMED_MAX]) + (f" and {len(names) - NAMED_MAX} more" if len(names) > NAMED_MAX else "")
    return f"The calls of {named} are missing: {failed_part(tree.failures[0][1])}."


def _find_ids(world: World, target: Target, functions: Sequence[Function]) -> Asking[dict[Spot, str]]:
    """The node ID of each function that the map knows."""
    ids = {function.place: function.id for function in functions if function.id}
    unknown = [function for function in functions if not function.id]
    places = [_place_function(function) for function in unknown]
    parsed = target.now.parsed
    held = {target.at.file: parsed} if parsed is not None and is_mapped(world, target.at.file) else {}
    definitions = yield from definitions_at(world, places, held)
    for function, definition in zip(unknown, definitions, strict=True):
        if definition is not None:
            ids[function.place] = definition.id
    return ids


def _place_function(function: Function) -> Place:
    handle = function.handle
    if isinstance(handle, CallItem):
        return handle.place
    return Place(function.file, function.line, function.col, function.line, function.col + 1)


TOOL = Tool(
    name="nav_callHierarchy",
    command="call-hierarchy",
    title="Call hierarchy",
    description="Who calls a function (incoming), or whom it calls (outgoing), step by step: how far a change reaches.",
    params=Params,
    payload=Payload,
    answer=answer,
    questions_s=SLOW_LIVE_S,
    spans_roots=Spans.MISSED,
)
