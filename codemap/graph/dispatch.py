"""Calls that run another definition than the one they name: abstract methods and their implementers.

A call of a method that only states what implementers must do (abstract, or of an interface) runs one of them. Which one
is not known, so each is a candidate, of a known number.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Literal

import msgspec

from codemap.facts import Symbol, SymbolFlag, SymbolKind
from codemap.graph.columns import columns_of
from codemap.graph.edges import Edge, EdgeKind, Ints
from codemap.graph.part_nodes import parts_of, whole_of
from codemap.graph.snapshot import Snapshot

_CALLS = frozenset((EdgeKind.CALLS,))
_METHODS = (SymbolKind.METHOD, SymbolKind.FUNCTION, SymbolKind.PROPERTY)


class Dispatched(msgspec.Struct, frozen=True):
    """A call of an abstract method, seen from its caller (`out`) or from one that may run (`in`)."""

    edge: Edge
    side: Literal["in", "out"]
    implementers: tuple[int, ...]


def dispatched(
    snapshot: Snapshot, node: int, sides: Collection[str], kinds: Collection[EdgeKind]
) -> Iterator[Dispatched]:
    """Calls by a node that reach it only through an abstract method, and calls by it of abstract methods."""
    if EdgeKind.CALLS not in kinds or snapshot.is_external(node):
        return
    if "in" in sides and not is_abstract(snapshot, node):
        for stated in abstract_bases(snapshot, node):
            found = implementers(snapshot, stated)
            for edge in snapshot.edges_in(stated, _CALLS):
                yield Dispatched(edge, "in", found)
    if "out" in sides:
        for edge in snapshot.edges_out(node, _CALLS):
            if is_abstract(snapshot, edge.target):
                found = implementers(snapshot, edge.target)
                if found:
                    yield Dispatched(edge, "out", found)


def is_abstract(snapshot: Snapshot, node: int) -> bool:
    """Whether a method only states what implementers must do."""
    if snapshot.is_external(node) or snapshot.kind_of(node) not in _METHODS:
        return False
    owner = snapshot.parent_of(node)
    is_stated = owner is not None and snapshot.kind_of(owner) == SymbolKind.INTERFACE
    return is_stated or bool(snapshot.cell(node, Symbol.FLAGS) & SymbolFlag.ABSTRACT)


def implementers(snapshot: Snapshot, method: int) -> tuple[int, ...]:
    """The methods that a call of an abstract one may run, in node order."""
    return tuple(
        sorted(found for found in _namesakes(snapshot, method, downwards=True) if not is_abstract(snapshot, found))
    )


def abstract_bases(snapshot: Snapshot, method: int) -> tuple[int, ...]:
    """The abstract methods that a method implements."""
    if snapshot.kind_of(method) not in _METHODS:
        return ()
    return tuple(
        sorted(found for found in _namesakes(snapshot, method, downwards=False) if is_abstract(snapshot, found))
    )


def _namesakes(snapshot: Snapshot, method: int, *, downwards: bool) -> Iterator[int]:
    """The members of that name in the classes above or below that of a method."""
    owner = snapshot.parent_of(method)
    if owner is None or snapshot.is_file(owner):
        return
    columns, name_of = columns_of(snapshot), snapshot.node_names.of_node
    whole = whole_of(snapshot, owner)
    seen, todo = {owner, whole}, [whole, *parts_of(snapshot, whole)]
    while todo:
        cls = todo.pop()
        for related in _heirs(snapshot, cls) if downwards else _bases(snapshot, cls):
            other = whole_of(snapshot, related)
            if other not in seen and not snapshot.is_external(other):
                seen.add(other)
                parts = parts_of(snapshot, other)
                todo += [other, *parts]
                for part in (other, *parts):
                    members = columns.children_of(part)
                    yield from members[name_of[members] == name_of[method]].tolist()


def _heirs(snapshot: Snapshot, cls: int) -> list[int]:
    return _of_inheritance(snapshot, snapshot.edges.arriving(cls), snapshot.edges.source)


def _bases(snapshot: Snapshot, cls: int) -> list[int]:
    return _of_inheritance(snapshot, snapshot.edges.leaving(cls), snapshot.edges.target)


def _of_inheritance(snapshot: Snapshot, rows: Ints, ends: Ints) -> list[int]:
    kinds = snapshot.edges.kind[rows]
    found: list[int] = ends[rows[(kinds == EdgeKind.EXTENDS) | (kinds == EdgeKind.IMPLEMENTS)]].tolist()
    return found
