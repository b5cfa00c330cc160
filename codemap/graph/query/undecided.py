"""Finds the undecided uses around a node: those inside it, and those of which it is a candidate."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Set
from itertools import islice
from typing import Literal

import msgspec
import numpy as np

from codemap.file_roles import Role
from codemap.graph.index.columns import columns_of
from codemap.graph.index.node_roles import role_of_node
from codemap.graph.index.path_distance import path_distances_of
from codemap.graph.likelihood.candidates import CANDIDATES_MAX, drop_decided, unresolved_rows_in
from codemap.graph.likelihood.held_attributes import find_in_attributes, list_attribute_names
from codemap.graph.likelihood.held_functions import held_rows_in
from codemap.graph.likelihood.likelihood import Likelihood
from codemap.graph.likelihood.ranking import Ranked, Ranking
from codemap.graph.model.edges import BARE, NO_ROWS, EdgeKind, Ints, Unresolved, among, are_among, distinct
from codemap.graph.model.index_slots import Slot
from codemap.graph.model.snapshot import Snapshot

Side = Literal["in", "out"]
BOTH: tuple[Side, ...] = ("in", "out")
_INTO: tuple[Side, ...] = ("in",)
_ALL = frozenset(EdgeKind)

UNDECIDED_MAX = 50
"""Owners of undecided uses that are listed; all are counted."""

RANKED_MAX = 60
"""Uses of one answer whose candidates are ranked: the nearest. The others are listed after them, as unlikely."""
NAMED_MAX = 2
"""Candidates kept of one use that are of the product, or of the role of the node that is asked about."""
RECENT_MAX = 60_000
"""Uses in all answers of `ranked_uses` that a snapshot keeps, and `ANSWER_WEIGHT` for each: some 50 bytes each."""
ANSWER_WEIGHT = 10


class Undecided(msgspec.Struct, frozen=True):
    use: Unresolved
    side: Side
    """`in`: the node asked about is one of the candidates."""
    likelihood: Likelihood
    """That the node asked about is meant, or else the first candidate."""
    candidate_count: int = -1
    """Of the use; -1 of a use that arrives and was not ranked."""
    candidates: tuple[int, ...] = ()
    """The first `CANDIDATES_MAX`, the likeliest first."""
    alike: tuple[int, ...] = ()
    """The first `NAMED_MAX` that are of the product, or of the role of the node asked about."""


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
    rows, arriving = undecided_rows(snapshot, node, sides, kinds)
    found = tuple(islice(ranked_uses(snapshot, node, rows, arriving), UNDECIDED_MAX))
    return UndecidedUses(found, len(rows) - len(found), int(snapshot.unresolved.count[rows].sum()))


def ranked_uses(snapshot: Snapshot, node: int, rows: Ints, arriving: Ints) -> Iterator[Undecided]:
    """The uses in some rows, of which some arrive at a node, the likeliest first; among equals in the order given.

    What is ranked is kept of the last answers: the further pages of one, and the same node asked about in other ways,
    cost little.
    """
    nearest = rows[:RANKED_MAX]
    if len(nearest):
        recent, asked = _RECENT.of(snapshot), (node, nearest.tobytes(), are_among(nearest, np.sort(arriving)).tobytes())
        kept = recent.find(asked)
        if kept is None:
            kept = _pack(_rank(snapshot, node, nearest, frozenset(arriving.tolist())))
            recent.keep(asked, kept)
        yield from _read(snapshot, kept)
    if len(rows) > RANKED_MAX:
        yield from _list_unranked(snapshot, node, rows[RANKED_MAX:], frozenset(arriving.tolist()))


_Asked = tuple[int, bytes, bytes]
"""The node, the rows that are ranked, and which of them arrive."""
_CELLS = 4 + CANDIDATES_MAX + NAMED_MAX
"""Of one use: row, whether it arrives, likelihood, how many candidates; the two lists of them, filled up with -1."""


class _Recent:
    """The last answers, the oldest first. Threads may use it at the same time."""

    def __init__(self) -> None:
        self._kept: dict[_Asked, bytes] = {}
        self._weight = 0

    def find(self, asked: _Asked) -> bytes | None:
        return self._kept.get(asked)

    def keep(self, asked: _Asked, found: bytes) -> None:
        if asked in self._kept:
            return
        self._kept[asked] = found
        self._weight += _weigh(found)
        while self._weight > RECENT_MAX and self._kept:
            self._weight -= _weigh(self._kept.pop(next(iter(self._kept)), b""))


def _weigh(found: bytes) -> int:
    return ANSWER_WEIGHT + len(found) // (4 * _CELLS)


def _rank(snapshot: Snapshot, node: int, rows: Ints, arriving: Set[int]) -> list[Undecided]:
    ranking = Ranking(snapshot, node)
    found = []
    for row in rows.tolist():
        use = snapshot.unresolved_use(row)
        ranked = ranking.of(use)
        likelihood = ranked.of(node) if row in arriving else ranked.likelihood
        found.append(_show(snapshot, node, use, ranked, likelihood, "in" if row in arriving else "out"))
    return sorted(found, key=lambda one: one.likelihood)


def _list_unranked(snapshot: Snapshot, node: int, rows: Ints, arriving: Set[int]) -> Iterator[Undecided]:
    ranking = Ranking(snapshot, node)
    for row in rows.tolist():
        use = snapshot.unresolved_use(row)
        if row in arriving:
            yield Undecided(use, "in", Likelihood.LOW)
        else:
            yield _show(snapshot, node, use, ranking.unranked(use), Likelihood.LOW, "out")


def _show(
    snapshot: Snapshot, node: int, use: Unresolved, ranked: Ranked, likelihood: Likelihood, side: Side
) -> Undecided:
    alike: tuple[int, ...] = ()
    if side == "out":
        roles = (Role.PRODUCT, role_of_node(snapshot, node))
        alike = tuple(islice((one for one in ranked.nodes if role_of_node(snapshot, one) in roles), NAMED_MAX))
    return Undecided(use, side, likelihood, len(ranked.nodes), ranked.named, alike)


def _pack(found: Iterable[Undecided]) -> bytes:
    cells: list[int] = []
    for one in found:
        named, alike = one.candidates, one.alike
        cells += one.use.row, one.side == "in", one.likelihood, one.candidate_count
        cells += *named, *[-1] * (CANDIDATES_MAX - len(named)), *alike, *[-1] * (NAMED_MAX - len(alike))
    return np.array(cells, dtype=np.int32).tobytes()


def _read(snapshot: Snapshot, kept: bytes) -> Iterator[Undecided]:
    for row, arrives, likelihood, count, *nodes in np.frombuffer(kept, dtype=np.int32).reshape(-1, _CELLS).tolist():
        named, alike = (tuple(one for one in some if one >= 0) for some in (nodes[:-NAMED_MAX], nodes[-NAMED_MAX:]))
        side: Side = "in" if arrives else "out"
        yield Undecided(snapshot.unresolved_use(row), side, Likelihood(likelihood), count, named, alike)


def undecided_rows(
    snapshot: Snapshot, node: int, sides: Collection[Side], kinds: Collection[EdgeKind]
) -> tuple[Ints, Ints]:
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


def open_uses(snapshot: Snapshot, nodes: Iterable[int]) -> tuple[tuple[int, ...], int]:
    """Those of some nodes that undecided uses may mean, and the number of the sites of all of these uses."""
    rows = {node: _find_rows_around(snapshot, node, _INTO, _ALL)[1] for node in nodes}
    found = distinct(np.concatenate((NO_ROWS, *rows.values())))
    return tuple(node for node, its in rows.items() if len(its)), int(snapshot.unresolved.count.take(found).sum())


def _find_rows_around(
    snapshot: Snapshot, node: int, sides: Collection[Side], kinds: Collection[EdgeKind]
) -> tuple[Ints, Ints]:
    """Rows of the uses on both sides, and those of them that arrive."""
    table = snapshot.unresolved
    arriving = NO_ROWS
    if "in" in sides:
        held = _find_held_rows(snapshot, node) if EdgeKind.CALLS in kinds else arriving
        named = unresolved_rows_in(snapshot, node)
        arriving = np.concatenate((named, _leave_out_same(snapshot, held, named)))
    if not len(arriving) and ("out" not in sides or table.out_start[node] == table.out_start[node + 1]):
        return arriving, arriving
    wanted = among(kinds)
    arriving = arriving[wanted[table.kind[arriving] & ~BARE]]
    found = arriving
    if "out" in sides:
        leaving = np.arange(table.out_start[node], table.out_start[node + 1], dtype=np.int32)
        leaving = leaving[wanted[table.kind[leaving] & ~BARE]]
        if len(leaving) and len(arriving):
            leaving = leaving[~are_among(leaving, np.sort(arriving))]
        found = np.concatenate((arriving, leaving))
    return found, arriving


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
