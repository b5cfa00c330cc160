"""`map_overview`: what the repository is made of."""

from __future__ import annotations

from collections.abc import Collection
from itertools import pairwise
from typing import Annotated, TypedDict

import msgspec
import numpy as np
from msgspec import Meta

from codemap.envelope.answer import Answer, CutList, Failure
from codemap.envelope.near import near
from codemap.facts import SymbolFlag
from codemap.graph.columns import columns_of
from codemap.graph.edges import Ints, Mask
from codemap.graph.snapshot import Snapshot
from codemap.tools import diagram
from codemap.tools.params import MapParams
from codemap.tools.tool import Tool, World
from codemap.tools.view import (
    EmptyBecause,
    NodeView,
    empty_because,
    map_incomplete,
    map_warnings,
    node_view,
    not_built,
    stale_files,
)


class Params(MapParams, frozen=True, kw_only=True):
    focus: Annotated[str, Meta(description="Only this folder or file")] = ""
    hubs_per_cluster: Annotated[int, Meta(ge=1, le=20)] = 5
    diagram: diagram.Wanted = False


class Cluster(TypedDict, total=False):
    id: str
    label: str
    files: int
    hubs: list[NodeView]
    continued: bool


class Payload(TypedDict, total=False):
    builtAt: str
    files: int
    symbols: int
    staleFiles: list[str]
    clusters: list[Cluster]
    diagram: str
    emptyBecause: EmptyBecause
    suggestion: str
    recoveryOptions: list[str]


_HOLDER = "_hub_order"
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
    everything = range(len(snapshot.files))
    chosen = [n for n in everything if _is_under(snapshot.files[n].path, focus)] if focus else everything
    data: Payload = {
        "builtAt": snapshot.built_at,
        "files": len(chosen),
        "symbols": _symbols(snapshot, chosen),
        "staleFiles": stale_files(world),
        "clusters": _clusters(world, snapshot, chosen, params.hubs_per_cluster),
    }
    if params.diagram:
        data["diagram"] = diagram.of_clusters(snapshot, data["clusters"])
    if not chosen:
        data |= _nothing(world, snapshot, focus)
    return Answer(data, LISTS, tuple(map_warnings(world, snapshot)), incomplete=map_incomplete(world, snapshot))


def _is_under(path: str, folder: str) -> bool:
    return path == folder or path.startswith(f"{folder}/")


def _symbols(snapshot: Snapshot, chosen: Collection[int]) -> int:
    if len(chosen) == len(snapshot.files):
        return snapshot.symbol_count
    return sum(snapshot.files[number].symbol_count - 1 for number in chosen)


def _clusters(world: World, snapshot: Snapshot, chosen: Collection[int], hub_count: int) -> list[Cluster]:
    file_counts = np.bincount(snapshot.clusters[np.array(chosen, dtype=np.int32)], minlength=len(snapshot.cluster_ids))
    hubs = _hubs(snapshot, chosen, hub_count)
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


def _hub(world: World, snapshot: Snapshot, node: int) -> NodeView:
    """A node view, its texts shortened; its cluster is the one that it stands in."""
    view = node_view(world, snapshot, node)
    if "signature" in view:
        view["signature"] = _clipped(view["signature"])
    if "doc" in view:
        view["doc"] = _clipped(view["doc"])
    return view


def _clipped(text: str) -> str:
    return text if len(text) <= TEXT_MAX_CHARS else text[: TEXT_MAX_CHARS - 1] + "…"


def _hubs(snapshot: Snapshot, chosen: Collection[int], count: int) -> dict[int, list[int]]:
    """The best symbols of each cluster among some files: exported ones first, then by hub score.

    A cluster without symbols has its files instead.
    """
    order = _hub_order(snapshot)
    nodes, cluster, is_symbol = order.nodes, order.cluster, order.is_symbol
    if len(chosen) < len(snapshot.files):
        is_chosen = np.zeros(len(snapshot.files), dtype=np.bool_)
        is_chosen[list(chosen)] = True
        places = np.flatnonzero(is_chosen[order.file])
        nodes, cluster, is_symbol = nodes[places], cluster[places], is_symbol[places]
    found: dict[int, list[int]] = {}
    begins = np.flatnonzero(np.diff(cluster, prepend=-1)).tolist()
    for begin, end in pairwise([*begins, len(cluster)]):
        best = slice(begin, min(begin + count, end))
        symbols = nodes[best][is_symbol[best]].tolist()
        found[int(cluster[begin])] = symbols or nodes[best].tolist()
    return found


class _HubOrder(msgspec.Struct, frozen=True):
    """All nodes by cluster, the best first."""

    nodes: Ints
    cluster: Ints
    file: Ints
    is_symbol: Mask


def _hub_order(snapshot: Snapshot) -> _HubOrder:
    """The order of hubs, held by the snapshot that it belongs to. Cost: a sort of all nodes, once."""
    held: _HubOrder | None = vars(snapshot).get(_HOLDER)
    if held is not None:
        return held
    columns = columns_of(snapshot)
    bases = np.array(snapshot.bases, dtype=np.int64)
    file = np.repeat(np.arange(len(snapshot.files), dtype=np.int32), bases[1:] - bases[:-1])
    cluster = snapshot.clusters[file]
    is_symbol = columns.parent >= 0
    is_private = (columns.flags & SymbolFlag.EXPORTED) == 0
    nodes = np.arange(len(file), dtype=np.int32)
    order = np.lexsort((nodes, -snapshot.scores[nodes], is_private, ~is_symbol, cluster))
    made = _HubOrder(nodes[order], cluster[order], file[order], is_symbol[order])
    return vars(snapshot).setdefault(_HOLDER, made)  # type: ignore[no-any-return]


def _nothing(world: World, snapshot: Snapshot, focus: str) -> Payload:
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
    found: Payload = {"emptyBecause": because, "suggestion": f"No indexed file is under {focus}. {hint}"}
    if matches:
        found["recoveryOptions"] = list(matches)
    return found


def _folders(path: str) -> list[str]:
    """A folder and those around it."""
    parts = path.split("/")
    return ["/".join(parts[: depth + 1]) for depth in range(len(parts))] if path else []


TOOL = Tool(
    name="map_overview",
    command="overview",
    title="Overview",
    description=(
        "Start here on an unfamiliar codebase: clusters of related files with their hub symbols. "
        'E.g. {"focus":"src/auth"}'
    ),
    params=Params,
    payload=Payload,
    answer=answer,
    needs_edges=True,
)
