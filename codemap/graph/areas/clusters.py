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

from codemap.file_roles import ROLE_NAMES, Role
from codemap.graph.areas.communities import Area
from codemap.graph.areas.file_graph import make_file_graph
from codemap.graph.areas.folder_partition import areas_of, needs_graph
from codemap.graph.index.node_roles import role_of_file
from codemap.graph.model.edges import EdgeTable, Ints
from codemap.graph.model.indexed_file import IndexedFile

FILES_OF_STEP = 1_000
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
    paths: list[str] = []
    weights: list[float] = []
    by_role: dict[Role, list[int]] = {}
    for number, file in enumerate(files):
        paths.append(file.path)
        weights.append(float(file.symbol_count))
        by_role.setdefault(role_of_file(file), []).append(number)
        if number % FILES_OF_STEP == FILES_OF_STEP - 1:
            yield
    product = by_role.pop(Role.PRODUCT, [])
    graph = None
    if needs_graph(paths, weights, product):
        graph = yield from make_file_graph(np.array([file.base for file in files], dtype=np.int32), _end(files), edges)
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
