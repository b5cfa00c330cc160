"""`map_path`: how two nodes are connected."""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import Meta

from codemap.envelope.answer import Answer, Failure
from codemap.tools.params import MapParams, NodeIdText
from codemap.tools.tool import Tool, World


class Params(MapParams, frozen=True, kw_only=True):
    start: NodeIdText = msgspec.field(name="from")
    end: NodeIdText = msgspec.field(name="to")
    max_len: Annotated[int, Meta(description="Hops", ge=1, le=10)] = 6
    include_references: bool = False


def answer(world: World, params: Params) -> Answer | Failure:
    """The shortest path between two nodes."""
    raise NotImplementedError


TOOL = Tool(
    name="map_path",
    command="path",
    title="Path between two nodes",
    description="Shortest structural path between two symbols over resolved edges: how does A reach B.",
    params=Params,
    answer=answer,
)
