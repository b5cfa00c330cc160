"""The full form of the overview: clusters with their hubs as node views, for programs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, TypedDict

from codemap.file_roles import ROLE_NAMES, Role
from codemap.graph.areas.area_dependencies import Counts
from codemap.graph.model.snapshot import Snapshot
from codemap.tools.compact import cut
from codemap.tools.outputs import one_of
from codemap.tools.overview.parts import Part, hearts_by_part
from codemap.tools.tool import World
from codemap.tools.view import NodeView, node_view

TEXT_MAX_CHARS = 48
"""Of a signature or doc: more hubs say more than longer texts; `map_search` has them whole."""


class Cluster(TypedDict, total=False):
    id: str
    label: str
    role: Annotated[str, one_of(ROLE_NAMES[1:])]
    files: int
    symbols: int
    uses: dict[str, int]
    hubs: list[NodeView]
    continued: bool


def cluster_views(world: World, snapshot: Snapshot, parts: Sequence[Part], uses: Counts, each: int) -> list[Cluster]:
    """The parts as clusters, `each` hubs of every one; the files of one without symbols instead.

    `uses`: rows use columns; by ID, the heaviest first.
    """
    hubs = hearts_by_part(snapshot, parts, [each] * len(parts))
    views: list[Cluster] = []
    for place, (part, its) in enumerate(zip(parts, hubs, strict=True)):
        view: Cluster = {"id": part.id, "label": part.area.label}
        if part.role is not Role.PRODUCT:
            view["role"] = ROLE_NAMES[part.role]
        view["files"] = len(part.area.files)
        view["symbols"] = part.weight
        if row := {other: count for other, count in enumerate(uses[place].tolist()) if count}:
            view["uses"] = {parts[other].id: row[other] for other in sorted(row, key=lambda other: -row[other])}
        nodes = [node for node, _ in its] or _choose_files(snapshot, part, each)
        view["hubs"] = [_show_hub(world, snapshot, node) for node in nodes]
        views.append(view)
    return views


def _choose_files(snapshot: Snapshot, part: Part, count: int) -> list[int]:
    """The files with the best hub scores."""
    nodes = [snapshot.files[number].base for number in part.area.files]
    return sorted(nodes, key=lambda node: (-snapshot.scores[node], node))[:count]


def _show_hub(world: World, snapshot: Snapshot, node: int) -> NodeView:
    """A node view, its texts shortened; its cluster is the one that it is in."""
    view = node_view(world, snapshot, node)
    if "signature" in view:
        view["signature"] = _clip_text(view["signature"])
    if "doc" in view:
        view["doc"] = _clip_text(view["doc"])
    return view


def _clip_text(text: str) -> str:
    return cut(text, TEXT_MAX_CHARS)
