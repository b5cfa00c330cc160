"""The symbol tables of all files as whole columns, for queries over many nodes at once.

Held by the snapshot that they belong to, made when first asked for: 27 bytes a symbol.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec
import numpy as np
from numpy.typing import NDArray

from codemap.facts import ADDITION, Symbol, SymbolFlag
from codemap.graph.model.edges import Ints, Mask, Numbers, starts
from codemap.graph.model.index_slots import Edit, Reach, Slot
from codemap.graph.model.indexed_file import IndexedFile
from codemap.graph.model.ranges import expand_ranges
from codemap.graph.model.renumbering import KeptRun
from codemap.graph.model.snapshot import Snapshot

FEW = 16
"""Up to so many keys are looked up one by one, which is faster."""
_NONE: Ints = np.empty(0, dtype=np.int32)


class Columns(msgspec.Struct, frozen=True):
    """One element a node, external packages excluded but for `rank` and `by_rank`."""

    kind: NDArray[np.int8]
    """SymbolKind."""
    flags: NDArray[np.int32]
    """SymbolFlag."""
    parent: Ints
    """Node; -1 for a file."""
    children: Ints
    """Nodes in order of parent, then source order."""
    child_start: Ints
    """Element n: where the children of node n begin; one longer than there are nodes."""

    file: Ints
    """Number of the file."""
    rank: Ints
    """Place of the node when all are ordered by hub score, the best first; among equals the earlier node."""
    by_rank: Ints
    """The nodes in that order."""
    has_parts: bool
    """Whether any definition is a part of another."""

    def are_definitions(self, nodes: NDArray[np.integer]) -> Mask:
        """Which of some nodes are more than what holds additions to a type of elsewhere."""
        found: Mask = self.flags[nodes] & ADDITION != ADDITION
        return found

    def children_of(self, node: int) -> Ints:
        return self.children[self.child_start[node] : self.child_start[node + 1]]


def columns_of(snapshot: Snapshot) -> Columns:
    """The columns of a snapshot, the same ones at every call."""
    return COLUMNS.of(snapshot)


def _make_columns(snapshot: Snapshot) -> Columns:
    count = snapshot.first_external
    kind, flags, parent = np.empty(count, dtype=np.int8), np.empty(count, dtype=np.int32), np.empty(count, np.int32)
    for file in snapshot.files:
        here = slice(file.base, file.base + file.symbol_count)
        kind[here], flags[here], parent[here] = _columns_of(file)
    return _complete(snapshot, kind, flags, parent)


def _carry_columns(before: Columns, edit: Edit) -> Columns | None:
    if edit.reach is Reach.DEFINITIONS:
        return _renumber(before, edit.snapshot, edit.runs)
    if edit.reach is not Reach.CONTENTS:
        return None
    has_same_scores = edit.snapshot.scores is edit.previous.scores  # not where external packages came or went
    return before if has_same_scores else _rescore_columns(before, edit.snapshot)


def _renumber(before: Columns, snapshot: Snapshot, runs: Iterable[KeptRun | int]) -> Columns:
    kinds, flags, parents = [], [], []
    for run in runs:
        if isinstance(run, KeptRun):
            inner = before.parent[run.nodes]
            its = before.kind[run.nodes], before.flags[run.nodes], np.where(inner < 0, inner, inner + run.shift)
        else:
            its = _columns_of(snapshot.files[run])
        kinds.append(its[0])
        flags.append(its[1])
        parents.append(its[2])
    return _complete(snapshot, np.concatenate(kinds), np.concatenate(flags), np.concatenate(parents))


def _columns_of(file: IndexedFile) -> tuple[NDArray[np.int8], NDArray[np.int32], Ints]:
    """Kind, flags and parent of the nodes of one file."""
    table = np.frombuffer(file.symbols, dtype="<i4").reshape(-1, Symbol.WIDTH)
    parent = table[:, Symbol.PARENT] + np.int32(file.base)
    parent[0] = -1
    return table[:, Symbol.KIND].astype(np.int8), table[:, Symbol.FLAGS].astype(np.int32), parent


def _complete(snapshot: Snapshot, kind: NDArray[np.int8], flags: NDArray[np.int32], parent: Ints) -> Columns:
    children = np.argsort(parent, kind="stable").astype(np.int32)[len(snapshot.files) :]
    rank, by_rank = _rank_nodes(snapshot)
    has_parts = bool((flags & SymbolFlag.PART).any())
    of_file = np.repeat(np.arange(len(snapshot.files), dtype=np.int32), np.diff(snapshot.bases))
    return Columns(
        kind, flags, parent, children, starts(parent[children], len(parent)), of_file, rank, by_rank, has_parts
    )


def _rescore_columns(before: Columns, snapshot: Snapshot) -> Columns:
    rank, by_rank = _rank_nodes(snapshot)
    return msgspec.structs.replace(before, rank=rank, by_rank=by_rank)


COLUMNS = Slot(_make_columns, carry=_carry_columns, rescore=_rescore_columns)


def _rank_nodes(snapshot: Snapshot) -> tuple[Ints, Ints]:
    by_rank = np.argsort(-snapshot.scores, kind="stable").astype(np.int32)
    rank = np.empty_like(by_rank)
    rank[by_rank] = np.arange(len(by_rank), dtype=np.int32)
    return rank, by_rank


def gathered(items: Ints, first: Ints, keys: Ints) -> tuple[Ints, Ints]:
    """All items of some keys, and the place in `keys` that each belongs to.

    The items of key k are `items[first[k]:first[k + 1]]`.
    """
    found, owner = places(first, keys)
    return items.take(found), owner


def items_of(items: Ints, first: Ints, keys: Ints) -> Ints:
    """Like `gathered`, without whose they are."""
    if len(keys) > FEW:
        return gathered(items, first, keys)[0]
    at = first.data
    found = [items[at[key] : at[key + 1]] for key in keys.tolist() if at[key] < at[key + 1]]
    if not found:
        return items[:0]
    return found[0] if len(found) == 1 else np.concatenate(found)


def places(first: Ints, keys: Ints) -> tuple[Ints, Ints]:
    """Like `gathered`, but the positions of the items instead of the items."""
    if not len(keys):
        return _NONE, _NONE
    begins = first.take(keys)  # indexing takes twice as long with numbers of this size
    if len(keys) == 1:
        found = np.arange(begins[0], first[keys[0] + 1], dtype=np.int32)
        return found, np.zeros(len(found), dtype=np.int32)
    return expand_ranges(begins, first.take(keys + 1) - begins)


def find_equal(ordered: Numbers, keys: Numbers) -> tuple[Ints, Ints]:
    """The positions of some keys in a sorted column, and the place in `keys` that each belongs to."""
    begins = ordered.searchsorted(keys).astype(np.int32)
    return expand_ranges(begins, ordered.searchsorted(keys, "right").astype(np.int32) - begins)


def lines_of(snapshot: Snapshot, nodes: Ints) -> Ints:
    """The lines of the names of some nodes. Cost: the files that they are in."""
    file_of = columns_of(snapshot).file[nodes]
    lines = np.empty(len(nodes), dtype=np.int32)
    order = np.argsort(file_of, kind="stable")
    begins = np.flatnonzero(np.diff(file_of[order], prepend=-1))
    if not len(begins):
        return lines
    for begin, end in zip(begins.tolist(), [*begins[1:].tolist(), len(order)], strict=True):
        file = snapshot.files[int(file_of[order[begin]])]
        table = np.frombuffer(file.symbols, dtype="<i4").reshape(-1, Symbol.WIDTH)
        lines[order[begin:end]] = table[nodes[order[begin:end]] - file.base, Symbol.LINE]
    return lines
