"""An exported map in an oracle's keys.

Reads `codemap export --nodes` and `codemap export --edges`, and nothing else of codemap. A node is the definition that
the oracle has at its place, or else that of the node around it. A stub and the source beside it are one module, as the
oracles have it. An edge to a node that is no definition (a variable, a property without a function) is no claim.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Set
from types import MappingProxyType

import msgspec

from bench.accuracy.edges import Claim, Oracle, Relation, path_of

RELATIONS = MappingProxyType(
    {
        "calls": Relation.CALLS,
        "references": Relation.REFERENCES,
        "extends": Relation.INHERITS,
        "implements": Relation.INHERITS,
        "imports": Relation.IMPORTS,
    }
)
NAMED_MAX = 5
"""Candidates that a reply names."""
_DEFINITIONS = frozenset(("file", "class", "interface", "enum", "function", "method", "type_alias"))


class Node(msgspec.Struct, frozen=True):
    id: str
    kind: str
    file: str = ""
    line: int = 0
    col: int = 0
    parent: str = ""


class Site(msgspec.Struct, frozen=True):
    line: int
    col: int


class Edge(msgspec.Struct, frozen=True):
    source: str
    kind: str
    confidence: str
    sites: tuple[Site, ...]
    target: str = ""
    candidates: tuple[str, ...] = ()
    name: str = ""
    likelihood: str = ""
    likely: int = 0
    """How many of the first candidates are that likely."""


class Exported(msgspec.Struct, frozen=True):
    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]


def decode(nodes: bytes, edges: bytes) -> Exported:
    """Both lists as they were written. Raises msgspec.DecodeError."""
    return Exported(
        tuple(msgspec.json.Decoder(Node).decode_lines(nodes)), tuple(msgspec.json.Decoder(Edge).decode_lines(edges))
    )


def claims(exported: Exported, oracle: Oracle) -> Iterator[Claim]:
    """What the map says about uses, one claim for each target or named candidate."""
    nodes = {node.id: node for node in exported.nodes}
    keys = {definition.place: definition.key for definition in oracle.definitions}
    files = {node.file for node in exported.nodes}
    sources = {node.id: _module(_folded(node, nodes, keys), files) for node in exported.nodes if node.file}
    targets = {
        node.id: sources[node.id]
        for node in exported.nodes
        if node.file and (node.kind in _DEFINITIONS or _place(node) in keys)
    }
    for edge in exported.edges:
        relation = RELATIONS.get(edge.kind)
        if relation is None or edge.source not in sources:
            continue
        path = nodes[edge.source].file
        source = _module(path, files) if relation is Relation.IMPORTS else sources[edge.source]
        sites = tuple((site.line, site.col) for site in edge.sites)
        for place, target in enumerate((edge.target,) if edge.target else edge.candidates):
            if target in targets:
                likelihood = edge.likelihood if place < edge.likely else ""
                is_named = place < max(NAMED_MAX, edge.likely)
                yield Claim(
                    source, targets[target], relation, edge.confidence, path, sites, likelihood, edge.name, is_named
                )


def _folded(node: Node, nodes: Mapping[str, Node], keys: Mapping[str, str]) -> str:
    at = node
    while at.kind != "file":
        key = keys.get(_place(at))
        if key is not None:
            return key
        at = nodes[at.parent]
    return at.file


def _module(key: str, files: Set[str]) -> str:
    """The source beside a stub, for a key that is a path."""
    beside = key.removesuffix("i")
    return beside if key.endswith(".pyi") and beside in files else key


def _place(node: Node) -> str:
    return f"{node.file}:{node.line}:{node.col}"


def unique_names(oracle: Oracle) -> Iterator[Claim]:
    """The baseline: every call means the only definition of its name, wherever it stands."""
    named: dict[str, set[str]] = {}
    for definition in oracle.definitions:
        named.setdefault(definition.name, set()).add(definition.key)
    for use in oracle.uses:
        possible: Iterable[str] = named.get(use.name, ())
        if use.relation is Relation.CALLS and len(found := tuple(possible)) == 1:
            site = ((use.line, use.col),)
            yield Claim(use.source, found[0], use.relation, "name", path_of(use.source), site)
