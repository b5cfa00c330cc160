"""Compares two snapshots: which files have the same content and edges, and how their nodes were renumbered.

Only the tables are compared; how they were made does not matter.

Rules of the file:
- Two tables have the same edges where kinds, sites, and targets by their new numbers are the same, in the same order.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec
import numpy as np

from codemap.facts import Symbol
from codemap.graph.model.edges import EdgeTable, Ints, Mask, UnresolvedTable
from codemap.graph.model.indexed_file import IndexedFile, W
from codemap.graph.model.ranges import expand_ranges
from codemap.graph.model.snapshot import Snapshot
from codemap.graph.verified.confirmations import Confirmed

Table = EdgeTable | UnresolvedTable


class Run(msgspec.Struct, frozen=True):
    """Consecutive files, by their numbers in both snapshots."""

    old: int
    new: int
    count: int

    @property
    def old_slice(self) -> slice:
        return slice(self.old, self.old + self.count)

    @property
    def new_slice(self) -> slice:
        return slice(self.new, self.new + self.count)

    def nodes(self, old_bases: Sequence[int], new_bases: Sequence[int]) -> tuple[slice, slice]:
        """Their nodes, before and after."""
        old = slice(old_bases[self.old], old_bases[self.old + self.count])
        return old, slice(new_bases[self.new], new_bases[self.new + self.count])

    def rows(self, old: Table, new: Table, old_bases: Sequence[int], new_bases: Sequence[int]) -> tuple[slice, slice]:
        """Their rows of a table, before and after."""
        was, now = self.nodes(old_bases, new_bases)
        return row_slice(old, was), row_slice(new, now)


class SnapshotDiff(msgspec.Struct, frozen=True):
    """The parts that a snapshot and a later one have in common."""

    runs: tuple[Run, ...]
    """Files with the same content and the same edges."""
    renumber: Ints
    """The new node of each old one that is the same definition, though perhaps changed inside; -1 for the others."""
    kept: Ints
    """The same, for files in `runs` only."""
    changed: frozenset[str]
    """Paths of files that came, went or have another content."""
    same_edges: frozenset[int]
    """New numbers of the files in `runs`."""
    packages: frozenset[str]
    """Of external nodes that came or went."""

    def concerns(self, file: IndexedFile, found: Confirmed) -> bool:
        """Whether the confirmations of a file of the new snapshot are to be reconciled again."""
        if file.number not in self.same_edges or not self.changed.isdisjoint(found.paths):
            return True
        return bool(self.packages) and not self.packages.isdisjoint(found.packages)


def compare_snapshots(old: Snapshot, new: Snapshot) -> SnapshotDiff:
    """Compares two plain snapshots. Cost: one pass over the tables, and the files that differ."""
    same = list(_find_same_contents(old.files, new.files))
    renumber = np.full(old.node_count, -1, dtype=np.int32)
    for run in same:
        was, now = run.nodes(old.bases, new.bases)
        renumber[was] = np.arange(now.start, now.stop, dtype=np.int32)
    for path in old.by_path.keys() & new.by_path.keys():
        if old.by_path[path].held is not new.by_path[path].held:
            _renumber_changed(old.by_path[path], new.by_path[path], renumber)
    for number, (family, package) in enumerate(old.externals):
        node = new.external_node(family, package)
        renumber[old.first_external + number] = -1 if node is None else node
    runs = tuple(part for run in same for part in _find_same_edges(old, new, renumber, run))
    kept = np.full(old.node_count, -1, dtype=np.int32)
    for run in runs:
        was, now = run.nodes(old.bases, new.bases)
        kept[was] = renumber[was]
    unchanged = {file.path for run in same for file in new.files[run.new_slice]}
    return SnapshotDiff(
        runs=runs,
        renumber=renumber,
        kept=kept,
        changed=frozenset((old.by_path.keys() | new.by_path.keys()) - unchanged),
        same_edges=frozenset(number for run in runs for number in range(run.new, run.new + run.count)),
        packages=frozenset(package for _, package in frozenset(old.externals) ^ frozenset(new.externals)),
    )


def _renumber_changed(old: IndexedFile, new: IndexedFile, renumber: Ints) -> None:
    """Finds the definitions of a file in another content of it: those of the same name, kind and flags."""
    for row in range(1, old.symbol_count):
        found = old.row_in(new, row)
        if found is not None and _shape_of(old, row) == _shape_of(new, found):
            renumber[old.base + row] = new.base + found
    renumber[old.base] = new.base


def _shape_of(file: IndexedFile, row: int) -> list[int]:
    at = row * W
    return [file.symbols[at + Symbol.KIND], file.symbols[at + Symbol.FLAGS]]


def row_slice(table: Table, nodes: slice) -> slice:
    """The rows of consecutive nodes."""
    return slice(int(table.out_start[nodes.start]), int(table.out_start[nodes.stop]))


def site_slice(table: Table, rows: slice) -> slice:
    """The sites of consecutive rows."""
    if rows.start == rows.stop:
        return slice(0, 0)
    last = rows.stop - 1
    return slice(int(table.first[rows.start]), int(table.first[last]) + int(table.count[last]))


def _find_same_contents(old: Sequence[IndexedFile], new: Sequence[IndexedFile]) -> Iterator[Run]:
    """Runs of files that have the same path and content, in order; both are in order of path."""
    was = now = first = 0
    while was < len(old) and now < len(new):
        before, after = old[was], new[now]
        if before.path == after.path and before.held is after.held:
            was, now = was + 1, now + 1
            continue
        if now > first:
            yield Run(was - (now - first), first, now - first)
        if before.path == after.path:
            was, now = was + 1, now + 1
        elif before.path < after.path:
            was += 1
        else:
            now += 1
        first = now
    if now > first:
        yield Run(was - (now - first), first, now - first)


def _find_same_edges(old: Snapshot, new: Snapshot, renumber: Ints, run: Run) -> Iterator[Run]:
    """The parts of a run whose edges are the same."""
    if _is_alike(old, new, renumber, run):
        yield run
        return
    begin = 0
    for place in [*np.flatnonzero(_mark_differing(old, new, renumber, run)).tolist(), run.count]:
        if place > begin:
            yield Run(run.old + begin, run.new + begin, place - begin)
        begin = place + 1


def _is_alike(old: Snapshot, new: Snapshot, renumber: Ints, run: Run) -> bool:
    """Whether all nodes of a run have the same edges."""
    was, now = run.nodes(old.bases, new.bases)
    for before, after in ((old.unresolved, new.unresolved), (old.edges, new.edges)):
        left, right = row_slice(before, was), row_slice(after, now)
        starts = before.out_start[was] + (right.start - left.start), after.out_start[now]
        if left.stop - left.start != right.stop - right.start or not (
            np.array_equal(*starts)
            and np.array_equal(before.kind[left], after.kind[right])
            and np.array_equal(before.count[left], after.count[right])
            and np.array_equal(before.sites[site_slice(before, left)], after.sites[site_slice(after, right)])
        ):
            return False
    left, right = row_slice(old.edges, was), row_slice(new.edges, now)
    return np.array_equal(renumber[old.edges.target[left]], new.edges.target[right])


def _mark_differing(old: Snapshot, new: Snapshot, renumber: Ints, run: Run) -> Mask:
    """Whether the edges of each file of a run differ."""
    was, now = (np.array(bases, dtype=np.int32) for bases in (old.bases, new.bases))
    was, now = was[run.old : run.old + run.count + 1], now[run.new : run.new + run.count + 1]
    differs = np.zeros(run.count, dtype=np.bool_)
    for before, after in ((old.unresolved, new.unresolved), (old.edges, new.edges)):
        left, right = before.out_start[was], after.out_start[now]
        differs |= np.diff(left) != np.diff(right)
        alike = np.flatnonzero(~differs)
        rows_left, file = expand_ranges(left[alike], np.diff(left)[alike])
        rows_right, _ = expand_ranges(right[alike], np.diff(left)[alike])
        is_other = before.source[rows_left] - was[alike][file] != after.source[rows_right] - now[alike][file]
        is_other |= before.kind[rows_left] != after.kind[rows_right]
        is_other |= before.count[rows_left] != after.count[rows_right]
        if isinstance(before, EdgeTable) and isinstance(after, EdgeTable):
            is_other |= renumber[before.target[rows_left]] != after.target[rows_right]
        differs[alike[file[is_other]]] = True
        again = ~differs[alike[file]]
        rows_left, rows_right, file = rows_left[again], rows_right[again], file[again]
        sites_left, row = expand_ranges(before.first[rows_left], before.count[rows_left])
        sites_right, _ = expand_ranges(after.first[rows_right], before.count[rows_left])
        is_other = (before.sites[sites_left] != after.sites[sites_right]).any(axis=1)
        differs[alike[file[row[is_other]]]] = True
    return differs
