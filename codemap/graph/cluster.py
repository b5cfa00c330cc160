"""Clusters: communities of the file graph.

Two files are as close as the edges between their symbols weigh. Leiden finds the communities, each connected. Files
without an edge to another one (empty package files, data) join the cluster of most of their folder; where a folder has
none, they form groups by folder.

Clusters depend on the contents of the repository only, never on an earlier state: the same files give the same
clusters after any edits, and after a restart. The ID of a cluster is the least hash of a path in it (MinHash), so the
chance that it survives a change of members is the share of members that old and new cluster have in common.

Source: Traag, Waltman and van Eck, From Louvain to Leiden (2019); Broder, On the resemblance and containment of
documents (1997).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Generator, Iterable, Mapping, Sequence
from hashlib import blake2b

import graspologic_native
import msgspec
import numpy as np
from numpy.typing import NDArray

from codemap.graph.edges import EdgeKind, EdgeTable, Ints
from codemap.graph.indexed import IndexedFile

WEIGHTS = {
    EdgeKind.IMPORTS: 3.0,
    EdgeKind.EXPORTS: 3.0,
    EdgeKind.EXTENDS: 3.0,
    EdgeKind.IMPLEMENTS: 3.0,
    EdgeKind.CALLS: 2.0,
    EdgeKind.REFERENCES: 1.0,
}
SEED = 20_190_326
"""Any fixed number: the same graph gives the same communities."""
BLOCK = 250_000
"""Edges of one step: some tens of milliseconds."""
GROUP_MIN = 5
"""Fewer files without edges than this join those of the folder above."""
ID_DIGITS = 4
"""Hexadecimal digits of an ID; more for clusters that would share one."""


class Clusters(msgspec.Struct, frozen=True):
    """Every file is in one cluster; the largest cluster stands first."""

    of_file: Ints
    """Cluster of each file, by file number: an index into `ids`."""
    ids: tuple[str, ...]
    labels: tuple[str, ...]
    """Distinct, for people: the folder that holds most of it, and its central file where folders collide."""


class FileGraph(msgspec.Struct, frozen=True):
    """The undirected graph of files: the neighbors of file n are `indices[starts[n]:starts[n + 1]]`."""

    starts: NDArray[np.int64]
    indices: Ints
    weights: NDArray[np.float64]


def cluster(files: Sequence[IndexedFile], edges: EdgeTable) -> Generator[None, None, Clusters]:
    """The clusters of some files, which are in path order. In steps."""
    paths = [file.path for file in files]
    graph = yield from file_graph(np.array([file.base for file in files], dtype=np.int32), _end(files), edges)
    community = _communities(graph)
    yield
    _settle_isolated(paths, community)
    return _described(paths, community, graph)


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
        key, total = _summed(low * count + high, weight_of[edges.kind[block][inside][across]])
        keys.append(key)
        sums.append(total)
        yield
    pairs, summed = _summed(np.concatenate(keys), np.concatenate(sums))
    yield
    low, high = pairs // max(count, 1), pairs % max(count, 1)
    ends, others = np.concatenate((low, high)), np.concatenate((high, low))
    order = np.lexsort((others, ends))
    return FileGraph(
        np.searchsorted(ends[order], np.arange(count + 1)).astype(np.int64),
        others[order].astype(np.int32),
        np.concatenate((summed, summed))[order],
    )


def _summed(keys: NDArray[np.int64], weights: NDArray[np.float64]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """The keys in order, each once, and the sum of the weights of each."""
    distinct, place = np.unique(keys, return_inverse=True)
    return distinct, np.bincount(place, weights=weights, minlength=len(distinct)).astype(np.float64)


def _end(files: Sequence[IndexedFile]) -> int:
    return files[-1].base + files[-1].symbol_count if files else 0


def _communities(graph: FileGraph) -> list[int]:
    """The community of each file; -1 for a file without edges."""
    count = len(graph.starts) - 1
    if not len(graph.indices):
        return [-1] * count
    _, found = graspologic_native.leiden_csr(graph.starts, graph.indices, graph.weights, count, seed=SEED)
    has_edges = np.diff(graph.starts) > 0
    return [found[number] if has_edges[number] else -1 for number in range(count)]


def _settle_isolated(paths: Sequence[str], community: list[int]) -> None:
    """Gives each file without edges a community by its folder, in place."""
    by_folder: dict[str, Counter[int]] = defaultdict(Counter)
    isolated: dict[str, list[int]] = defaultdict(list)
    for number, path in enumerate(paths):
        folder = _folder(path)
        if community[number] < 0:
            isolated[folder].append(number)
        else:
            by_folder[folder][community[number]] += 1
    for folder in [folder for folder in isolated if folder in by_folder]:
        home = min(by_folder[folder].items(), key=lambda item: (-item[1], item[0]))[0]
        for number in isolated.pop(folder):
            community[number] = home
    fresh = max(community, default=-1) + 1
    for members in _grouped(isolated):
        for number in members:
            community[number] = fresh
        fresh += 1


def _grouped(isolated: Mapping[str, list[int]]) -> list[list[int]]:
    """Groups of files by folder; small ones join the folder above, up to the root."""
    waiting = dict(isolated)
    groups = []
    for depth in range(max((_depth(folder) for folder in waiting), default=0), -1, -1):
        for folder in sorted(folder for folder in waiting if _depth(folder) == depth):
            members = waiting.pop(folder)
            if len(members) >= GROUP_MIN or not folder:
                groups.append(sorted(members))
            else:
                waiting[_folder(folder)] = waiting.get(_folder(folder), []) + members
    return groups


def _described(paths: Sequence[str], community: Sequence[int], graph: FileGraph) -> Clusters:
    members: dict[int, list[int]] = defaultdict(list)
    for number, label in enumerate(community):
        members[label].append(number)
    ordered = sorted(members.values(), key=lambda numbers: (-len(numbers), numbers[0]))
    of_file = np.zeros(len(paths), dtype=np.int32)
    for place, numbers in enumerate(ordered):
        of_file[numbers] = place
    hubs = _central_files(of_file, len(ordered), graph)
    return Clusters(of_file, _ids(paths, ordered), _labels(paths, ordered, hubs))


def _central_files(of_file: Ints, count: int, graph: FileGraph) -> list[int]:
    """The file of each cluster with the heaviest edges inside it, the first in path order where several have."""
    ends = np.repeat(np.arange(len(of_file)), np.diff(graph.starts))
    inside = of_file[ends] == of_file[graph.indices]
    strength = np.bincount(ends[inside], weights=graph.weights[inside], minlength=len(of_file))
    order = np.lexsort((np.arange(len(of_file)), -strength, of_file))
    first = np.searchsorted(of_file[order], np.arange(count))
    return [int(number) for number in order[first]]


def _ids(paths: Sequence[str], clusters: Sequence[Sequence[int]]) -> tuple[str, ...]:
    hashes = [_digest(min(_digest(paths[number]) for number in numbers)) for numbers in clusters]
    taken: Counter[str] = Counter(text[:digits] for text in hashes for digits in range(ID_DIGITS, len(text) + 1))
    lengths = [next(n for n in range(ID_DIGITS, len(text) + 1) if taken[text[:n]] == 1) for text in hashes]
    return tuple(f"c{text[:length]}" for text, length in zip(hashes, lengths, strict=True))


def _digest(path: str) -> str:
    return blake2b(path.encode("utf-8", "surrogateescape"), digest_size=16).hexdigest()


def _labels(paths: Sequence[str], clusters: Sequence[Sequence[int]], hubs: Sequence[int]) -> tuple[str, ...]:
    folders = [_main_folder(paths[number] for number in numbers) for numbers in clusters]
    taken = Counter(folders)
    return tuple(
        folder if taken[folder] == 1 else f"{folder}: {paths[hub]}" for folder, hub in zip(folders, hubs, strict=True)
    )


def _main_folder(paths: Iterable[str]) -> str:
    """The deepest folder under which at least half of the files are; `.` for the root."""
    direct = Counter(_folder(path) for path in paths)
    total = sum(direct.values())
    under: Counter[str] = Counter()
    for folder, count in direct.items():
        while folder:
            under[folder] += count
            folder = _folder(folder)
    large = [folder for folder, count in under.items() if 2 * count >= total]
    return min(large, key=lambda folder: (-_depth(folder), -under[folder], folder), default=".")


def _folder(path: str) -> str:
    return path.rpartition("/")[0]


def _depth(folder: str) -> int:
    return folder.count("/") + 1 if folder else 0
