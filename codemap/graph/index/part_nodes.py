"""Finds the definition that a partial definition belongs to, and the other parts of it.

A part references the definition of its name that it belongs to where its own name is. Of several that it may belong to,
the first counts where one is asked for.
"""

from __future__ import annotations

import msgspec
import numpy as np

from codemap.facts import Symbol, SymbolFlag
from codemap.graph.index.columns import columns_of, find_equal, places
from codemap.graph.model.edges import EdgeKind, Ints, distinct
from codemap.graph.model.index_slots import Slot, reuse
from codemap.graph.model.ranges import expand_ranges
from codemap.graph.model.snapshot import Snapshot

_REFERENCE, _PART = int(EdgeKind.REFERENCES), int(SymbolFlag.PART)


class Parts(msgspec.Struct, frozen=True):
    """All parts with the definitions that they belong to."""

    part: Ints
    """In order."""
    whole: Ints
    """Of each."""
    by_whole: Ints
    """Places of both, in order of the whole."""

    def wholes_of(self, nodes: Ints) -> Ints:
        """The definitions that nodes are parts of; a node itself where it is none."""
        if not len(self.part):
            return nodes
        at = np.minimum(np.searchsorted(self.part, nodes), len(self.part) - 1)
        found: Ints = np.where(self.part[at] == nodes, self.whole[at], nodes)
        return found

    def parts_of(self, nodes: Ints) -> Ints:
        """The parts of some definitions, without these."""
        return self.part[self.by_whole[find_equal(self.whole[self.by_whole], nodes)[0]]]

    def with_parts(self, nodes: Ints) -> Ints:
        """The nodes and all parts of theirs, each once and in order."""
        return distinct(np.concatenate((nodes, self.parts_of(nodes))))

    def unite(self, nodes: Ints) -> tuple[Ints, Ints]:
        """The nodes, what they are parts of and all parts of these, and the place in `nodes` of the one that each comes
        from, which it may more than once."""
        own = np.arange(len(nodes), dtype=np.int32)
        if not len(self.part):
            return nodes, own
        rows, up = find_equal(self.part, nodes)
        wholes, of = np.concatenate((nodes, self.whole[rows])), np.concatenate((own, up))
        rows, down = find_equal(self.whole[self.by_whole], wholes)
        return np.concatenate((wholes, self.part[self.by_whole[rows]])), np.concatenate((of, of[down]))


def _find_parts(snapshot: Snapshot) -> Parts:
    columns, table, names = columns_of(snapshot), snapshot.edges, snapshot.node_names.of_node
    parts = np.flatnonzero(columns.flags & _PART).astype(np.int32)
    rows, of = places(table.out_start, parts)
    inside = (table.kind[rows] == _REFERENCE) & (table.target[rows] < snapshot.first_external)
    rows, part = rows[inside], parts[of[inside]]
    is_namesake = names[table.target[rows]] == names[part]
    rows, part = rows[is_namesake], part[is_namesake]
    at, edge = expand_ranges(table.first[rows], table.count[rows])
    is_own = (table.sites[at] == _own_sites(snapshot, part)[edge]).all(axis=1)
    chosen = distinct(edge[is_own])
    part, whole = part[chosen], table.target[rows[chosen]]
    return Parts(part, whole, np.argsort(whole, kind="stable").astype(np.int32))


def _own_sites(snapshot: Snapshot, nodes: Ints) -> Ints:
    """Line and column of the names of some definitions, a row each."""
    found = [
        (file.cell(row, Symbol.LINE), file.cell(row, Symbol.COL)) for file, row in map(snapshot.row_of, nodes.tolist())
    ]
    return np.array(found, dtype=np.int32).reshape(-1, 2)


PARTS = Slot[Parts](_find_parts, rescore=reuse)


def is_part(snapshot: Snapshot, node: int) -> bool:
    return not snapshot.is_external(node) and bool(columns_of(snapshot).flags[node] & _PART)


def whole_of(snapshot: Snapshot, node: int) -> int:
    """The definition that a node is a part of; itself where it is none."""
    return int(PARTS.of(snapshot).wholes_of(np.array([node], dtype=np.int32))[0])


def parts_of(snapshot: Snapshot, node: int) -> list[int]:
    """The parts of a definition, without itself, in node order."""
    found: list[int] = PARTS.of(snapshot).parts_of(np.array([node], dtype=np.int32)).tolist()
    return found


def united(snapshot: Snapshot, node: int) -> tuple[int, ...]:
    """The definition that a node is a part of, or the node itself, and all parts of that."""
    whole = whole_of(snapshot, node)
    return (whole, *parts_of(snapshot, whole))
