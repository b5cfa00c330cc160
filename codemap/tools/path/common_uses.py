"""Finds what two definitions both use that few others do: where no call leads from one to the other, they may still
meet in it, as those do that put events in a queue and take them out."""

from __future__ import annotations

from collections.abc import Sequence

from codemap.graph.model.edges import EdgeKind
from codemap.graph.model.snapshot import Snapshot
from codemap.graph.query.chains import inside_of
from codemap.tools.compact import short_id

USERS_MAX = 12
"""Definitions that use it: what more use says little of any two."""
SHOWN_MAX = 3
_USES = frozenset((EdgeKind.CALLS, EdgeKind.REFERENCES))


def common_uses(snapshot: Snapshot, start: int, end: int) -> list[int]:
    """What both use, those that the fewest use first."""
    if snapshot.is_external(start) or snapshot.is_external(end):
        return []
    used = [
        {edge.target for one in (node, *inside_of(snapshot, node)) for edge in snapshot.edges_out(one, _USES)}
        for node in (start, end)
    ]
    users = {
        node: len({edge.source for edge in snapshot.edges_in(node, _USES)})
        for node in used[0] & used[1]
        if not snapshot.is_external(node)
    }
    return sorted((node for node, count in users.items() if count <= USERS_MAX), key=lambda node: (users[node], node))


def say_common(snapshot: Snapshot, nodes: Sequence[int]) -> str:
    """`Both use src/queue.py#Event.SAVED and 2 more.`"""
    names = [short_id(snapshot, node) for node in nodes[:SHOWN_MAX]]
    more = f" and {len(nodes) - SHOWN_MAX} more" if len(nodes) > SHOWN_MAX else ""
    return f"Both use {', '.join(names)}{more}."
