"""Measures the distance between files: the folders on the way from one to the other.

Held by the snapshot that it belongs to, made when first asked for: about a microsecond a file.
"""

from __future__ import annotations

import msgspec
import numpy as np

from codemap.graph.model.edges import Ints
from codemap.graph.model.index_slots import Slot, reuse, reuse_for_paths
from codemap.graph.model.snapshot import Snapshot

_NONE = -1


class PathDistances(msgspec.Struct, frozen=True):
    folders: Ints
    """Shape (files, depth): the folders around each file, the outermost first, as numbers; -1 where there is none."""
    depths: Ints
    """Folders around each file."""

    def apart(self, file: int, others: Ints) -> Ints:
        """0 for the same file, else 1 and the folders on the way from one file to each of the others."""
        depth = self.depths[file]
        shared = (self.folders[others, :depth] == self.folders[file, :depth]).sum(axis=1, dtype=np.int32)
        found: Ints = 1 + depth + self.depths[others] - 2 * shared
        found[others == file] = 0
        return found


def path_distances_of(snapshot: Snapshot) -> PathDistances:
    """The distances of a snapshot, the same ones at every call."""
    return PATH_DISTANCES.of(snapshot)


def _measure(snapshot: Snapshot) -> PathDistances:
    number: dict[str, int] = {}
    chain_of: dict[str, list[int]] = {"": []}
    chains = []
    for file in snapshot.files:
        folder = file.path.rpartition("/")[0]
        chain = chain_of.get(folder)
        if chain is None:
            parts = folder.split("/")
            outer = ["/".join(parts[: depth + 1]) for depth in range(len(parts))]
            chain = chain_of[folder] = [number.setdefault(each, len(number)) for each in outer]
        chains.append(chain)
    depths = np.array([len(chain) for chain in chains], dtype=np.int32)
    folders = np.full((len(chains), int(depths.max(initial=0))), _NONE, dtype=np.int32)
    for place, chain in enumerate(chains):
        folders[place, : len(chain)] = chain
    return PathDistances(folders, depths)


PATH_DISTANCES = Slot[PathDistances](_measure, carry=reuse_for_paths, rescore=reuse)
