"""Finds the methods that override methods: members of the same name in classes above or below, for many at once;
of overloads, those whose parameters match.

A method may override one of a type that its own has nothing to do with, in one that inherits both: see
`promoted_methods`. The parts of a type that is in several places count as the type. What is looked at is bounded by
`LEVELS_MAX` levels of inheritance, and `PAIRS_MAX` pairs of methods of one name.
"""

from __future__ import annotations

import numpy as np

from codemap.graph.index.columns import FEW, columns_of, find_equal, gathered, places
from codemap.graph.index.inheritance import ARE_TYPES, find_ancestors, has_related, inheritance, list_ancestors
from codemap.graph.index.overload_matching import keep_matching
from codemap.graph.index.promoted_methods import PROMOTED, carry_pairs
from codemap.graph.index.type_methods import ARE_METHODS, MEMBERS, MethodPairs, is_member, pair_up
from codemap.graph.model.edges import Ints, are_among, distinct
from codemap.graph.model.index_slots import Slot, reuse
from codemap.graph.model.snapshot import Snapshot

PAIRS_MAX = 50_000
"""Pairs of one name, where the pairs of all are not kept."""
NODES_MAX = 300_000
"""Nodes up to which all pairs are found at once: a third of a microsecond a node, and some bytes for each pair."""

_NONE: Ints = np.empty(0, dtype=np.int32)


def overrides(snapshot: Snapshot, methods: Ints, *, downwards: bool) -> tuple[Ints, Ints]:
    """Pairs of a method and one that overrides it; upwards, of a method and one that it overrides."""
    kept = _PAIRS.held_by(snapshot)
    if kept is not None:
        return keep_matching(snapshot, *kept.of(methods, downwards=downwards))
    if len(methods) == 1 and len(snapshot.node_names.namesakes(int(methods[0]))) == 1:
        return _NONE, _NONE  # as of most methods: no other has its name
    found = _find_of_relatives(snapshot, methods, downwards=downwards)
    own, others = PROMOTED.of(snapshot).of(methods, downwards=downwards)
    if not len(own):
        return keep_matching(snapshot, *found)
    own, others = np.concatenate((found[0], own)), np.concatenate((found[1], others))
    order = np.argsort(methods)
    order = np.lexsort((others, order[np.searchsorted(methods, own, sorter=order)]))
    return keep_matching(snapshot, own[order], others[order])


def keep_overrides(snapshot: Snapshot) -> None:
    """Finds all overrides of a snapshot, for searches that ask for those of many methods; too large a one's are found
    as they are asked for."""
    if snapshot.node_count <= NODES_MAX:
        _PAIRS.of(snapshot)


def _find_pairs(snapshot: Snapshot) -> MethodPairs:
    below, above = _find_overridden(snapshot, MEMBERS.of(snapshot).node)
    promoted = PROMOTED.of(snapshot)
    return pair_up(np.concatenate((below, promoted.below)), np.concatenate((above, promoted.above)))


_PAIRS = Slot[MethodPairs](_find_pairs, carry=carry_pairs, rescore=reuse)


def _find_of_relatives(snapshot: Snapshot, methods: Ints, *, downwards: bool) -> tuple[Ints, Ints]:
    """Those of which the one's type inherits from that of the other."""
    columns, names = columns_of(snapshot), snapshot.node_names
    if len(methods) == 1 and not columns.has_parts and not downwards:
        return _find_overridden_by(snapshot, int(methods[0]))
    methods = methods[is_member(columns, methods)]
    if len(methods) and not columns.has_parts:
        owners = columns.parent[methods]
        if len(methods) > FEW:
            owners = distinct(owners)
            owners = owners[distinct(inheritance(snapshot, owners, downwards=downwards)[1])]
            methods = methods[are_among(columns.parent[methods], owners)]
        else:
            methods = methods[[has_related(snapshot, owner, downwards=downwards) for owner in owners.tolist()]]
    if not len(methods):
        return _NONE, _NONE
    if len(methods) > FEW and not downwards:
        return _find_overridden(snapshot, methods)
    others, at = gathered(names.nodes, names.start, names.of_node[methods])
    chosen = np.flatnonzero(is_member(columns, others))[:PAIRS_MAX]
    own, others = methods[at[chosen]], others[chosen]
    below, above = (others, own) if downwards else (own, others)
    types = distinct(columns.parent[below])
    keys = np.searchsorted(types, columns.parent[below]) * np.int64(snapshot.node_count) + columns.parent[above]
    are_related = are_among(keys, find_ancestors(snapshot, types))
    return own[are_related], others[are_related]


def _find_overridden(snapshot: Snapshot, methods: Ints) -> tuple[Ints, Ints]:
    """Pairs of a method and one that it overrides, in order."""
    columns, names = columns_of(snapshot), snapshot.node_names.of_node
    width = np.int64(snapshot.node_count)
    types, of = np.unique(columns.parent[methods], return_inverse=True)
    ancestors = find_ancestors(snapshot, types)
    begin = np.searchsorted(ancestors, np.arange(len(types) + 1) * width).astype(np.int32)
    at, own = places(begin, of.astype(np.int32))
    wanted = (ancestors[at] % width) * np.int64(len(snapshot.node_names.names)) + names[methods[own]]
    members = MEMBERS.of(snapshot)
    found, pair = find_equal(members.key, wanted)
    own, others = own[pair], members.node[found]
    order = np.lexsort((others, own))
    return methods[own[order]], others[order]


def _find_overridden_by(snapshot: Snapshot, method: int) -> tuple[Ints, Ints]:
    """`_find_overridden` for one method where no type has parts: most have a name that few others have, in classes with
    few bases."""
    columns, names = columns_of(snapshot), snapshot.node_names.of_node
    owner = int(columns.parent[method])
    if owner < 0 or not ARE_TYPES[columns.kind[owner]] or not ARE_METHODS[columns.kind[method]]:
        return _NONE, _NONE
    members = [columns.children_of(cls) for cls in list_ancestors(snapshot, owner) if ARE_TYPES[columns.kind[cls]]]
    if not members:
        return _NONE, _NONE
    others = np.concatenate(members)
    others = np.sort(others[(names[others] == names[method]) & ARE_METHODS[columns.kind[others]]])
    return np.full(len(others), method, dtype=np.int32), others
