"""The folders of files as numbers, and which calls stay in one."""

from __future__ import annotations

import msgspec
import numpy as np

from codemap.graph.index.columns import columns_of
from codemap.graph.model.edges import Ints, Mask
from codemap.graph.model.index_slots import Slot, reuse, reuse_for_paths
from codemap.graph.model.snapshot import Snapshot
from codemap.impact.steps import How


class Folders(msgspec.Struct, frozen=True):
    of_file: Ints
    """By file number: its folder, as a number."""
    paths: tuple[str, ...]
    """By number."""


def _number_folders(snapshot: Snapshot) -> Folders:
    numbers: dict[str, int] = {}
    folders = (file.path.rpartition("/")[0] for file in snapshot.files)
    of_file = np.array([numbers.setdefault(folder, len(numbers)) for folder in folders], dtype=np.int32)
    return Folders(of_file, tuple(numbers))


FOLDERS = Slot[Folders](_number_folders, carry=reuse_for_paths, rescore=reuse)


def are_near_calls(snapshot: Snapshot, source: Ints, via: Ints, how: Ints) -> Mask:
    """Which steps are calls that may run several methods, by way of one in the caller's folder: of those that are
    reached, this is the likelier one."""
    near = np.zeros(len(source), dtype=np.bool_)
    dispatching = np.flatnonzero(how == int(How.DISPATCHES))
    if len(dispatching):
        folder, file = FOLDERS.of(snapshot).of_file, columns_of(snapshot).file
        near[dispatching] = folder[file[source[dispatching]]] == folder[file[via[dispatching]]]
    return near
