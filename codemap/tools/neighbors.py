"""`map_neighbors`: what is around a node."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from codemap.envelope.answer import Answer, Failure
from codemap.tools.params import Direction, EdgeKindName, MapParams, NodeIdText
from codemap.tools.tool import Tool, World


class Params(MapParams, frozen=True, kw_only=True):
    node_id: NodeIdText
    direction: Annotated[Direction, Meta(description="in: who uses it; out: what it uses")] = "both"
    edge_kinds: Annotated[tuple[EdgeKindName, ...], Meta(description="Default: all")] = ()
    depth: Annotated[int, Meta(ge=1, le=3)] = 1
    max_nodes: Annotated[int, Meta(ge=1, le=200)] = 50


def answer(world: World, params: Params) -> Answer | Failure:
    """The relationships of a node, nearest first."""
    raise NotImplementedError


TOOL = Tool(
    name="map_neighbors",
    command="neighbors",
    title="Neighbors of a node",
    description=(
        "Callers, callees, imports, inheritance, references and members around a node, with every site. confidence "
        "says how each edge is known; uses that could not be decided stand in unresolved, with candidates."
    ),
    params=Params,
    answer=answer,
)
