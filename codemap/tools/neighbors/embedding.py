"""What an implementer of an interface has the methods of that only by a type that it embeds."""

from __future__ import annotations

from collections.abc import Iterator

from codemap.graph.index.columns import columns_of
from codemap.graph.index.inheritance import CLASSES_MAX
from codemap.graph.index.part_nodes import parts_of
from codemap.graph.index.type_methods import ARE_METHODS
from codemap.graph.model.edges import EdgeKind
from codemap.graph.model.snapshot import Snapshot
from codemap.graph.query.neighborhood import Neighbor
from codemap.languages import by_name
from codemap.tools.compact import Row

_EXTENDS = frozenset((EdgeKind.EXTENDS,))
_WORDS = "by embedding "


def embedding_words(snapshot: Snapshot, neighbor: Neighbor) -> list[str]:
    """`by embedding X`, of a type that declares no method of the interface which it implements without saying so."""
    if neighbor.side != "in" or neighbor.edge.kind is not EdgeKind.IMPLEMENTS:
        return []
    node, interface = neighbor.edge.source, neighbor.edge.target
    if snapshot.is_external(interface) or not by_name()[snapshot.row_of(node)[0].lang].is_structural:
        return []
    wanted = {name for one in _list_embedded(snapshot, interface) for name in _list_methods(snapshot, one)}
    if not wanted.isdisjoint(_list_methods(snapshot, node)):
        return []
    for base in _list_bases(snapshot, node):
        if any(not wanted.isdisjoint(_list_methods(snapshot, one)) for one in _list_embedded(snapshot, base)):
            return [f"{_WORDS}{snapshot.name_of(base)}"]
    return []


def is_by_embedding(row: Row) -> bool:
    return any(word.startswith(_WORDS) for word in row.words)


def _list_embedded(snapshot: Snapshot, node: int) -> Iterator[int]:
    """A type and all that it embeds, directly or not."""
    seen = [node]
    for one in seen:
        yield one
        seen += [base for base in _list_bases(snapshot, one) if base not in seen and len(seen) < CLASSES_MAX]


def _list_bases(snapshot: Snapshot, node: int) -> list[int]:
    edges = [edge for one in (node, *parts_of(snapshot, node)) for edge in snapshot.edges_out(one, _EXTENDS)]
    return [edge.target for edge in edges if not snapshot.is_external(edge.target)]


def _list_methods(snapshot: Snapshot, node: int) -> set[str]:
    """The names of the methods that a type declares, in whatever file."""
    kinds = columns_of(snapshot).kind
    declared = (child for one in (node, *parts_of(snapshot, node)) for child in snapshot.children_of(one))
    return {snapshot.name_of(child) for child in declared if ARE_METHODS[kinds[child]]}
