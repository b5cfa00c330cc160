"""`nav_definition`: where the symbol at a position is defined."""

from __future__ import annotations

import msgspec

from codemap.envelope.answer import Failure
from codemap.live_queries import Definition, Found, Missed
from codemap.tools.nav.confirmations import learn_definition
from codemap.tools.nav.counterpart import with_counterpart
from codemap.tools.nav.imports import follow, warning
from codemap.tools.nav.locations import Payload, Places, answer_places
from codemap.tools.nav.no_answer import fail_first, search_call
from codemap.tools.nav.target import ask_at, find_target
from codemap.tools.params import PositionRowParams
from codemap.tools.places.anchors import without_ids
from codemap.tools.tool import Asking, Replied, Tool, World


class Params(PositionRowParams, frozen=True, kw_only=True):
    pass


def answer(world: World, params: Params) -> Asking[Replied]:
    """Every definition that the server names."""
    target = yield from find_target(world, params)
    if isinstance(target, Failure):
        return target
    target, fact = yield from ask_at(target, Definition)
    if isinstance(fact, Missed):
        return fail_first(fact, search_call(target.name), target)
    learned = yield from learn_definition(world, target, fact)
    fact = yield from with_counterpart(target, fact)
    followed = yield from follow(target.now, target.at, fact)
    fact = followed.fact
    assert isinstance(fact, Found), "what is led on from an answer is one"
    warnings = without_ids(world, fact.value)
    if followed.imports:
        warnings += (warning(target.name, followed.imports, search_call(target.name)),)
    elif not fact.value:
        warnings += (_advise(target.name),)
    named = Places("definition", fact.value, has_code=True, warnings=warnings)
    found = yield from answer_places(world, params, target, fact, named)
    return msgspec.structs.replace(found, learned=learned)


def _advise(name: str) -> str:
    return f"The server knows no definition of {name} there: check the position, or try {search_call(name)}."


TOOL = Tool(
    name="nav_definition",
    command="definition",
    title="Definition",
    description="Where the symbol that is used at a place is defined.",
    params=Params,
    payload=Payload,
    answer=answer,
)
