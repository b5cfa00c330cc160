"""`nav_workspaceSymbols`: symbols by name, from every language server of the repository."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from typing import Annotated, TypedDict, cast

from msgspec import UNSET, Meta

from codemap.envelope.answer import Answer, CutList, Dropped, Spare
from codemap.graph.model.snapshot import Snapshot
from codemap.languages import by_name
from codemap.live_queries import Doubt, Found, Missed, Named, WorkspaceSymbols, doubt_of
from codemap.tools.compact import FoldedCounts, GroupedRows, Row, group_by_file, most_common
from codemap.tools.nav.compact import name_of
from codemap.tools.nav.kinds import LiveKindName
from codemap.tools.nav.locations import SPARES, empty_because, find_stands, folded_members, incomplete, say_incomplete
from codemap.tools.nav.no_answer import fail_first, failed_part, is_passing, search_call
from codemap.tools.params import Rows, Tests, ToolParams
from codemap.tools.places.anchors import Anchor, Definition, anchor, definitions_at, without_ids
from codemap.tools.row_selection import Place as Stand
from codemap.tools.row_selection import filter_rows, is_plain, not_passed, sifted_hits
from codemap.tools.tool import SLOW_LIVE_S, Asking, Replied, Spans, Tool, World
from codemap.tools.view import EmptyBecause, not_built

LIMIT_MAX = 200
SIMILAR = 3
"""The tier of names that only resemble a query."""


class Params(ToolParams, frozen=True, kw_only=True):
    query: Annotated[str, Meta(min_length=3)]
    limit: Annotated[int, Meta(ge=1, le=LIMIT_MAX)] = 50
    rows: Rows = "compact"
    tests: Tests = UNSET
    file_filter: str = ""


class NamedView(Anchor, total=False):
    name: str
    kind: LiveKindName
    container: str


class Missing(TypedDict, total=False):
    language: str
    reason: str
    install: str


class Omitted(TypedDict, total=False):
    """The number of symbols that compact rows leave out."""

    similar: int
    """Whose names only resemble the query."""


class Payload(TypedDict, total=False):
    kind: LiveKindName
    symbols: list[NamedView] | GroupedRows
    omitted: Omitted
    folded: FoldedCounts
    onlyIn: list[str]
    total: int
    languagesAsked: list[str]
    languagesMissing: list[Missing]
    complete: bool
    emptyBecause: EmptyBecause
    suggestion: str


def lists_of(params: Params) -> tuple[CutList | Spare, ...]:
    """The lists that may be cut."""
    return (
        *SPARES,
        CutList(("symbols",), "symbols", "pass a longer query", is_grouped=params.rows == "compact"),
        CutList(("languagesMissing",), "languages", "map_status lists every language server"),
        CutList(("languagesAsked",), "languages", "map_status lists every language server"),
    )


def answer(world: World, params: Params) -> Asking[Replied]:
    """The symbols that the servers of all the map's languages find, the best match first."""
    snapshot = world.snapshot
    if snapshot is None:
        return not_built(world)
    languages = sorted({_choose_language(*one) for one in {(file.lang, file.family) for file in snapshot.files}})
    facts = (yield tuple(WorkspaceSymbols(language, params.query) for language in languages)) if languages else ()
    asked = {language: fact for language, fact in zip(languages, facts, strict=True) if isinstance(fact, Found)}
    silent = {language: fact for language, fact in zip(languages, facts, strict=True) if isinstance(fact, Missed)}
    if silent and not asked:
        return fail_first(next(iter(silent.values())), search_call(params.query))
    everything = [named for fact in asked.values() for named in fact.value]
    stand_at = find_stands(snapshot.by_path, [named.place for named in everything])

    def place(named: Named) -> Stand:
        return stand_at(named.place)

    ranked = _rank_named(snapshot, everything, place, params.query)
    found = _drop_similar(ranked, params)
    passing = filter_rows(found, place, params) if is_plain(params) else sifted_hits(found, place, params)
    shown = passing.rows[: params.limit]
    definitions = yield from definitions_at(world, [named.place for named in shown])
    views = list(zip(shown, definitions, strict=True))
    data: Payload = {
        **_show_symbols(views, params),
        **folded_members(passing),
        "total": len(found) - passing.hidden,
    }
    if len(ranked) > len(found):
        data["omitted"] = {"similar": len(ranked) - len(found)}
    if silent or params.rows == "full":
        data["languagesAsked"] = list(asked)
    if silent:
        data["languagesMissing"] = [_show_missing(language, fact) for language, fact in silent.items()]
    unfinished = [warning for fact in asked.values() for warning in incomplete(fact)]
    nameless = without_ids(world, [named.place for named in shown])
    unfinished += [_warn_without(language, fact, params.query) for language, fact in silent.items()]
    count = 0 if found else _count_in_map(snapshot, asked, params.query)
    further = f"The map has {count} definition(s) that the server does not name" if count else ""
    unfinished += [f"{further}: {search_call(params.query)}."] if further else []
    if unfinished:
        data["complete"] = False
    if not found:
        because = _explain_empty(asked.values(), silent.values()) if languages else "notIndexed"
        data["emptyBecause"] = "notIndexed" if further and because == "none" else because
    if not found and not further:
        data["suggestion"] = f"Part of a name, or a misspelt one: {search_call(params.query)}."
    if found and not shown:
        data["emptyBecause"] = "filtered"
        unfinished.append(not_passed(passing.hidden, "symbol", len({named.place.file for named in found}), params))
    beyond = len(passing.rows) - len(shown)
    wider = f", or a limit up to {LIMIT_MAX}" if params.limit < LIMIT_MAX else ""
    dropped = (Dropped("symbols", beyond, f"pass a longer query{wider}"),) if beyond else ()
    return Answer(
        data,
        lists_of(params),
        (*unfinished, *nameless),
        dropped,
        incomplete=_say_incomplete_part(asked.values(), silent, further),
        rests_on=frozenset(named.place.file for named in shown if not named.place.is_external),
    )


