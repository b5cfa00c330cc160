"""`map_neighbors`: the neighbors of a node."""

from __future__ import annotations

from collections.abc import Sequence
from types import MappingProxyType

from msgspec.structs import replace

from codemap.envelope.answer import Answer, Failure
from codemap.envelope.errors import ErrorCode
from codemap.graph.likelihood.held_functions import evaluate_held
from codemap.graph.model.edges import EdgeKind
from codemap.graph.model.snapshot import Snapshot
from codemap.graph.query.override_family import Kin, family_of
from codemap.graph.words.exported_names import find_exported_as
from codemap.tools.code_lines import ask_code
from codemap.tools.framework_runs import find_parameters, find_shown_users, with_senders, with_users_of_fixture
from codemap.tools.joined_answers import NODES_MAX, join_answers
from codemap.tools.mentions import LISTED, ask_ledger, with_mentions, with_sites
from codemap.tools.names.namesakes import few_namesakes
from codemap.tools.neighbors.asked import WHOLE_DEPTH, Asked, Params, goes_deep
from codemap.tools.neighbors.compact import compact_answer
from codemap.tools.neighbors.folders import answer_group, find_group
from codemap.tools.neighbors.full import full_answer
from codemap.tools.neighbors.joined_words import ask_joined, ask_made
from codemap.tools.neighbors.meant import lacks_users, with_heirs, with_overrides, with_users, with_whole
from codemap.tools.neighbors.omissions import find_few_others, say_further, say_omissions
from codemap.tools.neighbors.outside import ask_outside
from codemap.tools.neighbors.payload import Payload
from codemap.tools.neighbors.through_members import add_uses_of_members
from codemap.tools.neighbors.writes import ask_writes, say_unlisted, split_writes
from codemap.tools.node_lookup import find_node
from codemap.tools.other_code import ask_other_code, list_aliases
from codemap.tools.partly_parsed import warn_of_errors, warn_of_imports, warn_of_macros
from codemap.tools.row_selection import passes_filter
from codemap.tools.scope import Scope
from codemap.tools.search.exact_text import with_hint
from codemap.tools.tool import Asking, Replied, Spans, Tool, World, in_turns, settled
from codemap.tools.verify_edges import check_around
from codemap.tools.view import not_built

_WITH_CODE = frozenset(("neighbors", "unresolved", "mentionsRest"))
_SAID_BY_USES = ("imports",)
"""Edges whose code says nothing where all kinds are asked for."""


def answer(world: World, params: Params) -> Replied | Asking[Replied]:
    """The relationships of a node, or of each of several, then those that could not be decided; with their code where
    that is asked for."""
    texts = tuple(dict.fromkeys(text for text in (params.node_id, *params.node_ids) if text))
    if not texts:
        return Failure(ErrorCode.BAD_ARGS, f"nodeId: expected a node ID, or nodeIds with 1 to {NODES_MAX} of them.")
    if len(texts) == 1:
        return _answer_one(world, replace(params, node_id=texts[0], node_ids=()))
    return _answer_each(replace(world, page_chars=0), params, texts)


def _answer_each(world: World, params: Params, texts: Sequence[str]) -> Asking[Replied]:
    found: dict[str, Replied] = {}
    for text in texts:
        one = replace(params, node_id=text, node_ids=())
        found[text] = yield from settled(_answer_one(world, one))
    return join_answers(found)


def _answer_one(world: World, params: Params) -> Replied | Asking[Replied]:
    found = _answer(world, params)
    if world.snapshot is None or not params.code or params.rows != "compact":
        return found
    return _add_code(world.snapshot, params, found)


def _add_code(snapshot: Snapshot, params: Params, asking: Replied | Asking[Replied]) -> Asking[Replied]:
    found = yield from settled(asking)
    if isinstance(found, Failure):
        return found
    own = str(found.data["node"]).partition(":")[2].partition("#")[0]
    bare = () if params.edge_kinds else _SAID_BY_USES
    return (yield from ask_code(snapshot, found, _WITH_CODE, own, bare))


