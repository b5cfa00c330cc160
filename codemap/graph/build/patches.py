"""Edits that leave every node its number: other rows for a few files, which wait until something asks for the tables.

Until then an edit costs what its file costs, whatever the size of the repository; then `splice` makes the tables.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Mapping, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from codemap.facts import SITE_WIDTH
from codemap.graph.build.bound_file import Bound, in_source_order, pick
from codemap.graph.build.splice import Patch, replaced_rows, site_slice, spliced_edges, spliced_unresolved
from codemap.graph.build.table_assembly import Taken, edge_order
from codemap.graph.incremental.edge_reuse import Kept, merged, take_edges
from codemap.graph.model.edges import EdgeTable, Ints, UnresolvedTable
from codemap.graph.model.index_slots import Slot
from codemap.graph.model.indexed_file import IndexedFile
from codemap.graph.model.snapshot import Snapshot

_PATCHED_MAX = 64
"""Files whose rows wait to be put in place: what is read of them meanwhile is looked for among them."""


class Patched(NamedTuple):
    """The tables, and what belongs to them."""

    edges: EdgeTable
    unresolved: UnresolvedTable
    names: Sequence[str]
    missing_by_file: Ints
    patches: Patches


class Patches(NamedTuple):
    """Tables, and other rows for some of their files, by number."""

    edges: EdgeTable
    unresolved: UnresolvedTable
    of_edges: Mapping[int, Patch]
    of_unresolved: Mapping[int, Patch]


def patches_of(snapshot: Snapshot) -> Patches:
    """What the tables of a snapshot are made of, where they are not made yet; else the tables themselves."""
    held = PATCHES.held_by(snapshot)
    edges, unresolved = snapshot.edges, snapshot.unresolved
    if held is not None and not edges.is_made and not unresolved.is_made:
        return held
    return _make_patches(snapshot)


def _make_patches(snapshot: Snapshot) -> Patches:
    edges, unresolved = snapshot.edges, snapshot.unresolved
    edges.make()
    unresolved.make()
    return Patches(edges, unresolved, {}, {})


PATCHES = Slot(_make_patches)


def keep_patches(snapshot: Snapshot, patches: Patches | None) -> None:
    """Lets the next edit begin with what the tables of a snapshot are made of."""
    if patches is not None:
        snapshot.indexes.put(PATCHES, patches)


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


def taken(snapshot: Snapshot, file: IndexedFile, kept: Kept, base: int) -> Taken:
    """The rows of the definitions of a file of a snapshot that are kept; the file begins at another node now."""
    patches = patches_of(snapshot)
    nodes = slice(file.base, file.base + file.symbol_count)
    edges = _rows_of(patches.edges, patches.of_edges.get(file.number), nodes)
    unresolved = _rows_of(patches.unresolved, patches.of_unresolved.get(file.number), nodes)
    return Taken(take_edges(kept, *edges, file.base, base), take_edges(kept, *unresolved, file.base, base))


def _rows_of(table: EdgeTable | UnresolvedTable, patch: Patch | None, nodes: slice) -> tuple[Ints, Ints]:
    """The rows of some nodes and their sites, as a patch has them."""
    if patch is not None:
        return patch.rows, patch.sites
    rows = slice(int(table.out_start[nodes.start]), int(table.out_start[nodes.stop]))
    if isinstance(table, EdgeTable):
        columns = [table.source, table.target, table.kind, table.confidence, table.count]
    else:
        columns = [table.source, table.name, table.kind, table.count]
    return np.stack([column[rows] for column in columns], axis=1), table.sites[site_slice(table, rows)]


def patch(
    previous: Snapshot, files: Sequence[IndexedFile], bounds: Mapping[int, Bound]
) -> Generator[None, None, Patched | None]:
    """The tables with what was bound in place of what those files had; None where an external package comes or goes;
    in steps.

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
        table = np.array(rows, dtype=np.int32).reshape(-1, 5)
        own = table, in_source_order(sites[picked], table)
        had = None if bound.kept is None else taken(previous, previous.files[number], bound.kept, file.base)
        of_edges[number] = Patch(nodes, *(own if had is None else merged(own, had.edges)))
        picked = []
        rows = []
        for (source, name, kind), spans in sorted(bound.unresolved.items()):
            rows.append((source, names.setdefault(name, len(names)), kind, pick(spans, picked)))
        table = np.array(rows, dtype=np.int32).reshape(-1, 4)
        own = table, in_source_order(sites[picked], table)
        of_unresolved[number] = Patch(nodes, *(own if had is None else merged(own, had.unresolved)))
        missing[number] = bound.missing_imports
        yield
    if _loses_external(previous, before, of_edges, bounds.keys()):
        return None
    all_names = previous.names if len(names) == known else tuple(names)
    patches = Patches(before.edges, before.unresolved, of_edges, of_unresolved)
    make_edges = partial(spliced_edges, before.edges, of_edges)
    make_unresolved = partial(spliced_unresolved, before.unresolved, of_unresolved, len(all_names))
    if len(of_edges) > _PATCHED_MAX:
        made = make_edges()
        yield
        return Patched(made, make_unresolved(), all_names, missing, patches)
    edges, unresolved = EdgeTable.later(make_edges), UnresolvedTable.later(make_unresolved)
    return Patched(edges, unresolved, all_names, missing, patches)


def _loses_external(previous: Snapshot, before: Patches, of_edges: Mapping[int, Patch], bound: Iterable[int]) -> bool:
    """Whether nothing leads to some external package any more."""
    first, table = previous.first_external, before.edges
    lost: set[int] = set()
    for number in bound:
        patch, old = of_edges[number], before.of_edges.get(number)
        targets = table.target[replaced_rows(table, patch)] if old is None else old.rows[:, 1]
        lost |= set(targets[targets >= first].tolist()) - set(patch.rows[:, 1].tolist())
    if not lost:
        return False
    for other in of_edges.values():
        lost.difference_update(other.rows[:, 1].tolist())
    spans = [patch.nodes for patch in of_edges.values()]
    return any(not _is_used_elsewhere(table, node, spans) for node in lost)


def _is_used_elsewhere(table: EdgeTable, node: int, spans: Sequence[slice]) -> bool:
    """Whether an edge leads to a node from outside some spans of nodes."""
    sources = table.source[table.by_target[table.in_start[node] : table.in_start[node + 1]]]
    is_inside = np.zeros(len(sources), dtype=np.bool_)
    for span in spans:
        is_inside |= (sources >= span.start) & (sources < span.stop)
    return not is_inside.all()