def _choose_language(language: str, family: str) -> str:
    """The language that is asked for the names of one: its family's, where they share their servers."""
    known = by_name()
    return family if known[language].servers == known[family].servers else language


def _explain_empty(asked: Iterable[Found], silent: Iterable[Missed]) -> str:
    missing = tuple(Doubt(failed_part(fact), not is_passing(fact)) for fact in silent)
    return empty_because(doubt_of((*asked, *missing)))


def _warn_without(language: str, fact: Missed, query: str) -> str:
    """Warns that a language is missing, and how to have it all the same."""
    way = "repeat the call in some seconds" if is_passing(fact) else f"take them from the map, {search_call(query)}"
    return f"Symbols of {language} are missing ({failed_part(fact)}): {way}."


def _say_incomplete_part(asked: Iterable[Found], silent: Mapping[str, Missed], further: str) -> str:
    reasons = [fact.incomplete for fact in asked if fact.incomplete]
    why = say_incomplete(
        "; ".join((*reasons, *(f"{failed_part(fact)} ({language})" for language, fact in silent.items())))
    )
    return " ".join(filter(None, (why, f"{further}." if further else "")))


def _count_in_map(snapshot: Snapshot, asked: Container[str], query: str) -> int:
    """How many definitions of these languages have the query in their name: a server that names none has not seen
    them. Cost: all names."""
    wanted = query.casefold()
    names = [name for name in snapshot.node_names.names if wanted in name.casefold()]
    nodes = [node for name in names for node in snapshot.named(name)]
    files = (snapshot.row_of(node)[0] for node in nodes)
    return sum(_choose_language(file.lang, file.family) in asked for file in files)


def _rank_named(snapshot: Snapshot, found: list[Named], stand: Callable[[Named], Stand], query: str) -> list[Named]:
    """Inside the repository first; then equal to the query, beginning with it, containing it; then product code; then
    by their file."""
    wanted = query.casefold()

    def worth(named: Named) -> tuple[bool, int, int, float, str, int, int]:
        place = named.place
        file = snapshot.by_path.get(place.file)
        score = 0.0 if file is None else float(snapshot.scores[file.base])
        return (
            place.is_external,
            _rank_match(named, wanted),
            stand(named).role,
            -score,
            place.file,
            place.line,
            place.col,
        )

    return sorted(found, key=worth)


def _rank_match(named: Named, wanted: str) -> int:
    """Ranks how well a name matches the query, which is in lower case; the last tier does not contain it."""
    name = named.name.casefold()
    return 0 if name == wanted else 1 if name.startswith(wanted) else 2 if wanted in name else SIMILAR


def _drop_similar(found: list[Named], params: Params) -> list[Named]:
    """For compact rows those that contain the query, where any does: servers add whatever has its letters in order."""
    wanted = params.query.casefold()
    near = [named for named in found if _rank_match(named, wanted) < SIMILAR]
    return near if near and params.rows == "compact" else found


def _show_symbols(views: Sequence[tuple[Named, Definition | None]], params: Params) -> Payload:
    if params.rows == "full":
        return {"symbols": [_show_symbol(*view) for view in views]}
    kind = most_common(named.kind.value for named, _ in views)
    symbols = group_by_file(_show_row(named, definition, kind) for named, definition in views)
    return {"kind": kind, "symbols": symbols} if kind else {"symbols": symbols}


def _show_row(named: Named, definition: Definition | None, usual_kind: str) -> Row:
    """Its qualified name, as far as that is known, its place, and its kind where most have another."""
    place, kind = named.place, named.kind.value
    name = name_of(definition.file, definition.row) if definition is not None else ""
    around = f"in {named.container}" if named.container and not name else ""
    words = [word for word in (kind if kind != usual_kind else "", around) if word]
    return Row(place.file, name or named.name, [f"{place.line}:{place.col}"], words)


def _show_symbol(named: Named, definition: Definition | None) -> NamedView:
    shown: NamedView = {
        "name": named.name,
        "kind": named.kind.value,
        **cast("NamedView", anchor(named.place, definition)),
    }
    if named.container:
        shown["container"] = named.container
    return shown


def _show_missing(language: str, fact: Missed) -> Missing:
    missing: Missing = {"language": language, "reason": failed_part(fact)}
    if fact.hint:
        missing["install"] = fact.hint
    return missing


TOOL = Tool(
    name="nav_workspaceSymbols",
    command="workspace-symbols",
    title="Workspace symbols",
    description="Symbols by name from the language servers: what map_search lacks or has stale.",
    params=Params,
    payload=Payload,
    answer=answer,
    questions_s=SLOW_LIVE_S,
    spans_roots=Spans.MISSED,
)
