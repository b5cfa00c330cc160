"""Finds the methods that override methods: members of the same name in classes above or below, for many at once.

The parts of a type that is in several places count as the type. What is looked at is bounded by `LEVELS_MAX` levels
of inheritance, and `PAIRS_MAX` pairs of methods of one name.
"""

from __future__ import annotations

import msgspec
import numpy as np

from codemap.facts import SymbolFlag, SymbolKind
from codemap.graph.index.columns import FEW, Columns, columns_of, gathered, places
from codemap.graph.model.edges import EdgeKind, Ints, Mask, Numbers, are_among, distinct
from codemap.graph.model.index_slots import Edit, Reach, Slot, reuse, reuse_for_contents
from codemap.graph.model.snapshot import Snapshot

LEVELS_MAX = 12
PAIRS_MAX = 50_000
"""Pairs of one name, where the pairs of all are not kept."""
NODES_MAX = 300_000
"""Nodes up to which all pairs are found at once: a third of a microsecond a node, and some bytes for each pair."""

_TYPES = (SymbolKind.CLASS, SymbolKind.INTERFACE, SymbolKind.ENUM)
_METHODS = (SymbolKind.METHOD, SymbolKind.FUNCTION, SymbolKind.PROPERTY)
ARE_TYPES = np.array([kind in _TYPES for kind in SymbolKind])
ARE_METHODS = np.array([kind in _METHODS for kind in SymbolKind])
"""By SymbolKind."""
_EXTENDS, _IMPLEMENTS, _REFERENCES = int(EdgeKind.EXTENDS), int(EdgeKind.IMPLEMENTS), int(EdgeKind.REFERENCES)
_INHERITED = (_EXTENDS, _IMPLEMENTS)
_PART = int(SymbolFlag.PART)
_NONE: Ints = np.empty(0, dtype=np.int32)


def inheritance(snapshot: Snapshot, types: Ints, *, downwards: bool) -> tuple[Ints, Ints]:
    """Rows of the edges from heirs, or to bases, and the place of the type of each."""
    table = snapshot.edges
    rows, of = gathered(table.by_target, table.in_start, types) if downwards else places(table.out_start, types)
    kinds = table.kind.take(rows)
    chosen = (kinds == _EXTENDS) | (kinds == _IMPLEMENTS)
    return rows.compress(chosen), of.compress(chosen)


def overrides(snapshot: Snapshot, methods: Ints, *, downwards: bool) -> tuple[Ints, Ints]:
    """Pairs of a method and one that overrides it; upwards, of a method and one that it overrides."""
    kept = _PAIRS.held_by(snapshot)
    if kept is not None:
        return kept.of(methods, downwards=downwards)
    columns, names = columns_of(snapshot), snapshot.node_names
    if len(methods) == 1:
        if len(names.namesakes(int(methods[0]))) == 1:
            return _NONE, _NONE  # as of most methods: no other has its name
        if not columns.has_parts and not downwards:
            return _find_overridden_by(snapshot, int(methods[0]))
    methods = methods[_is_member(columns, methods)]
    if len(methods) and not columns.has_parts:
        owners = columns.parent[methods]
        if len(methods) > FEW:
            owners = distinct(owners)
            owners = owners[distinct(inheritance(snapshot, owners, downwards=downwards)[1])]
            methods = methods[are_among(columns.parent[methods], owners)]
        else:
            methods = methods[[_has_related(snapshot, owner, downwards=downwards) for owner in owners.tolist()]]
    if not len(methods):
        return _NONE, _NONE
    if len(methods) > FEW and not downwards:
        return _find_overridden(snapshot, methods)
    others, at = gathered(names.nodes, names.start, names.of_node[methods])
    chosen = np.flatnonzero(_is_member(columns, others))[:PAIRS_MAX]
    own, others = methods[at[chosen]], others[chosen]
    below, above = (others, own) if downwards else (own, others)
    types = distinct(columns.parent[below])
    keys = np.searchsorted(types, columns.parent[below]) * np.int64(snapshot.node_count) + columns.parent[above]
    are_related = are_among(keys, _find_ancestors(snapshot, types))
    return own[are_related], others[are_related]


