"""Other names of methods: in a class with `phash = text`, a call of `phash` runs `text`."""

from __future__ import annotations

from collections.abc import Iterator

from codemap.facts import EXPR_WIDTH, TRIPLE, Binding, Op, SourceKind, Symbol, SymbolFlag, SymbolKind, rows
from codemap.graph.index.columns import columns_of
from codemap.graph.model.edges import ARE_VARIABLES, Ints
from codemap.graph.model.snapshot import Snapshot
from codemap.graph.model.used_names import called_name

_NAME, _SYMBOL, _METHOD = int(Op.NAME), int(SourceKind.SYMBOL), int(SymbolKind.METHOD)


def list_methods(snapshot: Snapshot, nodes: Ints) -> list[int]:
    """The methods of which some of the nodes are other names."""
    columns = columns_of(snapshot)
    are_places = ARE_VARIABLES[columns.kind[nodes]] & (columns.flags[nodes] & int(SymbolFlag.ACCESSOR) == 0)
    return [method for node in nodes[are_places].tolist() if (method := _find_method(snapshot, node)) >= 0]


def list_other_names(snapshot: Snapshot, node: int) -> Iterator[str]:
    """The other names of a method."""
    parent = snapshot.parent_of(node)
    if snapshot.is_external(node) or snapshot.kind_of(node) is not SymbolKind.METHOD or parent is None:
        return
    columns = columns_of(snapshot)
    children = columns.children_of(parent)
    for other in children[ARE_VARIABLES[columns.kind[children]]].tolist():
        if _find_method(snapshot, other) == node:
            yield snapshot.name_of(other)


def name_meant(snapshot: Snapshot, node: int) -> str:
    """The name of the method of which another one is a further name (`alias new old`); empty for others."""
    if not columns_of(snapshot).flags[node] & SymbolFlag.ALIAS:
        return ""
    file, row = snapshot.row_of(node)
    return called_name(file.facts, file.cell(row, Symbol.VALUE))


def _find_method(snapshot: Snapshot, node: int) -> int:
    """The method of its class that an attribute is assigned; -1 where it is none."""
    file, row = snapshot.row_of(node)
    value = file.cell(row, Symbol.VALUE)
    exprs, bindings = rows(file.facts.exprs), rows(file.facts.bindings)
    if value < 0 or exprs[value * EXPR_WIDTH] != _NAME:
        return -1
    binding = exprs[value * EXPR_WIDTH + 1] * Binding.WIDTH
    kind, symbol, _ = TRIPLE.unpack_from(file.facts.sources, bindings[binding + Binding.FIRST] * TRIPLE.size)
    if kind != _SYMBOL or file.cell(symbol, Symbol.KIND) != _METHOD:
        return -1
    return file.base + symbol if file.cell(symbol, Symbol.PARENT) == file.cell(row, Symbol.PARENT) else -1
