"""The full rows of `map_neighbors`: an object for each edge, with every member, for programs."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache
from typing import cast

import numpy as np

from codemap.envelope.answer import Answer, CutList, Dropped, Spare
from codemap.file_roles import Role
from codemap.graph.index.columns import columns_of
from codemap.graph.index.node_roles import roles_of_nodes
from codemap.graph.likelihood.candidates import CANDIDATES_MAX
from codemap.graph.model.edges import distinct
from codemap.graph.model.snapshot import Snapshot
from codemap.graph.query.dispatch import Dispatched, dispatched
from codemap.graph.query.neighborhood import FAN_OUT_MAX, Neighbor
from codemap.graph.query.undecided import UNDECIDED_MAX, Undecided, UndecidedUses, undecided_uses
from codemap.tools import diagram
from codemap.tools.neighbors.asked import Asked, Params, crowded_out, narrowing
from codemap.tools.neighbors.emptiness import emptiness
from codemap.tools.neighbors.payload import NeighborView, Payload, UndecidedView
from codemap.tools.row_selection import Place, Sifted, folded_counts, sift
from codemap.tools.tool import World
from codemap.tools.view import (
    CONFIDENCE_NAMES,
    EDGE_NAMES,
    LIKELIHOOD_NAMES,
    Site,
    clustered_view,
    map_incomplete,
    map_warnings,
    signed_place,
    stale_files,
)

EDGE_KEY = ("id", "edge", "direction", "via")
USE_KEY = ("name", "edge", "direction", "owner", "through")


def lists_of(params: Params) -> tuple[CutList | Spare, ...]:
    """What may be cut. For one step the neighbors come in pages, as many as a node brings on the way to others."""
    narrow, page = narrowing(params), FAN_OUT_MAX if params.depth == 1 else 0
    return (
        diagram.SPARE,
        Spare(("folded",), "folded counts", "pass tests:exclude"),
        CutList(("staleFiles",), "stale files", "call map_rebuild"),
        CutList(("givenTo",), "functions", narrow, is_grouped=True),
        CutList(("sentBy",), "functions", narrow, is_grouped=True),
        CutList(("unresolved", "*", "candidates"), "candidates", "call map_search with the name", keep=1),
        CutList(("unresolved", "*", "sites"), "sites", narrow, keep=1, key=USE_KEY),
        CutList(("unresolved",), "unresolved uses", narrow, key=USE_KEY),
        Spare(("neighbors", "*", "signature"), "signatures", "call map_search for those that matter"),
        CutList(("neighbors", "*", "sites"), "sites", narrow, keep=1, key=EDGE_KEY),
        CutList(("neighbors",), "neighbors", narrow, page=page, key=EDGE_KEY),
    )


def full_answer(asked: Asked) -> Answer:
    """The neighbors of a node, nearest first, then the uses that could not be decided."""
    world, snapshot, node, params = asked.world, asked.snapshot, asked.node, asked.params
    around = asked.around
    undecided = undecided_uses(snapshot, node, asked.sides, asked.kinds)
    shown = _sift_neighbors(asked, around.neighbors)
    data: Payload = {
        "node": clustered_view(world, snapshot, node),
        "neighbors": neighbor_views(asked, shown.rows),
    }
    if shown.folded:
        data["folded"] = folded_counts(shown.folded)  # type: ignore[typeddict-item]
    id_of = cache(snapshot.id_of)
    calls = dispatched(snapshot, node, asked.sides, asked.kinds)
    calls_left = (call for call in calls if call.side == "out" or call.edge.target not in asked.family)
    through = [_show_dispatched(snapshot, call, id_of) for call in calls_left]
    open_sites = undecided.sites + sum(call["siteCount"] for call in through)
    if undecided.uses or through:
        data["unresolvedSites"] = open_sites
        data["unresolved"] = [*through, *(_show_undecided(snapshot, use, id_of) for use in undecided.uses)]
    if params.diagram:
        data["diagram"] = diagram.of_neighbors(cast("dict[str, str]", data["node"]), data["neighbors"])
    data["omitted"] = around.omitted
    data["mapBuiltAt"] = snapshot.built_at
    data["staleFiles"] = stale_files(world)
    warnings = map_warnings(world, snapshot)
    if not shown.rows:
        data["emptyBecause"], advice = emptiness(asked, open_sites, shown.hidden)
        warnings += advice
    dropped = _note_limits(asked, undecided)
    return Answer(data, lists_of(params), tuple(warnings), dropped, incomplete=map_incomplete(world, snapshot))


def _sift_neighbors(asked: Asked, neighbors: tuple[Neighbor, ...]) -> Sifted[Neighbor]:
    params = asked.params
    if params.rows == "full" and not params.file_filter and not isinstance(params.tests, str):
        return Sifted(neighbors)
    return sift(neighbors, places_of_neighbors(asked.snapshot, neighbors), params, asked.role)


def places_of_neighbors(snapshot: Snapshot, neighbors: Iterable[Neighbor]) -> Callable[[Neighbor], Place]:
    """The place of each of some neighbors."""
    nodes = distinct(np.array([one.node for one in neighbors], dtype=np.int32))
    nodes = nodes[nodes < snapshot.first_external]
    files = columns_of(snapshot).file.take(nodes).tolist()
    roles = map(Role, roles_of_nodes(snapshot, nodes).tolist())
    paths = (snapshot.files[file].path for file in files)
    known = dict(zip(nodes.tolist(), zip(paths, roles, strict=True), strict=True))
    nowhere = ("", Role.PRODUCT)

    def place_of(one: Neighbor) -> Place:
        path, role = known.get(one.node, nowhere)
        return Place(path, role, snapshot.site_count(one.edge))

    return place_of


def neighbor_views(asked: Asked, neighbors: tuple[Neighbor, ...]) -> list[NeighborView]:
    return [_show_neighbor(asked.world, asked.snapshot, neighbor, asked.node) for neighbor in neighbors]


def _show_neighbor(world: World, snapshot: Snapshot, neighbor: Neighbor, start: int) -> NeighborView:
    """Sites are in the file of the edge's source; the place of a contained definition is its line."""
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
    view["sites"] = _show_sites(sites)
    return view


