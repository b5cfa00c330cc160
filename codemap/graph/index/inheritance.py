"""Finds what types inherit from: by edges of the map, directly or not, for many at once.

The parts of a type that is in several places count as the type. What is looked at is bounded by `LEVELS_MAX` levels.
"""

from __future__ import annotations

import numpy as np

from codemap.facts import SymbolKind
from codemap.graph.index.columns import FEW, columns_of, gathered, places
from codemap.graph.index.part_nodes import PARTS
from codemap.graph.model.edges import INHERITANCE, EdgeKind, Ints, Numbers, are_among, distinct
from codemap.graph.model.snapshot import Snapshot
from codemap.graph.model.values import CLASS_KINDS

LEVELS_MAX = 12
CLASSES_MAX = 200
"""Looked through for a member that is inherited."""

ARE_TYPES = np.array([kind in CLASS_KINDS for kind in SymbolKind])
"""By SymbolKind."""
_EXTENDS, _IMPLEMENTS = int(EdgeKind.EXTENDS), int(EdgeKind.IMPLEMENTS)
_INHERITED = (_EXTENDS, _IMPLEMENTS)


def inheritance(snapshot: Snapshot, types: Ints, *, downwards: bool) -> tuple[Ints, Ints]:
    """Rows of the edges from heirs, or to bases, and the place of the type of each."""
    table = snapshot.edges
    rows, of = gathered(table.by_target, table.in_start, types) if downwards else places(table.out_start, types)
    kinds = table.kind.take(rows)
    chosen = (kinds == _EXTENDS) | (kinds == _IMPLEMENTS)
    return rows.compress(chosen), of.compress(chosen)


def has_related(snapshot: Snapshot, cls: int, *, downwards: bool) -> bool:
    """Whether a type has heirs, or bases."""
    table = snapshot.edges
    kinds: list[int] = table.kind[table.arriving(cls) if downwards else table.leaving(cls)].tolist()
    return _EXTENDS in kinds or _IMPLEMENTS in kinds


def find_ancestors(snapshot: Snapshot, types: Ints) -> Numbers:
    """Keys `place * nodes + ancestor` for the place of each type among these, in order."""
    if len(types) <= FEW and not columns_of(snapshot).has_parts:
        return _find_ancestors_of_few(snapshot, types)
    table, width = snapshot.edges, np.int64(snapshot.node_count)
    parts = PARTS.of(snapshot)
    nodes, of = parts.unite(types)
    own = seen = distinct(of * width + nodes)
    for _ in range(LEVELS_MAX):
        rows, via = inheritance(snapshot, nodes, downwards=False)
        of, nodes = of[via], table.target[rows]
        inside = nodes < snapshot.first_external
        nodes, at = parts.unite(nodes[inside])
        of = of[inside][at]
        fresh = distinct(of * width + nodes)
        fresh = fresh[~are_among(fresh, seen)]
        if not len(fresh):
            break
        seen = np.sort(np.concatenate((seen, fresh)))
        of, nodes = (fresh // width).astype(np.int32), (fresh % width).astype(np.int32)
    return seen[~are_among(seen, own)]


def list_ancestors(snapshot: Snapshot, cls: int) -> set[int]:
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
    """`find_ancestors` where no type has parts: an array operation takes longer to begin than a step here."""
    width = snapshot.node_count
    found: list[int] = []
    for place, own in enumerate(types.tolist()):
        found += sorted(place * width + node for node in list_ancestors(snapshot, own))
    return np.array(found, dtype=np.int64)


def _list_bases(snapshot: Snapshot, cls: int) -> list[int]:
    """The bases of a type that are in the repository, as it states them."""
    table = snapshot.edges
    start, end = table.out_start[cls : cls + 2].tolist()
    kinds, targets = table.kind[start:end].tolist(), table.target[start:end].tolist()
    both, first_external = zip(kinds, targets, strict=True), snapshot.first_external
    return [node for kind, node in both if kind in _INHERITED and node < first_external]


def inherited_member(snapshot: Snapshot, cls: int | None, name: str) -> int | None:
    """The member of that name of the nearest base of a class; None where no base in the map has it, or without a
    class. Among bases equally near the first written counts."""
    seen = [] if cls is None else [cls]
    for base in seen:
        for child in snapshot.children_of(base) if base != cls else ():
            if snapshot.name_of(child) == name:
                return child
        edges = [edge for edge in snapshot.edges_out(base, INHERITANCE) if not snapshot.is_external(edge.target)]
        edges.sort(key=snapshot.sites)
        seen += [edge.target for edge in edges if edge.target not in seen and len(seen) < CLASSES_MAX]
    return None
