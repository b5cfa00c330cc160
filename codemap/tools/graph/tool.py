"""`map_graph`: the files and definitions of a repository and the edges between them, for programs that draw them.

No model is listed it: one answer has thousands of nodes. Rows are lists, whose members `columns` names once for all.

Ends of edges and containers are places: the files from 0 on, then the definitions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Literal, TypedDict

from msgspec import Meta

from codemap.envelope.answer import Answer, CutList
from codemap.facts import Symbol, SymbolKind
from codemap.file_roles import ROLE_NAMES, Role
from codemap.graph.model.indexed_file import IndexedFile
from codemap.graph.model.snapshot import Snapshot
from codemap.history.churn import commits_of_files
from codemap.history.past import Past
from codemap.live_queries import Found, PastOf
from codemap.tools.graph.selection import Chosen, choose, sum_edges, sum_undecided
from codemap.tools.history.complexity import ask_complexity
from codemap.tools.overview.parts import Parts, parts_of
from codemap.tools.params import MapListParams
from codemap.tools.tool import Asking, Replied, Tool, World
from codemap.tools.view import CONFIDENCE_NAMES, EDGE_NAMES, map_incomplete, map_warnings, not_built

NODES_MAX = 100_000
BUDGET_MAX = 16_000_000
"""Tokens: some sixty megabytes, the whole map of a large repository in a file."""
HISTORY_S = 20.0
"""For a history that is being read: what is read by then is counted."""

Measure = Literal["complexity", "churn"]
Unit = Literal["file", "definition"]
Row = list[str | int]


class Params(MapListParams, frozen=True, kw_only=True):
    scope: Annotated[str, Meta(description="Only this folder or file")] = ""
    by: Annotated[Unit, Meta(description="file: edges between files alone")] = "definition"
    max_nodes: Annotated[int, Meta(description="Files and definitions", ge=1, le=NODES_MAX)] = 4000
    measures: Annotated[tuple[Measure, ...], Meta(description="Of each file", max_length=2)] = ()


class Payload(TypedDict, total=False):
    builtAt: str
    totals: Mapping[str, int]
    columns: Mapping[str, list[str]]
    kinds: list[str]
    edgeKinds: list[str]
    confidences: list[str]
    areas: list[Row]
    files: list[Row]
    nodes: list[Row]
    edges: list[Row]


COLUMNS: Mapping[str, list[str]] = {
    "areas": ["id", "label", "role"],
    "files": ["id", "area", "lines", "definitions", "undecided", "isStale"],
    "nodes": ["name", "container", "kind", "line", "lines", "undecided"],
    "edges": ["source", "target", "kind", "confidence", "uses", "line"],
}
"""Beside them, each measure is a column of the files; -1 stands for what could not be measured.

