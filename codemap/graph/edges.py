"""Edges as arrays: sorted by source, indexed by target, sites beside them.

Rules of the file:
- Arrays are int32 and never written after `EdgeTable` is made.
- One row is one (source, target, kind); `FIRST` and `COUNT` delimit its sites in `sites` (rows of line, col).
- `unresolved` rows have a name instead of a target: use sites whose target could not be decided.
"""

from __future__ import annotations

from enum import IntEnum

import msgspec
import numpy as np
from numpy.typing import NDArray

from codemap.facts import SymbolKind
from codemap.graph.values import Confidence

Ints = NDArray[np.int32]
Mask = NDArray[np.bool_]


class EdgeKind(IntEnum):
    CONTAINS = 0
    IMPORTS = 1
    EXPORTS = 2
    CALLS = 3
    EXTENDS = 4
    IMPLEMENTS = 5
    REFERENCES = 6


class EdgeTable(msgspec.Struct, frozen=True):
    source: Ints
    target: Ints
    kind: Ints
    confidence: Ints
    first: Ints
    count: Ints
    sites: Ints
    """Shape (n, 2)."""
    out_start: Ints
    """Row n: where the edges of source node n begin; one longer than there are nodes."""
    by_target: Ints
    """Edge rows in order of target."""
    in_start: Ints
    """Like `out_start`, for `by_target`."""

    def out_rows(self, node: int) -> range:
        return range(int(self.out_start[node]), int(self.out_start[node + 1]))

    def in_rows(self, node: int) -> list[int]:
        rows: list[int] = self.by_target[self.in_start[node] : self.in_start[node + 1]].tolist()
        return rows


class UnresolvedTable(msgspec.Struct, frozen=True):
    source: Ints
    name: Ints
    """Index into the snapshot's names."""
    kind: Ints
    first: Ints
    count: Ints
    sites: Ints
    out_start: Ints
    by_name: Ints
    name_start: Ints

    def out_rows(self, node: int) -> range:
        return range(int(self.out_start[node]), int(self.out_start[node + 1]))

    def named_rows(self, name: int) -> list[int]:
        rows: list[int] = self.by_name[self.name_start[name] : self.name_start[name + 1]].tolist()
        return rows


def starts(sorted_keys: Ints, count: int) -> Ints:
    """Where each of `count` keys begins in a sorted column; one longer than `count`."""
    return np.searchsorted(sorted_keys, np.arange(count + 1, dtype=np.int32)).astype(np.int32)


class Edge(msgspec.Struct, frozen=True):
    """A resolved edge; `other` is the end that was not asked about. `row` finds its sites; -1 for `contains`."""

    row: int
    source: int
    target: int
    kind: EdgeKind
    confidence: Confidence


class Unresolved(msgspec.Struct, frozen=True):
    """Uses of a name by one owner whose target could not be decided."""

    row: int
    source: int
    name: str
    kind: EdgeKind
    is_member: bool
    """Whether it is used as a member of something (`x.name`), or bare."""


BARE = 8
"""Added to the kind of an unresolved use that is not a member's."""
CALLABLE_KINDS = frozenset((SymbolKind.CLASS, SymbolKind.FUNCTION, SymbolKind.METHOD))
MEMBER_KINDS = frozenset((*CALLABLE_KINDS, SymbolKind.PROPERTY, SymbolKind.ENUM))
