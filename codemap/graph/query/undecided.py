"""Finds the undecided uses around a node: those inside it, and those of which it is a candidate."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Literal

import msgspec
import numpy as np

from codemap.graph.index.columns import columns_of
from codemap.graph.index.path_distance import path_distances_of
from codemap.graph.likelihood.candidates import drop_decided, unresolved_rows_in
from codemap.graph.likelihood.held_attributes import find_in_attributes, list_attribute_names
from codemap.graph.likelihood.held_functions import held_rows_in
from codemap.graph.likelihood.likelihood import Likelihood
from codemap.graph.likelihood.ranking import Ranked, Ranking
from codemap.graph.model.edges import BARE, EdgeKind, Ints, Unresolved, among, distinct
from codemap.graph.model.index_slots import Slot
from codemap.graph.model.snapshot import Snapshot

Side = Literal["in", "out"]
BOTH: tuple[Side, ...] = ("in", "out")

UNDECIDED_MAX = 50
"""Owners of undecided uses that are listed; all are counted."""

RANKED_MAX = 60
"""Uses of one answer whose candidates are ranked: the nearest. The others are listed after them, as unlikely."""
RECENT_MAX = 100_000
"""Candidates in all answers of `ranked_uses` that a snapshot keeps: 16 bytes each."""
USE_WEIGHT = 20
"""Of a use beside its candidates, in their number."""


class Undecided(msgspec.Struct, frozen=True):
    use: Unresolved
    side: Side
    """`in`: the node asked about is one of the candidates."""
    ranked: Ranked
    likelihood: Likelihood
    """That the node asked about is meant, or else the first candidate."""


class UndecidedUses(msgspec.Struct, frozen=True):
    uses: tuple[Undecided, ...]
    omitted: int
    """Owners beyond the limit."""
    sites: int
    """Sites of all of them, listed or not."""


def undecided_uses(
    snapshot: Snapshot, node: int, sides: Collection[Side], kinds: Collection[EdgeKind]
) -> UndecidedUses:
    """Undecided uses by a node (`out`) and those that it may be meant by (`in`), the likeliest first."""
    found = ranked_uses(snapshot, node, *undecided_rows(snapshot, node, sides, kinds))
    sites = sum(int(snapshot.unresolved.count[one.use.row]) for one in found)
    return UndecidedUses(tuple(found[:UNDECIDED_MAX]), max(0, len(found) - UNDECIDED_MAX), sites)


def ranked_uses(snapshot: Snapshot, node: int, rows: Ints, arriving: Collection[int]) -> Sequence[Undecided]:
    """The uses in some rows, of which some arrive at a node, the likeliest first; among equals in the order given.

    The last answers are kept: the further pages of one, and the same node asked about in other ways, cost nothing.
    """
    if not len(rows):
        return ()
    recent, asked = _RECENT.of(snapshot), (node, rows.tobytes(), frozenset(arriving))
    found = recent.find(asked)
    if found is None:
        found = tuple(_rank(snapshot, node, rows, arriving))
        recent.keep(asked, found)
    return found


_Asked = tuple[int, bytes, frozenset[int]]


class _Recent:
    """The last answers, the oldest first. Threads may use it at the same time."""

    def __init__(self) -> None:
        self._kept: dict[_Asked, tuple[Undecided, ...]] = {}
        self._weight = 0

    def find(self, asked: _Asked) -> tuple[Undecided, ...] | None:
        return self._kept.get(asked)

    def keep(self, asked: _Asked, found: tuple[Undecided, ...]) -> None:
        if asked in self._kept:
            return
        self._kept[asked] = found
        self._weight += _weigh(found)
        while self._weight > RECENT_MAX and self._kept:
            self._weight -= _weigh(self._kept.pop(next(iter(self._kept)), ()))


def _weigh(found: Sequence[Undecided]) -> int:
    return sum(USE_WEIGHT + len(one.ranked.nodes) for one in found)


def _rank(snapshot: Snapshot, node: int, rows: Ints, arriving: Collection[int]) -> list[Undecided]:
    ranking = Ranking(snapshot, node)
    found = []
    for place, row in enumerate(rows.tolist()):
        use = snapshot.unresolved_use(row)
        ranked = ranking.of(use) if place < RANKED_MAX else ranking.unranked(use)
        is_in = row in arriving
        found.append(Undecided(use, "in" if is_in else "out", ranked, ranked.of(node) if is_in else ranked.likelihood))
    return sorted(found, key=lambda one: one.likelihood)


def undecided_rows(
    snapshot: Snapshot, node: int, sides: Collection[Side], kinds: Collection[EdgeKind]
) -> tuple[Ints, set[int]]:
    """Rows of all of these uses, the nearest first, and those of them that arrive."""
    rows, arriving = _find_rows_around(snapshot, node, sides, kinds)
    file = snapshot.file_of(node)
    if len(rows) < 2 or file is None:
        return rows, arriving
    files = columns_of(snapshot).file[snapshot.unresolved.source[rows]]
    return rows[np.lexsort((rows, path_distances_of(snapshot).apart(file.number, files)))], arriving


def undecided_sites(snapshot: Snapshot, node: int, sides: Collection[Side], kinds: Collection[EdgeKind]) -> int:
    """Counts the sites of `undecided_uses`, listed or not."""
    rows, _ = _find_rows_around(snapshot, node, sides, kinds)
    return int(snapshot.unresolved.count[rows].sum())


def _find_rows_around(
    snapshot: Snapshot, node: int, sides: Collection[Side], kinds: Collection[EdgeKind]
) -> tuple[Ints, set[int]]:
    """Rows of the uses on both sides, and those of them that arrive."""
    table = snapshot.unresolved
    arriving = np.empty(0, dtype=np.int32)
    if "in" in sides:
        held = _find_held_rows(snapshot, node) if EdgeKind.CALLS in kinds else arriving
        named = unresolved_rows_in(snapshot, node)
        arriving = np.concatenate((named, _leave_out_same(snapshot, held, named)))
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


def _find_held_rows(snapshot: Snapshot, node: int) -> Ints:
    """Rows of the calls of what a variable or an attribute holds that may be a node."""
    of_variables = drop_decided(snapshot, node, held_rows_in(snapshot, node))
    of_attributes = _find_rows_of_attributes(snapshot, node)
    return distinct(np.concatenate((of_variables, of_attributes))) if len(of_attributes) else of_variables


def _find_rows_of_attributes(snapshot: Snapshot, node: int) -> Ints:
    """Rows of the undecided calls of members by the names of attributes that hold a node, in order."""
    table, columns = snapshot.unresolved, columns_of(snapshot)
    found = [
        row
        for name in list_attribute_names(snapshot, node)
        if (number := snapshot.unresolved_names.get(name)) is not None
        for row in table.by_name[table.name_start[number] : table.name_start[number + 1]].tolist()
        if table.kind[row] == EdgeKind.CALLS
        and snapshot.families.of_file[columns.file[table.source[row]]] == snapshot.families.of_file[columns.file[node]]
        and node in find_in_attributes(snapshot, snapshot.unresolved_use(row))
    ]
    return drop_decided(snapshot, node, np.array(sorted(found), dtype=np.int32))


def _leave_out_same(snapshot: Snapshot, held: Ints, named: Ints) -> Ints:
    """The calls of what a variable holds that are not, under the name of a member, among others."""
    if not len(held) or not len(named):
        return held
    known = {(use.source, *snapshot.sites(use)) for use in map(snapshot.unresolved_use, named.tolist())}
    uses = map(snapshot.unresolved_use, held.tolist())
    return held[[(use.source, *snapshot.sites(use)) not in known for use in uses]]


_RECENT = Slot[_Recent](lambda _: _Recent())
