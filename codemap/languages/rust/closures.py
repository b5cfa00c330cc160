"""Closures: functions without a name, or with that of the local that holds one.

Source: the Rust Reference, "Closure expressions".
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from codemap.fact_building.builder import NONE
from codemap.facts import Op, SourceKind, SymbolKind
from codemap.languages.rust import patterns
from codemap.languages.rust.walk import Walk

if TYPE_CHECKING:
    from tree_sitter import Node


def visit_plain(w: Walk, node: Node) -> int:
    return visit_expected(w, node, NONE)


def visit_expected(w: Walk, node: Node, wanted: int) -> int:
    """A closure where a function of the type `wanted` is: what it uses belongs to the definition around it."""
    with w.block():
        return _visited(w, node, wanted, None)


def define_named(w: Walk, name_node: Node, node: Node, statement: Node) -> None:
    """`let f = |…| …` is a function of that name, and owns what is in it."""
    b = w.b
    name = w.text(name_node)
    body = node.child_by_field_name("body")
    symbol = b.symbol(
        name,
        SymbolKind.FUNCTION,
        parent=b.owner,
        at=name_node.start_byte,
        start=statement.start_byte,
        end=statement.end_byte,
        signature=w.header(statement.start_byte, statement.end_byte if body is None else body.start_byte),
    )
    with b.definition(symbol), w.block():
        _visited(w, node, NONE, symbol)
    w.declare(name, SourceKind.SYMBOL, symbol)


def _visited(w: Walk, node: Node, wanted: int, symbol: int | None) -> int:
    b = w.b
    listed = node.child_by_field_name("parameters")
    types: list[int] = []
    for position, child in enumerate(listed.named_children if listed is not None else ()):
        stated = NONE
        pattern = child
        if child.type == "parameter":
            stated = w.field(child, "type")
            pattern = child.child_by_field_name("pattern") or child
        types.append(stated)
        given = b.wrap(Op.INSTANCE, stated) if stated != NONE else b.wrap(Op.PARAM, wanted, position)
        patterns.bind(w, pattern, given)
        if symbol is not None:
            b.parameter(symbol, w.text(pattern) if pattern.type == "identifier" else None, stated)
    result = w.field(node, "return_type")
    if symbol is not None and result != NONE:
        b.set_type(symbol, result)
    value = w.field(node, "body")
    if symbol is not None and result == NONE and value != NONE:
        b.add_value(symbol, value)
    return b.expr(Op.FUNCTION, b.args(types), result)
