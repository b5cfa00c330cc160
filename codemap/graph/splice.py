"""The tables of a snapshot after an edit that leaves every node its number: the rows of a few files are put in place of
those that they had.

What is proportional to the repository is copies of arrays, and where the rows are between the same nodes as before,
only of their sites. The result is what `assemble` makes of the same files.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from codemap.facts import SITE_WIDTH
from codemap.graph.assemble import edge_order, pick
from codemap.graph.bind import Bound
from codemap.graph.edges import EdgeTable, Ints, UnresolvedTable
from codemap.graph.indexed import IndexedFile
from codemap.graph.snapshot import Snapshot


class Spliced(NamedTuple):
    """The tables, and what belongs to them."""

    edges: EdgeTable
    unresolved: UnresolvedTable
    names: tuple[str, ...]
    missing_by_file: Ints


class _Patch(NamedTuple):
    """Other rows for one file."""

    nodes: slice
    """Of the file."""
    old: slice
    """The rows that it has."""
    rows: Ints
    """The rows that it gets: source, other end or name, kind, and further columns, the last being the count."""
    sites: Ints


def splice(previous: Snapshot, files: Sequence[IndexedFile], bounds: Mapping[int, Bound]) -> Spliced | None:
    """The tables with what was bound in place of what those files had; None where an external package comes or goes.

    All nodes must have the numbers that they have in `previous`.
    """
    outside = {package: previous.first_external + number for number, package in enumerate(previous.externals)}
    names = dict(previous.unresolved_names)
    known = len(names)
    patches: list[_Patch] = []
    open_patches: list[_Patch] = []
    missing = previous.missing_by_file.copy()
    for number in sorted(bounds):
        bound, file = bounds[number], files[number]
        sites = np.frombuffer(bound.file.facts.sites, dtype="<i4").reshape(-1, SITE_WIDTH)
        if bound.own_sites:
            sites = np.concatenate([sites, np.array(bound.own_sites, dtype=np.int32).reshape(-1, SITE_WIDTH)])
        nodes = slice(file.base, file.base + file.symbol_count)
        picked: list[int] = []
        rows: list[tuple[int, ...]] = []
        for (source, target, kind), (confidence, spans) in sorted(bound.edges.items(), key=edge_order):
            node = outside.get(target) if isinstance(target, tuple) else target
            if node is None:
                return None
            rows.append((source, node, kind, confidence, pick(spans, picked)))
        patches.append(_patch(previous.edges, nodes, rows, 5, sites[picked]))
        picked = []
        rows = []
        for (source, name, kind), spans in sorted(bound.unresolved.items()):
            rows.append((source, names.setdefault(name, len(names)), kind, pick(spans, picked)))
        open_patches.append(_patch(previous.unresolved, nodes, rows, 4, sites[picked]))
        missing[number] = bound.missing_imports
    if _loses_external(previous, patches):
        return None
    all_names = previous.names if len(names) == known else tuple(names)
    edges = _edges(previous.edges, patches)
    return Spliced(edges, _unresolved(previous.unresolved, open_patches, len(all_names)), all_names, missing)


def _patch(
    table: EdgeTable | UnresolvedTable, nodes: slice, rows: Sequence[tuple[int, ...]], width: int, sites: Ints
) -> _Patch:
    old = slice(int(table.out_start[nodes.start]), int(table.out_start[nodes.stop]))
    return _Patch(nodes, old, np.array(rows, dtype=np.int32).reshape(-1, width), sites)


def _loses_external(previous: Snapshot, patches: Sequence[_Patch]) -> bool:
    """Whether nothing leads to some external package any more."""
    first, table = previous.first_external, previous.edges
    lost: dict[int, int] = {}
    for patch in patches:
        for sign, targets in ((1, table.target[patch.old]), (-1, patch.rows[:, 1])):
            for node in targets[targets >= first].tolist():
                lost[node] = lost.get(node, 0) + sign
    return any(count and count == table.in_start[node + 1] - table.in_start[node] for node, count in lost.items())


def _edges(table: EdgeTable, patches: Sequence[_Patch]) -> EdgeTable:
    first, sites = _first_and_sites(table, patches)
    count = _column(table.count, patches, 4)
    if all(_is_alike(table, patch) for patch in patches):
        confidence = _column(table.confidence, patches, 3)
        return EdgeTable(
            source=table.source,
            target=table.target,
            kind=table.kind,
            confidence=confidence,
            first=first,
            count=count,
            sites=sites,
            out_start=table.out_start,
            by_target=table.by_target,
            in_start=table.in_start,
        )
    by_target, in_start = _index(table.by_target, table.in_start, table.target, patches)
    return EdgeTable(
        source=_column(table.source, patches, 0),
        target=_column(table.target, patches, 1),
        kind=_column(table.kind, patches, 2),
        confidence=_column(table.confidence, patches, 3),
        first=first,
        count=count,
        sites=sites,
        out_start=_starts(table.out_start, patches),
        by_target=by_target,
        in_start=in_start,
    )


def _unresolved(table: UnresolvedTable, patches: Sequence[_Patch], name_count: int) -> UnresolvedTable:
    first, sites = _first_and_sites(table, patches)
    count = _column(table.count, patches, 3)
    if all(_is_alike(table, patch) for patch in patches):
        return UnresolvedTable(
            source=table.source,
            name=table.name,
            kind=table.kind,
            first=first,
            count=count,
            sites=sites,
            out_start=table.out_start,
            by_name=table.by_name,
            name_start=table.name_start,
        )
    more = name_count + 1 - len(table.name_start)
    name_start = np.concatenate((table.name_start, np.repeat(table.name_start[-1:], more)))
    by_name, name_start = _index(table.by_name, name_start, table.name, patches)
    return UnresolvedTable(
        source=_column(table.source, patches, 0),
        name=_column(table.name, patches, 1),
        kind=_column(table.kind, patches, 2),
        first=first,
        count=count,
        sites=sites,
        out_start=_starts(table.out_start, patches),
        by_name=by_name,
        name_start=name_start,
    )


def _is_alike(table: EdgeTable | UnresolvedTable, patch: _Patch) -> bool:
    """Whether a file's rows are between the same ends as before, in the same order."""
    other = table.target if isinstance(table, EdgeTable) else table.name
    columns = (table.source, other, table.kind)
    return all(np.array_equal(column[patch.old], patch.rows[:, place]) for place, column in enumerate(columns))


