"""`map_search`: a name becomes node IDs."""

from __future__ import annotations

from typing import Annotated, TypedDict

from msgspec import Meta

from codemap.envelope.answer import Answer, CutList, Dropped, Failure
from codemap.facts import SymbolKind
from codemap.graph.hits import Found, Tier
from codemap.graph.search import search
from codemap.tools.params import KindFilter, MapParams
from codemap.tools.tool import Tool, World
from codemap.tools.view import (
    EmptyBecause,
    NodeView,
    clustered_view,
    empty_because,
    map_incomplete,
    map_warnings,
    not_built,
)

LIMIT_MAX = 100


class Params(MapParams, frozen=True, kw_only=True):
    query: Annotated[str, Meta(description="Name, part of one, path, or several words", min_length=2)]
    kind: KindFilter = "any"
    limit: Annotated[int, Meta(ge=1, le=LIMIT_MAX)] = 20


class Payload(TypedDict, total=False):
    results: list[NodeView]
    total: int
    emptyBecause: EmptyBecause
    suggestion: str


TOO_EARLY = "Names that resemble it cannot be looked for yet: their index is still being made."

RESULTS = CutList(("results",), "results", "pass a longer query, or kind")


def answer(world: World, params: Params) -> Answer | Failure:
    """The best matches for a query; external packages are not searched."""
    snapshot = world.snapshot
    if snapshot is None:
        return not_built(world)
    kinds = frozenset[SymbolKind]() if params.kind == "any" else frozenset((SymbolKind[params.kind.upper()],))
    found = search(snapshot, params.query, kinds, params.limit)
    data: Payload = {"results": [clustered_view(world, snapshot, node) for node in found.nodes], "total": found.total}
    warnings, incomplete = map_warnings(world, snapshot), map_incomplete(world, snapshot)
    if found.is_too_early:
        data["emptyBecause"] = "building"
        incomplete = f"{TOO_EARLY} {incomplete}".rstrip()
        warnings.append(f"Nothing is called {params.query!r}. {TOO_EARLY} Repeat the call in a moment.")
    elif not found.nodes:
        data["emptyBecause"] = "filtered" if found.hidden else empty_because(world, snapshot)
        if data["emptyBecause"] != "building":
            data["suggestion"] = _advice(found, params)
    elif found.tier == Tier.TYPO:
        warnings.append(f"Nothing is called {params.query!r}: these names resemble it.")
    beyond = found.total - len(found.nodes)
    more = f", or a limit up to {LIMIT_MAX}" if params.limit < LIMIT_MAX else ""
    dropped = (Dropped("results", beyond, f"{RESULTS.note}{more}"),) if beyond else ()
    return Answer(data, (RESULTS,), tuple(warnings), dropped, incomplete=incomplete)


def _advice(found: Found, params: Params) -> str:
    if found.hidden:
        return f"{found.hidden} match(es) are not of kind {params.kind}: repeat the call without kind."
    if len(params.query.split()) > 1:
        return "No symbol has all these words in its name, owners or path: search for one of them."
    return "No name resembles this one: search for a part of it, or start from map_overview."


TOOL = Tool(
    name="map_search",
    command="search",
    title="Find symbols",
    description=(
        "Turn a name into node IDs: exact, prefix, substring, qualified name, path, subwords, typos; best hub first. "
        'Use instead of grep to find a definition. E.g. {"query":"session refresh"}'
    ),
    params=Params,
    payload=Payload,
    answer=answer,
)
