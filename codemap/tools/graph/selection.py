"""Chooses the nodes of a graph that is drawn, and sums the edges of all others to them.

Rules of the file:
- The files with the most definitions come first, then definitions by hub score; what contains a chosen one is chosen.
- A node that is not chosen is stood for by the innermost chosen one around it, so that no use is lost.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import numpy as np
from numpy.typing import NDArray

from codemap.graph.index.columns import Columns, columns_of
from codemap.graph.model.edges import Ints
from codemap.graph.model.snapshot import Snapshot


class Chosen(msgspec.Struct, frozen=True):
    files: tuple[int, ...]
    """Numbers of files, ascending."""
    nodes: tuple[int, ...]
    """Definitions in them, ascending: what contains one comes before it."""
    place: Ints
    """For each node of the snapshot, the index of what represents it: into `files`, then on into `nodes`. A node that
    was not chosen is represented by what contains it; -1 where it is in none of the files."""


class Summed(msgspec.Struct, frozen=True):
    """Edges between places, in order; one element each."""

    source: Ints
    target: Ints
    kind: Ints
    confidence: Ints
    uses: NDArray[np.int64]
    line: Ints
    """Of the first of the uses, in the file of its source."""


def choose(snapshot: Snapshot, files: Sequence[int], most: int, *, has_definitions: bool) -> Chosen:
    """At most so many of some files, and of the definitions in them where these are wanted."""
    columns = columns_of(snapshot)
    kept = sorted(sorted(files, key=lambda number: (-snapshot.files[number].symbol_count, number))[:most])
    bases = np.array([snapshot.files[number].base for number in kept], dtype=np.int32)
    inside = np.zeros(len(snapshot.files) + 1, dtype=np.bool_)
    inside[kept] = True
    ranked = columns.by_rank[columns.by_rank < snapshot.first_external]
    ranked = ranked[inside[columns.file[ranked]] & (columns.parent[ranked] >= 0)]
    nodes = _with_containers(columns, ranked, most - len(kept) if has_definitions else 0)
    place = np.full(snapshot.node_count, -1, dtype=np.int32)
    place[bases] = np.arange(len(bases), dtype=np.int32)
    place[nodes] = np.arange(len(bases), len(bases) + len(nodes), dtype=np.int32)
    waiting = np.flatnonzero(inside[columns.file] & (place[: snapshot.first_external] < 0))
    while len(waiting):  # as often as definitions are nested
        place[waiting] = place[columns.parent[waiting]]
        waiting = waiting[place[waiting] < 0]
    return Chosen(tuple(kept), tuple(nodes.tolist()), place)


def _with_containers(columns: Columns, ranked: Ints, most: int) -> Ints:
    """The first of some definitions, and those around them, at most so many in all; ascending."""
    count = max(0, min(most, len(ranked)))
    while True:
        found = around = ranked[:count]
        while len(around):
            around = columns.parent[around]
            around = np.setdiff1d(around[columns.parent[around] >= 0], found)
            found = np.concatenate((found, around))
        if len(found) <= max(most, 0):
            return np.sort(found)
        count = max(0, count - (len(found) - most))


def sum_edges(snapshot: Snapshot, chosen: Chosen) -> Summed:
    """The edges between what was chosen, those of a place with itself left out. Cost: a pass over all edges."""
    edges = snapshot.edges
    source, target = chosen.place[edges.source], chosen.place[edges.target]
    rows = np.flatnonzero((source >= 0) & (target >= 0) & (source != target))
    source, target, kind, confidence = source[rows], target[rows], edges.kind[rows], edges.confidence[rows]
    order = np.lexsort((confidence, kind, target, source))
    source, target, kind, confidence = source[order], target[order], kind[order], confidence[order]
    first = np.ones(len(order), dtype=np.bool_)
    first[1:] = np.any([column[1:] != column[:-1] for column in (source, target, kind, confidence)], axis=0)
    begins = np.flatnonzero(first)
    uses = np.add.reduceat(edges.count[rows][order].astype(np.int64), begins) if len(begins) else np.empty(0, np.int64)
    sites = edges.sites[edges.first[rows][order][begins]]
    line = sites[:, 0] if len(sites) else np.empty(0, np.int32)
    return Summed(source[begins], target[begins], kind[begins], confidence[begins], uses, line)


def sum_undecided(snapshot: Snapshot, chosen: Chosen) -> list[int]:
    """By place: how many uses in it could not be decided."""
    table, count = snapshot.unresolved, len(chosen.files) + len(chosen.nodes)
    places = chosen.place[table.source]
    known = places >= 0
    found: list[int] = np.bincount(places[known], weights=table.count[known], minlength=count).astype(int).tolist()
    return found
