"""Lists the files of a commit and of the index: object IDs by path, relative to the root.

Source: git-ls-tree(1), git-ls-files(1).
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping

import msgspec

from actors.ports import NoGit, Ports

_TREE_ENTRY = re.compile(rb"(\d{6}) \w+ ([0-9a-f]+)\t([^\0]+)\0")
_INDEX_ENTRY = re.compile(
    rb"(\d{6}) ([0-9a-f]+) (\d)\t([^\0]+)\0  ctime: (\d+):(\d+)\n  mtime: (\d+):(\d+)\n  dev: [^\n]*\n  uid: [^\n]*\n"
    rb"  size: (\d+)\tflags: ([0-9a-f]+)\n"
)
_LINK, _SUBMODULE = b"120000", b"160000"
_SKIP_WORKTREE = 1 << 30
"""CE_SKIP_WORKTREE of git's read-cache.h."""
_SECOND_NS = 1_000_000_000


class Tree(msgspec.Struct, frozen=True):
    files: Mapping[str, str]
    """Path -> object ID of regular files."""
    submodules: Mapping[str, str]
    """Path -> commit."""


class Entry(msgspec.Struct, frozen=True, gc=False):
    """A file in the index."""

    object_id: str
    size: int
    mtime_ns: int
    """Size in bytes and modification time on disk when git looked last."""
    is_sparse: bool
    """Whether it is left out by a sparse checkout."""
    ctime_ns: int
    """Time of the last change of any kind when git looked last. No archive can bring a file with this time."""


class Index(msgspec.Struct, frozen=True):
    tree: Tree
    entries: Mapping[str, Entry]
    conflicts: frozenset[str]
    """Paths with merge conflicts."""
    written_ns: int
    """When the index was written: a file changed then or later may differ from its entry although the stat is the
    same."""
    above: str = ""
    """See `GitOutput.above`."""


async def tree_of(ports: Ports, commit: str) -> Tree | NoGit:
    """Lists the files of a commit that are under the root."""
    said = await ports.ask_git(["ls-tree", "-r", "-z", "--full-tree", commit])
    if isinstance(said, NoGit):
        return said
    files: dict[str, str] = {}
    submodules: dict[str, str] = {}
    above = os.fsencode(said.above)
    for mode, object_id, path in _TREE_ENTRY.findall(said.text):
        if path.startswith(above) and mode != _LINK:
            found = submodules if mode == _SUBMODULE else files
            found[os.fsdecode(path[len(above) :])] = object_id.decode()
    return Tree(files, submodules)


async def index_of(ports: Ports) -> Index | NoGit:
    """Lists the files of the index that are under the root."""
    said = await ports.ask_git(["ls-files", "-z", "-s", "--full-name", "--debug", "--", ":(top)"])
    if isinstance(said, NoGit):
        return said
    files: dict[str, str] = {}
    submodules: dict[str, str] = {}
    entries: dict[str, Entry] = {}
    conflicts: set[str] = set()
    above = os.fsencode(said.above)
    for mode, object_id, stage, path, changed, changed_ns, written, written_ns, size, flags in _INDEX_ENTRY.findall(
        said.text
    ):
        if not path.startswith(above) or mode == _LINK:
            continue
        name = os.fsdecode(path[len(above) :])
        if stage != b"0":
            conflicts.add(name)
        elif mode == _SUBMODULE:
            submodules[name] = object_id.decode()
        else:
            files[name] = object_id.decode()
            mtime_ns = int(written) * _SECOND_NS + int(written_ns)
            ctime_ns = int(changed) * _SECOND_NS + int(changed_ns)
            is_sparse = bool(int(flags, 16) & _SKIP_WORKTREE)
            entries[name] = Entry(files[name], int(size), mtime_ns, is_sparse, ctime_ns)
    return Index(Tree(files, submodules), entries, frozenset(conflicts), said.index_ns, said.above)
