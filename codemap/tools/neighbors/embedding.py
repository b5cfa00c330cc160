"""How an heir has its base: by which type arguments, which methods of an interface it declares itself, and which it has
by a type that it embeds.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator

from codemap.facts import Symbol
from codemap.graph.index.columns import columns_of
from codemap.graph.index.inheritance import CLASSES_MAX
from codemap.graph.index.part_nodes import parts_of
from codemap.graph.index.type_methods import ARE_METHODS
from codemap.graph.model.edges import INHERITANCE, EdgeKind
from codemap.graph.model.snapshot import Snapshot
from codemap.graph.query.neighborhood import Neighbor
from codemap.languages import by_name
from codemap.tools.compact import Row, cut

_EXTENDS = frozenset((EdgeKind.EXTENDS,))
_WORDS = "by embedding "
_ARGUMENTS = r"<(?:[^<>]|<[^<>]*>)*>|\[(?:[^\[\]]|\[[^\[\]]*\])*\]"
_VARIANCE = re.compile(r"\b(?:in|out) ")
ARGUMENTS_MAX_CHARS = 60
_NAMED_MAX = 4
"""Methods that a row names."""


def embedding_words(snapshot: Snapshot, neighbor: Neighbor) -> list[str]:
    """Of a type that implements an interface without saying so, what it has by a type that it embeds: `by embedding X`
    where it declares no method of the interface, `by embedding X but Save` or `Stat by embedding X` where it does."""
    if neighbor.side != "in" or neighbor.edge.kind is not EdgeKind.IMPLEMENTS:
        return []
    node, interface = neighbor.edge.source, neighbor.edge.target
    if snapshot.is_external(interface) or not by_name()[snapshot.row_of(node)[0].lang].is_structural:
        return []
    wanted = _methods_of_all(snapshot, _list_embedded(snapshot, interface))
    own = wanted & _list_methods(snapshot, node)
    for base in _list_bases(snapshot, node):
        if promoted := wanted & _methods_of_all(snapshot, _list_embedded(snapshot, base)) - own:
            words = f"{_WORDS}{snapshot.name_of(base)}"
            if len(promoted) < len(own):
                return [f"{_join_some(promoted)} {words}"]
            return [f"{words} but {_join_some(own)}" if own else words]
    return []


def without_embeddings(neighbors: Collection[Neighbor]) -> list[Neighbor]:
    """The heirs of a type, each once: what embeds an interface implements it, and its row says how."""
    implementing = {(one.node, one.edge.target) for one in neighbors if one.edge.kind is EdgeKind.IMPLEMENTS}
    return [
        one
        for one in neighbors
        if one.edge.kind is not EdgeKind.EXTENDS or (one.node, one.edge.target) not in implementing
    ]


def _join_some(names: Iterable[str]) -> str:
    listed = sorted(names)
    more = f" and {len(listed) - _NAMED_MAX} more" if len(listed) > _NAMED_MAX else ""
    return ", ".join(listed[:_NAMED_MAX]) + more


def _methods_of_all(snapshot: Snapshot, types: Iterable[int]) -> set[str]:
    return {name for one in types for name in _list_methods(snapshot, one)}


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


def argument_words(snapshot: Snapshot, neighbor: Neighbor) -> list[str]:
    """What an heir states for the type parameters of its base, where it does not pass on its own by the same names:
    `<Order>` of `class Mails : Consumer<Order>`."""
    base, heir = neighbor.edge.target, neighbor.edge.source
    if neighbor.side != "in" or neighbor.edge.kind not in INHERITANCE or snapshot.is_external(base):
        return []
    name = re.escape(snapshot.name_of(base))
    own, stated = (
        re.search(rf"\b{name}({_ARGUMENTS})", snapshot.text_of(one, Symbol.SIGNATURE)) for one in (base, heir)
    )
    if own is None or stated is None or _VARIANCE.sub("", own[1]) == stated[1]:
        return []
    return [cut(stated[1], ARGUMENTS_MAX_CHARS)]
