"""Counts what is reached and not listed, by file or folder."""

from __future__ import annotations

from collections import Counter
from typing import cast

import numpy as np

from codemap.file_roles import ROLE_NAMES, Role
from codemap.graph.index.columns import columns_of
from codemap.graph.index.node_roles import roles_of_nodes
from codemap.graph.model.edges import Ints, Numbers, first_places
from codemap.graph.model.snapshot import Snapshot
from codemap.impact.folders import FOLDERS
from codemap.impact.test_places import TEST_PLACES
from codemap.tools.impact.params import FoldedView
from codemap.tools.row_selection import COUNTS_MAX, fold_by_folder, fold_folders


def folded_counts(snapshot: Snapshot, folded: Ints, remote: Ints) -> FoldedView:
    """The number of definitions that are folded, of each role, and of those that are remote, by file or folder. Of
    tests, what is not listed as one of those to run."""
    folded = folded[TEST_PLACES.of(snapshot).of_node[folded] < 0]
    found = _count_roles(snapshot, folded) if len(folded) else {}
    if len(remote):
        found["remote"] = _count_files(snapshot, remote)
    return cast("FoldedView", found)


def _count_roles(snapshot: Snapshot, nodes: Ints) -> dict[str, dict[str, int]]:
    width = len(snapshot.files)
    keys = roles_of_nodes(snapshot, nodes).astype(np.int64) * width + columns_of(snapshot).file.take(nodes)
    counts, first = np.bincount(keys), first_places(keys, len(Role) * width)
    present = np.flatnonzero(counts)
    roles = present // max(1, width)
    found: dict[str, dict[str, int]] = {}
    for role in np.flatnonzero(np.bincount(roles)).tolist():
        its = present.compress(roles == role)
        its = its[np.argsort(first[its])]
        found[ROLE_NAMES[Role(role)]] = _fold(snapshot, its - role * width, counts[its])
    return found


def _count_files(snapshot: Snapshot, nodes: Ints) -> dict[str, int]:
    counts = np.bincount(columns_of(snapshot).file.take(nodes))
    files = np.flatnonzero(counts)
    return _fold(snapshot, files, counts[files])


def _fold(snapshot: Snapshot, files: Numbers, counts: Numbers) -> dict[str, int]:
    """See `fold_by_folder`."""
    if len(files) <= COUNTS_MAX:
        pairs = zip(files.tolist(), counts.tolist(), strict=True)
        return fold_by_folder(Counter({snapshot.files[file].path: count for file, count in pairs}))
    folders = FOLDERS.of(snapshot)
    numbers = folders.of_file.take(files)
    sums, first = np.bincount(numbers, counts), first_places(numbers, len(folders.paths))
    present = np.flatnonzero(sums)
    present = present[np.argsort(first[present])]
    pairs = zip(present.tolist(), sums[present].astype(np.int64).tolist(), strict=True)
    return fold_folders(
        Counter({folders.paths[folder] and f"{folders.paths[folder]}/": count for folder, count in pairs})
    )
