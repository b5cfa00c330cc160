"""`nav_type`: the type, signature and documentation of the symbol at a position."""

from __future__ import annotations

from codemap.envelope.answer import Answer, Dropped, Failure
from codemap.envelope.native import CHARS_PER_TOKEN
from codemap.envelope.tree import shortened
from codemap.escapes import escaped
from codemap.live_queries import Hover, Missed
from codemap.tools.nav.compact import target_text
from codemap.tools.nav.locations import Source, empty_because, incomplete, say_incomplete, source_members
from codemap.tools.nav.no_answer import fail_first, search_call
from codemap.tools.nav.target import TargetView, ask_at, find_target, shown_target
from codemap.tools.params import PositionRowParams
from codemap.tools.tool import Asking, Replied, Tool, World

AROUND_CHARS = 800
"""Of a reply, for what is around the contents."""
CONTENTS_MIN_CHARS = 120


class Params(PositionRowParams, frozen=True, kw_only=True):
    pass


class Payload(Source, total=False):
    target: TargetView | str
    contents: str


def answer(world: World, params: Params) -> Asking[Replied]:
    """Shows the hover of the server, its end cut off where the budget has no room for it."""
    target = yield from find_target(world, params)
    if isinstance(target, Failure):
        return target
    target, fact = yield from ask_at(target, Hover)
    if isinstance(fact, Missed):
        return fail_first(fact, search_call(target.name), target)
    room = max(CONTENTS_MIN_CHARS, params.token_budget * CHARS_PER_TOKEN - AROUND_CHARS)
    whole = escaped(fact.value)
    contents = shortened(whole, room)
    is_compact = params.rows == "compact"
    data: Payload = {
        "target": target_text(world, params, target) if is_compact else shown_target(world, target),
        "contents": contents,
        **source_members(fact, "" if is_compact else target.now.language),
    }
    if not contents:
        data["emptyBecause"] = empty_because(fact)
    lost = len(whole) - len(contents)
    dropped = (Dropped("characters", lost, "pass a larger tokenBudget"),) if lost else ()
    return Answer(
        data,
        (),
        (*target.notes, *incomplete(fact)),
        dropped,
        incomplete=say_incomplete(fact.incomplete),
        rests_on=frozenset((target.at.file,)),
    )


TOOL = Tool(
    name="nav_type",
    command="type",
    title="Type",
    description="Type, signature and documentation of a symbol. Before you read its source.",
    params=Params,
    payload=Payload,
    answer=answer,
)
