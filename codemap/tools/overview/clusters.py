"""The full form of the overview: clusters with their hubs as node views, for programs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypedDict

from codemap.graph.model.snapshot import Snapshot
from codemap.tools.overview.parts import Part, hearts_by_part
from codemap.tools.tool import World
from codemap.tools.view import NodeView, node_view

TEXT_MAX_CHARS = 48
"""Of a signature or doc: more hubs say more than longer texts; `map_search` has them whole."""


class Cluster(TypedDict, total=False):
    id: str
    label: str
    files: int
    hubs: list[NodeView]
    continued: bool


def cluster_views(world: World, snapshot: Snapshot, parts: Sequence[Part], each: int) -> list[Cluster]:
    """The parts as clusters, `each` hubs of every one; the files of one without symbols instead."""
    hubs = hearts_by_part(snapshot, parts, [each] * len(parts))
    return [
        {
            "id": part.id,
            "label": part.area.label,
            "files": len(part.area.files),
            "hubs": [
                _show_hub(world, snapshot, node)
                for node in [node for node, _ in its] or _choose_files(snapshot, part, each)
            ],
        }
        for part, its in zip(parts, hubs, strict=True)
    ]


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
    return text if len(text) <= TEXT_MAX_CHARS else text[: TEXT_MAX_CHARS - 1] + "…"
