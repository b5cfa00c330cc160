"""Lists the files of a commit and of the index: object IDs by path, relative to the root.

Source: git-ls-tree(1), git-ls-files(1).
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from functools import lru_cache

import msgspec
import trio

from actors.ports import NoGit, Ports

_TREE_ENTRY = re.compile(r"(\d{6}) \w+ ([0-9a-f]+)\t([^\0]+)\0", re.ASCII)
_INDEX_ENTRY = re.compile(
    r"(\d{6}) ([0-9a-f]+) (\d)\t([^\0]+)\0  ctime: (\d+):(\d+)\n  mtime: (\d+):(\d+)\n  dev: [^\n]*\n  uid: [^\n]*\n"
    r"  size: (\d+)\tflags: ([0-9a-f]+)\n",
    re.ASCII,
)
_LINK, _SUBMODULE = "120000", "160000"
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


async def tree_and_index(ports: Ports, commit: str) -> tuple[Tree, Index] | NoGit:
    """Lists both, at the same time."""
    trees: list[Tree | NoGit] = []

    async def list_tree() -> None:
        trees.append(await tree_of(ports, commit))

    async with trio.open_nursery() as nursery:
        nursery.start_soon(list_tree)
        index = await index_of(ports)
    (tree,) = trees
    if isinstance(tree, NoGit):
        return tree
    return index if isinstance(index, NoGit) else (tree, index)


async def tree_of(ports: Ports, commit: str) -> Tree | NoGit:
    """Lists the files of a commit that are under the root."""
    said = await ports.ask_git(["ls-tree", "-r", "-z", "--full-tree", commit])
    if isinstance(said, NoGit):
        return said
    return _read_tree(said.text, said.above)


@lru_cache(maxsize=1)
def _read_tree(text: bytes, above: str) -> Tree:
    """Reads what git says; remembers the last, as who asks about a change asks again after the next edit."""
    files: dict[str, str] = {}
    submodules: dict[str, str] = {}
    for mode, object_id, path in _TREE_ENTRY.findall(os.fsdecode(text)):
        if path.startswith(above) and mode != _LINK:
            found = submodules if mode == _SUBMODULE else files
            found[path[len(above) :]] = object_id
    return Tree(files, submodules)


async def index_of(ports: Ports) -> Index | NoGit:
    """Lists the files of the index that are under the root."""
    said = await ports.ask_git(["ls-files", "-z", "-s", "--full-name", "--debug", "--", ":(top)"])
    if isinstance(said, NoGit):
        return said
    return _read_index(said.text, said.index_ns, said.above)


@lru_cache(maxsize=1)
def _read_index(text: bytes, written_ns: int, above: str) -> Index:
    """The same of the index."""
    files: dict[str, str] = {}
    submodules: dict[str, str] = {}
    entries: dict[str, Entry] = {}
    conflicts: set[str] = set()
    for mode, object_id, stage, path, changed, changed_ns, noted, noted_ns, size, flags in _INDEX_ENTRY.findall(
        os.fsdecode(text)
    ):
        if not path.startswith(above) or mode == _LINK:
            continue
        name = path[len(above) :]
        if stage != "0":
            conflicts.add(name)
        elif mode == _SUBMODULE:
            submodules[name] = object_id
        else:
            files[name] = object_id
            mtime_ns = int(noted) * _SECOND_NS + int(noted_ns)
            ctime_ns = int(changed) * _SECOND_NS + int(changed_ns)
            is_sparse = bool(int(flags, 16) & _SKIP_WORKTREE)
            entries[name] = Entry(object_id, int(size), mtime_ns, is_sparse, ctime_ns)
    return Index(Tree(files, submodules), entries, frozenset(conflicts), written_ns, above)
