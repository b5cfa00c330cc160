"""Computes object IDs of the files on disk without git, which would run the filters that the repository names.

A file is as the index has it where its size and time are those that git noted before the index was written; else its
content is read and its ID made.
"""

from __future__ import annotations

from actors.ports import Ports
from actors.revisions.blobs import object_id
from actors.revisions.trees import Index, Tree
from codemap.graph.model.snapshot import Snapshot

READ_AT_ONCE = 200
"""Files read in one step."""


async def ids_on_disk(ports: Ports, snapshot: Snapshot, before: Tree, index: Index) -> dict[str, str]:
    """Computes path -> object ID of the files on disk that a commit, the index or the map know; empty for files that
    git and the map do not know."""
    files = snapshot.by_path
    digits = len(next(iter(before.files.values()), "") or next(iter(index.tree.files.values()), ""))
    found: dict[str, str] = {}
    unsure: list[str] = []
    tracked = before.files.keys() | index.tree.files.keys()
    stats = await ports.stat_files(sorted(path for path in tracked if path not in files))
    for path in sorted(tracked | {file.path for file in snapshot.files}):
        entry = index.entries.get(path)
        file = files.get(path)
        if file is not None:
            size, mtime_ns = file.stamp.size, file.stamp.mtime_ns
        elif path in stats:
            size, mtime_ns = stats[path].size, stats[path].mtime_ns
        else:
            if entry is not None and entry.is_sparse:
                found[path] = entry.object_id
            continue
        is_noted = entry is not None and (entry.size, entry.mtime_ns) == (size, mtime_ns)
        if entry is not None and is_noted and mtime_ns < index.written_ns:
            found[path] = entry.object_id
        elif not submodule_of(path, index):
            unsure.append(path)
    for begin in range(0, len(unsure), READ_AT_ONCE):
        for path, read in (await ports.read_files(unsure[begin : begin + READ_AT_ONCE])).items():
            found[path] = object_id(read.content, digits)
    for path in unsure:
        if path not in found:  # too large, unreadable, or gone by now
            found[path] = ""
    return found


def submodule_of(path: str, index: Index) -> str:
    """Finds the submodule that a file is in; empty where it is in none."""
    submodules = index.tree.submodules
    folder = path
    while submodules and "/" in folder:
        folder = folder.rpartition("/")[0]
        if folder in submodules:
            return folder
    return ""
