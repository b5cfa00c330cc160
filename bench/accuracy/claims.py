"""What codemap claims, as the neutral edge list."""

from __future__ import annotations

from collections.abc import Iterator

from bench.accuracy.edges import Edge
from codemap.facts import Symbol, SymbolFlag, SymbolKind
from codemap.graph.edges import EdgeKind
from codemap.graph.snapshot import Snapshot

FUNCTIONS = (SymbolKind.FUNCTION, SymbolKind.METHOD)
DEFINITIONS = (*FUNCTIONS, SymbolKind.CLASS, SymbolKind.INTERFACE, SymbolKind.ENUM)
PLACES = (SymbolKind.VARIABLE, SymbolKind.PROPERTY)


def claims(snapshot: Snapshot, kind: EdgeKind, constructors: tuple[str, ...]) -> Iterator[Edge]:
    """Every edge of a kind between definitions of the repository, and every candidate of undecided uses."""
    names = [_folded(snapshot, node, constructors) for node in range(snapshot.first_external)]
    for node in range(snapshot.first_external):
        for edge in snapshot.edges_out(node):
            if edge.kind == kind and _is_definition(snapshot, edge.target):
                sites = tuple(snapshot.sites(edge))
                yield Edge(names[node], names[edge.target], kind.name, edge.confidence.name.lower(), sites)
        for use in snapshot.unresolved_out(node):
            if use.kind == kind:
                sites = tuple(snapshot.sites(use))
                for target in snapshot.candidates(use):
                    yield Edge(names[node], names[target], kind.name, "candidate", sites)


def _is_definition(snapshot: Snapshot, node: int) -> bool:
    return not snapshot.is_external(node) and snapshot.kind_of(node) in DEFINITIONS


def _is_accessor(snapshot: Snapshot, node: int) -> bool:
    return not snapshot.is_external(node) and bool(snapshot.cell(node, Symbol.FLAGS) & SymbolFlag.ACCESSOR)


def _folded(snapshot: Snapshot, node: int, constructors: tuple[str, ...]) -> str:
    chain: list[int] = []
    at: int | None = node
    while at is not None and snapshot.kind_of(at) in PLACES and not _is_accessor(snapshot, at):
        at = snapshot.parent_of(at)
    while at is not None and not snapshot.is_file(at):
        chain.append(at)
        at = snapshot.parent_of(at)
    file = snapshot.file_of(node)
    assert file is not None
    found = file.path
    for part in reversed(chain):
        is_function = snapshot.kind_of(part) in FUNCTIONS or _is_accessor(snapshot, part)
        if is_function and snapshot.name_of(part) in constructors and found != file.path:
            return found
        if (snapshot.kind_of(part) in PLACES and not is_function) or snapshot.kind_of(part) == SymbolKind.MODULE:
            continue
        found = f"{file.path}:{snapshot.cell(part, Symbol.LINE)}:{snapshot.cell(part, Symbol.COL)}"
        if is_function:
            return found
    return found
