"""What usually changes together with something: files and definitions that the same commits touched.

Commits of programs, merges, and those of more than `BULK_FILES` files do not count, and the others the less the more
files they change.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from math import sqrt

import msgspec
import numpy as np
from numpy.typing import NDArray

from codemap.facts import Symbol
from codemap.graph.model.edges import FUNCTION_KINDS
from codemap.graph.model.indexed_file import IndexedFile
from codemap.graph.model.snapshot import Snapshot
from codemap.history.past import Past
from codemap.history.table import Kind

COMMON_MIN = 2
"""Common commits: one is chance."""
WEIGHT_MIN = 0.5
"""Of the common commits together: two that changed sixteen files each."""
SHARE_MIN = 0.2
"""Of the weight of the commits that are asked about. Without weights, of the five closest files 18 to 63 % were in the
next commit (dramatiq, logrus, Polly, libgit2, resque, sanic, greenmail: the last 500 commits of each), with them 25 to
75 %; of those in it a tenth fewer are found."""
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
    weighted_share: float
    """The same by the weight of each."""


def coupling_commits(past: Past, commits: Iterable[int]) -> frozenset[int]:
    """Those of some commits that count: see `History.couples`."""
    couples = past.history.couples
    return frozenset(row for row in commits if couples[row])


def companion_files(past: Past, commits: Collection[int], without: Collection[str]) -> list[Companion]:
    """The files under the root that changed in some of the commits, the closest first. `commits` couple."""
    history = past.history
    begin, lineage, kind = history.touch_begin, history.lineage, history.touch_kind
    common: dict[int, list[int]] = {}
    for row in commits:
        first, end = int(begin[row]), int(begin[row + 1])
        for one in {int(lineage[at]) for at in range(first, end) if kind[at] != Kind.GONE}:
            common.setdefault(one, []).append(row)
    totals, own = weights_by_lineage(past), _weigh(past, commits)
    found: list[tuple[float, Companion]] = []
    for one, its in common.items():
        path = past.relative(history.path_of_lineage.get(one, ""))
        if path and path not in without and (known := _compare(len(its), _weigh(past, its), own, float(totals[one]))):
            closeness, weighted = known
            found.append((closeness, Companion(path, -1, len(its), len(its) / len(commits), weighted)))
    found.sort(key=lambda one: (-one[0], one[1].path))
    return [one for _, one in found[:FILES_MAX]]


def companion_symbols(
    past: Past, snapshot: Snapshot, commits: Collection[int], files: Iterable[str], without: Collection[int]
) -> list[Companion]:
    """The functions in some files that changed in some of the commits, the closest first. `without` are nodes, what is
    in them included."""
    own = _weigh(past, commits)
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
            its = [one for one in touched if one in commits]
            if known := _compare(len(its), _weigh(past, its), own, _weigh(past, touched)):
                closeness, weighted = known
                one = Companion(path, file.base + row, len(its), len(its) / len(commits), weighted)
                found.append((closeness, one))
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


def _weigh(past: Past, commits: Collection[int]) -> float:
    return float(past.history.weight[list(commits)].sum())


def _compare(count: int, both: float, own: float, other: float) -> tuple[float, float] | None:
    """How close two things are, and the share of the first that is common: by how many commits changed both, the weight
    of these, and of all that changed each. None where they say too little."""
    if count < COMMON_MIN or both < max(WEIGHT_MIN, SHARE_MIN * own):
        return None
    return both / sqrt(own * max(both, other)), both / own


def weights_by_lineage(past: Past) -> NDArray[np.float64]:
    """The weight of the commits that touched each file."""
    history = past.history
    weight = np.where(history.is_reachable, history.weight, 0.0)
    return np.bincount(history.lineage, weight[history.touch_commit], history.lineages).astype(np.float64)


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
