"""Says why an answer about neighbors has none, and what to ask instead."""

from __future__ import annotations

from codemap.graph.model.edges import EdgeKind
from codemap.graph.query.neighborhood import FAN_OUT_MAX, neighborhood
from codemap.tools.neighbors.asked import Asked
from codemap.tools.neighbors.through_bases import calls_by_name
from codemap.tools.row_selection import say_hidden
from codemap.tools.view import EDGE_NAMES, empty_because


def emptiness(asked: Asked, open_sites: int, hidden: int) -> tuple[str, list[str]]:
    """Why there are no neighbors, and what to do about it."""
    world, snapshot, params = asked.world, asked.snapshot, asked.params
    if open_sites:
        return "unresolved", ["None is certain: read those unresolved before you conclude that there is none."]
    because = empty_because(world, snapshot)
    if because == "building":
        return because, []
    if hidden:
        return "filtered", [say_hidden(hidden, "use", params)]
    others = neighborhood(snapshot, asked.node, asked.sides, frozenset(EdgeKind), 1, FAN_OUT_MAX)
    hidden_kinds = {
        EDGE_NAMES[one.edge.kind]: one.side
        for one in others.neighbors
        if one.side == "out" or one.edge.kind is not EdgeKind.CONTAINS  # what it is in is no news
    }
    if hidden_kinds and (params.edge_kinds or params.direction != "both" or params.rows == "compact"):
        seen = ", ".join(f"{kind} ({side})" for kind, side in sorted(hidden_kinds.items()))
        advice = " To see them, drop edgeKinds." if params.edge_kinds else ""
        return because, [f"The node has other edges: {seen}.{advice}", *calls_by_name(asked)]
    return because, calls_by_name(asked)
