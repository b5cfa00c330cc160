"""`map_neighbors`: what is around a node."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Annotated, TypedDict, cast

import msgspec
from msgspec import Meta

from codemap.envelope.answer import Answer, CutList, Dropped, Failure, Spare
from codemap.graph.candidates import CANDIDATES_MAX
from codemap.graph.dispatch import Dispatched, dispatched
from codemap.graph.edges import EdgeKind
from codemap.graph.query import FAN_OUT_MAX, Neighbor, Neighborhood, neighborhood
from codemap.graph.snapshot import Snapshot
from codemap.graph.undecided import BOTH, UNDECIDED_MAX, Side, Undecided, UndecidedUses, undecided_uses
from codemap.tools import diagram
from codemap.tools.params import DEPTH_MOST, NODES_MOST, Direction, EdgeKindName, MapParams, NodeIdText
from codemap.tools.tool import Asking, Replied, Tool, World
from codemap.tools.verify import check_around
from codemap.tools.view import (
    CONFIDENCE_NAMES,
    EDGE_NAMES,
    ConfidenceName,
    EdgeName,
    EmptyBecause,
    NodeView,
    SideName,
    Site,
    clustered_view,
    empty_because,
    find_node,
    map_incomplete,
    map_warnings,
    not_built,
    signed_place,
    stale_files,
)


class Params(MapParams, frozen=True, kw_only=True):
    node_id: NodeIdText
    direction: Annotated[Direction, Meta(description="in: who uses it; out: what it uses")] = "both"
    edge_kinds: Annotated[tuple[EdgeKindName, ...], Meta(description="Default: all")] = ()
    depth: Annotated[int, Meta(ge=1, le=DEPTH_MOST)] = 1
    max_nodes: Annotated[int, Meta(ge=1, le=NODES_MOST)] = 50
    verify: Annotated[bool, Meta(description="Ask the language server about its uses first; takes seconds")] = False
    diagram: diagram.Wanted = False


class OfEdge(TypedDict, total=False):
    """What is told of an edge, decided or not."""

    edge: EdgeName
    direction: SideName
    resolved: bool
    confidence: ConfidenceName
    siteCount: int
    sites: list[Site]
    continued: bool


class NeighborView(NodeView, OfEdge, total=False):
    depth: int
    via: str


class UndecidedView(OfEdge, total=False):
    name: str
    owner: str
    through: str
    file: str
    candidateCount: int
    candidates: list[str]


class Payload(TypedDict, total=False):
    node: NodeView
    neighbors: list[NeighborView]
    unresolvedSites: int
    unresolved: list[UndecidedView]
    diagram: str
    omitted: int
    mapBuiltAt: str
    staleFiles: list[str]
    emptyBecause: EmptyBecause


EDGE_KEY = ("id", "edge", "direction", "via")
USE_KEY = ("name", "edge", "direction", "owner", "through")


def lists_of(params: Params) -> tuple[CutList | Spare, ...]:
    """What may be cut. For one step the neighbors come in pages, as many as a node brings on the way to others."""
    narrow, page = narrowing(params), FAN_OUT_MAX if params.depth == 1 else 0
    return (
        diagram.SPARE,
        CutList(("staleFiles",), "stale files", "call map_rebuild"),
        CutList(("unresolved", "*", "candidates"), "candidates", "call map_search with the name", keep=1),
        CutList(("unresolved", "*", "sites"), "sites", narrow, keep=1, key=USE_KEY),
        CutList(("unresolved",), "unresolved uses", narrow, key=USE_KEY),
        Spare(("neighbors", "*", "signature"), "signatures", "call map_search for those that matter"),
        CutList(("neighbors", "*", "sites"), "sites", narrow, keep=1, key=EDGE_KEY),
        CutList(("neighbors",), "neighbors", narrow, page=page, key=EDGE_KEY),
    )


def narrowing(params: Params) -> str:
    """How the call can ask for less than it did."""
    ways = ["depth:1"] if params.depth > 1 else []
    ways += ["edgeKinds with one kind"] if len(params.edge_kinds) != 1 else []
    ways += ["direction"] if params.direction == "both" else []
    return f"pass {' or '.join(ways)}" if ways else "the call is as narrow as it can be"


def answer(world: World, params: Params) -> Replied | Asking[Replied]:
    """The relationships of a node, nearest first, then those that could not be decided."""
    snapshot = world.snapshot
    if snapshot is None:
        return not_built(world)
    node = find_node(world, snapshot, params.node_id)
    if isinstance(node, Failure):
        return node
    if params.verify:
        return _verified(world, snapshot, node, params)
    return _around(world, snapshot, node, params)


def _verified(world: World, snapshot: Snapshot, node: int, params: Params) -> Asking[Replied]:
    """The same from a map that a language server was asked about first."""
    checked = yield from check_around(snapshot, node, _sides(params), _kinds(params))
    found = _around(world, checked.snapshot, node, params)
    return msgspec.structs.replace(
        found,
        warnings=(*found.warnings, *checked.warnings),
        incomplete=" ".join(filter(None, (found.incomplete, checked.incomplete))),
        learned=checked.found,
    )


def _sides(params: Params) -> tuple[Side, ...]:
    return BOTH if params.direction == "both" else (params.direction,)


def _kinds(params: Params) -> frozenset[EdgeKind]:
    return frozenset(EdgeKind[name.upper()] for name in params.edge_kinds) or frozenset(EdgeKind)


def _around(world: World, snapshot: Snapshot, node: int, params: Params) -> Answer:
    sides, kinds = _sides(params), _kinds(params)
    around = neighborhood(snapshot, node, sides, kinds, params.depth, params.max_nodes)
    undecided = undecided_uses(snapshot, node, sides, kinds)
    data: Payload = {
        "node": clustered_view(world, snapshot, node),
        "neighbors": [_neighbor(world, snapshot, neighbor, node) for neighbor in around.neighbors],
    }
    id_of = cache(snapshot.id_of)
    through = [_dispatched(snapshot, call, id_of) for call in dispatched(snapshot, node, sides, kinds)]
    open_sites = undecided.sites + sum(call["siteCount"] for call in through)
    if undecided.uses or through:
        data["unresolvedSites"] = open_sites
        data["unresolved"] = [*through, *(_undecided(snapshot, use, id_of) for use in undecided.uses)]
    if params.diagram:
        data["diagram"] = diagram.of_neighbors(data["node"], data["neighbors"])
    data["omitted"] = around.omitted
    data["mapBuiltAt"] = snapshot.built_at
    data["staleFiles"] = stale_files(world)
    warnings = map_warnings(world, snapshot)
    if not around.neighbors:
        data["emptyBecause"], advice = _emptiness(world, snapshot, node, open_sites, params)
        warnings += advice
    limits = _limits(around, undecided, params, world.limits.nodes_max)
    return Answer(data, lists_of(params), tuple(warnings), limits, incomplete=map_incomplete(world, snapshot))


def _neighbor(world: World, snapshot: Snapshot, neighbor: Neighbor, start: int) -> NeighborView:
    """Sites stand in the file of the edge's source; the place of a contained definition is its line."""
    edge = neighbor.edge
    sites = snapshot.sites(edge)
    view: NeighborView = {
        **cast("NeighborView", signed_place(world, snapshot, neighbor.node)),
        "edge": EDGE_NAMES[edge.kind],
        "direction": neighbor.side,
        "resolved": True,
        "confidence": CONFIDENCE_NAMES[edge.confidence],
        "depth": neighbor.depth,
    }
    if neighbor.via != start:
        view["via"] = snapshot.id_of(neighbor.via)
    view["siteCount"] = len(sites)
    view["sites"] = _sites(sites)
    return view


