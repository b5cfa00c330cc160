"""`map_metrics`: how large and complex functions, classes, files and folders are, and how many use them.

Complexity is counted in the files as they are on disk, by parser processes, and kept by content. Rows are in the order
of one metric, the largest first; `columns` names their numbers once for all rows.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal, TypedDict, cast

from msgspec import Meta

from codemap.envelope.answer import Answer, CutList, Dropped, Failure, Spare
from codemap.envelope.errors import ErrorCode
from codemap.facts import Symbol, SymbolKind
from codemap.graph.model.snapshot import Snapshot
from codemap.live_queries import Found, Source, SourceNow
from codemap.live_queries import Measured as MeasuredFiles
from codemap.measures import Measuring
from codemap.metrics.table import COLUMNS, Measured, Row, Table, Unit
from codemap.tools.compact import FoldedCounts
from codemap.tools.outputs import one_of
from codemap.tools.params import MapListParams
from codemap.tools.places.current_file import parsed_file
from codemap.tools.row_selection import Place, Sifted, folded_counts, place_in, sift
from codemap.tools.scope import Scope, find_scope
from codemap.tools.tool import Asking, Replied, Spans, Tool, World, in_turns
from codemap.tools.view import EmptyBecause, empty_because, map_incomplete, map_warnings, not_built

ROWS_MAX = 1000
"""More are no ranking; a narrower scope shows them."""

Metric = Literal[
    "cyclomatic",
    "cognitive",
    "nesting",
    "parameters",
    "lines",
    "code",
    "functions",
    "classes",
    "imports",
    "files",
    "fanIn",
    "fanOut",
]
UnitName = Annotated[str, one_of(COLUMNS)]


class Params(MapListParams, frozen=True, kw_only=True):
    scope: Annotated[str, Meta(description="Node ID, file or folder; default: all")] = ""
    by: Unit = "function"
    sort: Metric = "cyclomatic"


class MetricView(TypedDict, total=False):
    id: str
    kind: str
    name: str
    file: str
    folder: str
    line: int
    endLine: int
    callback: bool
    stale: bool
    files: int
    code: int
    functions: int
    classes: int
    imports: int
    lines: int
    cyclomatic: int
    cognitive: int
    nesting: int
    parameters: int
    fanIn: int
    fanOut: int


class Payload(TypedDict, total=False):
    by: UnitName
    sort: str
    total: dict[str, int]
    columns: str
    ranking: list[str]
    metrics: list[MetricView]
    folded: FoldedCounts
    onlyIn: list[str]
    notMeasured: int
    emptyBecause: EmptyBecause


_NARROW = "pass scope or fileFilter"
LISTS: tuple[CutList | Spare, ...] = (
    CutList(("onlyIn",), "roles", _NARROW),
    Spare(("folded",), "folded counts", "pass tests:only"),
    Spare(("total",), "totals", "pass a larger tokenBudget"),
    CutList(("ranking",), "rows", _NARROW),
    CutList(("metrics",), "rows", _NARROW),
)


def answer(world: World, params: Params) -> Asking[Replied]:
    """The metrics of a scope."""
    snapshot = world.snapshot
    if snapshot is None:
        return not_built(world)
    columns = COLUMNS[params.by]
    if params.sort not in columns:
        message = f"sort: a {params.by} has no {params.sort}; expected one of {', '.join(columns)}."
        return Failure(ErrorCode.BAD_ARGS, message)
    scope = find_scope(world, snapshot, params.scope)
    if isinstance(scope, Failure):
        return scope
    paths = tuple(path for path in scope.files if path not in world.disk.deleted)
    (fact,) = yield (MeasuredFiles(paths, tuple(path for path in paths if path in world.disk.stale)),)
    measuring = fact.value if isinstance(fact, Found) else Measuring({}, len(paths))
    measured = yield from _with_definitions(snapshot, measuring)
    return (yield from _answer(world, snapshot, params, scope, measured, measuring.unseen, len(paths)))


def _with_definitions(snapshot: Snapshot, measuring: Measuring) -> Asking[list[Measured]]:
    """The files with their definitions, as they were measured: those that the map has otherwise are parsed."""
    found: list[Measured] = []
    changed: list[str] = []
    for path, (digest, measures) in measuring.of.items():
        file = snapshot.by_path[path]
        if file.stamp.digest == digest:
            found.append(Measured(file, measures))
        else:
            changed.append(path)
    facts = (yield tuple(map(Source, changed))) if changed else ()
    for path, fact in zip(changed, facts, strict=True):
        digest, measures = measuring.of[path]
        if isinstance(fact, Found) and isinstance(fact.value, SourceNow) and fact.value.digest == digest:
            parsed = parsed_file(path, fact.value)
            found += [Measured(parsed, measures)] if parsed is not None else []
    return sorted(found, key=lambda one: one.file.path)


def _answer(
    world: World,
    snapshot: Snapshot,
    params: Params,
    scope: Scope,
    measured: list[Measured],
    unseen: int,
    wanted: int,
) -> Asking[Answer]:
    files = sift(measured, lambda one: place_in(one.file, 0), params, scope.role)
    table = Table(snapshot, scope.has)
    sifted = yield from _sifted(table, params, scope, measured, files)
    rows = sorted(sifted.rows, key=lambda row: -row.values[params.sort])
    data: Payload = {"by": params.by, "sort": params.sort}
    if scope.rows is None:
        data["total"] = yield from in_turns(table.total(files.rows))
    if params.rows == "full":
        data["metrics"] = [_view(world, row, params.by) for row in rows[:ROWS_MAX]]
    else:
        data["columns"] = " ".join(COLUMNS[params.by])
        data["ranking"] = [_text(world, row, params.by) for row in rows[:ROWS_MAX]]
    if sifted.folded:
        data["folded"] = cast("FoldedCounts", folded_counts(sifted.folded))
    if sifted.only:
        data["onlyIn"] = list(sifted.only)
    warnings = map_warnings(world, snapshot)
    missing = wanted - len(measured) - unseen
    if missing:
        data["notMeasured"] = missing
        warnings.append(f"{missing} file(s) could not be read or parsed, or are being written: they are not counted.")
    incomplete = map_incomplete(world, snapshot)
    if unseen:
        late = f"{unseen} of {wanted} files were not measured in time: repeat the call, which goes on from there."
        warnings.append(late)
        incomplete = incomplete or late
    if not rows:
        data["emptyBecause"] = empty_because(world, snapshot, sifted.hidden)
    beyond = len(rows) - ROWS_MAX
    dropped = (Dropped("rows", beyond, _NARROW),) if beyond > 0 else ()
    named = frozenset(row.file.path for row in rows[:ROWS_MAX] if row.file is not None)
    return Answer(data, LISTS, tuple(warnings), dropped, incomplete=incomplete, rests_on=named)


def _sifted(
    table: Table, params: Params, scope: Scope, measured: list[Measured], files: Sifted[Measured]
) -> Asking[Sifted[Row]]:
    """The rows that are shown. Folders are made of the files that are."""
    if params.by == "folder":
        folders = yield from in_turns(table.rows(files.rows, params.by))
        return Sifted(tuple(folders), (), files.hidden, files.only)
    rows = yield from in_turns(table.rows(measured, params.by))
    return sift(rows, _place, params, scope.role)


def _place(row: Row) -> Place:
    return Place() if row.file is None else place_in(row.file, row.row)


def _text(world: World, row: Row, by: Unit) -> str:
    """`app/store.py#Store.get 12-40: 29 8 12 3 2 4 6`."""
    lines = "" if by in ("file", "folder") else f" {row.line}-{row.end_line}"
    stale = " stale" if row.file is not None and row.file.path in world.disk.stale else ""
    name = row.folder if row.file is None else row.file.id_of(row.row).partition(":")[2]
    callback = " callback" if row.is_callback else ""
    return f"{name}{callback}{lines}{stale}: {' '.join(str(row.values[column]) for column in COLUMNS[by])}"


def _view(world: World, row: Row, by: Unit) -> MetricView:
    numbers: Mapping[str, int] = {name: row.values[name] for name in COLUMNS[by]}
    if row.file is None:
        return cast("MetricView", {"folder": row.folder, **numbers})
    view: MetricView = {
        "id": row.file.id_of(row.row),
        "kind": SymbolKind(row.file.cell(row.row, Symbol.KIND)).name.lower(),
        "name": row.file.name_of(row.row) if row.row else row.file.path.rpartition("/")[2],
        "file": row.file.path,
        "line": row.line,
        "endLine": row.end_line,
    }
    if row.is_callback:
        view["callback"] = True
    if row.file.path in world.disk.stale:
        view["stale"] = True
    return cast("MetricView", {**view, **numbers})


TOOL = Tool(
    name="map_metrics",
    command="metrics",
    title="Size and complexity",
    description="Largest and most complex functions, classes, files or folders, with fan-in and fan-out.",
    params=Params,
    payload=Payload,
    answer=answer,
    needs_edges=True,
    spans_roots=Spans.MISSED,
)