def _answer(world: World, params: Params) -> Replied | Asking[Replied]:
    snapshot = world.snapshot
    is_too_deep = params.depth > world.limits.depth_max and params.direction == "both"
    if is_too_deep and goes_deep(downwards := replace(params, direction="in")):
        text = "direction: in, as a whole hierarchy goes one way. Pass direction:out for the other."
        return _answer_nearer(world, downwards, text)
    if is_too_deep:
        most = world.limits.depth_max
        text = f"depth: {most}, the most but in one direction ({WHOLE_DEPTH})."
        return _answer_nearer(world, replace(params, depth=most), text)
    if params.family and params.depth > 1:
        text = "depth: 1, as family is of one step; ask again about the callers."
        return _answer_nearer(world, replace(params, depth=1), text)
    if snapshot is None:
        return not_built(world)
    node = find_node(world, snapshot, params.node_id)
    if isinstance(node, Failure):
        asked = _ask_all(world, snapshot, params)
        if asked is not None:
            return _add_texts(asked, _say_which(asked, compact_answer(asked)))
        if params.rows != "compact":
            return node
        if not params.verify and (nodes := few_namesakes(snapshot, params.node_id)):
            return _answer_first(world, snapshot, params, nodes)
        if len(exported := find_exported_as(snapshot, params.node_id)) == 1:
            return _answer_exported(world, snapshot, params, exported[0])
        if (group := find_group(snapshot, params.node_id)) is not None:
            return answer_group(world, snapshot, group, params)
        return _answer_outside(world, snapshot, params, node)
    if others := find_few_others(snapshot, node, params):
        asked = with_heirs(Asked(world, snapshot, node, replace(params, family=True), others))
        return _add_texts(asked, _say_which(asked, compact_answer(asked)))
    asked = with_whole(with_heirs(with_overrides(Asked(world, snapshot, node, params))))
    if params.verify:
        return _verify_first(asked)
    if (used := _answer_by_definitions(asked)) is not None:
        return used
    return _answer_in_turns(with_users(asked))


def _answer_in_turns(asked: Asked) -> Asking[Replied]:
    """The answer about a node; others are answered while it is found out which variables hold the node."""
    if "in" in asked.sides and EdgeKind.CALLS in asked.kinds:
        yield from in_turns(evaluate_held(asked.snapshot, (asked.node,)))
    found = say_omissions(asked, add_uses_of_members(asked, _answer_asked(asked)))
    return (yield from _add_texts(asked, found))


def _answer_exported(world: World, snapshot: Snapshot, params: Params, node: int) -> Asking[Replied]:
    """The answer about what is exported under the name that was given."""
    found = yield from settled(_answer(world, replace(params, node_id=snapshot.id_of(node))))
    text = f"{params.node_id} is the name under which {snapshot.name_of(node)} is exported."
    return found if isinstance(found, Failure) else replace(found, warnings=(text, *found.warnings))


def _answer_outside(world: World, snapshot: Snapshot, params: Params, failure: Failure) -> Asking[Replied]:
    """Who uses what is outside the repository and has the name that was given."""
    found = yield from ask_outside(world, snapshot, params)
    made = yield from ask_made(snapshot, params.node_id)
    if found is not None:
        return replace(found, warnings=(*found.warnings, *made))
    if made:
        return replace(failure, message=" ".join((failure.message, *made)))
    return (yield from with_hint(failure, params.node_id))


def _answer_by_definitions(asked: Asked) -> Answer | None:
    """Who uses what is in a file that no import names; None where imports do, or nothing is used."""
    snapshot, params = asked.snapshot, asked.params
    if (
        params.rows != "compact"
        or params.direction != "in"
        or not (snapshot.is_file(asked.node) and lacks_users(asked))
    ):
        return None
    path = snapshot.row_of(asked.node)[0].path
    found = answer_group(asked.world, snapshot, Scope((path,), role=asked.role), replace(params, edge_kinds=()))
    text = "No import names the file: the users of what it defines are listed."
    return replace(found, warnings=(text, *found.warnings)) if found.data["neighbors"] else None


def _answer_nearer(world: World, params: Params, text: str) -> Asking[Replied]:
    """The answer to what comes nearest to the call, with what it is instead."""
    found = yield from settled(_answer(world, params))
    return found if isinstance(found, Failure) else replace(found, warnings=(text, *found.warnings))


def _ask_all(world: World, snapshot: Snapshot, params: Params) -> Asked | None:
    """The call about the users of all that a name may mean; None where these are too many, or not asked for."""
    nodes = few_namesakes(snapshot, params.node_id) if params.rows == "compact" and not params.verify else ()
    is_deep = params.depth > 1 and not goes_deep(params)
    if not nodes or params.direction == "out" or is_deep:
        return None
    first = next((one for one in nodes if not _overrides_any(snapshot, one, nodes)), nodes[0])
    others = tuple(one for one in nodes if one != first)
    return with_whole(with_heirs(Asked(world, snapshot, first, replace(params, direction="in", family=True), others)))


def _answer_first(world: World, snapshot: Snapshot, params: Params, nodes: Sequence[int]) -> Asking[Replied]:
    """The answer about the most used of those that a name may mean, where it cannot be about all; with the others."""
    first, *others = map(snapshot.id_of, nodes)
    found = yield from settled(_answer(world, replace(params, node_id=first)))
    text = f"{params.node_id} may mean {len(nodes)} nodes: this is the most used; others: {', '.join(others)}."
    return found if isinstance(found, Failure) else replace(found, warnings=(text, *found.warnings))