def _undecided(snapshot: Snapshot, undecided: Undecided, id_of: Callable[[int], str]) -> UndecidedView:
    use = undecided.use
    sites = snapshot.sites(use)
    file = snapshot.file_of(use.source)
    assert file is not None, "external packages use nothing"
    return {
        "name": use.name,
        "edge": EDGE_NAMES[use.kind],
        "direction": undecided.side,
        "resolved": False,
        "confidence": "candidate",
        "owner": id_of(use.source),
        "file": file.path,
        "siteCount": len(sites),
        "sites": _sites(sites),
        "candidateCount": undecided.candidate_count,
        "candidates": list(map(id_of, undecided.candidates)),
    }


def _dispatched(snapshot: Snapshot, call: Dispatched, id_of: Callable[[int], str]) -> UndecidedView:
    """A call of an abstract method: which of its implementers runs is open."""
    sites = snapshot.sites(call.edge)
    file = snapshot.file_of(call.edge.source)
    assert file is not None, "external packages call nothing"
    return {
        "name": snapshot.name_of(call.edge.target),
        "edge": "calls",
        "direction": call.side,
        "resolved": False,
        "confidence": "candidate",
        "owner": id_of(call.edge.source),
        "through": id_of(call.edge.target),
        "file": file.path,
        "siteCount": len(sites),
        "sites": _sites(sites),
        "candidateCount": len(call.implementers),
        "candidates": list(map(id_of, call.implementers[:CANDIDATES_MAX])),
    }


