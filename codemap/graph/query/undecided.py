"""Undecided uses around a node: those inside it, and those of which it is a candidate."""

from __future__ import annotations

from collections.abc import Collection
from typing import Literal

import msgspec
import numpy as np

from codemap.graph.index.columns import columns_of
from codemap.graph.index.path_distance import path_distances_of
from codemap.graph.model.edges import BARE, EdgeKind, Ints, Unresolved, among
from codemap.graph.model.snapshot import Snapshot
from codemap.graph.query.candidates import Candidates, unresolved_rows_in

Side = Literal["in", "out"]
BOTH: tuple[Side, ...] = ("in", "out")

UNDECIDED_MAX = 50
"""Owners of undecided uses that are listed; all are counted."""


class Undecided(msgspec.Struct, frozen=True):
    use: Unresolved
    side: Side
    """`in`: the node asked about is one of the candidates."""
    candidates: tuple[int, ...]
    """The nearest few."""
    candidate_count: int


class UndecidedUses(msgspec.Struct, frozen=True):
    uses: tuple[Undecided, ...]
    omitted: int
    """Owners beyond the limit."""
    sites: int
    """Sites of all of them, listed or not."""


def undecided_uses(
    snapshot: Snapshot, node: int, sides: Collection[Side], kinds: Collection[EdgeKind]
) -> UndecidedUses:
    """Undecided uses by a node (`out`) and those that it may be meant by (`in`), the nearest first."""
    rows, arriving = undecided_rows(snapshot, node, sides, kinds)
    sites = int(snapshot.unresolved.count[rows].sum())
    candidates = Candidates(snapshot)
    found = []
    for row in rows[:UNDECIDED_MAX].tolist():
        use = snapshot.unresolved_use(row)
        side: Side = "in" if row in arriving else "out"
        found.append(Undecided(use, side, candidates.nearest(use), len(candidates.possible(use))))
    return UndecidedUses(tuple(found), len(rows) - len(found), sites)


def undecided_rows(
    snapshot: Snapshot, node: int, sides: Collection[Side], kinds: Collection[EdgeKind]
) -> tuple[Ints, set[int]]:
    """Rows of all of these uses, the nearest first, and those of them that arrive."""
    rows, arriving = _rows_around(snapshot, node, sides, kinds)
    file = snapshot.file_of(node)
    if not len(rows) or file is None:
        return rows, arriving
    files = columns_of(snapshot).file[snapshot.unresolved.source[rows]]
    return rows[np.lexsort((rows, path_distances_of(snapshot).apart(file.number, files)))], arriving


def undecided_sites(snapshot: Snapshot, node: int, sides: Collection[Side], kinds: Collection[EdgeKind]) -> int:
    """How many sites `undecided_uses` has, listed or not."""
    rows, _ = _rows_around(snapshot, node, sides, kinds)
    return int(snapshot.unresolved.count[rows].sum())


def _rows_around(
    snapshot: Snapshot, node: int, sides: Collection[Side], kinds: Collection[EdgeKind]
) -> tuple[Ints, set[int]]:
    """Rows of the uses on both sides, and those of them that arrive."""
    table = snapshot.unresolved
    arriving = unresolved_rows_in(snapshot, node) if "in" in sides else np.empty(0, dtype=np.int32)
    if not len(arriving) and ("out" not in sides or table.out_start[node] == table.out_start[node + 1]):
        return arriving, set()
    wanted = among(kinds)
    arriving = arriving[wanted[table.kind[arriving] & ~BARE]]
    found = arriving
    if "out" in sides:
        leaving = np.arange(table.out_start[node], table.out_start[node + 1], dtype=np.int32)
        leaving = leaving[wanted[table.kind[leaving] & ~BARE]]
        if len(leaving) and len(arriving):
            leaving = leaving[~np.isin(leaving, arriving)]
        found = np.concatenate((arriving, leaving))
    return found, set(arriving.tolist())
