"""Edges that come of definitions in several files: imports of packages, parts of types, interfaces met by methods."""

from __future__ import annotations

from typing import TYPE_CHECKING

from codemap.facts import Symbol, SymbolFlag
from codemap.graph.evaluate.file_views import GraphFile
from codemap.graph.model.definitions import is_offer
from codemap.graph.model.edges import EdgeKind
from codemap.graph.model.values import Confidence, Definition
from codemap.graph.resolve import implicit_interfaces, partial_definitions
from codemap.project import Module

if TYPE_CHECKING:
    from codemap.graph.build.bound_file import Bound, Span
    from codemap.graph.evaluate.evaluator import Evaluator


def add_imports(ev: Evaluator, file: GraphFile, bound: Bound, several: list[tuple[Module, list[Span]]]) -> None:
    """Adds the edges of imports of modules of several files: to those of which something is used, or to the first."""
    if not several:
        return
    nodes = {target for _, target, _ in bound.edges if isinstance(target, int)}
    used = {ev.file_of_node(node).path for node in nodes} - {file.path}
    for module, spans in several:
        first = [] if module.file is None else [module.file]
        for path in sorted(module.files & used) or first:
            target = ev.files[path]
            if target is not file:
                bound.add(file.base, target.base, EdgeKind.IMPORTS, Confidence.EXACT, spans)


def add_parts(ev: Evaluator, file: GraphFile, bound: Bound) -> None:
    """A part refers to what it is a part of."""
    for row in file.stand_ins:
        flags = file.cell(row, Symbol.FLAGS)
        if flags & SymbolFlag.PART and not is_offer(file.cell(row, Symbol.KIND), flags):
            whole = partial_definitions.resolve_symbol(ev, file, row)
            for value in whole.values:
                if isinstance(value, Definition) and value.node != file.base + row:
                    spans = bound.own_site(file.cell(row, Symbol.LINE), file.cell(row, Symbol.COL))
                    bound.add(file.base + row, value.node, EdgeKind.REFERENCES, whole.confidence, spans)


def add_implemented(ev: Evaluator, file: GraphFile, bound: Bound) -> None:
    """A type implements the interfaces whose methods it has, where its language lets it not say so."""
    for row in implicit_interfaces.find_structural_types(file):
        for node, confidence in implicit_interfaces.find_implemented(ev, file, row):
            spans = bound.own_site(file.cell(row, Symbol.LINE), file.cell(row, Symbol.COL))
            bound.add(file.base + row, node, EdgeKind.IMPLEMENTS, confidence, spans)
