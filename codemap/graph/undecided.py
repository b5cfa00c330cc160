"""Uses that could not be decided, as seen from a node: those by it, and those that it may be meant by."""

from __future__ import annotations

from collections.abc import Collection
from typing import Literal

import msgspec
import numpy as np

from codemap.graph.columns import columns_of
from codemap.graph.edges import BARE, EdgeKind, Ints, Unresolved, among
from codemap.graph.nearness import nearness_of
from codemap.graph.snapshot import Snapshot

Side = Literal["in", "out"]
BOTH: tuple[Side, ...] = ("in", "out")

CANDIDATES_MAX = 5
"""Candidates named for one undecided use: the contract's."""
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
    rows, arriving = _rows_around(snapshot, node, sides, kinds)
    sites = int(snapshot.unresolved.count[rows].sum())
    if not len(rows):
        return UndecidedUses((), 0, 0)
    columns = columns_of(snapshot)
    files = columns.file[snapshot.unresolved.source[rows]]
    file = snapshot.file_of(node)
    if file is not None:
        order = np.lexsort((rows, nearness_of(snapshot).apart(file.number, files)))[:UNDECIDED_MAX]
        listed, files = rows[order], files[order]
    else:
        listed = rows[:UNDECIDED_MAX]
    meant = _Meant(snapshot)
    found = []
    for row, its_file in zip(listed.tolist(), files.tolist(), strict=False):
        use = snapshot.unresolved_use(row)
        nearest, count = meant.nearest(use, its_file)
        found.append(Undecided(use, "in" if row in arriving else "out", nearest, count))
    return UndecidedUses(tuple(found), len(rows) - len(found), sites)


def undecided_sites(snapshot: Snapshot, node: int, sides: Collection[Side], kinds: Collection[EdgeKind]) -> int:
    """How many sites `undecided_uses` has, listed or not."""
    rows, _ = _rows_around(snapshot, node, sides, kinds)
    return int(snapshot.unresolved.count[rows].sum())


def _rows_around(
    snapshot: Snapshot, node: int, sides: Collection[Side], kinds: Collection[EdgeKind]
) -> tuple[Ints, set[int]]:
    """Rows of the uses on both sides, and those of them that arrive."""
    table = snapshot.unresolved
    arriving = snapshot.unresolved_rows_in(node) if "in" in sides else np.empty(0, dtype=np.int32)
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


class _Meant:
    """The candidates of uses, remembered for one question: they depend on name and form, their order on the file."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self._columns = columns_of(snapshot)
        self._nearness = nearness_of(snapshot)
        self._candidates: dict[tuple[str, EdgeKind, bool, str], Ints] = {}
        self._nearest: dict[tuple[str, EdgeKind, bool, int], tuple[int, ...]] = {}

    def nearest(self, use: Unresolved, file: int) -> tuple[tuple[int, ...], int]:
        """The nearest candidates of a use in a file (its number), and the number of all."""
        key = (use.name, use.kind, use.is_member, self._snapshot.files[file].family)
        possible = self._candidates.get(key)
        if possible is None:
            found = np.array(self._snapshot.possible(*key), dtype=np.int32)
            possible = self._candidates[key] = found[np.argsort(self._columns.rank[found])]
        place = (use.name, use.kind, use.is_member, file)
        nearest = self._nearest.get(place)
        if nearest is None:
            apart = self._nearness.apart(file, self._columns.file[possible])
            best = possible[np.argsort(apart, kind="stable")[:CANDIDATES_MAX]]
            nearest = self._nearest[place] = tuple(best.tolist())
        return nearest, len(possible)
