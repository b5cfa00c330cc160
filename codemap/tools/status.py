"""`map_status`: how complete and how current the map is.

Of `World.status` come `watcher`, `lsp`, `actors`, `metricsReport`, `skipped` (reason -> files) and `skippedFiles`
({file, reason}), as far as the shell has them; all else is counted in the snapshot. It answers before the first build
too.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any, TypedDict

import msgspec
import numpy as np

from codemap.envelope.answer import Answer, CutList, Failure
from codemap.facts import SymbolKind
from codemap.graph.index.columns import columns_of
from codemap.graph.model.edges import BARE, EdgeKind
from codemap.graph.model.index_slots import Slot
from codemap.graph.model.snapshot import Snapshot
from codemap.graph.model.values import Confidence
from codemap.graph.verified.progress import count_verified_uses
from codemap.tools.params import MapParams
from codemap.tools.tool import Tool, World
from codemap.tools.view import RETRIED, map_incomplete, map_warnings, stale_files

_AT_REST = "cold"


class Params(MapParams, frozen=True, kw_only=True):
    pass


class Building(TypedDict, total=False):
    filesDone: int
    filesBound: int
    filesTotal: int


class Broken(TypedDict, total=False):
    file: str
    errorBytes: int


class Coverage(TypedDict, total=False):
    bytes: int
    errorBytes: int
    parsed: float
    filesWithErrors: int
    worst: list[Broken]


class Skipped(TypedDict, total=False):
    """A file that belongs into the map, and of which nothing could be made."""

    file: str
    reason: str
    detail: str


class ToolUse(TypedDict, total=False):
    calls: int
    errors: int
    tokensSent: int
    wholeFilesUpperBound: int
    """Tokens of all files that the answers mentioned, read whole."""


class MetricsReport(ToolUse, total=False):
    since: str
    tools: dict[str, ToolUse]


class Payload(TypedDict, total=False):
    built: bool
    builtAt: str
    files: int
    symbols: int
    externals: int
    clusters: int
    languages: dict[str, int]
    kinds: dict[str, int]
    edges: dict[str, dict[str, int]]
    unresolvedImports: int
    coverage: Coverage
    staleFiles: list[str]
    building: Building
    stage: str
    watcher: dict[str, Any]
    skipped: dict[str, int]
    skippedFiles: list[Skipped]
    warnings: list[str]
    lsp: dict[str, dict[str, Any]]
    actors: dict[str, dict[str, Any]]
    metricsReport: MetricsReport


LISTS = (
    CutList(("skippedFiles",), "skipped files", "see skipped for the counts"),
    CutList(("coverage", "worst"), "files with syntax errors", "see coverage for the counts"),
    CutList(("staleFiles",), "stale files", "call map_rebuild"),
)


def answer(world: World, params: Params) -> Answer | Failure:  # noqa: ARG001
    """Health of the map and of everything behind it."""
    snapshot = world.snapshot
    data: Payload = {"built": snapshot is not None and not snapshot.is_partial}
    warnings: list[str] = []
    if snapshot is not None:
        data |= counts_of(snapshot)
        warnings = map_warnings(world, snapshot)
    data["staleFiles"] = stale_files(world)
    if world.progress is not None:
        data["building"] = {"filesDone": world.progress.files_done, "filesTotal": world.progress.files_total}
        if world.progress.files_bound is not None:
            data["building"]["filesBound"] = world.progress.files_bound
    elif snapshot is None:
        none = "There is no map yet and no build is running: call map_rebuild."
        warnings.append(f"There is no map for now: {world.behind}. {RETRIED}" if world.behind else none)
    status = dict(world.status)
    if snapshot is not None and status.get("lsp"):
        status["lsp"] = _show_servers(status["lsp"], snapshot)
    incomplete = "" if snapshot is None else map_incomplete(world, snapshot)
    return Answer({**data, **status}, LISTS, tuple(warnings), incomplete=incomplete)


def _show_servers(servers: Mapping[str, Any], snapshot: Snapshot) -> dict[str, Any]:
    """The servers by language, with how many uses were put to each; without those of languages that the repository
    has not, unless they run."""
    uses: dict[str, Any] = msgspec.to_builtins(count_verified_uses(snapshot))
    return {
        lang: {**server, "verification": {**server.get("verification", {}), **uses[lang]}} if lang in uses else server
        for lang, server in servers.items()
        if lang in uses or snapshot.is_partial or server.get("state") != _AT_REST
    }


def counts_of(snapshot: Snapshot) -> Payload:
    """The counts of a snapshot, which it holds once they were asked for. Cost: all files and edges, once."""
    return _COUNTS.of(snapshot)


def _count_all(snapshot: Snapshot) -> Payload:
    return {
        "builtAt": snapshot.built_at,
        "files": len(snapshot.files),
        "symbols": snapshot.symbol_count,
        "externals": len(snapshot.externals),
        "clusters": len(snapshot.cluster_ids),
        "languages": dict(sorted(Counter(file.lang for file in snapshot.files).items())),
        "kinds": _count_symbols(snapshot),
        "edges": _count_edges(snapshot),
        "unresolvedImports": snapshot.missing_imports,
        "coverage": _measure_coverage(snapshot),
    }


_COUNTS = Slot(_count_all)


def _count_symbols(snapshot: Snapshot) -> dict[str, int]:
    counts = np.bincount(columns_of(snapshot).kind, minlength=len(SymbolKind))
    return {kind.name.lower(): int(counts[kind]) for kind in SymbolKind if counts[kind] and kind != SymbolKind.FILE}


def _count_edges(snapshot: Snapshot) -> dict[str, dict[str, int]]:
    """Edges by kind and confidence; `candidate` counts the undecided ones."""
    width = len(Confidence)
    resolved = np.bincount(
        snapshot.edges.kind.astype(np.int64) * width + snapshot.edges.confidence, minlength=len(EdgeKind) * width
    )
    undecided = np.bincount(snapshot.unresolved.kind & ~BARE, minlength=len(EdgeKind))
    found: dict[str, dict[str, int]] = {}
    for kind in EdgeKind:
        counts = resolved[kind * width : (kind + 1) * width].copy()
        counts[Confidence.CANDIDATE] += undecided[kind]
        if kind == EdgeKind.CONTAINS:
            counts[Confidence.EXACT] = snapshot.symbol_count
        by_confidence = {level.name.lower(): int(counts[level]) for level in Confidence if counts[level]}
        if by_confidence:
            found[kind.name.lower()] = by_confidence
    return found


def _measure_coverage(snapshot: Snapshot) -> Coverage:
    """Measures how much of the sources was understood; the files with the most bytes under syntax errors first."""
    broken = [file for file in snapshot.files if file.error_bytes]
    total = sum(file.size for file in snapshot.files)
    errors = sum(file.error_bytes for file in broken)
    worst = sorted(broken, key=lambda file: (-file.error_bytes, file.path))
    return {
        "bytes": total,
        "errorBytes": errors,
        "parsed": round(1 - errors / total, 4) if total else 1,
        "filesWithErrors": len(broken),
        "worst": [{"file": file.path, "errorBytes": file.error_bytes} for file in worst],
    }


TOOL = Tool(
    name="map_status",
    command="status",
    title="Status",
    description="Health of the index: age, coverage, stale and skipped files, servers. When answers look off.",
    params=Params,
    payload=Payload,
    answer=answer,
    checks_all_files=True,
)