def _sites(sites: list[tuple[int, int]]) -> list[Site]:
    return [{"line": line, "col": col} for line, col in sites]


def _emptiness(world: World, snapshot: Snapshot, node: int, open_sites: int, params: Params) -> tuple[str, list[str]]:
    """Why there are no neighbors, and what to do about it."""
    if open_sites:
        name = snapshot.name_of(node)
        return "unresolved", [
            f"No edge is certain, but {open_sites} site(s) could not be decided and may concern {name}: "
            "see unresolved, and read the sites before you conclude that there is none."
        ]
    because = empty_because(world, snapshot)
    if because == "building":
        return because, []
    others = neighborhood(snapshot, node, BOTH, frozenset(EdgeKind), 1, FAN_OUT_MAX)
    hidden = {EDGE_NAMES[neighbor.edge.kind]: neighbor.side for neighbor in others.neighbors}
    if hidden and (params.edge_kinds or params.direction != "both"):
        seen = ", ".join(f"{kind} ({side})" for kind, side in sorted(hidden.items()))
        return "filtered", [f"The node has other edges: {seen}. Drop edgeKinds or pass direction:both to see them."]
    return because, []


def _limits(around: Neighborhood, undecided: UndecidedUses, params: Params, most: int) -> tuple[Dropped, ...]:
    narrow = narrowing(params)
    dropped = []
    if around.beyond_max:
        is_most = params.max_nodes >= most
        more = "" if is_most else f", or maxNodes up to {most}"
        dropped.append(Dropped("neighbors", around.beyond_max, f"{narrow}{more}", is_profiled=is_most))
    if around.beyond_fan_out:
        note = f"with depth 2 and more a node brings {FAN_OUT_MAX}; pass depth:1 for all of one node's"
        dropped.append(Dropped("neighbors", around.beyond_fan_out, note))
    if undecided.omitted:
        note = f"{narrow}; a call lists the {UNDECIDED_MAX} nearest"
        dropped.append(Dropped("unresolved uses", undecided.omitted, note))
    return tuple(dropped)


TOOL = Tool(
    name="map_neighbors",
    command="neighbors",
    title="Neighbors of a node",
    description=(
        "Callers, callees, imports, inheritance, references and members around a node, with every site. confidence "
        "says how each edge is known; undecided uses stand in unresolved, with candidates. "
        'E.g. {"nodeId":"py:a.py#Store.get","direction":"in"}'
    ),
    params=Params,
    payload=Payload,
    answer=answer,
    needs_edges=True,
)
