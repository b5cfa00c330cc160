"""How often things change: by file, by definition, and as a percentile among their likes."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Generator, Iterable

import msgspec

from codemap.facts import Symbol, SymbolKind
from codemap.file_roles import role_of
from codemap.graph.model.edges import FUNCTION_KINDS
from codemap.graph.model.indexed_file import IndexedFile
from codemap.graph.model.snapshot import Snapshot
from codemap.history.past import Past

_TYPES = frozenset((SymbolKind.CLASS, SymbolKind.INTERFACE, SymbolKind.ENUM))


class Churn(msgspec.Struct, frozen=True):
    commits: int
    percentile: int
    """How many of a hundred of its likes changed less often."""
    among: int
    """Its likes: files, functions, types or other definitions, of the same role."""


def walk_all(past: Past, snapshot: Snapshot) -> Generator[None, None, None]:
    """Finds the commits of all definitions. Yields between files."""
    for file in snapshot.files:
        past.of_definitions(file)
        yield


def commits_of_files(past: Past, files: Iterable[IndexedFile]) -> dict[str, int]:
    """How many commits changed each file, under any of its names: as many as its own history has. Two files that were
    one have the commits before in common, each besides those of its own."""
    return {file.path: past.count_of(file.path) for file in files}


def churn_of(past: Past, snapshot: Snapshot, node: int) -> Churn:
    """Of a file or a definition. Cost: all definitions, where `walk_all` was not run before."""
    file, row = snapshot.row_of(node)
    role = role_of(file.path)
    alike = [one for one in snapshot.files if role_of(one.path) is role]
    if not row:
        counts = commits_of_files(past, alike)
        return _churn(counts[file.path], sorted(counts.values()))
    kinds = _likes(file.cell(row, Symbol.KIND))
    found: list[int] = []
    for one in alike:
        commits = past.of_definitions(one).commits
        found += [len(commits[at]) for at in range(1, one.symbol_count) if _likes(one.cell(at, Symbol.KIND)) is kinds]
    return _churn(len(past.of_definitions(file).commits[row]), sorted(found))


def _churn(commits: int, counts: list[int]) -> Churn:
    return Churn(commits, 100 * bisect_left(counts, commits) // max(1, len(counts)), len(counts))


def _likes(kind: int) -> frozenset[SymbolKind]:
    return FUNCTION_KINDS if kind in FUNCTION_KINDS else _TYPES if kind in _TYPES else _OTHERS


_OTHERS: frozenset[SymbolKind] = frozenset(SymbolKind) - FUNCTION_KINDS - _TYPES