def _overrides_any(snapshot: Snapshot, node: int, nodes: Sequence[int]) -> bool:
    return any(how is Kin.BASE and one in nodes for one, how in family_of(snapshot, node).items())


def _say_which(asked: Asked, found: Answer) -> Answer:
    named = f"{asked.params.node_id} may mean {1 + len(asked.others)} nodes"
    listed = "heirs of all are listed, `of`" if asked.is_hierarchy else "users of all are listed, `to`"
    text = f"{named}: {listed} says of which. For one alone pass its ID."
    return say_further(asked, replace(found, warnings=(text, *found.warnings)))


def _is_about_uses(asked: Asked, found: Answer) -> bool:
    """Whether the answer must account for every mention of the name: see `codemap.tools.mentions`. What overrides a
    method is no use of it."""
    params = asked.params
    if asked.is_about_heirs and asked.family and not params.mentions:
        return False
    return params.mentions or params.direction == "in" or ("emptyBecause" in found.data and params.direction != "out")


def _add_texts(asked: Asked, found: Answer) -> Asking[Answer]:
    """The answer with where a field is written, and with what it says of all mentions, or only of those in code that no
    language knows."""
    if asked.params.rows == "compact" and (writes := (yield from ask_writes(asked, found))):
        family, writes = split_writes(found.data.get("family", {}), writes)
        added = {name: rows for name, rows in (("family", family), ("writes", writes)) if rows}
        found = replace(found, data={**found.data, **added}, warnings=(*found.warnings, *say_unlisted(asked, found)))
    passes = passes_filter(asked.params.file_filter)
    is_called = "in" in asked.sides and EdgeKind.CALLS in asked.kinds and asked.params.depth == 1
    given = find_shown_users(asked.snapshot, asked.node, asked.params, asked.role) if is_called else ()
    if is_called:
        found = with_senders(found, asked.snapshot, asked.node, asked.params, asked.role)
    if not _is_about_uses(asked, found):
        found = with_users_of_fixture(found, asked.snapshot, given, {})
        if "in" not in asked.sides:
            return found
        named = yield from ask_other_code(asked.world, asked.snapshot, (asked.node,), passes)
        return replace(found, warnings=(*found.warnings, *named))
    ledger = yield from ask_ledger(asked.snapshot, asked.node, passes)
    parameters = find_parameters(asked.snapshot, given, ledger)
    found = with_users_of_fixture(found, asked.snapshot, given, parameters)
    if ledger is None:
        return found
    if parameters:
        ledger = with_sites(ledger, {(at.file, at.line, at.col) for at in parameters.values()})
    if asked.family_sites:
        ledger = with_sites(ledger, asked.family_sites)
    few = None if asked.params.rows == "compact" else False
    listed = asked.params.mentions or few
    whole = with_mentions(found, asked.snapshot, asked.node, ledger, how=LISTED, listed=listed)
    aliases = list_aliases(asked.snapshot, asked.node)
    named = yield from ask_other_code(asked.world, asked.snapshot, aliases, passes)
    whole = replace(whole, warnings=(*whole.warnings, *named))
    return (yield from ask_joined(asked, whole))


def _verify_first(asked: Asked) -> Asking[Replied]:
    """Answers from a map that a language server was asked about first."""
    checked = yield from check_around(asked.snapshot, asked.node, asked.sides, asked.kinds)
    asked = Asked(asked.world, checked.snapshot, asked.node, asked.params)
    found = yield from _add_texts(asked, _answer_asked(asked))
    return replace(
        found,
        warnings=(*found.warnings, *checked.warnings),
        incomplete=" ".join(filter(None, (found.incomplete, checked.incomplete))),
        learned=checked.found,
    )


def _answer_asked(asked: Asked) -> Answer:
    found = full_answer(asked) if asked.params.rows == "full" else compact_answer(asked)
    file = asked.snapshot.file_of(asked.node)
    doubts = warn_of_errors(file)
    if file is not None and "out" in asked.sides:
        doubts += warn_of_macros(file, asked.node - file.base)
        doubts += warn_of_imports(asked.snapshot, file) if asked.node == file.base else []
    if not doubts:
        return found
    data = dict(found.data)
    if data.get("emptyBecause") == "none" and "out" in asked.sides:
        data["emptyBecause"] = "unresolved"
    return replace(found, data=data, warnings=(*found.warnings, *doubts))


TOOL = Tool(
    name="map_neighbors",
    command="neighbors",
    title="Neighbors of a node",
    description=(
        "Who calls, imports, extends or references a node, folder or package (in), and what it uses (out), with every "
        "line; unresolved: uses that may mean it."
    ),
    params=Params,
    payload=Payload,
    answer=answer,
    needs_edges=True,
    spans_roots=Spans.ALWAYS,
    reach=MappingProxyType({"depth": WHOLE_DEPTH}),
)