def _show_undecided(snapshot: Snapshot, undecided: Undecided, id_of: Callable[[int], str]) -> UndecidedView:
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
        "sites": _show_sites(sites),
        "likelihood": LIKELIHOOD_NAMES[undecided.likelihood],
        "candidateCount": undecided.candidate_count,
        "candidates": list(map(id_of, undecided.candidates)),
    }


def _show_dispatched(snapshot: Snapshot, call: Dispatched, id_of: Callable[[int], str]) -> UndecidedView:
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
        "sites": _show_sites(sites),
        "candidateCount": len(call.implementers),
        "candidates": list(map(id_of, call.implementers[:CANDIDATES_MAX])),
    }


def _show_sites(sites: list[tuple[int, int]]) -> list[Site]:
    return [{"line": line, "col": col} for line, col in sites]


def _note_limits(asked: Asked, undecided: UndecidedUses) -> tuple[Dropped, ...]:
    params, around, most = asked.params, asked.around, asked.world.limits.nodes_max
    narrow = narrowing(params)
    dropped = []
    if around.beyond_max:
        is_most = isinstance(params.max_nodes, int) and params.max_nodes >= most
        more = "" if is_most else f", or maxNodes up to {most}"
        dropped.append(Dropped("neighbors", around.beyond_max, f"{narrow}{more}", is_profiled=is_most))
    dropped += crowded_out(around)
    if undecided.omitted:
        note = f"{narrow}; a call lists the {UNDECIDED_MAX} nearest"
        dropped.append(Dropped("unresolved uses", undecided.omitted, note))
    return tuple(dropped)
