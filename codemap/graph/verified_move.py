"""What is the same in two snapshots of a repository: runs of files whose content and edges are, and where nodes are.

It is told from the tables themselves, whatever made them.

Rules of the file:
- Two tables have the same edges where kinds, sites, and targets by their new numbers are the same, in the same order.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec
import numpy as np

from codemap.graph.edges import EdgeTable, Ints, UnresolvedTable
from codemap.graph.indexed import IndexedFile
from codemap.graph.snapshot import Snapshot
from codemap.graph.verified import Confirmed

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


class Move(msgspec.Struct, frozen=True):
    """From one snapshot to the next."""

    runs: tuple[Run, ...]
    """Files with the same content and the same edges."""
    renumber: Ints
    """The new node of each old one whose file has the same content, and of external ones; -1 for the others."""
    kept: Ints
    """The same, for files in `runs` only."""
    changed: frozenset[str]
    """Paths of files that came, went or have another content."""
    same_edges: frozenset[int]
    """New numbers of the files in `runs`."""
    packages: frozenset[str]
    """Of external nodes that came or went."""

    def concerns(self, file: IndexedFile, found: Confirmed) -> bool:
        """Whether the confirmations of a file, of the new snapshot, are to be judged again."""
        if file.number not in self.same_edges or not self.changed.isdisjoint(found.paths):
            return True
        return bool(self.packages) and not self.packages.isdisjoint(found.packages)


def moved(old: Snapshot, new: Snapshot) -> Move:
    """What is the same in two snapshots without confirmations. Cost: comparing the tables, and what differs."""
    same = list(_same_contents(old.files, new.files))
    renumber = np.full(old.node_count, -1, dtype=np.int32)
    for run in same:
        was, now = run.nodes(old.bases, new.bases)
        renumber[was] = np.arange(now.start, now.stop, dtype=np.int32)
    for number, (family, package) in enumerate(old.externals):
        node = new.external_node(family, package)
        renumber[old.first_external + number] = -1 if node is None else node
    runs = tuple(part for run in same for part in _same_edges(old, new, renumber, run))
    kept = np.full(old.node_count, -1, dtype=np.int32)
    for run in runs:
        was, now = run.nodes(old.bases, new.bases)
        kept[was] = renumber[was]
    unchanged = {file.path for run in same for file in new.files[run.new_slice]}
    return Move(
        runs=runs,
        renumber=renumber,
        kept=kept,
        changed=frozenset((old.by_path.keys() | new.by_path.keys()) - unchanged),
        same_edges=frozenset(number for run in runs for number in range(run.new, run.new + run.count)),
        packages=frozenset(package for _, package in frozenset(old.externals) ^ frozenset(new.externals)),
    )


def row_slice(table: Table, nodes: slice) -> slice:
    """The rows of consecutive nodes."""
    return slice(int(table.out_start[nodes.start]), int(table.out_start[nodes.stop]))


def site_slice(table: Table, rows: slice) -> slice:
    """The sites of consecutive rows."""
    if rows.start == rows.stop:
        return slice(0, 0)
    last = rows.stop - 1
    return slice(int(table.first[rows.start]), int(table.first[last]) + int(table.count[last]))


def _same_contents(old: Sequence[IndexedFile], new: Sequence[IndexedFile]) -> Iterator[Run]:
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


def _same_edges(old: Snapshot, new: Snapshot, renumber: Ints, run: Run) -> Iterator[Run]:
    """The parts of a run whose edges are the same; what is not is found by halving."""
    if _has_same_edges(old, new, renumber, run):
        yield run
    elif run.count > 1:
        half = run.count // 2
        yield from _same_edges(old, new, renumber, Run(run.old, run.new, half))
        yield from _same_edges(old, new, renumber, Run(run.old + half, run.new + half, run.count - half))


def _has_same_edges(old: Snapshot, new: Snapshot, renumber: Ints, run: Run) -> bool:
    was, now = run.nodes(old.bases, new.bases)
    if not _is_alike(old.unresolved, new.unresolved, was, now) or not _is_alike(old.edges, new.edges, was, now):
        return False
    targets = renumber[old.edges.target[row_slice(old.edges, was)]]
    return np.array_equal(targets, new.edges.target[row_slice(new.edges, now)])


def _is_alike(old: Table, new: Table, was: slice, now: slice) -> bool:
    """Whether nodes have rows of the same kinds and sites."""
    left, right = row_slice(old, was), row_slice(new, now)
    if left.stop - left.start != right.stop - right.start:
        return False
    shift = right.start - left.start
    starts = old.out_start[was.start : was.stop] + shift, new.out_start[now.start : now.stop]
    return (
        np.array_equal(*starts)
        and np.array_equal(old.kind[left], new.kind[right])
        and np.array_equal(old.count[left], new.count[right])
        and np.array_equal(old.sites[site_slice(old, left)], new.sites[site_slice(new, right)])
    )
