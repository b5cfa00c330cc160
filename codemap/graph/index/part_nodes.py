"""Finds the definition that a partial definition belongs to, and the other parts of it."""

from __future__ import annotations

from codemap.facts import SymbolFlag
from codemap.graph.index.columns import columns_of
from codemap.graph.model.edges import EdgeKind
from codemap.graph.model.snapshot import Snapshot

_REFERENCE, _PART = int(EdgeKind.REFERENCES), int(SymbolFlag.PART)


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


def _is_namesake(snapshot: Snapshot, left: int, right: int) -> bool:
    return not snapshot.is_external(right) and snapshot.name_of(left) == snapshot.name_of(right)