def _column(old: Ints, patches: Sequence[_Patch], place: int) -> Ints:
    """A column with other rows; the same array where they hold the same."""
    if all(np.array_equal(old[patch.old], patch.rows[:, place]) for patch in patches):
        return old
    return _replaced(old, [(patch.old, patch.rows[:, place]) for patch in patches])


def _replaced(old: Ints, parts: Sequence[tuple[slice, NDArray[np.int32]]]) -> Ints:
    pieces = []
    at = 0
    for where, new in parts:
        pieces += [old[at : where.start], new]
        at = where.stop
    return np.concatenate([*pieces, old[at:]])


def _first_and_sites(table: EdgeTable | UnresolvedTable, patches: Sequence[_Patch]) -> tuple[Ints, Ints]:
    where = [site_slice(table, patch.old) for patch in patches]
    sites = _replaced(table.sites, [(place, patch.sites) for place, patch in zip(where, patches, strict=True)])
    counts = [patch.rows[:, -1] for patch in patches]
    if all(np.array_equal(table.count[patch.old], count) for patch, count in zip(patches, counts, strict=True)):
        return table.first, sites
    pieces = []
    at = shift = 0
    for patch, place, count in zip(patches, where, counts, strict=True):
        own = np.cumsum(count, dtype=np.int64) - count + place.start + shift
        pieces += [_shifted(table.first[at : patch.old.start], shift), own.astype(np.int32)]
        shift += len(patch.sites) - (place.stop - place.start)
        at = patch.old.stop
    return np.concatenate([*pieces, _shifted(table.first[at:], shift)]), sites


def site_slice(table: EdgeTable | UnresolvedTable, rows: slice) -> slice:
    """Where the sites of consecutive rows are; where they would be, when there is no such row."""
    begin = int(table.first[rows.start]) if rows.start < len(table.first) else len(table.sites)
    end = int(table.first[rows.stop]) if rows.stop < len(table.first) else len(table.sites)
    return slice(begin, end)


def _starts(old: Ints, patches: Sequence[_Patch]) -> Ints:
    """Where the rows of each node begin."""
    pieces = []
    at = shift = 0
    for patch in patches:
        own = np.searchsorted(patch.rows[:, 0], np.arange(patch.nodes.start, patch.nodes.stop, dtype=np.int32))
        pieces += [_shifted(old[at : patch.nodes.start], shift), (own + patch.old.start + shift).astype(np.int32)]
        shift += len(patch.rows) - (patch.old.stop - patch.old.start)
        at = patch.nodes.stop
    return np.concatenate([*pieces, _shifted(old[at:], shift)])


def _index(order: Ints, start: Ints, keys: Ints, patches: Sequence[_Patch]) -> tuple[Ints, Ints]:
    """Rows in order of a column, then of their number, and where those of each value begin."""
    gone, came = np.zeros(len(start), dtype=np.int32), np.zeros(len(start), dtype=np.int32)
    is_gone = np.zeros(len(keys), dtype=np.bool_)
    shifts = np.zeros(len(keys) + 1, dtype=np.int32)
    shift = 0
    rows = []
    for patch in patches:
        is_gone[patch.old] = True
        np.add.at(gone, keys[patch.old] + 1, 1)
        np.add.at(came, patch.rows[:, 1] + 1, 1)
        rows.append(np.arange(len(patch.rows), dtype=np.int32) + patch.old.start + shift)
        more = len(patch.rows) - (patch.old.stop - patch.old.start)
        shifts[patch.old.stop] += more
        shift += more
    kept = order[~is_gone[order]]
    if shifts.any():
        kept += np.cumsum(shifts, dtype=np.int32)[kept]
    kept_start = start - np.cumsum(gone, dtype=np.int32)
    new_keys, new_rows = np.concatenate([patch.rows[:, 1] for patch in patches]), np.concatenate(rows)
    sorting = np.lexsort((new_rows, new_keys))
    new_keys, new_rows = new_keys[sorting], new_rows[sorting]
    places = [
        int(kept_start[key] + np.searchsorted(kept[kept_start[key] : kept_start[key + 1]], row))
        for key, row in zip(new_keys.tolist(), new_rows.tolist(), strict=True)
    ]
    return np.insert(kept, places, new_rows), kept_start + np.cumsum(came, dtype=np.int32)


def _shifted(column: Ints, shift: int) -> Ints:
    return column + np.int32(shift) if shift else column
