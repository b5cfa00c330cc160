"""Assesses a change that was made: in the map after it, and for what it removed in the map before."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from codemap.changes.changed_definitions import Change, Place, What
from codemap.graph.model.edges import EdgeKind
from codemap.graph.model.snapshot import Snapshot
from codemap.graph.query.override_family import has_overloads
from codemap.impact.assess import Assessed, Known, assess
from codemap.impact.breakage.changed_signatures import means_by_parameters
from codemap.impact.breakage.lost_meanings import LINES, Lost
from codemap.impact.breakage.not_adapted import TAKEN, node_of, nodes_of, taken_nodes
from codemap.impact.breakage.unloaded import Unloaded
from codemap.impact.reach import reach
from codemap.impact.reached import Reach
from codemap.impact.risk import MEDIUM_MIN, risk_of
from codemap.impact.steps import Tier


def assess_change(
    changes: Sequence[Change],
    before: Snapshot | None,
    after: Snapshot,
    lost: Sequence[Lost] = (),
    unloaded: Sequence[Unloaded] = (),
) -> Assessed:
    """Assesses all changes; `before` is needed where something was removed, renamed or moved, or uses `lost` what they
    mean."""
    more = _find_users_of_taken(changes, before, after) if before is not None else {}
    for node, known in (
        *_find_users_of_resigned(changes, before, after),
        *_find_users_of_lost(lost, unloaded, before, after),
    ):
        if node not in more or (known.tier, known.depth) < (more[node].tier, more[node].depth):
            more[node] = known
    nodes = nodes_after(changes, after)
    found = assess(after, nodes, (), more, alone=[node for node in nodes if has_overloads(after, node)])
    is_public = found.is_public or any(change.what is What.EXPORTS for change in changes)
    return msgspec.structs.replace(found, is_public=is_public)


def with_breakage(found: Assessed) -> Assessed:
    """The same where something is sure to be broken, which is no low risk."""
    score = max(found.score, MEDIUM_MIN)
    return msgspec.structs.replace(found, score=score, risk=risk_of(score))


def nodes_after(changes: Sequence[Change], after: Snapshot) -> list[int]:
    """The nodes that some changes edited or added, in the map after them."""
    places = [
        (change.after, change.what) for change in changes if change.after is not None and change.what not in LINES
    ]
    return sorted({node for place, what in places for node in _list_nodes(after, place, what)})


def needs_before(changes: Sequence[Change]) -> bool:
    """Whether the map before the change is needed."""
    return any(change.what in TAKEN or change.what in LINES for change in changes)


def _list_nodes(after: Snapshot, place: Place, what: What) -> list[int]:
    """The definition; of one that came, with all in it."""
    node = node_of(after, place)
    if node is None:
        return []
    return [node] if what is What.BODY or what is What.SIGNATURE else nodes_of(after, place)


def _find_users_of_taken(changes: Sequence[Change], before: Snapshot, after: Snapshot) -> dict[int, Known]:
    """Who used what was taken away, as nodes after the change."""
    taken = sorted(taken_nodes(changes, before))
    return dict(_list_present(reach(before, taken, taken), before, after))


def _find_users_of_resigned(
    changes: Sequence[Change], before: Snapshot | None, after: Snapshot
) -> Iterator[tuple[int, Known]]:
    """Who used what has other parameters now, where a call that does not fit them means nothing."""
    if before is None:
        return
    signed = (node_of(before, change.before) for change in changes if change.what is What.SIGNATURE)
    nodes = [node for node in signed if node is not None and means_by_parameters(before.row_of(node)[0].lang)]
    if nodes:
        yield from _list_present(reach(before, sorted(nodes)), before, after)


def _find_users_of_lost(
    lost: Sequence[Lost], unloaded: Sequence[Unloaded], before: Snapshot | None, after: Snapshot
) -> Iterator[tuple[int, Known]]:
    """Whose uses lost their meaning, or what loads it, and who used these, as nodes after the change."""
    if before is None or not lost:
        return
    users = [one for one in lost if not one.is_line]
    for one in users:
        yield one.user, Known(int(Tier.CERTAIN), 1, _name_node(before, one.target), int(one.kind))
    for use in unloaded:
        yield use.user, Known(int(Tier.POSSIBLE), 1, _name_node(after, use.target), int(EdgeKind.REFERENCES))
    for node, known in _list_present(reach(before, sorted({one.source for one in users})), before, after):
        yield node, msgspec.structs.replace(known, depth=known.depth + 1)


def _list_present(reached: Reach, before: Snapshot, after: Snapshot) -> Iterator[tuple[int, Known]]:
    """What was reached in the map before and is still there, as nodes after the change."""
    columns = (reached.node, reached.tier, reached.depth, reached.last.via, reached.last.how)
    for node, tier, depth, via, how in zip(*(column.tolist() for column in columns), strict=True):
        present = None if before.is_external(node) else after.find(before.id_of(node))
        if present is not None:
            yield present, Known(tier, depth, _name_node(before, via), how)


def _name_node(snapshot: Snapshot, node: int) -> str:
    return snapshot.qualified_name_of(node) or snapshot.name_of(node)