def keep_overrides(snapshot: Snapshot) -> None:
    """Finds all overrides of a snapshot, for searches that ask for those of many methods; too large a one's are found
    as they are asked for."""
    if snapshot.node_count <= NODES_MAX:
        _PAIRS.of(snapshot)


class _Pairs(msgspec.Struct, frozen=True):
    """All pairs of a method and one that it overrides."""

    below: Ints
    """In order."""
    above: Ints
    by_above: tuple[Ints, Ints]
    """The same pairs, those above first and in order."""

    def of(self, methods: Ints, *, downwards: bool) -> tuple[Ints, Ints]:
        """The pairs that begin with one of some methods, in their order."""
        key, others = self.by_above if downwards else (self.below, self.above)
        if len(methods) == 1:
            found = others[key.searchsorted(methods[0]) : key.searchsorted(methods[0], "right")]
            return np.repeat(methods, len(found)), found
        ends = np.searchsorted(key, np.stack((methods, methods + 1), axis=1).ravel()).astype(np.int32)
        rows, of = places(ends, np.arange(len(methods), dtype=np.int32) * 2)
        return methods.take(of), others.take(rows)


def _find_pairs(snapshot: Snapshot) -> _Pairs:
    below, above = _find_overridden(snapshot, _MEMBERS.of(snapshot).node)
    order = np.lexsort((above, below))
    below, above = below[order], above[order]
    order = np.argsort(above, kind="stable")
    return _Pairs(below, above, (above[order], below[order]))


def _carry_pairs(before: _Pairs, edit: Edit) -> _Pairs | None:
    if edit.reach is not Reach.CONTENTS or columns_of(edit.snapshot).has_parts:
        return None
    old, new = _list_inheritance(edit.previous), _list_inheritance(edit.snapshot)
    return before if np.array_equal(old, new) else None


def _list_inheritance(snapshot: Snapshot) -> Ints:
    """Heirs and bases."""
    table = snapshot.edges
    rows = np.flatnonzero((table.kind == _EXTENDS) | (table.kind == _IMPLEMENTS))
    found: Ints = np.stack((table.source[rows], table.target[rows]))
    return found


_PAIRS = Slot[_Pairs](_find_pairs, carry=_carry_pairs, rescore=reuse)


def _find_overridden(snapshot: Snapshot, methods: Ints) -> tuple[Ints, Ints]:
    """Pairs of a method and one that it overrides, in order."""
    columns, names = columns_of(snapshot), snapshot.node_names.of_node
    width = np.int64(snapshot.node_count)
    types, of = np.unique(columns.parent[methods], return_inverse=True)
    ancestors = _find_ancestors(snapshot, types)
    begin = np.searchsorted(ancestors, np.arange(len(types) + 1) * width).astype(np.int32)
    at, own = places(begin, of.astype(np.int32))
    wanted = (ancestors[at] % width) * np.int64(len(snapshot.node_names.names)) + names[methods[own]]
    members = _MEMBERS.of(snapshot)
    found, pair = places(
        np.searchsorted(members.key, np.stack((wanted, wanted + 1), axis=1).ravel()).astype(np.int32),
        np.arange(len(wanted), dtype=np.int32) * 2,
    )
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
    members = [columns.children_of(cls) for cls in _list_ancestors(snapshot, owner) if ARE_TYPES[columns.kind[cls]]]
    if not members:
        return _NONE, _NONE
    others = np.concatenate(members)
    others = np.sort(others[(names[others] == names[method]) & ARE_METHODS[columns.kind[others]]])
    return np.full(len(others), method, dtype=np.int32), others


class _Members(msgspec.Struct, frozen=True):
    """The methods of all types, by type and name."""

    key: Numbers
    """Owner times the number of names, and the name."""
    node: Ints


def _list_members(snapshot: Snapshot) -> _Members:
    columns, names = columns_of(snapshot), snapshot.node_names
    nodes = np.arange(snapshot.first_external, dtype=np.int32)
    nodes = nodes[_is_member(columns, nodes)]
    key = columns.parent[nodes] * np.int64(len(names.names)) + names.of_node[nodes]
    order = np.argsort(key, kind="stable")
    return _Members(key[order], nodes[order])


