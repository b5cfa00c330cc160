"""Definitions and their parts, as the edges of a snapshot tell them: a part refers to what it is a part of."""

from __future__ import annotations

from codemap.facts import Symbol, SymbolFlag
from codemap.graph.edges import EdgeKind
from codemap.graph.snapshot import Snapshot


def is_part(snapshot: Snapshot, node: int) -> bool:
    return not snapshot.is_external(node) and bool(snapshot.cell(node, Symbol.FLAGS) & SymbolFlag.PART)


def whole_of(snapshot: Snapshot, node: int) -> int:
    """The definition that a node is a part of; itself where it is none."""
    if is_part(snapshot, node):
        for edge in snapshot.edges_out(node):
            if edge.kind == EdgeKind.REFERENCES and _is_namesake(snapshot, node, edge.target):
                return edge.target
    return node


def parts_of(snapshot: Snapshot, node: int) -> list[int]:
    """The parts of a definition, without itself."""
    return [
        edge.source
        for edge in snapshot.edges_in(node)
        if edge.kind == EdgeKind.REFERENCES
        and is_part(snapshot, edge.source)
        and _is_namesake(snapshot, edge.source, node)
    ]


def _is_namesake(snapshot: Snapshot, left: int, right: int) -> bool:
    return not snapshot.is_external(right) and snapshot.name_of(left) == snapshot.name_of(right)
