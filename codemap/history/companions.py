"""What usually changes together with something: files and definitions that the same commits touched.

Commits of programs, merges, and those of more than `BULK_FILES` files do not count.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable
from math import sqrt

import msgspec
import numpy as np

from codemap.facts import Symbol
from codemap.graph.model.edges import FUNCTION_KINDS
from codemap.graph.model.indexed_file import IndexedFile
from codemap.graph.model.snapshot import Snapshot
from codemap.history.past import Past
from codemap.history.table import Kind

COMMON_MIN = 2
"""Common commits: one is chance."""
SHARE_MIN = 0.2
FILES_MAX = 30
SYMBOLS_OF_FILES = 10
"""Files whose definitions are looked at."""
SYMBOLS_MAX = 40


class Companion(msgspec.Struct, frozen=True):
    path: str
    """Relative to the root."""
    node: int
    """Of the definition; -1: the file."""
    common: int
    """Commits that touched both."""
    share: float
    """Of those that touched what was asked about."""


def coupling_commits(past: Past, commits: Iterable[int]) -> frozenset[int]:
    """Those of some commits that count: see `History.couples`."""
    couples = past.history.couples
    return frozenset(row for row in commits if couples[row])


def companion_files(past: Past, commits: Collection[int], without: Collection[str]) -> list[Companion]:
    """The files under the root that changed in some of the commits, the closest first. `commits` couple."""
    history = past.history
    begin, lineage, kind = history.touch_begin, history.lineage, history.touch_kind
    common: Counter[int] = Counter()
    for row in commits:
        first, end = int(begin[row]), int(begin[row + 1])
        common.update({int(lineage[at]) for at in range(first, end) if kind[at] != Kind.GONE})
    totals = commits_by_lineage(past)
    found: list[tuple[float, Companion]] = []
    for one, count in common.items():
        path = past.relative(history.path_of_lineage.get(one, ""))
        share = count / len(commits)
        if path and path not in without and count >= COMMON_MIN and share >= SHARE_MIN:
            closeness = count / sqrt(len(commits) * max(count, int(totals[one])))
            found.append((closeness, Companion(path, -1, count, share)))
    found.sort(key=lambda one: (-one[0], one[1].path))
    return [one for _, one in found[:FILES_MAX]]


def companion_symbols(
    past: Past, snapshot: Snapshot, commits: Collection[int], files: Iterable[str], without: Collection[int]
) -> list[Companion]:
    """The functions in some files that changed in some of the commits, the closest first. `without` are nodes, what is
    in them included."""
    found: list[tuple[float, Companion]] = []
    for path in files:
        file = snapshot.by_path.get(path)
        if file is None:
            continue
        walked = past.of_definitions(file)
        for row in range(1, file.symbol_count):
            touched = walked.commits[row]
            if not touched or not _is_outermost(file, row) or _is_within(file, row, without):
                continue
            count = sum(one in commits for one in touched)
            share = count / len(commits)
            if count >= COMMON_MIN and share >= SHARE_MIN:
                closeness = count / sqrt(len(commits) * len(touched))
                found.append((closeness, Companion(path, file.base + row, count, share)))
    found.sort(key=lambda one: (-one[0], one[1].path, one[1].node))
    return [one for _, one in found[:SYMBOLS_MAX]]


def companions(
    past: Past, snapshot: Snapshot, commits: Iterable[int], nodes: Collection[int], paths: Collection[str]
) -> list[Companion]:
    """What usually changes when some nodes do: files, each followed by its definitions. `commits` touched the nodes,
    which are in `paths`; the files themselves are left out, their other definitions are not."""
    coupling = coupling_commits(past, commits)
    if not coupling:
        return []
    files = companion_files(past, coupling, paths)
    wanted = [*paths, *(one.path for one in files[:SYMBOLS_OF_FILES])]
    symbols = companion_symbols(past, snapshot, coupling, wanted, nodes)
    order = {path: place for place, path in enumerate(one.path for one in files)}
    return sorted((*files, *symbols), key=lambda one: (order.get(one.path, -1), one.node >= 0, -one.common, one.node))


def commits_by_lineage(past: Past) -> np.ndarray[tuple[int, ...], np.dtype[np.int64]]:
    """How many of the commits that count touched each file."""
    history = past.history
    counted = history.couples[history.touch_commit] & history.is_reachable[history.touch_commit]
    return np.bincount(history.lineage[counted], minlength=history.lineages)


def _is_outermost(file: IndexedFile, row: int) -> bool:
    """Whether it is a function that is in no other."""
    if file.cell(row, Symbol.KIND) not in FUNCTION_KINDS:
        return False
    while row := file.cell(row, Symbol.PARENT):
        if file.cell(row, Symbol.KIND) in FUNCTION_KINDS:
            return False
    return True


def _is_within(file: IndexedFile, row: int, nodes: Collection[int]) -> bool:
    while row:
        if file.base + row in nodes:
            return True
        row = file.cell(row, Symbol.PARENT)
    return False
