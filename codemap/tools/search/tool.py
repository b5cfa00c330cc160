"""`map_search`: finds node IDs for a name or a question in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from itertools import chain
from typing import Annotated, TypedDict, cast

from msgspec import UNSET, Meta, UnsetType
from msgspec.structs import replace

from codemap.envelope.answer import Answer, CutList, Dropped, Failure, Spare
from codemap.facts import Symbol, SymbolKind
from codemap.graph.model.snapshot import Snapshot
from codemap.graph.query.override_family import find_wholes
from codemap.graph.query.search import search, why
from codemap.graph.query.search_hits import Found, Tier
from codemap.languages import language_of
from codemap.occurrences.words import word_of
from codemap.tools.compact import FoldedCounts, short_id, short_id_of
from codemap.tools.mentions import FILES_MAX, MentionRows, Mentions, ask_count
from codemap.tools.mentions import LISTS as MENTION_LISTS
from codemap.tools.names.id_lookup import long_ids
from codemap.tools.params import KindFilter, MapListParams
from codemap.tools.row_selection import (
    Sifted,
    folded_counts,
    passes_filter,
    place_of,
    policy_of,
    say_hidden,
    sifted_hits,
)
from codemap.tools.search.exact_text import ask_text, text_in, with_text
from codemap.tools.search.snippets import add_snippets
from codemap.tools.tool import Asking, Replied, Spans, Tool, World, settled
from codemap.tools.view import (
    KIND_NAMES,
    EmptyBecause,
    NodeView,
    clustered_view,
    empty_because,
    map_incomplete,
    map_warnings,
    not_built,
)

LIMIT_MAX, LIMIT_USUAL = 100, 20
FEW = 10
"""Results in compact rows, where the call does not say how many: what a reader looks at."""
NAMED_MAX = 20
"""Definitions that are called as the query, all of which are shown where the call does not say how many."""
SIGNATURE_MAX_CHARS = 80
"""Of a signature in a compact row."""
PARTS_SHOWN = 2
"""Prototypes and other parts of a definition that its row names."""
SNIPPET_MAX = 40
SHOWN = 5
"""Results whose code is shown: who asks for it wants to see an answer, not a list."""


class Params(MapListParams, frozen=True, kw_only=True):
    query: Annotated[str, Meta(min_length=1)]
    kind: KindFilter = "any"
    limit: Annotated[int, Meta(ge=1, le=LIMIT_MAX)] | UnsetType = UNSET
    snippet: Annotated[int, Meta(description="Lines of code of the best, 40 at most")] = 0


class Result(NodeView, total=False):
    why: str


class Payload(TypedDict, total=False):
    results: list[Result | str]
    snippets: dict[str, str]
    total: int
    mentions: Mentions
    mentionsRest: list[MentionRows]
    mentionsFolded: FoldedCounts
    folded: FoldedCounts
    onlyIn: list[str]
    emptyBecause: EmptyBecause
    suggestion: str


TOO_EARLY = "Words can be looked for in names alone yet: their index is still being made."

RESULTS = CutList(("results",), "results", "pass fileFilter or kind")
LISTS = (
    *MENTION_LISTS,
    CutList(("onlyIn",), "roles", RESULTS.note),
    Spare(("folded",), "folded counts", "pass tests:only"),
    Spare(("snippets",), "snippets", "pass a smaller snippet, or a larger tokenBudget"),
    RESULTS,
)

DEEPER, DEEPEST = 2, 10
"""Times the limit: matches that are looked at for those that are shown, where tests are folded, and where a filter or
`tests` leaves some out."""


def answer(world: World, params: Params) -> Replied | Asking[Replied]:
    """The best matches for a query; of external packages only the one that is named by its whole ID. Of a text in
    quotes, where it stands."""
    snapshot = world.snapshot
    if snapshot is None:
        return not_built(world)
    text = text_in(params.query)
    return _answer_text(world, snapshot, text, params) if text else _answer_words(world, snapshot, params)


def _answer_text(world: World, snapshot: Snapshot, text: str, params: Params) -> Asking[Replied]:
    found = yield from ask_text(snapshot, text, params)
    is_name = bool(snapshot.named(text))
    if found is not None and not is_name:
        warnings = (*map_warnings(world, snapshot), *found.warnings)
        return replace(found, warnings=warnings, incomplete=map_incomplete(world, snapshot))
    words = yield from settled(_answer_words(world, snapshot, replace(params, query=text)))
    if isinstance(words, Failure) or is_name:
        return words if isinstance(words, Failure) else with_text(words, found)
    return replace(
        words, warnings=(f"{text!r} stands nowhere as whole words: this is found by its words.", *words.warnings)
    )


def _answer_words(world: World, snapshot: Snapshot, params: Params) -> Replied | Asking[Replied]:
    kinds = frozenset[SymbolKind]() if params.kind == "any" else frozenset((SymbolKind[params.kind.upper()],))
    policy = "exclude" if params.file_filter else policy_of(params)
    deep = 1 if policy == "include" else DEEPER if policy == "fold" else DEEPEST
    limit = _limit(params)
    found = _find_meant(snapshot, params.query, kinds) or search(snapshot, params.query, kinds, deep * limit)
    place = partial(place_of, snapshot)
    groups = _group_parts(snapshot, found.nodes, kinds, params)
    hits = tuple(groups)
    shown = Sifted(hits) if policy == "include" else sifted_hits(hits, place, params)
    places = {node: place for place, node in enumerate(found.nodes)}
    nodes = shown.rows[:limit]
    if params.limit is UNSET and len(shown.rows) > limit:
        others = shown.rows[limit:NAMED_MAX]
        nodes += tuple(node for node in others if found.tiers[places[groups[node][0]]] == Tier.EXACT)
    results = [
        _show_result(world, snapshot, node, why(snapshot, found, places[groups[node][0]]), groups[node], params)
        for node in nodes
    ]
    data: Payload = {"results": results, "total": found.total - shown.hidden}
    if shown.folded:
        data["folded"] = cast("FoldedCounts", folded_counts(shown.folded))
    if shown.only:
        data["onlyIn"] = list(shown.only)
    warnings, incomplete = map_warnings(world, snapshot), map_incomplete(world, snapshot)
    if found.is_too_early:
        incomplete = f"{TOO_EARLY} {incomplete}".rstrip()
        nothing = "" if nodes else f"Nothing is called {params.query!r}. "
        warnings.append(f"{nothing}{TOO_EARLY} Repeat the call in a moment.")
    if found.is_too_early and not nodes:
        data["emptyBecause"] = "building"
    elif not nodes:
        data["emptyBecause"] = empty_because(world, snapshot, found.hidden or shown.hidden)
        if data["emptyBecause"] != "building":
            data["suggestion"] = _advise(found, shown.hidden, params)
    elif found.tier == Tier.TYPO:
        warnings.append(f"Nothing is called {params.query!r}: these names resemble it.")
    beyond = found.total - (len(found.nodes) - len(hits)) - len(nodes) - len(shown.folded) - shown.hidden
    more = f", or a limit up to {LIMIT_MAX}" if limit < LIMIT_MAX else ""
    dropped = (Dropped("results", beyond, f"{RESULTS.note}{more}"),) if beyond else ()
    files = {file.path for file in map(snapshot.file_of, nodes) if file is not None}
    made = Answer(data, LISTS, tuple(warnings), dropped, incomplete=incomplete, rests_on=frozenset(files))
    is_shown = params.snippet > 0 and nodes
    is_text = word_of(params.query).isidentifier() or (len(params.query.split()) == 1 and found.tier >= Tier.SUBWORDS)
    if not is_shown and not is_text:
        return made
    return _add_more(snapshot, params, nodes, SHOWN if is_shown else 0, made, is_text=is_text)


def _find_meant(snapshot: Snapshot, query: str, kinds: frozenset[SymbolKind]) -> Found | None:
    """What a name means that has modules in front of it, or a place in a file: no search finds these names together."""
    joined = query.strip().replace("::", ".").removesuffix("()")
    is_usual = joined.isidentifier() or len(joined.split()) != 1 or language_of(joined) is not None
    if is_usual or snapshot.find_by_suffix(joined):
        return None
    meant = [node for one in long_ids(snapshot, query.strip()) if (node := snapshot.find(one)) is not None]
    nodes = tuple(node for node in meant if not kinds or snapshot.kind_of(node) in kinds)
    return Found(nodes, len(nodes), 0, tiers=(Tier.EXACT,) * len(nodes), reasons=("",) * len(nodes)) if nodes else None


def _group_parts(
    snapshot: Snapshot, nodes: Sequence[int], kinds: frozenset[SymbolKind], params: Params
) -> dict[int, list[int]]:
    """What compact rows show, best first, each with the hits that its row stands for: prototypes, and other parts of a
    definition, have no rows of their own where the definition may be shown."""
    passes = passes_filter(params.file_filter)
    wholes = nodes if params.rows == "full" else find_wholes(snapshot, nodes)
    groups: dict[int, list[int]] = {}
    for node, whole in zip(nodes, wholes, strict=True):
        is_shown = whole == node or (
            passes(snapshot.row_of(whole)[0].path) and (not kinds or snapshot.kind_of(whole) in kinds)
        )
        groups.setdefault(whole if is_shown else node, []).append(node)
    return groups


def _limit(params: Params) -> int:
    if not isinstance(params.limit, UnsetType):
        return params.limit
    return LIMIT_USUAL if params.rows == "full" else FEW


def _add_more(
    snapshot: Snapshot, params: Params, nodes: Sequence[int], most: int, made: Answer, *, is_text: bool
) -> Asking[Replied]:
    """Adds the mentions of the name or text that is searched for, and the code of so many of the nodes that are
    shown."""
    assert isinstance(made.data, dict), "the payload of this tool"
    name = word_of(params.query)
    names = [f"{mark}{name}" for mark in snapshot.node_names.marks]
    shown = (node for node in nodes if snapshot.name_of(node) in names)
    defined = next(chain(shown, (node for one in names for node in snapshot.named(one))), None)
    if name.isidentifier() and defined is not None:
        how = f"map_neighbors nodeId:{short_id(snapshot, defined)} direction:in"
        made.data["mentions"] = yield from ask_count(name, how, passes_filter(params.file_filter))
    elif is_text:
        made = with_text(made, (yield from ask_text(snapshot, name, params, FILES_MAX)))
    if not most:
        return made
    return (yield from add_snippets(snapshot, nodes[:most], min(params.snippet, SNIPPET_MAX), made))


def _show_result(
    world: World, snapshot: Snapshot, node: int, reason: str, hits: Sequence[int], params: Params
) -> Result | str:
    if params.rows != "full":
        return _show_text(world, snapshot, node, reason, [hit for hit in hits if hit != node])
    view: Mapping[str, object] = clustered_view(world, snapshot, node)
    return cast("Result", {**view, "why": reason} if reason else view)


def _show_text(world: World, snapshot: Snapshot, node: int, reason: str, parts: Sequence[int]) -> str:
    """`app/store.cc#Store.get 12 int Store::get(int key) [name: get] [also app/store.h:8]`: ID, line, signature or
    kind, why it is here, and where its parts are."""
    if snapshot.is_external(node):
        return f"{short_id(snapshot, node)} {KIND_NAMES[snapshot.kind_of(node)]}"
    file, row = snapshot.row_of(node)
    signature = file.text_of(row, Symbol.SIGNATURE) or KIND_NAMES[file.cell(row, Symbol.KIND)]
    if len(signature) > SIGNATURE_MAX_CHARS:
        signature = f"{signature[:SIGNATURE_MAX_CHARS].rstrip()}…"
    stale = "stale" if world.disk.differs(file.path) else ""
    line = str(file.cell(row, Symbol.LINE)) if row else ""
    others = [f"{snapshot.row_of(part)[0].path}:{snapshot.cell(part, Symbol.LINE)}" for part in parts[:PARTS_SHOWN]]
    also = f"also {', '.join(others)}" if others else ""
    if len(parts) > PARTS_SHOWN:
        also = f"{also} and {len(parts) - PARTS_SHOWN} more"
    marks = (f"[{mark}]" for mark in (reason, also) if mark)
    return " ".join(filter(None, (short_id_of(file, row), line, signature if row else "", stale, *marks)))


def _advise(found: Found, hidden: int, params: Params) -> str:
    if hidden:
        return say_hidden(hidden, "result", params)
    if found.hidden:
        return f"{found.hidden} match(es) are not of kind {params.kind}: repeat the call without kind."
    if len(params.query.split()) > 1:
        return "No definition says any of these words: try others for the same thing, or start from map_overview."
    return "No name resembles this one: search for a part of it, or start from map_overview."


TOOL = Tool(
    name="map_search",
    command="search",
    title="Find symbols",
    description=(
        'Find definitions by name, part, path, typo, or a question in words (names, docs, bodies); "text": its lines. '
        "Replaces grep."
    ),
    params=Params,
    payload=Payload,
    answer=answer,
    spans_roots=Spans.NAMED,
)
