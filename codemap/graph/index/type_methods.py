"""Lists the methods of all types, and pairs of them."""

from __future__ import annotations

import msgspec
import numpy as np

from codemap.facts import SymbolFlag, SymbolKind
from codemap.graph.index.columns import Columns, columns_of, find_equal
from codemap.graph.index.inheritance import ARE_TYPES
from codemap.graph.model.edges import Ints, Mask, Numbers
from codemap.graph.model.index_slots import Slot, reuse, reuse_for_contents
from codemap.graph.model.snapshot import Snapshot
from codemap.languages import by_name

_METHODS = (SymbolKind.METHOD, SymbolKind.FUNCTION, SymbolKind.PROPERTY)
_ABSTRACT, _INTERFACE = int(SymbolFlag.ABSTRACT), int(SymbolKind.INTERFACE)
ARE_METHODS = np.array([kind in _METHODS for kind in SymbolKind])
"""By SymbolKind."""


def are_stated(columns: Columns, nodes: Ints) -> Mask:
    """Which of some definitions only state what implementers must do: those that are abstract, or of an interface."""
    owners = columns.parent.take(nodes)
    in_interface = (owners >= 0) & (columns.kind.take(np.maximum(owners, 0)) == _INTERFACE)
    found: Mask = in_interface | (columns.flags.take(nodes) & _ABSTRACT != 0)
    return found


class MethodPairs(msgspec.Struct, frozen=True):
    """All pairs of a method and one that it overrides."""

    below: Ints
    """In order."""
    above: Ints
    by_above: tuple[Ints, Ints]
    """The same pairs, those above first and in order."""

    def of(self, methods: Ints, *, downwards: bool) -> tuple[Ints, Ints]:
        """The pairs that begin with one of some methods, in their order."""
        key, others = self.by_above if downwards else (self.below, self.above)
        if len(methods) == 1:
            found = others[key.searchsorted(methods[0]) : key.searchsorted(methods[0], "right")]
            return np.repeat(methods, len(found)), found
        rows, of = find_equal(key, methods)
        return methods.take(of), others.take(rows)


def pair_up(below: Ints, above: Ints) -> MethodPairs:
    """Pairs of a method and one that it overrides, each once, from those in any order."""
    order = np.lexsort((above, below))
    below, above = below[order], above[order]
    order = np.argsort(above, kind="stable")
    return MethodPairs(below, above, (above[order], below[order]))


def _find_constructors(snapshot: Snapshot) -> Mask:
    columns, count = columns_of(snapshot), snapshot.first_external
    names = snapshot.node_names.of_node[:count]
    owners = np.maximum(columns.parent, 0)
    found = np.zeros(count, dtype=np.bool_)
    for language in by_name().values():
        files = [file.number for file in snapshot.files if file.lang == language.name]
        if not files or not language.constructors:
            continue
        is_named = names == names[owners] if language.names_constructors_as_class else np.zeros(count, dtype=np.bool_)
        for name in language.constructors:
            nodes = snapshot.node_names.named(name)
            is_named[nodes[nodes < count]] = True
        found |= is_named & np.isin(columns.file, files)
    found &= is_member(columns, np.arange(count, dtype=np.int32))
    return found


_CONSTRUCTORS = Slot[Mask](_find_constructors, carry=reuse_for_contents, rescore=reuse)


def constructors_of(snapshot: Snapshot) -> Mask:
    """By node, external packages excluded: whether it is a method that makes a value of its type, by its name: that
    which its language gives it, or the name of the type."""
    return _CONSTRUCTORS.of(snapshot)


def is_member(columns: Columns, nodes: Ints) -> Mask:
    """Whether nodes are methods of types."""
    owners = columns.parent[nodes]
    found: Mask = (owners >= 0) & ARE_METHODS[columns.kind[nodes]] & ARE_TYPES[columns.kind[owners]]
    return found


class Members(msgspec.Struct, frozen=True):
    """The methods of all types, by type and name."""

    key: Numbers
    """Owner times the number of names, and the name."""
    node: Ints


def _list_members(snapshot: Snapshot) -> Members:
    columns, names = columns_of(snapshot), snapshot.node_names
    nodes = np.arange(snapshot.first_external, dtype=np.int32)
    nodes = nodes[is_member(columns, nodes)]
    key = columns.parent[nodes] * np.int64(len(names.names)) + names.of_node[nodes]
    order = np.argsort(key, kind="stable")
    return Members(key[order], nodes[order])


MEMBERS = Slot[Members](_list_members, carry=reuse_for_contents, rescore=reuse)
