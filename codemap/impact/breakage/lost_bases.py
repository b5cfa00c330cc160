"""Finds uses of members that a type had from a base, which a change took from it.

The member is still there, and so is its use; but nothing leads from one to the other any more. Only uses that the map
before the change is sure of are considered.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from codemap.changes.changed_definitions import Change, Pair, What
from codemap.facts import Symbol
from codemap.graph.index.inheritance import ARE_TYPES, find_ancestors
from codemap.graph.model.edges import EdgeKind
from codemap.graph.model.snapshot import Snapshot
from codemap.graph.model.values import Confidence
from codemap.graph.query.override_family import is_constructor
from codemap.impact.breakage.not_adapted import Left, node_of
from codemap.impact.breakage.standing import standing

_USES = (EdgeKind.CALLS, EdgeKind.REFERENCES)


def may_lose_bases(changes: Sequence[Change], pairs: Mapping[str, Pair]) -> bool:
    """Whether the head of a type changed that was there before."""
    return any(True for _ in _headed(changes, pairs))


def uses_of_lost_bases(
    changes: Sequence[Change], pairs: Mapping[str, Pair], before: Snapshot, after: Snapshot
) -> tuple[Left, ...]:
    """The uses that are left, by file and line."""
    lines: dict[tuple[str, int, str, str, bool], set[int]] = {}
    for change in _headed(changes, pairs):
        old, new = node_of(before, change.before), node_of(after, change.after)
        if old is None or new is None:
            continue
        kept = {after.id_of(node) for node in _list_above(after, new)}
        for base in sorted(_list_above(before, old)):
            if before.id_of(base) in kept or after.find(before.id_of(base)) is None:
                continue
            why = f"{after.qualified_name_of(new)} is no longer a {before.name_of(base)}"
            for member in before.children_of(base):
                is_guess = is_constructor(before, member)  # another base has one as well
                for user, left in _left_of(member, pairs, before, after):
                    key = (after.row_of(user)[0].path, user, before.qualified_name_of(member), why, is_guess)
                    lines.setdefault(key, set()).update(left)
    return tuple(
        sorted(
            Left(path, min(numbers), after.qualified_name_of(user), tuple(sorted(numbers)), used, why, is_guess)
            for (path, user, used, why, is_guess), numbers in lines.items()
        )
    )


def _headed(changes: Sequence[Change], pairs: Mapping[str, Pair]) -> Iterator[Change]:
    for change in changes:
        after = pairs[change.after.file].after if change.after is not None else None
        if change.what is not What.SIGNATURE or change.after is None or after is None:
            continue
        if ARE_TYPES[after.cell(change.after.row, Symbol.KIND)]:
            yield change


def _list_above(snapshot: Snapshot, node: int) -> set[int]:
    keys = find_ancestors(snapshot, np.array([node], dtype=np.int32)) % snapshot.node_count
    return {one for one in keys.tolist() if not snapshot.is_external(one)}


def _left_of(
    member: int, pairs: Mapping[str, Pair], before: Snapshot, after: Snapshot
) -> Iterator[tuple[int, set[int]]]:
    """(user after the change, lines) of the uses of a member that mean nothing after it."""
    if after.find(before.id_of(member)) is None:
        return
    name = before.name_of(member)
    for edge in before.edges_in(member, _USES):
        known = standing(edge, pairs, before, after)
        if known is not None:
            user, left = known
            sure = (one for one in after.edges_out(user, _USES) if one.confidence <= Confidence.TYPE)
            left -= {site for one in sure for site in after.sites(one)}
        else:
            found = None if edge.confidence is Confidence.CANDIDATE else after.find(before.id_of(edge.source))
            if found is None:
                continue
            user = found
            left = {site for use in after.unresolved_out(user) if use.name == name for site in after.sites(use)}
        if left:
            yield user, {line for line, _ in left}
