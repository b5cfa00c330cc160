"""The sections of compact rows: one for each kind of edge and direction, rows by file; see
`codemap.tools.neighbors.compact`.

Where neighbors are many, rows are made for one page. Each section shows as many as the others while there is room: one
row of each is made in turn, until they are longer than the page together, and the others are counted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import repeat
from typing import cast

import numpy as np
from msgspec import UNSET

from codemap.facts import Symbol, SymbolKind
from codemap.file_roles import ROLE_NAMES, Role
from codemap.graph.index.columns import columns_of
from codemap.graph.model.edges import EdgeKind, Ints
from codemap.graph.model.snapshot import Snapshot
from codemap.graph.model.values import Confidence
from codemap.graph.query.dispatch import find_only_implementer
from codemap.graph.query.importers import is_type_only
from codemap.graph.query.neighborhood import Neighbor
from codemap.tools.compact import (
    LINES_MAX,
    FoldedCounts,
    GroupedRows,
    Row,
    fill_groups,
    group_by_file,
    lines_of,
    most_common,
    sort_by_use,
    sort_rows,
    texts_of,
)
from codemap.tools.neighbors.asked import Asked
from codemap.tools.neighbors.embedding import argument_words, embedding_words, is_by_embedding
from codemap.tools.neighbors.importing import TYPE_ONLY
from codemap.tools.neighbors.payload import NeighborView
from codemap.tools.neighbors.relations import RELATIVES_MAX, is_of_override, place_targets, reached_words, split_target
from codemap.tools.row_selection import Folded, count_chars, folded_counts
from codemap.tools.view import CONFIDENCE_NAMES, EDGE_NAMES

SECTION_ORDER = (
    *(EdgeKind.CALLS, EdgeKind.EXTENDS, EdgeKind.IMPLEMENTS, EdgeKind.REFERENCES),
    *(EdgeKind.IMPORTS, EdgeKind.EXPORTS, EdgeKind.CONTAINS),
)
"""Of sections: the most informative first."""

_DECLARED = (EdgeKind.EXTENDS, EdgeKind.IMPLEMENTS, EdgeKind.CONTAINS)
"""Edges whose uses are at the definition itself: their lines add nothing."""

FEW_CHARS = 300
"""Characters that rows of tests and the like may take beside any others."""
_CHARS_OF_ROW = 20
"""Half of what a row of product code takes: so much beside each."""
_TYPES = (SymbolKind.CLASS, SymbolKind.INTERFACE, SymbolKind.ENUM, SymbolKind.TYPE_ALIAS)
_VALUES = (SymbolKind.VARIABLE, SymbolKind.PROPERTY)

PASSED_ON = "passed on"
"""Of references to a function: whoever has it may call it."""
OVERRIDES = "overrides"
"""Of calls: they name what overrides the node."""
Show = Callable[[Neighbor], Row]
SectionKey = tuple[int, int, int, str, int]
"""Role of rows that have a section of their own, else that of product code; depth, place of the direction and kind in
the order, what the edges lead to; of a family the place of the one that is used, where it has a section of its own."""


def make_sections(
    asked: Asked,
    rows: Sequence[Neighbor],
    folded: Iterable[Folded[Neighbor]],
    rows_of_page: RowsOfPage | None,
) -> list[NeighborView]:
    """Those of some rows and others that are counted; where rows are made for one page, many come when that is
    filled."""
    listed: dict[SectionKey, list[Neighbor]] = {}
    counted: dict[SectionKey, list[Folded[Neighbor]]] = {}
    places = place_targets(asked, rows)
    for row in rows:
        key = _find_key(asked, row)
        listed.setdefault(_with_target(key, row, places) if places else key, []).append(row)
    for one in folded:
        key = _find_key(asked, one.row)
        counted.setdefault(_with_target(key, one.row, places) if places else key, []).append(one)
    for key, few in _choose_few(asked, len(rows), counted).items():
        del counted[key]
        for one in few:
            listed.setdefault((int(one.role), *key[1:]), []).append(one.row)
    keys = sorted({*listed, *counted})
    return [_make_section(asked, key, listed.get(key, []), counted.get(key, []), rows_of_page) for key in keys]


def _choose_few(
    asked: Asked, count: int, counted: Mapping[SectionKey, Sequence[Folded[Neighbor]]]
) -> dict[SectionKey, Sequence[Folded[Neighbor]]]:
    """Sections of tests and the like that are named: those of few relatives, and whose rows are few beside so many of
    product code, in their order. Imports are counted unless they alone are asked for, as other rows have what is
    imported; so is what is further than one step. None where the call says what becomes of tests."""
    if asked.params.tests is not UNSET:
        return {}
    if asked.is_about_heirs:
        return dict(counted) if count + sum(map(len, counted.values())) <= RELATIVES_MAX else {}
    room = max(FEW_CHARS, _CHARS_OF_ROW * count)
    found: dict[SectionKey, Sequence[Folded[Neighbor]]] = {}
    for key in sorted(counted):
        first = counted[key][0].row
        is_said = first.edge.kind is EdgeKind.IMPORTS and asked.kinds != {EdgeKind.IMPORTS}
        if is_said or first.depth > 1:
            continue
        chars = count_chars(counted[key], lambda one: asked.row_place(one.node)[1], room)
        if chars <= room:
            found[key] = counted[key]
            room -= chars
    return found


def _with_target(key: SectionKey, neighbor: Neighbor, places: Mapping[int, int]) -> SectionKey:
    return (*key[:4], places.get(neighbor.via, 0) if neighbor.side == "in" else 0)


def _find_key(asked: Asked, neighbor: Neighbor) -> SectionKey:
    snapshot = asked.snapshot
    is_out, kind = neighbor.side == "out", neighbor.edge.kind
    of = OVERRIDES if is_of_override(asked, neighbor) else ""
    if kind is EdgeKind.REFERENCES:
        is_passed = asked.params.family and snapshot.kind_of(asked.node) in (SymbolKind.FUNCTION, SymbolKind.METHOD)
        if is_out or is_passed:
            named = _name_target_kind(snapshot.kind_of(neighbor.node if is_out else neighbor.edge.target))
            of = named if is_out or named == "types" else PASSED_ON
    depth = 1 if asked.is_hierarchy else neighbor.depth
    return int(Role.PRODUCT), depth, len(SECTION_ORDER) * is_out + SECTION_ORDER.index(kind), of, 0


def _name_target_kind(kind: SymbolKind) -> str:
    return "types" if kind in _TYPES else "values" if kind in _VALUES else "functions"


def _make_section(
    asked: Asked,
    key: SectionKey,
    neighbors: Sequence[Neighbor],
    folded: Sequence[Folded[Neighbor]],
    rows_of_page: RowsOfPage | None,
) -> NeighborView:
    role, depth, place, of, _ = key
    kind = SECTION_ORDER[place % len(SECTION_ORDER)]
    confidence = _say_confidence(asked, [one.edge.confidence for one in neighbors])
    view: NeighborView = {"edge": EDGE_NAMES[kind]}
    if asked.params.direction == "both":
        view["direction"] = "out" if place >= len(SECTION_ORDER) else "in"
    if role != Role.PRODUCT:
        view["role"] = ROLE_NAMES[role]
    if of:
        view["of"] = of
    if depth > 1:
        view["depth"] = depth
    if confidence:
        view["confidence"] = confidence
    is_flow = depth == 1 and place >= len(SECTION_ORDER) and kind not in _DECLARED
    is_usual = of != OVERRIDES and kind is not EdgeKind.IMPLEMENTS and not is_flow
    if neighbors and is_usual and rows_of_page is not None:
        view["rows"] = rows_of_page.add(neighbors, partial(_show_row, asked, confidence))
        neighbors = ()
    groups = _group_same(neighbors) if asked.inner else ([one] for one in neighbors)
    rows = [_show_row(asked, confidence, one, others) for one, *others in groups]
    if kind is EdgeKind.IMPLEMENTS:
        rows.sort(key=is_by_embedding)
    target, rows = split_target(asked, rows, neighbors, folded) if asked.family or of == OVERRIDES else ("", rows)
    if target:
        view["to"] = target
    if rows:
        view["rows"] = group_by_file(sort_by_use(rows) if is_flow else sort_rows(rows))
    if folded:
        view["folded"] = cast("FoldedCounts", folded_counts(folded))
    return view


def _say_confidence(asked: Asked, levels: Sequence[Confidence]) -> str:
    """The confidence that a section states: that of most of its edges; in a hierarchy the weakest but guesses."""
    if asked.is_hierarchy:
        levels = [max((level for level in levels if level < Confidence.NAME), default=Confidence.NAME)]
    return most_common(CONFIDENCE_NAMES[level] for level in levels)


def _group_same(neighbors: Iterable[Neighbor]) -> Iterable[list[Neighbor]]:
    """Those that are one row: the same node, known in the same way; those that use one of a family by themselves."""
    found: dict[tuple[int, int, int], list[Neighbor]] = {}
    for one in neighbors:
        used = one.via if one.side == "in" else -1
        found.setdefault((one.node, one.edge.confidence, used), []).append(one)
    return found.values()


def _show_row(asked: Asked, confidence: str, neighbor: Neighbor, others: Iterable[Neighbor] = ()) -> Row:
    """The row of a neighbor, with the uses of `others` beside its own."""
    snapshot, edge = asked.snapshot, neighbor.edge
    file, name = asked.row_place(neighbor.node)
    uses = snapshot.sites(edge)
    if others:
        uses = sorted((*uses, *(site for one in others for site in snapshot.sites(one.edge))))
    sites = lines_of(uses, has_columns=edge.kind not in (EdgeKind.IMPORTS, EdgeKind.EXPORTS))
    used: list[str] = []
    if is_at_use(neighbor):
        lines = sites
    else:
        lines = [str(snapshot.cell(neighbor.node, Symbol.LINE) if name else 1)]
        used = [] if edge.kind in _DECLARED else sites
    words = reached_words(asked, neighbor)
    own = CONFIDENCE_NAMES[edge.confidence]
    is_less = not asked.is_hierarchy or edge.confidence >= Confidence.NAME
    words += [own] if own != confidence and is_less else []
    words += [*argument_words(snapshot, neighbor), *embedding_words(snapshot, neighbor)]
    if neighbor.side == "out" and edge.kind is EdgeKind.CALLS and neighbor.depth == 1:
        runs = find_only_implementer(snapshot, neighbor.node, asked.node)
        words += [f"runs {asked.shortest_id(runs)}"] if runs is not None else []
    words += [TYPE_ONLY] if edge.kind is EdgeKind.IMPORTS and _is_type_only(snapshot, neighbor) else []
    words += [f"entry of {package}"] if edge.kind is EdgeKind.EXPORTS and (package := asked.entries.get(file)) else []
    words += ["stale"] if asked.is_stale(file) else []
    return Row(file, name, lines, words, used)


def _is_type_only(snapshot: Snapshot, neighbor: Neighbor) -> bool:
    file = snapshot.file_of(neighbor.edge.source)
    return file is not None and is_type_only(file, snapshot.sites(neighbor.edge))


def is_of_page(asked: Asked) -> bool:
    """Whether rows may be made for one page: those of an answer that is nothing but a list of them."""
    return asked.params.depth > 1 and not asked.is_whole and not asked.params.code


def is_at_use(one: Neighbor) -> bool:
    """Whether the row of a neighbor has the lines of the uses in it, not that of its definition."""
    return one.side == "in" and one.edge.kind is not EdgeKind.CONTAINS


class RowsOfPage:
    """The rows of all sections, while they are made."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self._made: list[GroupedRows] = []
        self._waiting: list[Iterator[tuple[str, str]]] = []
        self._texts: list[int] = []

    def add(self, neighbors: Sequence[Neighbor], show: Show) -> GroupedRows:
        """Adds a section; its rows, which come with `fill`."""
        rows: GroupedRows = {}
        edges = np.array([one.edge.row for one in neighbors if one.edge.row >= 0], dtype=np.int32)
        self._texts.append(sum(self._count_texts(neighbors, edges, show)))
        self._made.append(rows)
        self._waiting.append(_texts(self._in_order(neighbors, edges), show))
        return rows

    def fill(self, page_chars: int, sections: Iterable[NeighborView]) -> Sequence[int]:
        """Makes so many rows that they are longer than a page, or all; how many texts each of the sections that has
        rows is without."""
        fill_groups(self._made, self._waiting, page_chars, 1)
        pairs = zip(self._made, self._texts, strict=True)
        left = {id(rows): texts - sum(map(len, rows.values())) for rows, texts in pairs}
        return [left.get(id(view["rows"]), 0) for view in sections if "rows" in view]

    def _count_texts(self, neighbors: Sequence[Neighbor], edges: Ints, show: Show) -> Iterator[int]:
        """`edges`: the rows of all of them; none of `contains`, which are in a section of their own."""
        many = np.flatnonzero(self._snapshot.edges.count.take(edges) > LINES_MAX).tolist()
        yield len(neighbors) - len(many)
        yield from (len(texts_of(show(neighbors[at]))) for at in many)

    def _in_order(self, neighbors: Sequence[Neighbor], edges: Ints) -> list[Neighbor]:
        """By file, in the order of the first of each; in a file by line."""
        snapshot = self._snapshot
        files = columns_of(snapshot).file.take([one.node for one in neighbors]).tolist()
        lines = snapshot.edges.sites.take(snapshot.edges.first.take(edges), axis=0)[:, 0].tolist() or repeat(1)
        places: dict[int, int] = {}
        keys: list[tuple[int, int]] = []
        for one, number, line in zip(neighbors, files, lines, strict=False):
            place = places.setdefault(number, len(places))
            if not is_at_use(one):
                file = snapshot.files[number]
                line = file.cell(one.node - file.base, Symbol.LINE) if one.node > file.base else 1
            keys.append((place, line))
        return [neighbors[at] for at in sorted(range(len(keys)), key=keys.__getitem__)]


def _texts(neighbors: Iterable[Neighbor], show: Show) -> Iterator[tuple[str, str]]:
    for one in neighbors:
        row = show(one)
        yield from ((row.file, text) for text in texts_of(row))
