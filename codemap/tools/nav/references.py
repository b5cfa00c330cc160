"""`nav_references`: every use of a symbol."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from codemap.envelope.answer import Answer, Failure
from codemap.graph.model.edges import USES
from codemap.graph.model.values import Confidence
from codemap.live_queries import At, Definition, Fact, Found, Missed, Place, References
from codemap.tools.mentions import LISTED, Mentions, ask_ledger, with_mentions, with_sites
from codemap.tools.nav.confirmations import learn_references
from codemap.tools.nav.imports import is_import
from codemap.tools.nav.locations import Payload as LocationsPayload
from codemap.tools.nav.locations import Places, answer_places
from codemap.tools.nav.map_meaning import map_meaning
from codemap.tools.nav.missing_uses import Further, is_named, uses_of
from codemap.tools.nav.no_answer import fail_first, neighbors_call
from codemap.tools.nav.target import Target, ask_all_at, find_target
from codemap.tools.params import PositionListParams
from codemap.tools.row_selection import passes_filter
from codemap.tools.tool import SLOW_LIVE_S, Asking, Replied, Spans, Tool, World


class Params(PositionListParams, frozen=True, kw_only=True):
    include_declaration: bool = False


class Payload(LocationsPayload, total=False):
    mentions: Mentions


def answer(world: World, params: Params) -> Asking[Replied]:
    """The uses in the files that the filter passes, those of the symbol's own file first."""
    target = yield from find_target(world, params)
    if isinstance(target, Failure):
        return target
    target, (fact, definition) = yield from ask_all_at(target, lambda at: References(at, True), Definition)
    if isinstance(fact, Missed):
        return fail_first(fact, neighbors_call(world, target, "in"), target)
    learned = yield from learn_references(world, target, definition, fact)
    declared = _find_declared(target, definition)
    places: tuple[Place, ...] = fact.value
    if not params.include_declaration:
        places = tuple(place for place in places if place.at not in declared)
    further = _find_further(world, target, fact.value, passes_filter(params.file_filter))
    warnings = [*further.warning(world, target, "in", "use")]
    if isinstance(definition, Missed) and not declared and not params.include_declaration:
        warnings.append("The server did not say where it is declared: the declaration may be among the locations.")
    named = Places("reference", places, are_uses=True, warnings=warnings, further=further.sentence("use"))
    found = yield from answer_places(world, params, target, fact, named)
    found = yield from _add_mentions(world, target, fact.value, found, passes_filter(params.file_filter))
    return msgspec.structs.replace(found, learned=learned, rests_on=found.rests_on | further.files)


def _add_mentions(
    world: World, target: Target, said: tuple[Place, ...], found: Answer, passes: Callable[[str], bool]
) -> Asking[Answer]:
    """The answer with what it says of all mentions, those that the server names among the accounted ones."""
    snapshot, meaning = world.snapshot, map_meaning(world, target.now, target.at)
    if snapshot is None or meaning is None:
        return found
    ledger = yield from ask_ledger(snapshot, meaning.node, passes)
    if ledger is None:
        return found
    ledger = with_sites(ledger, {(place.file, place.line, place.col) for place in said})
    return with_mentions(found, snapshot, meaning.node, ledger, how=f"map_neighbors: {LISTED}", listed=False)


def _find_declared(target: Target, definition: Fact) -> frozenset[At]:
    """Where it is declared: as the server names it, but for imports, or as the target is a definition itself."""
    named: tuple[Place, ...] = definition.value if isinstance(definition, Found) else ()
    own = () if target.row is None else (target.at,)
    return frozenset((*(place.at for place in named if not is_import(target.now, place)), *own))


def _find_further(world: World, target: Target, said: tuple[Place, ...], passes: Callable[[str], bool]) -> Further:
    """What the map has beyond the places that the server names, in the files that the filter passes.

    Where the map only guesses what a name at a position means and the server knows it, the map has no say.
    """
    meaning = map_meaning(world, target.now, target.at)
    if world.snapshot is None or meaning is None or (meaning.confidence is Confidence.NAME and said):
        return Further()
    places = {place.at for place in said}
    named = is_named(world.snapshot, meaning.node)
    return uses_of(
        world, meaning.node, USES, lambda site: site.at in places or not passes(site.path) or not named(site)
    )


TOOL = Tool(
    name="nav_references",
    command="references",
    title="References",
    description="Every use of a symbol, by the definition around it. Before you rename, move, delete or change it.",
    params=Params,
    payload=Payload,
    answer=answer,
    questions_s=SLOW_LIVE_S,
    spans_roots=Spans.MISSED,
)
