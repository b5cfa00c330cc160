"""Finds the definition that a partial definition belongs to, and the other parts of it."""

from __future__ import annotations

import msgspec
import numpy as np

from codemap.facts import SymbolFlag
from codemap.graph.index.columns import columns_of, places
from codemap.graph.model.edges import EdgeKind, Ints, distinct
from codemap.graph.model.index_slots import Slot
from codemap.graph.model.snapshot import Snapshot

_REFERENCE, _PART = int(EdgeKind.REFERENCES), int(SymbolFlag.PART)


class Parts(msgspec.Struct, frozen=True):
    """All parts with the definitions that they belong to."""

    part: Ints
    """In order."""
    whole: Ints

    def wholes_of(self, nodes: Ints) -> Ints:
        """The definitions that nodes are parts of; a node itself where it is none."""
        if not len(self.part):
            return nodes
        at = np.minimum(np.searchsorted(self.part, nodes), len(self.part) - 1)
        found: Ints = np.where(self.part[at] == nodes, self.whole[at], nodes)
        return found

    def with_parts(self, nodes: Ints) -> Ints:
        """The nodes and all parts of theirs, each once and in order."""
        return distinct(np.concatenate((nodes, self.part[np.isin(self.whole, nodes)])))


def _find_parts(snapshot: Snapshot) -> Parts:
    columns, table, names = columns_of(snapshot), snapshot.edges, snapshot.node_names.of_node
    parts = np.flatnonzero(columns.flags & _PART).astype(np.int32)
    rows, of = places(table.out_start, parts)
    inside = (table.kind[rows] == _REFERENCE) & (table.target[rows] < snapshot.first_external)
    target, part = table.target[rows[inside]], parts[of[inside]]
    chosen = names[target] == names[part]
    part, first = np.unique(part[chosen], return_index=True)
    return Parts(part, target[chosen][first])


PARTS = Slot[Parts](_find_parts)


def is_part(snapshot: Snapshot, node: int) -> bool:
    return not snapshot.is_external(node) and bool(columns_of(snapshot).flags[node] & _PART)


def whole_of(snapshot: Snapshot, node: int) -> int:
    """The definition that a node is a part of; itself where it is none."""
    if is_part(snapshot, node):
        for edge in snapshot.edges_out(node):
            if edge.kind == EdgeKind.REFERENCES and _is_namesake(snapshot, node, edge.target):
                return edge.target
    return node


def parts_of(snapshot: Snapshot, node: int) -> list[int]:
    """The parts of a definition, without itself. Its uses may be thousands, so their edges are looked at as arrays."""
    table, columns = snapshot.edges, columns_of(snapshot)
    if not columns.has_parts:
        return []
    rows = table.arriving(node)
    sources = table.source[rows[table.kind[rows] == _REFERENCE]]
    parts = sources[columns.flags[sources] & _PART != 0]
    return [part for part in parts.tolist() if _is_namesake(snapshot, part, node)]


def united(snapshot: Snapshot, node: int) -> tuple[int, ...]:
    """The definition that a node is a part of, or the node itself, and all parts of that."""
    whole = whole_of(snapshot, node)
    return (whole, *parts_of(snapshot, whole))


def _is_namesake(snapshot: Snapshot, left: int, right: int) -> bool:
    return not snapshot.is_external(right) and snapshot.name_of(left) == snapshot.name_of(right)
