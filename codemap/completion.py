"""Completes the arguments of prompts and resources as a person types them.

A node ID is completed along its parts: paths up to the `#`, then the definitions of that file. Words that are no ID are
searched for.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping
from enum import Enum
from itertools import islice
from types import MappingProxyType
from typing import get_args

import msgspec

from codemap.escapes import escaped_path, unescaped
from codemap.graph.model.indexed_file import IndexedFile
from codemap.graph.model.snapshot import Snapshot
from codemap.graph.query.search import search
from codemap.tools.nav.calls.tree import Way
from codemap.tools.params import Direction, EdgeKindName, KindFilter

VALUES_MAX = 100
"""MCP allows no more."""


class Completes(Enum):
    """The meaning of an argument."""

    NODE = "node"
    PATH = "path"
    KIND = "kind"
    """Of `map_search`."""
    EDGE = "edge"
    """Of `map_neighbors`, as is the next."""
    DIRECTION = "direction"
    WAY = "way"
    """Of `nav_callHierarchy`."""
    NOTHING = "nothing"


WORDS: Mapping[Completes, tuple[str, ...]] = MappingProxyType(
    {
        Completes.KIND: get_args(KindFilter),
        Completes.EDGE: get_args(EdgeKindName),
        Completes.DIRECTION: get_args(Direction),
        Completes.WAY: get_args(Way),
    }
)
"""The values of those that have a fixed list of them, as the tools take them."""


class Completed(msgspec.Struct, frozen=True):
    values: tuple[str, ...]
    """The best ones, or the first in order of path."""
    has_more: bool


def complete(snapshot: Snapshot | None, what: Completes, typed: str) -> Completed:
    """The values that begin with what is typed; of a map, where there is one. Cost: the files that do, or a search."""
    match what:
        case Completes.NODE:
            found = iter(()) if snapshot is None else _complete_nodes(snapshot, typed)
        case Completes.PATH:
            found = iter(()) if snapshot is None else _complete_paths(snapshot, typed)
        case Completes.KIND | Completes.EDGE | Completes.DIRECTION | Completes.WAY:
            found = (word for word in WORDS[what] if word.startswith(typed))
        case Completes.NOTHING:
            found = iter(())
    values = tuple(islice(found, VALUES_MAX + 1))
    return Completed(values[:VALUES_MAX], len(values) > VALUES_MAX)


def _complete_nodes(snapshot: Snapshot, typed: str) -> Iterator[str]:
    lang, colon, rest = typed.partition(":")
    if not colon:
        for node in search(snapshot, typed, frozenset(), VALUES_MAX + 1).nodes:
            yield snapshot.id_of(node)
        return
    path, hash_, _ = rest.partition("#")
    for file in _find_files(snapshot, path.partition("%")[0]):
        whole = file.own_id
        if not hash_ and whole.startswith(typed):
            yield whole
        elif hash_ and whole == f"{lang}:{path}":
            ids = (snapshot.id_of(file.base + row) for row in range(1, file.symbol_count))
            yield from (one for one in ids if one.startswith(typed))


def _complete_paths(snapshot: Snapshot, typed: str) -> Iterator[str]:
    """Folders one step further, with their slash, and files."""
    typed = unescaped(typed)
    known = ""
    for file in _find_files(snapshot, typed):
        end = file.path.find("/", len(typed))
        path = file.path if end < 0 else file.path[: end + 1]
        if path != known:
            yield escaped_path(path)
        known = path


def _find_files(snapshot: Snapshot, prefix: str) -> Iterator[IndexedFile]:
    """The files whose paths begin so, in order of path."""
    files = snapshot.files
    for number in range(bisect_left(files, prefix, key=lambda file: file.path), len(files)):
        if not files[number].path.startswith(prefix):
            return
        yield files[number]
