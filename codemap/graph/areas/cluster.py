"""Clusters: the areas of the product, and one cluster for each other role that files have (tests, examples, …).

Clusters depend on the contents of the repository only, never on an earlier state: the same files give the same
clusters after any edits, and after a restart. The ID of a cluster is the least hash of a path in it (MinHash), so the
chance that it survives a change of members is the share of members that old and new cluster have in common.

Source: Broder, On the resemblance and containment of documents (1997).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator, Sequence
from hashlib import blake2b

import msgspec
import numpy as np
from numpy.typing import NDArray

from codemap.file_roles import ROLE_NAMES, Role, role_of
from codemap.graph.areas.partition import Area, FileGraph, areas_of, needs_graph
from codemap.graph.model.edges import EdgeKind, EdgeTable, Ints
from codemap.graph.model.indexed import IndexedFile

WEIGHTS = {
    EdgeKind.IMPORTS: 3.0,
    EdgeKind.EXPORTS: 3.0,
    EdgeKind.EXTENDS: 3.0,
    EdgeKind.IMPLEMENTS: 3.0,
    EdgeKind.CALLS: 2.0,
    EdgeKind.REFERENCES: 1.0,
}
"""How close an edge between their symbols brings two files."""
BLOCK = 250_000
"""Edges of one step: some tens of milliseconds."""
FILES_OF_STEP = 4_000
"""Files whose roles are looked up in one step."""
ID_DIGITS = 4
"""Hexadecimal digits of an ID; more for clusters that would share one."""


class Clusters(msgspec.Struct, frozen=True):
    """Every file is in one cluster; the areas of the product come first, the heaviest before the others."""

    of_file: Ints
    """Cluster of each file, by file number: an index into `ids`."""
    ids: tuple[str, ...]
    labels: tuple[str, ...]
    """Distinct, for people."""


def cluster(files: Sequence[IndexedFile], edges: EdgeTable) -> Generator[None, None, Clusters]:
    """The clusters of some files, which are in path order. In steps."""
    paths, weights = [file.path for file in files], [float(file.symbol_count) for file in files]
    by_role: dict[Role, list[int]] = {}
    for number, path in enumerate(paths):
        by_role.setdefault(role_of(path), []).append(number)
        if number % FILES_OF_STEP == FILES_OF_STEP - 1:
            yield
    product = by_role.pop(Role.PRODUCT, [])
    graph = None
    if needs_graph(paths, weights, product):
        graph = yield from file_graph(np.array([file.base for file in files], dtype=np.int32), _end(files), edges)
    areas = areas_of(paths, weights, product, graph)
    yield
    taken = {area.label for area in areas}
    for role in sorted(by_role):
        name = ROLE_NAMES[role]
        areas.append(Area("", f"({name})" if name in taken else name, tuple(by_role[role])))
    return clusters_of(paths, areas)


def clusters_of(paths: Sequence[str], areas: Sequence[Area]) -> Clusters:
    """Areas with their IDs, in the same order; every path is in one of them."""
    of_file = np.zeros(len(paths), dtype=np.int32)
    for place, area in enumerate(areas):
        of_file[list(area.files)] = place
    return Clusters(of_file, cluster_ids(paths, [area.files for area in areas]), tuple(area.label for area in areas))


def file_graph(bases: Ints, first_external: int, edges: EdgeTable) -> Generator[None, None, FileGraph]:
    """Edges between symbols summed to edges between files; `bases` are the nodes of the files. In steps."""
    count = len(bases)
    weight_of = np.array([WEIGHTS.get(kind, 0.0) for kind in EdgeKind])
    keys, sums = [np.empty(0, dtype=np.int64)], [np.empty(0)]
    for begin in range(0, len(edges.source), BLOCK):
        block = slice(begin, begin + BLOCK)
        inside = edges.target[block] < first_external
        sources = np.searchsorted(bases, edges.source[block][inside], side="right") - 1
        targets = np.searchsorted(bases, edges.target[block][inside], side="right") - 1
        across = sources != targets
        low, high = np.minimum(sources, targets)[across], np.maximum(sources, targets)[across]
        key, total = _sum_by_key(low * count + high, weight_of[edges.kind[block][inside][across]])
        keys.append(key)
        sums.append(total)
        yield
    pairs, summed = _sum_by_key(np.concatenate(keys), np.concatenate(sums))
    yield
    low, high = pairs // max(count, 1), pairs % max(count, 1)
    ends, others = np.concatenate((low, high)), np.concatenate((high, low))
    order = np.lexsort((others, ends))
    return FileGraph(
        np.searchsorted(ends[order], np.arange(count + 1)).astype(np.int64),
        others[order].astype(np.int32),
        np.concatenate((summed, summed))[order],
    )


def _sum_by_key(keys: NDArray[np.int64], weights: NDArray[np.float64]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """The keys in order, each once, and the sum of the weights of each."""
    distinct, place = np.unique(keys, return_inverse=True)
    return distinct, np.bincount(place, weights=weights, minlength=len(distinct)).astype(np.float64)


def _end(files: Sequence[IndexedFile]) -> int:
    return files[-1].base + files[-1].symbol_count if files else 0


def cluster_ids(paths: Sequence[str], clusters: Sequence[Sequence[int]]) -> tuple[str, ...]:
    """The IDs of groups of paths (numbers of them), distinct."""
    hashes = [_digest_path(min(_digest_path(paths[number]) for number in numbers)) for numbers in clusters]
    taken: Counter[str] = Counter(text[:digits] for text in hashes for digits in range(ID_DIGITS, len(text) + 1))
    lengths = [next(n for n in range(ID_DIGITS, len(text) + 1) if taken[text[:n]] == 1) for text in hashes]
    return tuple(f"c{text[:length]}" for text, length in zip(hashes, lengths, strict=True))


def _digest_path(path: str) -> str:
    return blake2b(path.encode("utf-8", "surrogateescape"), digest_size=16).hexdigest()