_MEMBERS = Slot[_Members](_list_members, carry=reuse_for_contents, rescore=reuse)


def _is_member(columns: Columns, nodes: Ints) -> Mask:
    """Whether nodes are methods of types."""
    owners = columns.parent[nodes]
    found: Mask = (owners >= 0) & ARE_METHODS[columns.kind[nodes]] & ARE_TYPES[columns.kind[owners]]
    return found


def _has_related(snapshot: Snapshot, cls: int, *, downwards: bool) -> bool:
    """Whether a type has heirs, or bases."""
    table = snapshot.edges
    kinds: list[int] = table.kind[table.arriving(cls) if downwards else table.leaving(cls)].tolist()
    return _EXTENDS in kinds or _IMPLEMENTS in kinds


def _list_bases(snapshot: Snapshot, cls: int) -> list[int]:
    """The bases of a type that are in the repository, as it states them."""
    table = snapshot.edges
    start, end = table.out_start[cls : cls + 2].tolist()
    kinds, targets = table.kind[start:end].tolist(), table.target[start:end].tolist()
    both, first_external = zip(kinds, targets, strict=True), snapshot.first_external
    return [node for kind, node in both if kind in _INHERITED and node < first_external]


def _list_ancestors(snapshot: Snapshot, cls: int) -> set[int]:
    """All that a type extends, directly or not, where no type has parts."""
    seen, level = {cls}, [cls]
    for _ in range(LEVELS_MAX):
        above = dict.fromkeys(base for one in level for base in _list_bases(snapshot, one) if base not in seen)
        if not above:
            break
        seen.update(above)
        level = list(above)
    seen.remove(cls)
    return seen


def _find_ancestors_of_few(snapshot: Snapshot, types: Ints) -> Numbers:
    """`_find_ancestors` where no type has parts: an array operation takes longer to begin than a step here."""
    width = snapshot.node_count
    found: list[int] = []
    for place, own in enumerate(types.tolist()):
        found += sorted(place * width + node for node in _list_ancestors(snapshot, own))
    return np.array(found, dtype=np.int64)


def _find_ancestors(snapshot: Snapshot, types: Ints) -> Numbers:
    """Keys `place * nodes + ancestor` for the place of each type among these, in order."""
    if len(types) <= FEW and not columns_of(snapshot).has_parts:
        return _find_ancestors_of_few(snapshot, types)
    table, width = snapshot.edges, np.int64(snapshot.node_count)
    of, nodes = _unite_parts(snapshot, np.arange(len(types), dtype=np.int32), types)
    own = seen = distinct(of * width + nodes)
    for _ in range(LEVELS_MAX):
        rows, via = inheritance(snapshot, nodes, downwards=False)
        of, nodes = of[via], table.target[rows]
        inside = nodes < snapshot.first_external
        of, nodes = _unite_parts(snapshot, of[inside], nodes[inside])
        fresh = distinct(of * width + nodes)
        fresh = fresh[~are_among(fresh, seen)]
        if not len(fresh):
            break
        seen = np.sort(np.concatenate((seen, fresh)))
        of, nodes = (fresh // width).astype(np.int32), (fresh % width).astype(np.int32)
    return seen[~are_among(seen, own)]


def _unite_parts(snapshot: Snapshot, of: Ints, types: Ints) -> tuple[Ints, Ints]:
    """Types with what they are parts of and the other parts of that, each with what its own had."""
    columns, table, names = columns_of(snapshot), snapshot.edges, snapshot.node_names.of_node
    if not columns.has_parts or not len(types):
        return of, types
    for is_up in (True, False):
        rows, at = places(table.out_start, types) if is_up else gathered(table.by_target, table.in_start, types)
        part, whole = table.source[rows], table.target[rows]
        inside = np.flatnonzero((table.kind[rows] == _REFERENCES) & (whole < snapshot.first_external))
        inside = inside[columns.flags[part[inside]] & _PART != 0]
        inside = inside[names[part[inside]] == names[whole[inside]]]
        of = np.concatenate((of, of[at[inside]]))
        types = np.concatenate((types, (whole if is_up else part)[inside]))
    return of, types
