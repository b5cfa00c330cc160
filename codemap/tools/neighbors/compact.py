"""The compact rows of `map_neighbors`: a section for each kind of edge and direction, rows by file.

    {"edge": "calls", "confidence": "import", "rows": {"app/api.py": ["login 31,40", "Session.renew 77 name"]}}

Rows of who uses the node have the lines of the uses; rows of what it uses have the line of the definition, and after
`used` those of the uses, in the node itself or in functions inside it. What is outside the repository is folded to its
packages, and members are counted unless they are asked for.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import cast

from msgspec import UNSET
from msgspec.structs import replace

from codemap.envelope.answer import Answer, CutList, Dropped, Spare
from codemap.facts import Symbol, SymbolKind
from codemap.graph.index.columns import columns_of
from codemap.graph.model.edges import EdgeKind
from codemap.graph.model.snapshot import Snapshot
from codemap.graph.model.values import Confidence
from codemap.graph.query.neighborhood import Neighbor, Neighborhood
from codemap.tools import diagram
from codemap.tools.compact import FoldedCounts, Row, group_by_file, lines_of, most_common, sort_rows
from codemap.tools.neighbors.asked import Asked, Listed, NeighborView, Params, Payload, crowded_out, narrowing
from codemap.tools.neighbors.embedding import embedding_words, is_by_embedding
from codemap.tools.neighbors.emptiness import emptiness
from codemap.tools.neighbors.full import neighbor_views, place_of_neighbor
from codemap.tools.neighbors.importing import listed_importers
from codemap.tools.neighbors.nested import nested_uses
from codemap.tools.neighbors.relations import (
    family_rows,
    list_packages,
    place_targets,
    split_target,
    via_words,
    with_few_named,
)
from codemap.tools.neighbors.through_bases import calls_through_bases
from codemap.tools.neighbors.undecided import USE_KEY, undecided_views
from codemap.tools.row_selection import Folded, folded_counts, sift
from codemap.tools.view import (
    CONFIDENCE_NAMES,
    EDGE_NAMES,
    clustered_view,
    map_incomplete,
    map_warnings,
    stale_files,
)

SECTION_ORDER = (
    *(EdgeKind.CALLS, EdgeKind.EXTENDS, EdgeKind.IMPLEMENTS, EdgeKind.REFERENCES),
    *(EdgeKind.IMPORTS, EdgeKind.EXPORTS, EdgeKind.CONTAINS),
)
"""Of sections: the most informative first."""

_DECLARED = (EdgeKind.EXTENDS, EdgeKind.IMPLEMENTS, EdgeKind.CONTAINS)
"""Edges whose uses are at the definition itself: their lines add nothing."""

_TYPES = (SymbolKind.CLASS, SymbolKind.INTERFACE, SymbolKind.ENUM, SymbolKind.TYPE_ALIAS)
_VALUES = (SymbolKind.VARIABLE, SymbolKind.PROPERTY)

SECTION_KEY = ("edge", "direction", "of", "depth", "through", "to", "confidence")

_LIKELY = ("high", "medium")  # so sure an undecided use may be that of product code, where else only tests have any
PASSED_ON = "passed on"
"""Of references to a function: whoever has it may call it."""
SectionKey = tuple[int, int, str, int]
"""Depth, place of the direction and kind in the order, what the edges lead to; of a family the place of the one that is
used, where it has a section of its own."""


def lists_of(params: Params) -> tuple[CutList | Spare, ...]:
    """The lists that may be cut, the undecided uses first."""
    narrow = narrowing(params)
    return (
        diagram.SPARE,
        CutList(("staleFiles",), "stale files", "call map_rebuild"),
        CutList(("unresolved", "*", "candidates"), "candidates", "call map_search with the name", keep=1),
        CutList(("unresolved", "*", "names"), "unresolved uses", narrow, keep=1, key=USE_KEY),
        CutList(("unresolved", "*", "rows"), "unresolved uses", narrow, keep=1, is_grouped=True),
        Spare(("unresolved", "*", "folded"), "folded counts", "pass tests:only"),
        CutList(("unresolved",), "kinds of unresolved uses", narrow, key=USE_KEY),
        CutList(("family",), "family", narrow, is_grouped=True),
        CutList(("writes",), "writes", narrow, is_grouped=True),
        CutList(("onlyIn",), "roles", narrow),
        CutList(("packages",), "packages", narrow),
        Spare(("signature",), "signatures", "call nav_type"),
        Spare(("neighbors", "*", "folded"), "folded counts", "pass tests:only"),
        CutList(("neighbors", "*", "rows"), "neighbors", narrow, keep=1, is_grouped=True),
        CutList(("neighbors",), "kinds of neighbors", narrow, key=SECTION_KEY),
    )


def compact_answer(asked: Asked) -> Answer:
    """The neighbors of a node by kind, then the uses that could not be decided."""
    world, snapshot, node, params = asked.world, asked.snapshot, asked.node, asked.params
    is_imported = params.direction == "in" and params.edge_kinds == ("imports",) and params.max_nodes is UNSET
    listed = listed_importers(asked) if is_imported else _list_neighbors(asked)
    data: Payload = {"node": _name_node(snapshot, node)}
    if not snapshot.is_external(node) and (signature := snapshot.text_of(node, Symbol.SIGNATURE)):
        data["signature"] = signature
    if asked.family:
        data["family"] = family_rows(asked)
    data["neighbors"] = listed.sections
    if listed.packages:
        data["packages"] = list(listed.packages)
    if members := _count_members(asked):
        data["members"] = members
    undecided = undecided_views(asked, is_alone=listed.is_empty or bool(listed.only))
    if listed.only and not any(view.get("likelihood") in _LIKELY and "rows" in view for view in undecided.views):
        data["onlyIn"] = list(listed.only)
    if undecided.sites:
        data["unresolvedSites"] = undecided.sites
        data["unresolved"] = undecided.views
    if params.diagram:
        views = neighbor_views(asked, asked.around.neighbors)
        data["diagram"] = diagram.of_neighbors(clustered_view(world, snapshot, node), views)
    if listed.omitted:
        data["omitted"] = listed.omitted
    if stale := stale_files(world):
        data["staleFiles"] = stale
    warnings = map_warnings(world, snapshot)
    if listed.is_empty and not listed.packages and not (asked.family and asked.is_about_heirs):
        data["emptyBecause"], advice = emptiness(asked, undecided.sites, listed.hidden)
        warnings += advice
    warnings += calls_through_bases(asked)
    own = snapshot.file_of(node)
    return Answer(
        data,
        lists_of(params),
        tuple(warnings),
        listed.dropped,
        incomplete=map_incomplete(world, snapshot),
        rests_on=frozenset((*listed.files, *undecided.files, *((own.path,) if own else ()))),
    )


def _list_neighbors(asked: Asked) -> Listed:
    snapshot = asked.snapshot
    around = _find_around(asked)
    outside = [one for one in around.neighbors if one.side == "out" and snapshot.is_external(one.node)]
    inside = [one for one in around.neighbors if one.side == "in" or not snapshot.is_external(one.node)]
    params = with_few_named(asked.params, len(inside)) if asked.is_about_heirs else asked.params
    shown = sift(inside, lambda one: place_of_neighbor(snapshot, one), params, asked.role)
    files = {one.path for one in map(snapshot.file_of, (one.node for one in inside)) if one is not None}
    return Listed(
        _make_sections(asked, shown.rows, shown.folded),
        not shown.rows,
        shown.hidden,
        shown.only,
        tuple(list_packages(snapshot, outside)),
        frozenset(files),
        _note_limits(asked, around),
        around.omitted,
    )


def _find_around(asked: Asked) -> Neighborhood:
    """All neighbors of one step, or of a whole hierarchy; else as many as were asked for or may be."""
    params, snapshot = asked.params, asked.snapshot
    if asked.is_whole:
        return asked.around
    most = params.max_nodes if isinstance(params.max_nodes, int) else asked.world.limits.nodes_max
    if params.depth == 1 and not isinstance(params.max_nodes, int):
        most = snapshot.node_count
    kinds = asked.kinds if params.edge_kinds else asked.kinds - {EdgeKind.CONTAINS}
    around = asked.within(kinds, most)
    nested = () if isinstance(params.max_nodes, int) or not asked.inner else tuple(nested_uses(asked))
    return replace(around, neighbors=(*around.neighbors, *nested)) if nested else around


def _name_node(snapshot: Snapshot, node: int) -> str:
    """The whole ID of a node and its line."""
    is_placed = not snapshot.is_external(node) and not snapshot.is_file(node)
    return f"{snapshot.id_of(node)} {snapshot.cell(node, Symbol.LINE)}" if is_placed else snapshot.id_of(node)


def _count_members(asked: Asked) -> int:
    """Counts the definitions directly in the node, where they are not listed but might be asked for."""
    if asked.params.edge_kinds or "out" not in asked.sides:
        return 0
    return 0 if asked.snapshot.is_external(asked.node) else len(columns_of(asked.snapshot).children_of(asked.node))


def _make_sections(asked: Asked, rows: Sequence[Neighbor], folded: Iterable[Folded[Neighbor]]) -> list[NeighborView]:
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
    of = ""
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
    target, rows = split_target(rows, neighbors, folded) if asked.family else ("", rows)
    if target:
        view["to"] = target
    if rows:
        view["rows"] = group_by_file(sort_rows(rows))
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
    words += ["stale"] if asked.is_stale(file) else []
    return Row(file, name, lines, words, used)


def _note_limits(asked: Asked, around: Neighborhood) -> tuple[Dropped, ...]:
    most = asked.world.limits.nodes_max
    is_asked = isinstance(asked.params.max_nodes, int)
    dropped = []
    if around.beyond_max:
        more = f", or maxNodes up to {most}" if is_asked and asked.params.max_nodes != most else ""
        note = f"{narrowing(asked.params)}{more}"
        dropped.append(Dropped("neighbors", around.beyond_max, note, is_profiled=not more))
    dropped += crowded_out(around)
    return tuple(dropped)
