"""`map_overview`: what the repository is made of."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np
from msgspec import Meta

from codemap.envelope.answer import Answer, CutList, Failure
from codemap.envelope.near import near
from codemap.facts import SymbolFlag
from codemap.graph.columns import columns_of
from codemap.graph.edges import Ints
from codemap.graph.snapshot import Snapshot
from codemap.tools import diagram
from codemap.tools.params import MapParams
from codemap.tools.tool import Tool, World
from codemap.tools.view import empty_because, map_warnings, node_view, not_built, stale_files


class Params(MapParams, frozen=True, kw_only=True):
    focus: Annotated[str, Meta(description="Only this folder or file, e.g. src/auth")] = ""
    hubs_per_cluster: Annotated[int, Meta(ge=1, le=20)] = 5
    diagram: diagram.Wanted = False


NARROW = "pass focus with a folder"
TEXT_MAX_CHARS = 48
"""Of a signature or doc: more hubs say more than longer texts; `map_search` has them whole."""
LISTS = (
    diagram.SPARE,
    CutList(("staleFiles",), "stale files", "call map_rebuild"),
    CutList(("clusters", "*", "hubs"), "hubs", NARROW, keep=1, key=("id",)),
    CutList(("clusters",), "clusters", NARROW, key=("id",)),
)


def answer(world: World, params: Params) -> Answer | Failure:
    """Clusters of related files with their top symbols, the largest cluster first."""
    snapshot = world.snapshot
    if snapshot is None:
        return not_built(world)
    focus = params.focus.strip().removeprefix("./").strip("/")
    focus = "" if focus == "." else focus
    chosen = [file.number for file in snapshot.files if _is_under(file.path, focus)]
    data: dict[str, Any] = {
        "builtAt": snapshot.built_at,
        "files": len(chosen),
        "symbols": sum(snapshot.files[number].symbol_count - 1 for number in chosen),
        "staleFiles": stale_files(world),
        "clusters": _clusters(world, snapshot, chosen, params.hubs_per_cluster),
    }
    if params.diagram:
        data[diagram.MEMBER] = diagram.of_clusters(snapshot, data["clusters"])
    if not chosen:
        data |= _nothing(world, snapshot, focus)
    return Answer(data, LISTS, tuple(map_warnings(world, snapshot)))


def _is_under(path: str, folder: str) -> bool:
    return not folder or path == folder or path.startswith(f"{folder}/")


def _clusters(world: World, snapshot: Snapshot, chosen: list[int], hub_count: int) -> list[dict[str, Any]]:
    file_counts = np.bincount(snapshot.clusters[chosen], minlength=len(snapshot.cluster_ids))
    hubs = _hubs(snapshot, np.array(chosen, dtype=np.int32), hub_count)
    return [
        {
            "id": snapshot.cluster_ids[cluster],
            "label": snapshot.cluster_labels[cluster],
            "files": int(file_counts[cluster]),
            "hubs": [_hub(world, snapshot, node) for node in hubs.get(cluster, ())],
        }
        for cluster in np.argsort(-file_counts, kind="stable").tolist()
        if file_counts[cluster]
    ]


def _hub(world: World, snapshot: Snapshot, node: int) -> dict[str, Any]:
    """A node view, its texts shortened; its cluster is the one that it stands in."""
    view = node_view(world, snapshot, node)
    for member in ("signature", "doc"):
        if len(view.get(member, "")) > TEXT_MAX_CHARS:
            view[member] = view[member][: TEXT_MAX_CHARS - 1] + "…"
    return view


def _hubs(snapshot: Snapshot, chosen: Ints, count: int) -> dict[int, list[int]]:
    """The best symbols of each cluster among some files: exported ones first, then by hub score.

    A cluster without symbols has its files instead.
    """
    columns = columns_of(snapshot)
    is_chosen = np.zeros(len(snapshot.files), dtype=np.bool_)
    is_chosen[chosen] = True
    bases = np.array(snapshot.bases, dtype=np.int64)
    per_file = bases[1:] - bases[:-1]
    nodes = np.flatnonzero(np.repeat(is_chosen, per_file))
    cluster = np.repeat(snapshot.clusters, per_file)[nodes]
    is_file = columns.parent[nodes] < 0
    is_private = (columns.flags[nodes] & SymbolFlag.EXPORTED) == 0
    order = np.lexsort((nodes, -snapshot.scores[nodes], is_private, is_file, cluster))
    nodes, cluster = nodes[order], cluster[order]
    found: dict[int, list[int]] = {}
    for number in np.unique(cluster).tolist():
        begin = int(np.searchsorted(cluster, number))
        end = min(begin + count, int(np.searchsorted(cluster, number, side="right")))
        best = nodes[begin:end].tolist()
        found[number] = [node for node in best if columns.parent[node] >= 0] or best
    return found


def _nothing(world: World, snapshot: Snapshot, focus: str) -> dict[str, Any]:
    """Why there are no clusters, and the folders that the focus may have meant."""
    because = empty_because(world, snapshot)
    if because != "building":
        because = "notIndexed"
    if not snapshot.files:
        return {
            "emptyBecause": because,
            "suggestion": "No file of a known language was found: map_status tells what was skipped and why.",
        }
    innermost = {file.path.rpartition("/")[0] for file in snapshot.files}
    folders = {folder for path in innermost for folder in _folders(path)}
    matches = near(focus, sorted(folders, key=lambda folder: (folder.count("/"), folder))).matches
    hint = f"Did you mean {matches[0]}?" if matches else "Leave focus out to see the folders there are."
    found: dict[str, Any] = {"emptyBecause": because, "suggestion": f"No indexed file is under {focus}. {hint}"}
    return found | ({"recoveryOptions": list(matches)} if matches else {})


def _folders(path: str) -> list[str]:
    """A folder and those around it."""
    parts = path.split("/")
    return ["/".join(parts[: depth + 1]) for depth in range(len(parts))] if path else []


TOOL = Tool(
    name="map_overview",
    command="overview",
    title="Overview",
    description="Start here on an unfamiliar codebase: clusters of related files, each with its hub symbols.",
    params=Params,
    answer=answer,
)
