"""Counts the occurrences of a name, and those that the map explains, without parsing a file.

A search for a name answers at once: it says how often the name occurs and how much of that the map shows. What the
others are is for who asks who uses it (`codemap.mentions.accounts`).

Rules of the file:
- Cost: the words, and the sites of edges to the definitions of that name; never all uses of a file.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain

import msgspec
import numpy as np

from codemap.facts import Symbol, rows
from codemap.graph.index.columns import columns_of
from codemap.graph.index.type_methods import constructors_of
from codemap.graph.likelihood.candidates import unresolved_rows_in
from codemap.graph.model.edges import EdgeTable, Ints, UnresolvedTable
from codemap.graph.model.ranges import expand_ranges
from codemap.graph.model.snapshot import Snapshot
from codemap.mentions.map_accounts import Place
from codemap.occurrences.words import WORD_WIDTH, Sightings

FEW = 16
"""Up to so many edges are read one by one, which is faster."""


class WordCount(msgspec.Struct, frozen=True, gc=False):
    """The occurrences in a file."""

    path: str
    total: int
    explained: int
    """Definitions of the name, sites of edges to them, and undecided uses that may mean one; none of those of a file
    that is no longer as it was indexed."""


class WordCounts(msgspec.Struct, frozen=True):
    files: tuple[WordCount, ...]
    unseen: int = 0
    """Files that there was no time to look at."""


def count_words(snapshot: Snapshot, name: str, sightings: Sightings) -> WordCounts:
    """The counts of a name that definitions have."""
    places: frozenset[Place] | None = None
    found: list[WordCount] = []
    for sighted in sightings.files:
        words = rows(sighted.words).tolist()
        file = snapshot.by_path.get(sighted.path)
        explained = 0
        if file is not None and file.stamp.digest == sighted.digest:
            places = frozenset(_find_places(snapshot, name)) if places is None else places
            number = file.number
            explained = sum(
                (number, line, col) in places or (number, line, col - 1) in places
                for line, col in zip(words[::WORD_WIDTH], words[1::WORD_WIDTH], strict=True)
            )
        found.append(WordCount(sighted.path, len(words) // WORD_WIDTH, explained))
    return WordCounts(tuple(found), sightings.unseen)


def _find_places(snapshot: Snapshot, name: str) -> Iterator[Place]:
    """Where the map has the definitions of a name and what may mean them; a use may begin with what marks a variable
    (`$name`)."""
    named = [node for mark in snapshot.node_names.marks for node in snapshot.named(mark + name)]
    for file, row in map(snapshot.row_of, named):
        yield file.number, file.cell(row, Symbol.LINE), file.cell(row, Symbol.COL)
    edges, undecided = snapshot.edges, snapshot.unresolved
    used = dict.fromkeys((*named, *_constructors(snapshot, named)))
    yield from _find_sites(snapshot, edges, [edges.arriving(node) for node in used])
    yield from _find_sites(snapshot, undecided, [unresolved_rows_in(snapshot, node) for node in named])


def _constructors(snapshot: Snapshot, classes: Sequence[int]) -> Iterator[int]:
    """Those of some classes, which are called by the class's name."""
    columns, are_constructors = columns_of(snapshot), constructors_of(snapshot)
    for node in classes:
        children = columns.children_of(node)
        yield from children[are_constructors[children]].tolist()


def _find_sites(snapshot: Snapshot, table: EdgeTable | UnresolvedTable, chosen: Sequence[Ints]) -> Iterator[Place]:
    count = sum(map(len, chosen))
    if count <= FEW:
        file_of, source, first, counts = (
            each.data for each in (columns_of(snapshot).file, table.source, table.first, table.count)
        )
        for row in chain.from_iterable(rows.tolist() for rows in chosen):
            begin, number = first[row], file_of[source[row]]
            for line, col in table.sites[begin : begin + counts[row]].tolist():
                yield number, line, col
        return
    found = np.concatenate(chosen)
    places, owner = expand_ranges(table.first[found], table.count[found])
    files = columns_of(snapshot).file[table.source[found]][owner]
    lines, cols = table.sites[places].T
    yield from zip(files.tolist(), lines.tolist(), cols.tolist(), strict=True)
