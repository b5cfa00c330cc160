"""`map_rebuild`: the map catches up with the disk."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from codemap.envelope.answer import Answer, Failure
from codemap.tools.params import MapParams
from codemap.tools.tool import Tool, World


class Params(MapParams, frozen=True, kw_only=True):
    scope: Annotated[str, Meta(description="Only this folder or file")] = ""


def answer(world: World, params: Params) -> Answer | Failure:  # noqa: ARG001
    """What the rebuild did that the shell has run."""
    return Answer(dict(world.rebuilt))


TOOL = Tool(
    name="map_rebuild",
    command="rebuild",
    title="Rebuild the map",
    description="Bring the map up to date with the disk; only changed files are parsed. Use when answers say stale.",
    params=Params,
    answer=answer,
    needs_rebuild=True,
    is_read_only=False,
)
