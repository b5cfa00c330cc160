"""`map_rebuild`: brings the map up to date with the disk.

The shell runs the rebuild first; `World.rebuilt` says what it did, in the members that the contract names.
"""

from __future__ import annotations

from typing import Annotated, TypedDict, cast

from msgspec import Meta

from codemap.envelope.answer import Answer, Failure
from codemap.tools.params import MapParams
from codemap.tools.tool import Tool, World
from codemap.tools.view import map_incomplete, map_warnings, not_built


class Params(MapParams, frozen=True, kw_only=True):
    scope: Annotated[str, Meta(description="Only this folder or file")] = ""


class Payload(TypedDict, total=False):
    filesScanned: int
    filesExtracted: int
    filesDeleted: int
    durationMs: float
    cold: bool


def answer(world: World, params: Params) -> Answer | Failure:
    """Rebuilds the map, and reports what that did."""
    if not world.rebuilt:
        return not_built(world)
    data = cast("Payload", dict(world.rebuilt))
    warnings = [] if world.snapshot is None else map_warnings(world, world.snapshot)
    if not data.get("filesScanned"):
        where = f" under {params.scope}" if params.scope else ""
        warnings.append(f"No file to index was found{where}: map_status says what was skipped and why.")
    incomplete = "" if world.snapshot is None else map_incomplete(world, world.snapshot)
    return Answer(data, (), tuple(warnings), incomplete=incomplete)


TOOL = Tool(
    name="map_rebuild",
    command="rebuild",
    title="Rebuild the map",
    description="Bring the map up to date with the disk, when answers say stale.",
    params=Params,
    payload=Payload,
    answer=answer,
    needs_rebuild=True,
    is_read_only=False,
)
