"""`map_search`: a name becomes node IDs."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from codemap.envelope.answer import Answer, Failure
from codemap.tools.params import KindFilter, MapParams
from codemap.tools.tool import Tool, World


class Params(MapParams, frozen=True, kw_only=True):
    query: Annotated[str, Meta(description="Name, part of one, qualified name, path, or several words", min_length=2)]
    kind: KindFilter = "any"
    limit: Annotated[int, Meta(ge=1, le=100)] = 20


def answer(world: World, params: Params) -> Answer | Failure:
    """The best matches for a query."""
    raise NotImplementedError


TOOL = Tool(
    name="map_search",
    command="search",
    title="Find symbols",
    description=(
        "Turn a name into node IDs: exact, prefix, substring, qualified name, path, subwords, typos; best hub first. "
        "Use instead of grep to find where something is defined."
    ),
    params=Params,
    answer=answer,
)
