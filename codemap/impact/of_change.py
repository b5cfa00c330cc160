"""Assesses a change that was made: in the map after it, and for what it removed in the map before."""

from __future__ import annotations

from collections.abc import Sequence

from codemap.changes.changed_definitions import Change, Place, What
from codemap.graph.model.snapshot import Snapshot
from codemap.graph.query.override_family import has_overloads
from codemap.impact.assess import Assessed, Known, assess
from codemap.impact.not_adapted import TAKEN, nodes_of, taken_nodes
from codemap.impact.reach import reach


def assess_change(changes: Sequence[Change], before: Snapshot | None, after: Snapshot) -> Assessed:
    """Assesses all changes; `before` is needed where something was removed, renamed or moved."""
    more = _find_users_of_taken(changes, before, after) if before is not None else {}
    nodes = nodes_after(changes, after)
    return assess(after, nodes, (), more, alone=[node for node in nodes if has_overloads(after, node)])


def nodes_after(changes: Sequence[Change], after: Snapshot) -> list[int]:
    """The nodes that some changes edited or added, in the map after them."""
    places = [(change.after, change.what) for change in changes if change.after is not None]
    return sorted({node for place, what in places for node in _list_nodes(after, place, what)})


def needs_before(changes: Sequence[Change]) -> bool:
    """Whether the map before the change is needed."""
    return any(change.what in TAKEN for change in changes)


def _list_nodes(after: Snapshot, place: Place, what: What) -> list[int]:
    """The definition; of one that came, with all in it."""
    if place.file not in after.by_path:
        return []
    if what is What.BODY or what is What.SIGNATURE:
        return [after.by_path[place.file].base + place.row]
    return nodes_of(after, place)


def _find_users_of_taken(changes: Sequence[Change], before: Snapshot, after: Snapshot) -> dict[int, Known]:
    """Who used what was taken away, as nodes after the change."""
    taken = sorted(taken_nodes(changes, before))
    reached = reach(before, taken, taken)
    found: dict[int, Known] = {}
    columns = (reached.node, reached.tier, reached.depth, reached.via, reached.how)
    for node, tier, depth, via, how in zip(*(column.tolist() for column in columns), strict=True):
        present = None if before.is_external(node) else after.find(before.id_of(node))
        if present is not None:
            found[present] = Known(tier, depth, before.qualified_name_of(via) or before.name_of(via), how)
    return found
