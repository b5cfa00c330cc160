"""Finds the lines of indexed files that differ from the commit that is checked out."""

from __future__ import annotations

from functools import partial

from actors.ports import NoGit, Ports
from actors.revisions.blobs import contents_of
from actors.revisions.trees import tree_and_index
from actors.revisions.work_tree import ids_on_disk
from codemap.graph.model.snapshot import Snapshot
from codemap.history.line_diff import hunks_between

FILES_MAX = 500
"""Most files that are compared line by line; in further ones, all lines count as changed."""


async def uncommitted(ports: Ports, snapshot: Snapshot, head: str) -> dict[str, tuple[int, ...] | None] | NoGit:
    """Finds the hunks from the head to the work tree, by path of the indexed files that differ, as in
    `codemap.history.commits.Side`; None where the head has no such file. When cancelled, git is killed."""
    listed = await tree_and_index(ports, head)
    if isinstance(listed, NoGit):
        return listed
    before, index = listed
    present = await ids_on_disk(ports, snapshot, before, index)
    indexed = sorted(file.path for file in snapshot.files)
    found: dict[str, tuple[int, ...] | None] = {path: None for path in indexed if path not in before.files}
    differing = [path for path in indexed if path in before.files and present.get(path) != before.files[path]]
    compared = differing[:FILES_MAX]
    blobs = await contents_of(ports, {before.files[path] for path in compared}, ports.file_max_bytes)
    if isinstance(blobs, NoGit):
        return blobs
    disk = await ports.read_files(compared)
    for path in differing:
        blob = blobs.get(before.files[path])
        if blob is None or path not in disk:
            found[path] = None
        else:
            found[path] = await ports.run_in_thread(partial(hunks_between, blob, disk[path].content))
    return found
