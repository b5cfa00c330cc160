"""What binding one file found, before it is in the tables of a snapshot."""

from __future__ import annotations

import struct
from array import array
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from codemap.facts import SITE_WIDTH
from codemap.graph.evaluate.file_views import GraphFile
from codemap.graph.incremental.edge_reuse import Kept
from codemap.graph.model.edges import Ints
from codemap.graph.model.values import Confidence

Target = int | tuple[str, str]
"""A node, or (language, package) of what lies outside."""
Span = tuple[int, int]
"""(first, count) of consecutive sites; from `Bound.table_count` on, they are in `Bound.own_sites`."""
OpenUses = dict[tuple[int, str, int], list[Span]]
"""(source node, name, EdgeKind plus BARE) -> sites."""
FoundEdges = dict[tuple[int, Target, int], tuple[Confidence, list[Span]]]
"""(source node, target, EdgeKind) -> its confidence and sites, in any order, perhaps twice."""


class EdgeRows(NamedTuple):
    """Edges as numbers."""

    rows: Ints
    """Source, target, EdgeKind, confidence, count of sites; the target of what lies outside is the complement of its
    place in `outside`."""
    picked: Ints
    """The sites of all rows, one after the other."""
    outside: tuple[tuple[str, str], ...]


class Bound:
    """What binding one file found."""

    __slots__ = (
        "edges",
        "file",
        "kept",
        "missing_imports",
        "own_sites",
        "rows",
        "several",
        "table_count",
        "unknown",
        "unresolved",
    )

    def __init__(self, file: GraphFile, kept: Kept | None) -> None:
        self.file = file
        self.kept = kept
        """Definitions whose edges are not here, but those that they had."""
        self.table_count = len(file.facts.sites) // (4 * SITE_WIDTH)
        self.own_sites: list[tuple[int, int]] = []
        """(line, col) of imports and exports, whose sites are not in the file's table."""
        self.edges: FoundEdges = {}
        self.rows: EdgeRows | None = None
        """Edges that were found before, which `edges` may have again."""
        self.unresolved: OpenUses = {}
        self.unknown: OpenUses = {}
        """The same for members of what may lie outside: no guess makes an edge of them."""
        self.several: OpenUses = {}
        """The same for uses of which it is known that several definitions are meant in turn: nothing to guess at."""
        self.missing_imports = 0

    def add(self, source: int, target: Target, kind: int, confidence: Confidence, spans: list[Span]) -> None:
        key = (source, target, kind)
        known = self.edges.get(key)
        if known is None:
            self.edges[key] = (confidence, list(spans))
        else:
            known[1].extend(spans)
            if confidence < known[0]:
                self.edges[key] = (confidence, known[1])

    def own_site(self, line: int, col: int) -> list[Span]:
        self.own_sites.append((line, col))
        return [(self.table_count + len(self.own_sites) - 1, 1)]


class ParkedBound:
    """What binding one file found, in a tenth of the memory, until all others are bound."""

    __slots__ = ("_edges", "_file", "_missing_imports", "_open", "_own_sites")

    def __init__(self, bound: Bound) -> None:
        """Of a file that was wholly bound."""
        self._file = bound.file
        self._edges = edge_rows(bound)
        self._open = tuple(map(_packed_uses, (bound.unresolved, bound.unknown, bound.several)))
        self._own_sites = tuple(bound.own_sites)
        self._missing_imports = bound.missing_imports

    def taken_up(self) -> Bound:
        """What was found; its edges are in `Bound.rows`."""
        bound = Bound(self._file, None)
        bound.rows = self._edges
        bound.unresolved, bound.unknown, bound.several = map(_unpacked_uses, self._open)
        bound.own_sites += self._own_sites
        bound.missing_imports = self._missing_imports
        return bound


def edge_rows(bound: Bound) -> EdgeRows:
    """All edges of a file as numbers, each once."""
    if bound.rows is None:
        return _rows_of(bound.edges)
    return _with_more(bound.rows, _rows_of(bound.edges)) if bound.edges else bound.rows


