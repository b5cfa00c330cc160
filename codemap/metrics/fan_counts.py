"""Fan-in and fan-out: how many other units use a unit, and how many it uses.

A unit is what is counted by: a function, a class, a file, a folder. Source: S. Henry and D. Kafura, "Software Structure
Metrics Based on Information Flow" (1981); here a use is a resolved edge of any kind but containment.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from codemap.graph.index.columns import columns_of
from codemap.graph.index.inheritance import ARE_TYPES
from codemap.graph.model.edges import USES, EdgeKind, Ints, distinct
from codemap.graph.model.snapshot import Snapshot
from codemap.graph.model.values import Confidence

_WITH_IMPORTS = (*USES, EdgeKind.IMPORTS, EdgeKind.EXPORTS)


def count_fans(snapshot: Snapshot, units: Ints, *, has_imports: bool) -> tuple[Ints, Ints]:
    """How many other units use each unit, and how many it uses, by unit.

    `units` has the unit of each node, external packages included, or -1. Guesses are no edges.
    """
    edges = snapshot.edges
    count = int(units.max(initial=-1)) + 1
    wanted = np.isin(edges.kind, _WITH_IMPORTS if has_imports else USES) & (edges.confidence <= Confidence.TYPE)
    source, target = units[edges.source[wanted]].astype(np.int64), units[edges.target[wanted]].astype(np.int64)
    is_across = (source >= 0) & (target >= 0) & (source != target)
    pairs = distinct(source[is_across] * max(count, 1) + target[is_across])
    ins = np.bincount(pairs % max(count, 1), minlength=count).astype(np.int32)
    outs = np.bincount(pairs // max(count, 1), minlength=count).astype(np.int32)
    return ins, outs


def function_units(snapshot: Snapshot) -> Ints:
    """Each node is its own unit."""
    return np.arange(snapshot.node_count, dtype=np.int32)


def class_units(snapshot: Snapshot) -> Ints:
    """The outermost class around each node; what is in none is its own unit."""
    columns = columns_of(snapshot)
    units = function_units(snapshot)
    is_class = ARE_TYPES[columns.kind]
    around = np.where(is_class, np.arange(len(columns.kind), dtype=np.int32), -1)
    at = columns.parent.copy()
    while (at >= 0).any():
        met = (at >= 0) & is_class[np.maximum(at, 0)]
        around[met] = at[met]
        at = np.where(at >= 0, columns.parent[np.maximum(at, 0)], -1)
    units[: len(around)] = np.where(around >= 0, around, units[: len(around)])
    return units


def file_units(snapshot: Snapshot) -> Ints:
    """The number of the file of each node; external packages come after the files."""
    files = columns_of(snapshot).file.astype(np.int32)
    outside = np.arange(len(snapshot.externals), dtype=np.int32) + len(snapshot.files)
    return np.concatenate((files, outside))


def folder_units(snapshot: Snapshot, folders: NDArray[np.int32]) -> Ints:
    """The same by folder; `folders` has the folder of each file."""
    files = columns_of(snapshot).file
    outside = np.arange(len(snapshot.externals), dtype=np.int32) + int(folders.max(initial=-1)) + 1
    return np.concatenate((folders[files], outside))
