"""Tables with other rows for some files, in place of those that they had.

It costs copies of arrays; where rows are between the same nodes as before, only of their sites. The result is what
`assemble` makes of the same files. All nodes keep their numbers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from codemap.graph.model.edges import EdgeTable, Ints, UnresolvedTable


class Patch(NamedTuple):
    """Other rows for one file."""

    nodes: slice
    """Of the file."""
    rows: Ints
    """Source, other end or name, kind, and further columns, the last being the count."""
    sites: Ints


class _Place(NamedTuple):
    """Where a patch goes."""

    nodes: slice
    old: slice
    """The rows that it replaces."""
    rows: Ints
    sites: Ints


def replaced_rows(table: EdgeTable | UnresolvedTable, patch: Patch) -> slice:
    """The rows that a file has in a table."""
    return slice(int(table.out_start[patch.nodes.start]), int(table.out_start[patch.nodes.stop]))


def _places(table: EdgeTable | UnresolvedTable, patches: Mapping[int, Patch]) -> list[_Place]:
    """In order."""
    ordered = [patch for _, patch in sorted(patches.items())]
    return [_Place(patch.nodes, replaced_rows(table, patch), patch.rows, patch.sites) for patch in ordered]


def spliced_edges(table: EdgeTable, of_edges: Mapping[int, Patch]) -> EdgeTable:
    """The edges with other rows for some files, by number."""
    patches = _places(table, of_edges)
    first, sites = _first_and_sites(table, patches)
    count, confidence = _column(table.count, patches, 4), _column(table.confidence, patches, 3)
    if all(_is_alike(table, patch) for patch in patches):
        return table.with_columns(confidence=confidence, first=first, count=count, sites=sites)
    by_target, in_start = _index(table.by_target, table.in_start, table.target, patches)
    return EdgeTable(
        source=_column(table.source, patches, 0),
        target=_column(table.target, patches, 1),
        kind=_column(table.kind, patches, 2),
        confidence=confidence,
        first=first,
        count=count,
        sites=sites,
        out_start=_starts(table.out_start, patches),
        by_target=by_target,
        in_start=in_start,
    )


def spliced_unresolved(table: UnresolvedTable, of_unresolved: Mapping[int, Patch], name_count: int) -> UnresolvedTable:
    """The undecided uses with other rows for some files; there are so many names now."""
    patches = _places(table, of_unresolved)
    first, sites = _first_and_sites(table, patches)
    count = _column(table.count, patches, 3)
    more = name_count + 1 - len(table.name_start)
    name_start = np.concatenate((table.name_start, np.repeat(table.name_start[-1:], more)))
    if all(_is_alike(table, patch) for patch in patches):
        return table.with_columns(first=first, count=count, sites=sites, name_start=name_start)
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


def _is_alike(table: EdgeTable | UnresolvedTable, patch: _Place) -> bool:
    """Whether a file's rows are between the same ends as before, in the same order."""
    other = table.target if isinstance(table, EdgeTable) else table.name
    columns = (table.source, other, table.kind)
    return all(np.array_equal(column[patch.old], patch.rows[:, place]) for place, column in enumerate(columns))


def _column(old: Ints, patches: Sequence[_Place], place: int) -> Ints:
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


def _first_and_sites(table: EdgeTable | UnresolvedTable, patches: Sequence[_Place]) -> tuple[Ints, Ints]:
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


def _starts(old: Ints, patches: Sequence[_Place]) -> Ints:
    """Where the rows of each node begin."""
    pieces = []
    at = shift = 0
    for patch in patches:
        own = np.searchsorted(patch.rows[:, 0], np.arange(patch.nodes.start, patch.nodes.stop, dtype=np.int32))
        pieces += [_shifted(old[at : patch.nodes.start], shift), (own + patch.old.start + shift).astype(np.int32)]
        shift += len(patch.rows) - (patch.old.stop - patch.old.start)
        at = patch.nodes.stop
    return np.concatenate([*pieces, _shifted(old[at:], shift)])


def _index(order: Ints, start: Ints, keys: Ints, patches: Sequence[_Place]) -> tuple[Ints, Ints]:
    """Rows in order of a column, then of their number, and where those of each value begin."""
    kept_start = start.copy()
    pieces, at, shift = [], 0, 0
    replaced = np.concatenate([np.arange(patch.old.start, patch.old.stop, dtype=np.int32) for patch in patches])
    gone = _places_of(replaced, order, start, keys[replaced])
    for place in np.sort(gone).tolist():
        pieces.append(order[at:place])
        at = place + 1
    kept = np.concatenate([*pieces, order[at:]])
    rows = []
    for patch in reversed(patches):
        more = len(patch.rows) - (patch.old.stop - patch.old.start)
        if more:
            np.add(kept, np.int32(more), out=kept, where=kept >= patch.old.stop)
    growth = np.zeros(len(start), dtype=np.int32)
    for patch in patches:
        np.subtract.at(growth, keys[patch.old] + 1, 1)
        rows.append(np.arange(len(patch.rows), dtype=np.int32) + patch.old.start + shift)
        shift += len(patch.rows) - (patch.old.stop - patch.old.start)
    kept_start += np.cumsum(growth, dtype=np.int32)
    new_keys, new_rows = np.concatenate([patch.rows[:, 1] for patch in patches]), np.concatenate(rows)
    sorting = np.lexsort((new_rows, new_keys))
    new_keys, new_rows = new_keys[sorting], new_rows[sorting]
    places = _places_of(new_rows, kept, kept_start, new_keys)
    growth[:] = 0
    np.add.at(growth, new_keys + 1, 1)
    return np.insert(kept, places, new_rows), kept_start + np.cumsum(growth, dtype=np.int32)


def _places_of(rows: Ints, order: Ints, start: Ints, keys: Ints) -> NDArray[np.int64]:
    """Where rows with these keys are in an order by key and row, or would be."""
    low, high = start[keys].astype(np.int64), start[keys + 1].astype(np.int64)
    while (is_open := low < high).any():  # bisects for all of them at a time
        middle = (low + high) // 2
        is_behind = is_open & (order[np.where(is_open, middle, 0)] < rows)
        low = np.where(is_behind, middle + 1, low)
        high = np.where(is_open & ~is_behind, middle, high)
    return low


def _shifted(column: Ints, shift: int) -> Ints:
    return column + np.int32(shift) if shift else column
