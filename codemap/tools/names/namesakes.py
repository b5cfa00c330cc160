"""What a name means that several definitions have: overloads, which are one, and others, which are few or many."""

from __future__ import annotations

from collections.abc import Sequence

from codemap.facts import Symbol, SymbolKind
from codemap.graph.index.part_nodes import whole_of
from codemap.graph.model.snapshot import Snapshot
from codemap.graph.model.values import CLASS_KINDS
from codemap.graph.query.override_family import count_type_parameters, find_wholes, has_overloads
from codemap.ids import BadNodeId, NodeId
from codemap.tools.names.id_lookup import corrected_id, long_ids
from codemap.tools.names.qualified_names import prefer_product, split_name, without_stubs

NAMESAKES_MAX = 12
"""Of so many definitions that one name may mean, users and what a change breaks are listed at once."""


def namesakes(snapshot: Snapshot, text: str) -> tuple[int, ...]:
    """The nodes of a name that may mean several, the best hub first; nothing of an ID."""
    try:
        corrected_id(snapshot, text)
    except BadNodeId:
        found = (snapshot.find(one) for one in long_ids(snapshot, text))
        return tuple(node for node in found if node is not None)
    return ()


def few_namesakes(snapshot: Snapshot, text: str) -> tuple[int, ...]:
    """The nodes of a name that means several, where these are few; however many overloads a type has of a method, in
    all its parts, they are one."""
    nodes = namesakes(snapshot, text)
    return nodes if len(nodes) > 1 and len({_method_of(snapshot, one) for one in nodes}) <= NAMESAKES_MAX else ()


def alternatives(snapshot: Snapshot, text: str) -> tuple[int, ...]:
    """The nodes that a name may mean; where it is read as one, that and others of the same qualified name, unless it
    says more. Nothing of an ID."""
    known = namesakes(snapshot, text)
    name = snapshot.qualified_name_of(known[0]) if len(known) == 1 else ""
    if not name or not f".{name}".endswith("." + ".".join(split_name(snapshot, text))):
        return known
    alike = [node for node in snapshot.find_by_suffix(name) if snapshot.qualified_name_of(node) == name]
    others = find_wholes(snapshot, without_stubs(snapshot, prefer_product(snapshot, (), alike)))
    return tuple(dict.fromkeys((*known, *others)))


def are_overloads(snapshot: Snapshot, ids: Sequence[NodeId]) -> bool:
    """Whether IDs are of one name in one file, so that the first may stand for all: not of types that differ by their
    type parameters."""
    if len({(one.path, one.name) for one in ids}) != 1:
        return False
    nodes = (snapshot.find(str(one)) for one in ids) if len(ids) > 1 else ()
    types = (node for node in nodes if node is not None and snapshot.cell(node, Symbol.KIND) in CLASS_KINDS)
    return len({count_type_parameters(snapshot, node) for node in types}) <= 1


def first_overloads(snapshot: Snapshot, nodes: Sequence[int]) -> tuple[int, ...]:
    """Without overloads of those before them in the same part of a type."""
    found: dict[tuple[int | None, str], int] = {}
    for node in nodes:
        found.setdefault((snapshot.parent_of(node), snapshot.name_of(node)), node)
    return tuple(found.values())


def _method_of(snapshot: Snapshot, node: int) -> tuple[int, str]:
    """The type that it is a method of, and its name; of anything else what is none of another's."""
    parent = snapshot.parent_of(node)
    if parent is None or snapshot.kind_of(node) != SymbolKind.METHOD or not has_overloads(snapshot, node):
        return node, ""
    return whole_of(snapshot, parent), snapshot.name_of(node)
