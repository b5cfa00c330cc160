"""`map_neighbors`: what is around a node."""

from __future__ import annotations

from types import MappingProxyType

import msgspec

from codemap.envelope.answer import Answer, Failure
from codemap.envelope.errors import ErrorCode
from codemap.tools.mentions import LISTED, ask_ledger, with_mentions, with_sites
from codemap.tools.neighbors.asked import WHOLE_DEPTH, Asked, Params, Payload, goes_deep
from codemap.tools.neighbors.compact import compact_answer
from codemap.tools.neighbors.full import full_answer
from codemap.tools.sifting import passes_filter
from codemap.tools.tool import Asking, Replied, Tool, World
from codemap.tools.verify import check_around
from codemap.tools.view import find_node, not_built


def answer(world: World, params: Params) -> Replied | Asking[Replied]:
    """The relationships of a node, then those that could not be decided."""
    snapshot = world.snapshot
    if params.depth > world.limits.depth_max and not goes_deep(params):
        message = (
            f"depth: at most {world.limits.depth_max}, or {WHOLE_DEPTH} with edgeKinds of inheritance or imports alone "
            "and direction in or out."
        )
        return Failure(ErrorCode.BAD_ARGS, message)
    if params.family and params.depth > 1:
        return Failure(ErrorCode.BAD_ARGS, "family: expected with depth 1 only; ask again about the callers.")
    if snapshot is None:
        return not_built(world)
    node = find_node(world, snapshot, params.node_id)
    if isinstance(node, Failure):
        return node
    asked = Asked(world, snapshot, node, params)
    if params.verify:
        return _verified(asked)
    found = _answered(asked)
    return _accounted(asked, found) if _is_about_uses(params, found) else found


def _is_about_uses(params: Params, found: Answer) -> bool:
    """Whether the answer must account for every mention of the name: see `codemap.tools.mentions`."""
    return params.mentions or params.direction == "in" or ("emptyBecause" in found.data and params.direction != "out")


def _accounted(asked: Asked, found: Answer) -> Asking[Answer]:
    """The answer with what it says of all mentions."""
    passes = passes_filter(asked.params.file_filter)
    ledger = yield from ask_ledger(asked.snapshot, asked.node, passes)
    if ledger is None:
        return found
    if asked.family:
        ledger = with_sites(ledger, asked.family_sites)
    return with_mentions(found, asked.snapshot, ledger, how=LISTED, listed=asked.params.mentions)


def _verified(asked: Asked) -> Asking[Replied]:
    """The same from a map that a language server was asked about first."""
    checked = yield from check_around(asked.snapshot, asked.node, asked.sides, asked.kinds)
    asked = Asked(asked.world, checked.snapshot, asked.node, asked.params)
    found = _answered(asked)
    if _is_about_uses(asked.params, found):
        found = yield from _accounted(asked, found)
    return msgspec.structs.replace(
        found,
        warnings=(*found.warnings, *checked.warnings),
        incomplete=" ".join(filter(None, (found.incomplete, checked.incomplete))),
        learned=checked.found,
    )


def _answered(asked: Asked) -> Answer:
    return full_answer(asked) if asked.params.rows == "full" else compact_answer(asked)


TOOL = Tool(
    name="map_neighbors",
    command="neighbors",
    title="Neighbors of a node",
    description=(
        "Who calls, imports, extends or references a node (in), and what it uses (out), with every line; unresolved: "
        "uses that may mean it."
    ),
    params=Params,
    payload=Payload,
    answer=answer,
    needs_edges=True,
    reach=MappingProxyType({"depth": WHOLE_DEPTH}),
)
