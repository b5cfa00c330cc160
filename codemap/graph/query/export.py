"""Exports the graph for other programs: one object a node, one object an edge.

Rules of the file:
- The source of an edge is a definition that contains code: a function, method, class, interface, enum, module or file.
  Where a variable or field owns the use, the definition around it is the source, and the variable is `owner`.
- What only holds additions to a type of elsewhere is no node: what it holds is in the file.
- A use that could not be decided has no `target`, but a `name` and its candidates, the likeliest first.
- A path is what it is on disk; one that is not UTF-8, which JSON cannot say, is percent-encoded as in the ID.
- Order is by node, then as the snapshot keeps edges: the same snapshot gives the same list.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from codemap.facts import ADDITION, Symbol, SymbolFlag, SymbolKind
from codemap.graph.likelihood.candidates import CANDIDATES_MAX
from codemap.graph.likelihood.evidence import STEPS_IN_EXPORT
from codemap.graph.likelihood.ranking import Ranking
from codemap.graph.model.edges import Edge, EdgeKind, Unresolved
from codemap.graph.model.snapshot import Snapshot
from codemap.ids import path_in_id

_PLACES = frozenset((SymbolKind.VARIABLE, SymbolKind.PROPERTY, SymbolKind.TYPE_ALIAS))


class ExportedSite(msgspec.Struct, frozen=True, gc=False):
    """1-based line, and column in UTF-16 code units, in the file of the source."""

    line: int
    col: int


class ExportedEdge(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True, kw_only=True):
    source: str
    """Node ID."""
    target: str = ""
    """Node ID; left out where the use could not be decided."""
    kind: str
    confidence: str
    resolved: bool
    sites: tuple[ExportedSite, ...]
    owner: str = ""
    """Node ID of the variable or field that owns the use, where there is one."""
    name: str = ""
    """What is used, where it could not be decided."""
    candidates: tuple[str, ...] = ()
    """The likeliest node IDs: as many as are asked for, or as are as likely as the first."""
    candidate_count: int = 0
    """All candidates, named or not."""
    likelihood: str = ""
    """`high`, `medium` or `low`: that one of the first `likely` candidates is meant."""
    likely: int = 0


class ExportedNode(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True, kw_only=True):
    id: str
    kind: str
    name: str
    file: str = ""
    line: int = 0
    """1-based, of the name, like `col`; both left out for an external package."""
    col: int = 0
    parent: str = ""
    """Node ID of the definition or file around it."""


def exported_nodes(snapshot: Snapshot) -> Iterator[ExportedNode]:
    """Every node, external packages last."""
    for node in range(snapshot.node_count):
        file = snapshot.file_of(node)
        kind, name = snapshot.kind_of(node).name.lower(), snapshot.name_of(node)
        if file is None:
            yield ExportedNode(id=snapshot.id_of(node), kind=kind, name=_spell(name))
            continue
        if _is_addition(snapshot, node):
            continue
        parent = snapshot.parent_of(node)
        if parent is not None and _is_addition(snapshot, parent):
            parent = file.base
        yield ExportedNode(
            id=snapshot.id_of(node),
            kind=kind,
            name=_spell(name),
            file=_spell(file.path),
            line=snapshot.cell(node, Symbol.LINE),
            col=snapshot.cell(node, Symbol.COL),
            parent="" if parent is None else snapshot.id_of(parent),
        )


def exported_edges(snapshot: Snapshot, candidates_max: int = CANDIDATES_MAX) -> Iterator[ExportedEdge]:
    """Every edge and every undecided use, by the node that owns it, with so many candidates."""
    ids = [snapshot.id_of(node) for node in range(snapshot.node_count)]
    ranking = Ranking(snapshot, steps=STEPS_IN_EXPORT)
    for node in range(snapshot.node_count):
        is_addition = _is_addition(snapshot, node)
        holder = _find_holder(snapshot, node)
        source, owner = ids[holder], "" if holder == node or is_addition else ids[node]
        for edge in snapshot.edges_out(node):
            if _is_addition(snapshot, edge.target) or (is_addition and edge.kind != EdgeKind.CONTAINS):
                continue
            yield ExportedEdge(
                source=source,
                target=ids[edge.target],
                kind=edge.kind.name.lower(),
                confidence=edge.confidence.name.lower(),
                resolved=True,
                sites=_list_sites(snapshot, edge),
                owner=owner,
            )
        for use in snapshot.unresolved_out(node):
            ranked = ranking.of(use)
            yield ExportedEdge(
                source=source,
                kind=use.kind.name.lower(),
                confidence="candidate",
                resolved=False,
                sites=_list_sites(snapshot, use),
                owner=owner,
                name=_spell(use.name),
                candidates=tuple(ids[candidate] for candidate in ranked.alike(candidates_max)),
                candidate_count=len(ranked.nodes),
                likelihood=ranked.likelihood.name.lower(),
                likely=ranked.likely,
            )


def _list_sites(snapshot: Snapshot, edge: Edge | Unresolved) -> tuple[ExportedSite, ...]:
    return tuple(ExportedSite(line, col) for line, col in snapshot.sites(edge))


def _is_addition(snapshot: Snapshot, node: int) -> bool:
    return not snapshot.is_external(node) and snapshot.cell(node, Symbol.FLAGS) & ADDITION == ADDITION


def _spell(text: str) -> str:
    """A name or path in UTF-8."""
    is_utf8 = text.isascii() or not any("\ud800" <= char <= "\udfff" for char in text)
    return text if is_utf8 else path_in_id(text)


def _find_holder(snapshot: Snapshot, node: int) -> int:
    """The innermost definition that contains code, the node itself included. An accessor contains code."""
    at = node
    while not snapshot.is_external(at) and (snapshot.kind_of(at) in _PLACES or _is_addition(snapshot, at)):
        if snapshot.cell(at, Symbol.FLAGS) & SymbolFlag.ACCESSOR:
            return at
        parent = snapshot.parent_of(at)
        assert parent is not None, "every definition is in a file"
        at = parent
    return at
