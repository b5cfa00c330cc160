"""`map_status`: whether answers can be relied on."""

from __future__ import annotations

from codemap.envelope.answer import Answer, Failure
from codemap.tools.params import MapParams
from codemap.tools.tool import Tool, World


class Params(MapParams, frozen=True, kw_only=True):
    pass


def answer(world: World, params: Params) -> Answer | Failure:
    """Health of the map and of everything behind it."""
    raise NotImplementedError


TOOL = Tool(
    name="map_status",
    command="status",
    title="Status",
    description="Health of the index: age, counts, coverage, stale and skipped files. Call when results look off.",
    params=Params,
    answer=answer,
    checks_all_files=True,
)
