"""`resolve`: the place of a node ID as the files are now, or the node ID of what a position means.

The language server has the last word; without one, the map and a parse of the file answer, unverified.
"""

from __future__ import annotations

import msgspec
from msgspec import UnsetType

from codemap.envelope.answer import Failure
from codemap.ids import BadNodeId, parse_id
from codemap.live_queries import Definition as DefinitionOf
from codemap.tools.nav.counterpart import with_counterpart
from codemap.tools.nav.imports import follow
from codemap.tools.nav.target import find_target, locate
from codemap.tools.node_lookup import whole_id
from codemap.tools.params import PositionParams
from codemap.tools.resolve.shown import Payload
from codemap.tools.resolve.to_node import answer_node
from codemap.tools.resolve.to_place import answer_file, answer_place
from codemap.tools.tool import Asking, Replied, Tool, World


class Params(PositionParams, frozen=True, kw_only=True):
    pass


def answer(world: World, params: Params) -> Asking[Replied]:
    """The definition of an ID, or what a position means."""
    whole: str | UnsetType | Failure = params.node_id
    if isinstance(whole, str) and world.snapshot is not None:
        whole = whole_id(world.snapshot, whole)
    if isinstance(whole, str) and _is_file(whole) and params.file is msgspec.UNSET:
        target = yield from locate(world, parse_id(whole))
    else:
        target = yield from find_target(world, params)
    if isinstance(target, Failure):
        return target
    if target.row == 0:
        return answer_file(world, target)
    (fact,) = yield (DefinitionOf(target.at),)
    fact = yield from with_counterpart(target, fact)
    if isinstance(params.node_id, str):
        return (yield from answer_place(world, target, fact))
    return (yield from answer_node(world, target, (yield from follow(target.now, target.at, fact))))


def _is_file(text: str) -> bool:
    try:
        node_id = parse_id(text)
    except BadNodeId:
        return False
    return not node_id.name and not node_id.is_external


TOOL = Tool(
    name="resolve",
    command="resolve",
    title="Resolve",
    description="Node ID to its place now, or a place (of a diff, a stack trace) to its node ID.",
    params=Params,
    payload=Payload,
    answer=answer,
)
