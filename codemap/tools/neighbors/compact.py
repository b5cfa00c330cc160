"""The compact rows of `map_neighbors`: a section for each kind of edge and direction, rows by file.

    {"edge": "calls", "confidence": "import", "rows": {"app/api.py": ["login 31,40", "Session.renew 77 name"]}}

Rows of who uses the node have the lines of the uses; rows of what it uses have the line of the definition, and after
`used` those of the uses, in the node itself or in functions inside it. What is outside the repository is folded to its
packages, and members are counted unless they are asked for.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterable, Iterator, Sequence
from hashlib import blake2b

import numpy as np
from msgspec import UNSET
from msgspec.structs import replace

from codemap.envelope.answer import NOTHING, Answer, CutList, Dropped, Spare
from codemap.facts import Symbol
from codemap.graph.index.columns import columns_of
from codemap.graph.model.edges import EdgeKind, distinct
from codemap.graph.model.snapshot import Snapshot
from codemap.graph.query.neighborhood import Neighbor, Neighborhood
from codemap.graph.query.undecided import Side
from codemap.tools import diagram
from codemap.tools.compact import cut
from codemap.tools.neighbors.asked import Asked, Listed, Params, crowded_out, narrowing
from codemap.tools.neighbors.embedding import without_embeddings
from codemap.tools.neighbors.emptiness import emptiness
from codemap.tools.neighbors.full import neighbor_views, places_of_neighbors
from codemap.tools.neighbors.importing import listed_importers
from codemap.tools.neighbors.payload import Payload
from codemap.tools.neighbors.relations import (
    family_rows,
    list_packages,
)
from codemap.tools.neighbors.sections import RowsOfPage, is_of_page, make_sections
from codemap.tools.neighbors.through_bases import calls_from_outside, calls_without_name
from codemap.tools.neighbors.undecided import USE_KEY, undecided_views
from codemap.tools.row_selection import sift
from codemap.tools.view import (
    clustered_view,
    map_incomplete,
    map_warnings,
    stale_files,
)

SECTION_KEY = ("edge", "direction", "role", "of", "depth", "through", "to", "confidence")

SIGNATURE_MAX_CHARS = 120
_TYPE_PARAMETERS = re.compile(r"<(?:[^()]|\(\))*>\(")

_SAYING = (EdgeKind.CALLS, EdgeKind.EXTENDS, EdgeKind.IMPLEMENTS)
_LIKELY = ("high", "medium")  # so sure an undecided use may be that of product code, where else only tests have any


def lists_of(params: Params, unmade: Sequence[int] = ()) -> tuple[CutList | Spare, ...]:
    """The lists that may be cut, the undecided uses first; `unmade`: rows of neighbors that are only counted, by
    section."""
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
        CutList(("givenTo",), "functions", narrow, is_grouped=True),
        CutList(("sentBy",), "functions", narrow, is_grouped=True),
        CutList(("onlyIn",), "roles", narrow),
        CutList(("packages",), "packages", narrow),
        Spare(("signature",), "signatures", "call nav_type"),
        Spare(("neighbors", "*", "folded"), "folded counts", "pass tests:only"),
        CutList(("neighbors", "*", "rows"), "neighbors", narrow, keep=1, is_grouped=True, unmade=unmade),
        CutList(("neighbors",), "kinds of neighbors", narrow, key=SECTION_KEY),
    )


def compact_answer(asked: Asked) -> Answer:
    """The neighbors of a node by kind, then the uses that could not be decided."""
    world, snapshot, node, params = asked.world, asked.snapshot, asked.node, asked.params
    is_imported = params.direction == "in" and params.edge_kinds == ("imports",) and params.max_nodes is UNSET
    listed = listed_importers(asked) if is_imported else _list_neighbors(asked)
    data: Payload = {"node": _name_node(snapshot, node)}
    if not snapshot.is_external(node) and (signature := snapshot.text_of(node, Symbol.SIGNATURE)):
        data["signature"] = shorten_signature(signature)
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
        data["emptyBecause"], advice = emptiness(asked, undecided.sites, listed.hidden + undecided.hidden)
        warnings += advice
    unnamed = calls_without_name(asked)
    if unnamed and data.get("emptyBecause") == "none":
        data["emptyBecause"] = "unresolved"
    warnings += [*asked.relative_calls.warnings, *calls_from_outside(asked), *unnamed]
    own = snapshot.file_of(node)
    return Answer(
        data,
        lists_of(params, listed.unmade),
        tuple(warnings),
        listed.dropped,
        incomplete=map_incomplete(world, snapshot),
        rests_on=frozenset((*listed.files, *undecided.files, *((own.path,) if own else ()))),
        identities={"neighbors": listed.identity} if listed.identity else NOTHING,
    )


def _list_neighbors(asked: Asked) -> Listed:
    snapshot = asked.snapshot
    around = _find_around(asked)
    if asked.relative_calls.below:
        around = replace(around, neighbors=(*around.neighbors, *asked.relative_calls.below))
    outside = [one for one in around.neighbors if one.side == "out" and snapshot.is_external(one.node)]
    inside = [one for one in around.neighbors if one.side == "in" or not snapshot.is_external(one.node)]
    if asked.is_about_heirs:
        inside = without_embeddings(inside)
    else:
        inside = _drop_said(snapshot, _drop_files_of_named(snapshot, inside))
    shown = sift(inside, places_of_neighbors(snapshot, inside), asked.params, asked.role)
    rows_of_page = RowsOfPage(snapshot) if asked.world.page_chars and is_of_page(asked) else None
    sections = make_sections(asked, shown.rows, shown.folded, rows_of_page)
    unmade = rows_of_page.fill(asked.world.page_chars, sections) if rows_of_page else ()
    nodes = np.array([one.node for one in inside], dtype=np.int32)
    files = distinct(columns_of(snapshot).file.take(nodes[nodes < snapshot.first_external])).tolist()
    return Listed(
        sections,
        not shown.rows,
        shown.hidden,
        shown.only,
        tuple(list_packages(snapshot, outside)),
        frozenset(snapshot.files[file].path for file in files),
        _note_limits(asked, around),
        around.omitted,
        unmade,
        _identify((*shown.rows, *(one.row for one in shown.folded))) if is_of_page(asked) else "",
    )


def _drop_files_of_named(snapshot: Snapshot, neighbors: list[Neighbor]) -> list[Neighbor]:
    """Some neighbors without files whose imports name what is in them, of which the rows are by file anyway."""
    named: dict[int, set[tuple[int, int]]] = {}
    imports = [one for one in neighbors if one.side == "out" and one.edge.kind is EdgeKind.IMPORTS and one.depth == 1]
    for one in imports:
        if not snapshot.is_file(one.node):
            named.setdefault(snapshot.row_of(one.node)[0].base, set()).update(snapshot.sites(one.edge))
    said = {one for one in imports if one.node in named and named[one.node].issuperset(snapshot.sites(one.edge))}
    return [one for one in neighbors if one not in said] if said else neighbors


def _drop_said(snapshot: Snapshot, neighbors: list[Neighbor]) -> list[Neighbor]:
    """Some neighbors without references that stand where a call or base does, as the type of `Money money(3)`."""
    named = [one for one in neighbors if one.edge.kind is EdgeKind.REFERENCES]
    said: dict[tuple[int, int, Side], set[tuple[int, int]]] = {(one.node, one.via, one.side): set() for one in named}
    for one in neighbors if said else ():
        if one.edge.kind in _SAYING and (sites := said.get((one.node, one.via, one.side))) is not None:
            sites.update(snapshot.sites(one.edge))

    def is_said(one: Neighbor) -> bool:
        sites = said[one.node, one.via, one.side] if one.edge.kind is EdgeKind.REFERENCES else ()
        return bool(sites) and {*snapshot.sites(one.edge)} <= {*sites}

    return [one for one in neighbors if not is_said(one)] if any(said.values()) else neighbors


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
    nested = () if isinstance(params.max_nodes, int) or not asked.inner else tuple(_find_nested_uses(asked))
    return replace(around, neighbors=(*around.neighbors, *nested)) if nested else around


def _find_nested_uses(asked: Asked) -> Iterator[Neighbor]:
    """What the definitions inside a function use outside it, each from the one that uses it: a factory that returns
    closures, a decorator with its wrapper. Classes and files are not seen through: their members are listed."""
    within = {asked.node, *asked.inner}
    kinds = asked.kinds - {EdgeKind.CONTAINS}
    for one in asked.inner:
        for edge in asked.snapshot.edges_out(one, kinds):
            if edge.target not in within:
                yield Neighbor(edge.target, edge, "out", 1, one)


def _name_node(snapshot: Snapshot, node: int) -> str:
    """The whole ID of a node and its line."""
    is_placed = not snapshot.is_external(node) and not snapshot.is_file(node)
    return f"{snapshot.id_of(node)} {snapshot.cell(node, Symbol.LINE)}" if is_placed else snapshot.id_of(node)


def shorten_signature(text: str) -> str:
    """A signature as whoever asks for users needs it: a long one without its type parameters, up to a length."""
    if len(text) > SIGNATURE_MAX_CHARS:
        text = _TYPE_PARAMETERS.sub("<…>(", text, count=1)
    return cut(text, SIGNATURE_MAX_CHARS)


def _count_members(asked: Asked) -> int:
    """Counts the definitions directly in the node, where they are not listed but might be asked for."""
    if asked.params.edge_kinds or "out" not in asked.sides:
        return 0
    return 0 if asked.snapshot.is_external(asked.node) else len(columns_of(asked.snapshot).children_of(asked.node))


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


def _identify(neighbors: Iterable[Neighbor]) -> str:
    """Identifies some neighbors, listed or counted, in their order."""
    state = array("q")
    for one in neighbors:
        edge = one.edge
        state.extend((one.node, edge.row, edge.kind, edge.confidence, one.side == "in", one.depth, one.via))
    return blake2b(state.tobytes(), digest_size=16).hexdigest()
