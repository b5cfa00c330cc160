"""The sections of compact rows: one for each kind of edge and direction, rows by file; see
`codemap.tools.neighbors.compact`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import cast

from codemap.facts import Symbol, SymbolKind
from codemap.graph.model.edges import EdgeKind
from codemap.graph.model.snapshot import Snapshot
from codemap.graph.model.values import Confidence
from codemap.graph.query.importers import is_type_only
from codemap.graph.query.neighborhood import Neighbor
from codemap.tools.compact import FoldedCounts, Row, group_by_file, lines_of, most_common, sort_by_use, sort_rows
from codemap.tools.neighbors.asked import Asked
from codemap.tools.neighbors.embedding import embedding_words, is_by_embedding
from codemap.tools.neighbors.importing import TYPE_ONLY
from codemap.tools.neighbors.payload import NeighborView
from codemap.tools.neighbors.relations import is_of_override, place_targets, split_target, via_words
from codemap.tools.row_selection import Folded, folded_counts
from codemap.tools.view import CONFIDENCE_NAMES, EDGE_NAMES

SECTION_ORDER = (
    *(EdgeKind.CALLS, EdgeKind.EXTENDS, EdgeKind.IMPLEMENTS, EdgeKind.REFERENCES),
    *(EdgeKind.IMPORTS, EdgeKind.EXPORTS, EdgeKind.CONTAINS),
)
"""Of sections: the most informative first."""

_DECLARED = (EdgeKind.EXTENDS, EdgeKind.IMPLEMENTS, EdgeKind.CONTAINS)
"""Edges whose uses are at the definition itself: their lines add nothing."""

_TYPES = (SymbolKind.CLASS, SymbolKind.INTERFACE, SymbolKind.ENUM, SymbolKind.TYPE_ALIAS)
_VALUES = (SymbolKind.VARIABLE, SymbolKind.PROPERTY)

PASSED_ON = "passed on"
"""Of references to a function: whoever has it may call it."""
OVERRIDES = "overrides"
"""Of calls: they name what overrides the node."""
SectionKey = tuple[int, int, str, int]
"""Depth, place of the direction and kind in the order, what the edges lead to; of a family the place of the one that is
used, where it has a section of its own."""


def make_sections(asked: Asked, rows: Sequence[Neighbor], folded: Iterable[Folded[Neighbor]]) -> list[NeighborView]:
    listed: dict[SectionKey, list[Neighbor]] = {}
    counted: dict[SectionKey, list[Folded[Neighbor]]] = {}
    places = place_targets(asked, rows)
    for row in rows:
        key = _find_key(asked, row)
        listed.setdefault(_with_target(key, row, places) if places else key, []).append(row)
    for one in folded:
        key = _find_key(asked, one.row)
        counted.setdefault(_with_target(key, one.row, places) if places else key, []).append(one)
    return [_make_section(asked, key, listed.get(key, []), counted.get(key, [])) for key in sorted({*listed, *counted})]


def _with_target(key: SectionKey, neighbor: Neighbor, places: Mapping[int, int]) -> SectionKey:
    return (*key[:3], places.get(neighbor.via, 0) if neighbor.side == "in" else 0)


def _find_key(asked: Asked, neighbor: Neighbor) -> SectionKey:
    snapshot = asked.snapshot
    is_out, kind = neighbor.side == "out", neighbor.edge.kind
    of = OVERRIDES if is_of_override(asked, neighbor) else ""
    if kind is EdgeKind.REFERENCES:
        is_passed = asked.params.family and snapshot.kind_of(asked.node) in (SymbolKind.FUNCTION, SymbolKind.METHOD)
        if is_out or is_passed:
            named = _name_target_kind(snapshot.kind_of(neighbor.node if is_out else neighbor.edge.target))
            of = named if is_out or named == "types" else PASSED_ON
    return 1 if asked.is_hierarchy else neighbor.depth, len(SECTION_ORDER) * is_out + SECTION_ORDER.index(kind), of, 0


def _name_target_kind(kind: SymbolKind) -> str:
    return "types" if kind in _TYPES else "values" if kind in _VALUES else "functions"


def _make_section(
    asked: Asked, key: SectionKey, neighbors: Sequence[Neighbor], folded: Sequence[Folded[Neighbor]]
) -> NeighborView:
    depth, place, of, _ = key
    kind = SECTION_ORDER[place % len(SECTION_ORDER)]
    confidence = _say_confidence(asked, [one.edge.confidence for one in neighbors])
    view: NeighborView = {"edge": EDGE_NAMES[kind]}
    if asked.params.direction == "both":
        view["direction"] = "out" if place >= len(SECTION_ORDER) else "in"
    if of:
        view["of"] = of
    if depth > 1:
        view["depth"] = depth
    if confidence:
        view["confidence"] = confidence
    groups = _group_same(neighbors) if asked.inner else ([one] for one in neighbors)
    rows = [_show_row(asked, one, confidence, others) for one, *others in groups]
    if kind is EdgeKind.IMPLEMENTS:
        rows.sort(key=is_by_embedding)
    target, rows = split_target(rows, neighbors, folded) if asked.family or of == OVERRIDES else ("", rows)
    if target:
        view["to"] = target
    if rows:
        is_flow = depth == 1 and place >= len(SECTION_ORDER) and kind not in _DECLARED
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


def _show_row(asked: Asked, neighbor: Neighbor, confidence: str, others: Iterable[Neighbor] = ()) -> Row:
    """The row of a neighbor, with the uses of `others` beside its own."""
    snapshot, edge = asked.snapshot, neighbor.edge
    file, name = asked.row_place(neighbor.node)
    uses = snapshot.sites(edge)
    if others:
        uses = sorted((*uses, *(site for one in others for site in snapshot.sites(one.edge))))
    sites = lines_of(uses, has_columns=edge.kind not in (EdgeKind.IMPORTS, EdgeKind.EXPORTS))
    words: list[str] = []
    used: list[str] = []
    if neighbor.side == "in" and edge.kind is not EdgeKind.CONTAINS:
        lines = sites
    else:
        lines = [str(snapshot.cell(neighbor.node, Symbol.LINE) if name else 1)]
        used = [] if edge.kind in _DECLARED else sites
    if neighbor.via != asked.node and (neighbor.depth > 1 or neighbor.side == "in"):
        words.append(via_words(asked, neighbor.via, file))
    own = CONFIDENCE_NAMES[edge.confidence]
    is_less = not asked.is_hierarchy or edge.confidence >= Confidence.NAME
    words += [own] if own != confidence and is_less else []
    words += embedding_words(snapshot, neighbor)
    words += [TYPE_ONLY] if edge.kind is EdgeKind.IMPORTS and _is_type_only(snapshot, neighbor) else []
    words += ["stale"] if asked.is_stale(file) else []
    return Row(file, name, lines, words, used)


def _is_type_only(snapshot: Snapshot, neighbor: Neighbor) -> bool:
    file = snapshot.file_of(neighbor.edge.source)
    return file is not None and is_type_only(file, snapshot.sites(neighbor.edge))
