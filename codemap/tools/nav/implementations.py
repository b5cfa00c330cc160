"""`nav_implementations`: what implements an interface or abstract method, or overrides a method."""

from __future__ import annotations

import msgspec

from codemap.envelope.answer import Failure
from codemap.live_queries import Implementations, Missed
from codemap.tools.nav.locations import Payload, Places, answer_places
from codemap.tools.nav.missing_uses import further_implementers
from codemap.tools.nav.no_answer import fail_first, owner_call
from codemap.tools.nav.target import ask_at, find_target
from codemap.tools.params import PositionListParams
from codemap.tools.places.anchors import without_ids
from codemap.tools.tool import SLOW_LIVE_S, Asking, Replied, Spans, Tool, World


class Params(PositionListParams, frozen=True, kw_only=True):
    pass


def answer(world: World, params: Params) -> Asking[Replied]:
    """Every implementation that the server names."""
    target = yield from find_target(world, params)
    if isinstance(target, Failure):
        return target
    target, fact = yield from ask_at(target, Implementations)
    instead = owner_call(world, target, "in", "extends", "implements")
    if isinstance(fact, Missed):
        return fail_first(fact, instead, target)
    beyond = further_implementers(world, target, fact.value)
    count = f"The map has {len(beyond)} implementation(s) that the server does not name" if beyond else ""
    warnings = [*without_ids(world, fact.value), *((f"{count}: {instead}.",) if count else ())]
    named = Places("implementation", fact.value, warnings=warnings, further=f"{count}." if count else "")
    found = yield from answer_places(world, params, target, fact, named)
    return msgspec.structs.replace(found, rests_on=found.rests_on | {path for path, _ in beyond})


TOOL = Tool(
    name="nav_implementations",
    command="implementations",
    title="Implementations",
    description="Classes that implement or extend a type, methods that override one: what may really run.",
    params=Params,
    payload=Payload,
    answer=answer,
    questions_s=SLOW_LIVE_S,
    spans_roots=Spans.MISSED,
)