`name` is what follows `#` in the ID of the node; lines are 1-based, and an edge's is that of its first use. `kind` and
`confidence` are places in the lists of the same names.
"""
_NARROW = "pass scope, or a smaller maxNodes"
LISTS = (
    CutList(("edges",), "edges", _NARROW),
    CutList(("nodes",), "definitions", _NARROW),
    CutList(("files",), "files", _NARROW),
)


def answer(world: World, params: Params) -> Asking[Replied]:
    """The graph of a scope, its files in path order, and the definitions in them."""
    snapshot = world.snapshot
    if snapshot is None:
        return not_built(world)
    scope = params.scope.strip().removeprefix("./").strip("/")
    parts = parts_of(snapshot, "" if scope == "." else scope, params)
    shown = [number for part in parts.shown for number in part.area.files]
    chosen = choose(snapshot, shown, params.max_nodes, has_definitions=params.by == "definition")
    files = [snapshot.files[number] for number in chosen.files]
    measures, gaps = yield from _ask_measures(world, params, files)
    return _answer(world, snapshot, parts, chosen, measures, gaps)


def _answer(
    world: World,
    snapshot: Snapshot,
    parts: Parts,
    chosen: Chosen,
    measures: Mapping[str, Mapping[str, int]],
    gaps: Sequence[str],
) -> Answer:
    undecided = sum_undecided(snapshot, chosen)
    files = [snapshot.files[number] for number in chosen.files]
    edges = sum_edges(snapshot, chosen)
    columns = (edges.source, edges.target, edges.kind, edges.confidence, edges.uses, edges.line)
    shown = [snapshot.files[number] for part in parts.shown for number in part.area.files]
    data: Payload = {
        "builtAt": snapshot.built_at,
        "totals": {
            "files": len(shown),
            "definitions": sum(file.symbol_count - 1 for file in shown),
            "folded": len(parts.aside),
        },
        "columns": {**COLUMNS, "files": [*COLUMNS["files"], *measures]},
        "kinds": [kind.name.lower() for kind in SymbolKind],
        "edgeKinds": list(EDGE_NAMES),
        "confidences": list(CONFIDENCE_NAMES),
        "areas": [
            [part.id, part.area.label, "" if part.role is Role.PRODUCT else ROLE_NAMES[part.role]]
            for part in parts.shown
        ],
        "files": _list_files(world, parts, files, undecided, measures),
        "nodes": _list_nodes(snapshot, chosen, undecided),
        "edges": [list(row) for row in zip(*(column.tolist() for column in columns), strict=True)],
    }
    return Answer(
        data,
        LISTS,
        (*map_warnings(world, snapshot), *gaps),
        incomplete=map_incomplete(world, snapshot),
        rests_on=frozenset(file.path for file in files),
    )


def _list_files(
    world: World,
    parts: Parts,
    files: Sequence[IndexedFile],
    undecided: Sequence[int],
    measures: Mapping[str, Mapping[str, int]],
) -> list[Row]:
    area = {number: place for place, part in enumerate(parts.shown) for number in part.area.files}
    return [
        [
            file.own_id,
            area[file.number],
            max(file.symbols[Symbol.END_LINE :: Symbol.WIDTH]),
            file.symbol_count - 1,
            undecided[place],
            int(world.disk.differs(file.path)),
            *(found.get(file.path, -1) for found in measures.values()),
        ]
        for place, file in enumerate(files)
    ]


def _list_nodes(snapshot: Snapshot, chosen: Chosen, undecided: Sequence[int]) -> list[Row]:
    rows: list[Row] = []
    for place, node in enumerate(chosen.nodes, len(chosen.files)):
        file, row = snapshot.row_of(node)
        cells = file.cells(row)
        container = int(chosen.place[file.base + cells[Symbol.PARENT]])
        lines = cells[Symbol.END_LINE] - cells[Symbol.START_LINE] + 1
        name = file.id_of(row).partition("#")[2]
        rows.append([name, container, cells[Symbol.KIND], cells[Symbol.LINE], lines, undecided[place]])
    return rows


def _ask_measures(
    world: World, params: Params, files: Sequence[IndexedFile]
) -> Asking[tuple[dict[str, Mapping[str, int]], list[str]]]:
    """What is wanted of each file, by path, and what is missing of it."""
    found: dict[str, Mapping[str, int]] = {}
    gaps: list[str] = []
    for measure in dict.fromkeys(params.measures):
        match measure:
            case "complexity":
                complexity = yield from ask_complexity(world, files)
                found[measure] = complexity.of_files
            case "churn":
                (fact,) = yield (PastOf(HISTORY_S),)
                past: Past | None = fact.value if isinstance(fact, Found) else None
                found[measure] = commits_of_files(past, files) if past is not None else {}
                gaps += past.gaps if past is not None else [fact.message] if not isinstance(fact, Found) else []
    return found, gaps


WHOLE: Mapping[str, object] = {
    "tests": "include",
    "maxNodes": NODES_MAX,
    "measures": ["complexity", "churn"],
    "tokenBudget": BUDGET_MAX,
}
"""The arguments that bring everything."""

TOOL = Tool(
    name="map_graph",
    command="graph",
    title="Graph for drawing",
    description="Files, definitions and edges between them, thousands in one answer, for programs that draw them.",
    params=Params,
    payload=Payload,
    answer=answer,
    needs_edges=True,
    reach={"maxNodes": NODES_MAX},
    budget_max=BUDGET_MAX,
    is_for_programs=True,
)
