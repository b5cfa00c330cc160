"""The bare name of every node of the files, each distinct name held once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec
import numpy as np

from codemap.graph.edges import Ints
from codemap.graph.indexed import IndexedFile


class NodeNames(msgspec.Struct, frozen=True):
    names: list[str]
    """Distinct, ordered as in lower case, and those that are the same there by themselves."""
    of_node: Ints
    """Of each node, external packages excluded: its place in `names`."""


def node_names(files: Iterable[IndexedFile]) -> NodeNames:
    """The names of symbols, and the base names of files. About half a microsecond a symbol."""
    name_of_node = list(_names_of_nodes(files))
    names = sorted(sorted(set(name_of_node)), key=str.lower)
    number = {name: place for place, name in enumerate(names)}
    of_node = np.fromiter(map(number.__getitem__, name_of_node), np.int32, count=len(name_of_node))
    return NodeNames(names, of_node)


def _names_of_nodes(files: Iterable[IndexedFile]) -> Iterator[str]:
    """In node order."""
    for file in files:
        yield file.path.rpartition("/")[2]
        yield from file.symbol_names
