"""`map_overview`: what the repository is made of."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from codemap.envelope.answer import Answer, Failure
from codemap.tools.params import MapParams
from codemap.tools.tool import Tool, World


class Params(MapParams, frozen=True, kw_only=True):
    focus: Annotated[str, Meta(description="Only this folder or file, e.g. src/auth")] = ""
    hubs_per_cluster: Annotated[int, Meta(ge=1, le=20)] = 5


def answer(world: World, params: Params) -> Answer | Failure:
    """Clusters of related files with their top symbols."""
    raise NotImplementedError


TOOL = Tool(
    name="map_overview",
    command="overview",
    title="Overview",
    description="Start here on an unfamiliar codebase: clusters of related files, each with its hub symbols.",
    params=Params,
    answer=answer,
)