def pick(spans: list[Span], picked: list[int]) -> int:
    """Appends the site numbers of some spans; returns how many."""
    before = len(picked)
    for first, length in spans if len(spans) == 1 else sorted(set(spans)):
        if length == 1:
            picked.append(first)
        else:
            picked.extend(range(first, first + length))
    return len(picked) - before


def in_source_order(sites: Ints, rows: Ints) -> Ints:
    """The sites of rows, whose last column counts them, each row's by line and column: those of several uses are one
    use after the other."""
    if len(sites) == len(rows):
        return sites
    row = np.repeat(np.arange(len(rows)), rows[:, -1])
    return sites[np.lexsort((sites[:, 1], sites[:, 0], row))]


def ints(cells: Sequence[int]) -> Ints:
    """An array of numbers, which is not to be changed."""
    return np.frombuffer(struct.Struct(f"={len(cells)}i").pack(*cells), dtype=np.int32)


def _rows_of(edges: FoundEdges) -> EdgeRows:
    cells: list[int] = []
    picked: list[int] = []
    outside: dict[tuple[str, str], int] = {}
    for (source, target, kind), (confidence, spans) in edges.items():
        node = target if isinstance(target, int) else ~outside.setdefault(target, len(outside))
        if len(spans) == 1 and spans[0][1] == 1:  # as most are
            picked.append(spans[0][0])
            cells += (source, node, kind, confidence, 1)
        else:
            cells += (source, node, kind, confidence, pick(spans, picked))
    return EdgeRows(ints(cells).reshape(-1, 5), ints(picked), tuple(outside))


def _with_more(before: EdgeRows, more: EdgeRows) -> EdgeRows:
    """Edges and some more inside the repository, of which some may be among them: those have all sites, and the surer
    confidence."""
    place: Mapping[tuple[int, ...], int] = {tuple(key): at for at, key in enumerate(before.rows[:, :3].tolist())}
    again = [(at, place[tuple(key)]) for at, key in enumerate(more.rows[:, :3].tolist()) if tuple(key) in place]
    rows = np.concatenate((before.rows, more.rows))
    picked = np.concatenate((before.picked, more.picked))
    if not again:
        return EdgeRows(rows, picked, before.outside)
    sites = np.split(picked, np.cumsum(rows[:, 4])[:-1])
    for at, known in again:
        rows[known, 3] = min(rows[known, 3], more.rows[at, 3])
        sites[known] = np.array(sorted({*sites[known].tolist(), *sites[len(before.rows) + at].tolist()}), np.int32)
        rows[known, 4] = len(sites[known])
    gone = {len(before.rows) + at for at, _ in again}
    kept = [at for at in range(len(rows)) if at not in gone]
    return EdgeRows(rows[kept], np.concatenate([sites[at] for at in kept]), before.outside)


_PackedUses = tuple[tuple[str, ...], "array[int]"]
"""Names, and of each use source, name, kind, count of spans and those."""


def _packed_uses(uses: OpenUses) -> _PackedUses:
    names: dict[str, int] = {}
    cells: list[int] = []
    for (source, name, kind), spans in uses.items():
        cells += (source, names.setdefault(name, len(names)), kind, len(spans))
        for span in spans:
            cells += span
    return tuple(names), array("i", cells)


def _unpacked_uses(packed: _PackedUses) -> OpenUses:
    names, cells = packed[0], packed[1].tolist()
    found: OpenUses = {}
    at = 0
    while at < len(cells):
        source, name, kind, count, first, length = cells[at : at + 6]
        key = source, names[name], kind
        if count == 1:
            found[key] = [(first, length)]
        else:
            end = at + 4 + 2 * count
            found[key] = list(zip(cells[at + 4 : end : 2], cells[at + 5 : end : 2], strict=True))
        at += 4 + 2 * count
    return found
