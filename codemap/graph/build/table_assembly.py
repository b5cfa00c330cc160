"""What the files bound becomes the arrays of a snapshot."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from codemap.facts import SITE_WIDTH
from codemap.graph.build.bound_file import Bound, Target, edge_rows, in_source_order, ints, pick
from codemap.graph.incremental.edge_reuse import merged, ordered
from codemap.graph.model.edges import EdgeKind, EdgeTable, Ints, UnresolvedTable, distinct, starts
from codemap.graph.model.snapshot import Snapshot

_AFTER_NODES = 1 << 40


class Dangling(Exception):
    """A kept edge leads to a definition that is gone: its file should have been bound again."""


class Taken(NamedTuple):
    """Rows of the definitions of one file that are kept, and their sites."""

    edges: tuple[Ints, Ints]
    unresolved: tuple[Ints, Ints]
    """With the numbers of names as they were."""


class Assembly:
    """Collects the rows of every file, in file order; `edges` and `unresolved` then make the tables.

    Edges are put in order by source, kind and target when all are there."""

    def __init__(self, first_external: int, names: Iterable[str] = ()) -> None:
        self._first_external = first_external
        self._externals: dict[tuple[str, str], int] = {}
        self._names: dict[str, int] = {name: number for number, name in enumerate(names)}
        self._edge_chunks: list[Ints] = []
        self._site_chunks: list[Ints] = []
        self._open_chunks: list[Ints] = []
        self._open_site_chunks: list[Ints] = []
        self._missing: list[int] = []
        self._node_count = first_external

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self._names)

    @property
    def missing_imports(self) -> Ints:
        """Of each file, the import statements whose relative target does not exist."""
        return np.array(self._missing, dtype=np.int32)

    def external(self, package: tuple[str, str]) -> int:
        """The number of an external node until `edges` orders them."""
        return self._first_external + self._externals.setdefault(package, len(self._externals))

    def keep(self, previous: Snapshot, first: int, last: int, renumber: Ints) -> None:
        """Takes over the rows of files `first` up to `last` (numbers in `previous`) as they are.

        `renumber` gives the new node of each old one, -1 where it is gone. The assembly must have been made with the
        previous names. Raises Dangling.
        """
        low, high = (previous.bases[number] for number in (first, last))
        rows, sites = _kept(previous.edges, low, high, renumber)
        self._append_renumbered(rows, sites, renumber)
        self._open_chunks.append(_kept_open(previous.unresolved, low, high, renumber, self._open_site_chunks))
        self._missing += previous.missing_by_file[first:last].tolist()

    def add(self, bound: Bound, taken: Taken | None = None, renumber: Ints | None = None) -> None:
        """Takes over one file's rows, and those of its definitions that are kept, with `renumber` as in `keep`. Raises
        Dangling."""
        sites = np.frombuffer(bound.file.facts.sites, dtype="<i4").reshape(-1, SITE_WIDTH)
        if bound.own_sites:
            sites = np.concatenate([sites, np.array(bound.own_sites, dtype=np.int32)])
        rows, picked, outside = edge_rows(bound)
        if outside:
            numbers = np.array(list(map(self.external, outside)), dtype=np.int32)
            is_outside = rows[:, 1] < 0
            rows = rows.copy()
            rows[is_outside, 1] = numbers[~rows[is_outside, 1]]
        self._edge_chunks.append(rows)
        self._site_chunks.append(in_source_order(sites.take(picked, axis=0), rows))
        if taken is not None:
            assert renumber is not None, "made with the previous snapshot"
            self._append_renumbered(*taken.edges, renumber)
        self._missing.append(bound.missing_imports)
        if not bound.unresolved and taken is None:
            return
        cells: list[int] = []
        open_sites: list[int] = []
        for (source, name, use_kind), spans in sorted(bound.unresolved.items()):
            number = self._names.setdefault(name, len(self._names))
            cells += (source, number, use_kind, pick(spans, open_sites))
        uses = ints(cells).reshape(-1, 4)
        own = uses, in_source_order(sites.take(open_sites, axis=0), uses)
        if taken is not None:
            own = merged(own, taken.unresolved)
        self._open_chunks.append(own[0])
        self._open_site_chunks.append(own[1])

    def _append_renumbered(self, rows: Ints, sites: Ints, renumber: Ints) -> None:
        """Takes over kept rows, with the targets of now. Raises Dangling."""
        rows[:, 1] = renumber[rows[:, 1]]
        if (rows[:, 1] < 0).any():
            raise Dangling
        self._edge_chunks.append(rows)
        self._site_chunks.append(sites)

    def edges(self) -> tuple[EdgeTable, tuple[tuple[str, str], ...]]:
        """The edges, and the external packages in the order of their nodes: those that an edge leads to, by name."""
        table, sites = _joined(self._edge_chunks, 5), _joined(self._site_chunks, 2)
        self._edge_chunks.clear()
        self._site_chunks.clear()
        externals = self._order_externals(table[:, 1])
        self._node_count = node_count = self._first_external + len(externals)
        place = (table[:, 0] * np.int64(len(EdgeKind)) + table[:, 2]) * node_count + table[:, 1]
        if (place[1:] < place[:-1]).any():
            table, sites = ordered(table, sites, np.argsort(place, kind="stable"))
        source, target, kind, confidence, count = (np.ascontiguousarray(column) for column in table.T)
        by_target = np.argsort(target, kind="stable").astype(np.int32)
        table_of_edges = EdgeTable(
            source=source,
            target=target,
            kind=kind,
            confidence=confidence,
            first=_firsts(count),
            count=count,
            sites=sites,
            out_start=starts(source, node_count),
            by_target=by_target,
            in_start=starts(target[by_target], node_count),
        )
        return table_of_edges, externals

    def _order_externals(self, target: Ints) -> tuple[tuple[str, str], ...]:
        """Renumbers the external nodes in `target` by package, without those that nothing leads to."""
        packages = list(self._externals)
        is_outside = target >= self._first_external
        used = distinct(target[is_outside]) - self._first_external
        ordered = sorted(packages[number] for number in used.tolist())
        place = np.full(len(packages), -1, dtype=np.int32)
        for number, package in enumerate(ordered):
            place[self._externals[package]] = self._first_external + number
        target[is_outside] = place[target[is_outside] - self._first_external]
        return tuple((family, package) for family, package in ordered)  # anew: see `linkage.resolve_all`

    def unresolved(self) -> UnresolvedTable:
        table = _joined(self._open_chunks, 4)
        source, name, kind, count = (np.ascontiguousarray(column) for column in table.T)
        by_name = np.argsort(name, kind="stable").astype(np.int32)
        return UnresolvedTable(
            source=source,
            name=name,
            kind=kind,
            first=_firsts(count),
            count=count,
            sites=_joined(self._open_site_chunks, 2),
            out_start=starts(source, self._node_count),
            by_name=by_name,
            name_start=starts(name[by_name], len(self._names)),
        )


def _kept(table: EdgeTable, low: int, high: int, renumber: Ints) -> tuple[Ints, Ints]:
    """Rows with the sources of now, and their sites."""
    rows = slice(int(table.out_start[low]), int(table.out_start[high]))
    columns = (table.target, table.kind, table.confidence, table.count)
    kept = np.stack([renumber[table.source[rows]], *(column[rows] for column in columns)], axis=1)
    return kept, _sites_of(table, rows)


def _kept_open(table: UnresolvedTable, low: int, high: int, renumber: Ints, sites: list[Ints]) -> Ints:
    rows = slice(int(table.out_start[low]), int(table.out_start[high]))
    sites.append(_sites_of(table, rows))
    return np.stack([renumber[table.source[rows]], table.name[rows], table.kind[rows], table.count[rows]], axis=1)


def _sites_of(table: EdgeTable | UnresolvedTable, rows: slice) -> Ints:
    if rows.start == rows.stop:
        return table.sites[:0]
    last = rows.stop - 1
    return table.sites[int(table.first[rows.start]) : int(table.first[last]) + int(table.count[last])]


def edge_order(item: tuple[tuple[int, Target, int], object]) -> tuple[int, int, int, tuple[str, str]]:
    """By source, kind, then target, external packages last."""
    source, target, kind = item[0]
    if isinstance(target, int):
        return source, kind, target, ("", "")
    return source, kind, _AFTER_NODES, target


def _joined(chunks: list[Ints], width: int) -> Ints:
    return np.concatenate(chunks) if chunks else np.empty((0, width), dtype=np.int32)


def _firsts(count: Ints) -> Ints:
    ends = np.cumsum(count, dtype=np.int64)
    return (ends - count).astype(np.int32)
