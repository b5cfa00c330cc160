"""Community detection: divides a folder without subfolders by which of its files use one another (Leiden).

Source: Traag, Waltman and van Eck, From Louvain to Leiden (2019).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

import graspologic_native
import msgspec
import numpy as np

from codemap.graph.areas.file_graph import FileGraph, cut_graph

COMMUNITIES_MAX = 6
COMMUNITY_FILES = 4
COMMUNITY_SHARE = 0.05
"""A community of fewer files, or a smaller share of the folder's, stays with the folder."""
SEED = 20_190_326
"""Any fixed number: the same graph gives the same communities."""


ROOT = "."
"""The label of the files of the root itself, with those of folders that are too small to be areas."""


class Area(msgspec.Struct, frozen=True):
    folder: str
    """All its files are under it; empty for the root."""
    label: str
    """Distinct, for people: the folder, and the central file of a community."""
    files: tuple[int, ...]
    """Numbers of its files, ascending."""


def find_communities(paths: Sequence[str], folder: str, members: Sequence[int], graph: FileGraph) -> list[Area]:
    """A flat folder, parted by which of its files use one another; what is in no large community stays with it."""
    inner = cut_graph(graph, members)
    if not len(inner.indices):
        return [Area(folder, folder or ROOT, tuple(members))]
    _, found = graspologic_native.leiden_csr(inner.starts, inner.indices, inner.weights, len(members), seed=SEED)
    has_edges = np.diff(inner.starts) > 0
    groups: dict[int, list[int]] = defaultdict(list)
    for place in range(len(members)):
        if has_edges[place]:
            groups[found[place]].append(place)
    least = max(COMMUNITY_FILES, COMMUNITY_SHARE * len(members))
    large = sorted((group for group in groups.values() if len(group) >= least), key=lambda group: (-len(group), group))
    strength = np.add.reduceat(inner.weights, inner.starts[:-1][has_edges])
    at = np.cumsum(has_edges) - 1
    areas = []
    for group in large[:COMMUNITIES_MAX]:
        central = min(group, key=lambda place: (-strength[at[place]], place))
        stem = paths[members[central]].rpartition("/")[2]
        areas.append(Area(folder, f"{folder or '.'}: around {stem}", tuple(members[place] for place in group)))
    rest = sorted(set(members).difference(*(area.files for area in areas)))
    return [*areas, Area(folder, folder or ROOT, tuple(rest))] if rest else areas
