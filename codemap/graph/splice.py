"""The tables of a snapshot after edits that leave every node its number: the rows of a few files are put in place of
those that they had, when something first asks for the tables.

Until then an edit costs what its file costs. Then it costs copies of arrays; where rows are between the same nodes as
before, only of their sites. The result is what `assemble` makes of the same files.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from codemap.facts import SITE_WIDTH
from codemap.graph.assemble import edge_order, pick
from codemap.graph.bind import Bound
from codemap.graph.edges import EdgeTable, Ints, UnresolvedTable
from codemap.graph.indexed import IndexedFile
from codemap.graph.snapshot import Snapshot

_HOLDER = "_patches"
_PATCHED_MAX = 64
"""Files whose rows wait to be put in place: what is read of them meanwhile is looked for among them."""


class Spliced(NamedTuple):
    """The tables, and what belongs to them."""

    edges: EdgeTable
    unresolved: UnresolvedTable
    names: tuple[str, ...]
    missing_by_file: Ints
    patches: Patches


class Patch(NamedTuple):
    """Other rows for one file."""

    nodes: slice
    """Of the file."""
    rows: Ints
    """Source, other end or name, kind, and further columns, the last being the count."""
    sites: Ints


class Patches(NamedTuple):
    """Tables, and other rows for some of their files, by number."""

    edges: EdgeTable
    unresolved: UnresolvedTable
    of_edges: Mapping[int, Patch]
    of_unresolved: Mapping[int, Patch]


def patches_of(snapshot: Snapshot) -> Patches:
    """What the tables of a snapshot are made of, where they are not made yet; else the tables themselves."""
    held = vars(snapshot).get(_HOLDER)
    edges, unresolved = snapshot.edges, snapshot.unresolved
    if isinstance(held, Patches) and not edges.is_made and not unresolved.is_made:
        return held
    edges.make()
    unresolved.make()
    return Patches(edges, unresolved, {}, {})


def hold(snapshot: Snapshot, patches: Patches | None) -> None:
    """Lets the next edit begin with what the tables of a snapshot are made of."""
    if patches is not None:
        vars(snapshot)[_HOLDER] = patches


def leaving(snapshot: Snapshot, file: IndexedFile) -> Ints:
    """Rows of the edges that leave the file itself, not a definition in it: (source, target, kind) and more columns."""
    patches = patches_of(snapshot)
    patch = patches.of_edges.get(file.number)
    if patch is not None:
        own: Ints = patch.rows[patch.rows[:, 0] == file.base]
        return own
    table = patches.edges
    rows = slice(int(table.out_start[file.base]), int(table.out_start[file.base + 1]))
    return np.stack([table.source[rows], table.target[rows], table.kind[rows]], axis=1)


def splice(previous: Snapshot, files: Sequence[IndexedFile], bounds: Mapping[int, Bound]) -> Spliced | None:
    """The tables with what was bound in place of what those files had; None where an external package comes or goes.

    All nodes must have the numbers that they have in `previous`.
    """
    outside = previous.external_nodes
    names = dict(previous.unresolved_names)
    known = len(names)
    before = patches_of(previous)
    of_edges, of_unresolved = dict(before.of_edges), dict(before.of_unresolved)
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
        of_edges[number] = Patch(nodes, np.array(rows, dtype=np.int32).reshape(-1, 5), sites[picked])
        picked = []
        rows = []
        for (source, name, kind), spans in sorted(bound.unresolved.items()):
            rows.append((source, names.setdefault(name, len(names)), kind, pick(spans, picked)))
        of_unresolved[number] = Patch(nodes, np.array(rows, dtype=np.int32).reshape(-1, 4), sites[picked])
        missing[number] = bound.missing_imports
    if _loses_external(previous, before, of_edges, bounds.keys()):
        return None
    all_names = previous.names if len(names) == known else tuple(names)
    patches = Patches(before.edges, before.unresolved, of_edges, of_unresolved)
    make_edges = partial(_edges, before.edges, of_edges)
    make_unresolved = partial(_unresolved, before.unresolved, of_unresolved, len(all_names))
    if len(of_edges) > _PATCHED_MAX:
        return Spliced(make_edges(), make_unresolved(), all_names, missing, patches)
    edges, unresolved = EdgeTable.later(make_edges), UnresolvedTable.later(make_unresolved)
    return Spliced(edges, unresolved, all_names, missing, patches)


def _loses_external(previous: Snapshot, before: Patches, of_edges: Mapping[int, Patch], bound: Iterable[int]) -> bool:
    """Whether nothing leads to some external package any more."""
    first, table = previous.first_external, before.edges
    lost: set[int] = set()
    for number in bound:
        patch, old = of_edges[number], before.of_edges.get(number)
        targets = table.target[_old_rows(table, patch)] if old is None else old.rows[:, 1]
        lost |= set(targets[targets >= first].tolist()) - set(patch.rows[:, 1].tolist())
    if not lost:
        return False
    for patch in of_edges.values():
        lost.difference_update(patch.rows[:, 1].tolist())
    spans = [patch.nodes for patch in of_edges.values()]
    return any(not _is_used_elsewhere(table, node, spans) for node in lost)


def _is_used_elsewhere(table: EdgeTable, node: int, spans: Sequence[slice]) -> bool:
    """Whether an edge leads to a node from outside some spans of nodes."""
    sources = table.source[table.by_target[table.in_start[node] : table.in_start[node + 1]]]
    is_inside = np.zeros(len(sources), dtype=np.bool_)
    for span in spans:
        is_inside |= (sources >= span.start) & (sources < span.stop)
    return not is_inside.all()


class _Place(NamedTuple):
    """Where a patch goes."""

    nodes: slice
    old: slice
    """The rows that it replaces."""
    rows: Ints
    sites: Ints


def _old_rows(table: EdgeTable | UnresolvedTable, patch: Patch) -> slice:
    return slice(int(table.out_start[patch.nodes.start]), int(table.out_start[patch.nodes.stop]))


def _places(table: EdgeTable | UnresolvedTable, patches: Mapping[int, Patch]) -> list[_Place]:
    """In order."""
    ordered = [patch for _, patch in sorted(patches.items())]
    return [_Place(patch.nodes, _old_rows(table, patch), patch.rows, patch.sites) for patch in ordered]


def _edges(table: EdgeTable, of_edges: Mapping[int, Patch]) -> EdgeTable:
    patches = _places(table, of_edges)
    first, sites = _first_and_sites(table, patches)
    count, confidence = _column(table.count, patches, 4), _column(table.confidence, patches, 3)
    if all(_is_alike(table, patch) for patch in patches):
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
        confidence=confidence,
        first=first,
        count=count,
        sites=sites,
        out_start=_starts(table.out_start, patches),
        by_target=by_target,
        in_start=in_start,
    )


def _unresolved(table: UnresolvedTable, of_unresolved: Mapping[int, Patch], name_count: int) -> UnresolvedTable:
    patches = _places(table, of_unresolved)
    first, sites = _first_and_sites(table, patches)
    count = _column(table.count, patches, 3)
    more = name_count + 1 - len(table.name_start)
    name_start = np.concatenate((table.name_start, np.repeat(table.name_start[-1:], more)))
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
            name_start=name_start,
        )
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
    gone = _gone_places(order, start, keys, patches)
    for place in gone:
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
    places = [
        int(kept_start[key] + np.searchsorted(kept[kept_start[key] : kept_start[key + 1]], row))
        for key, row in zip(new_keys.tolist(), new_rows.tolist(), strict=True)
    ]
    growth[:] = 0
    np.add.at(growth, new_keys + 1, 1)
    return np.insert(kept, places, new_rows), kept_start + np.cumsum(growth, dtype=np.int32)


def _gone_places(order: Ints, start: Ints, keys: Ints, patches: Sequence[_Place]) -> list[int]:
    """Where in an order the rows stand that are replaced."""
    found = []
    for patch in patches:
        for row, key in zip(range(patch.old.start, patch.old.stop), keys[patch.old].tolist(), strict=True):
            found.append(int(start[key] + np.searchsorted(order[start[key] : start[key + 1]], row)))
    return sorted(found)


def _shifted(column: Ints, shift: int) -> Ints:
    return column + np.int32(shift) if shift else column
