"""Constants and statics, also those of types and traits.

Source: the Rust Reference, "Constant items", "Static items".
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from codemap.fact_building.builder import NONE
from codemap.facts import SourceKind, SymbolKind
from codemap.languages.rust import headers
from codemap.languages.rust.walk import Type, Walk

if TYPE_CHECKING:
    from tree_sitter import Node


def constant(w: Walk, node: Node, start: int, of: Type | None = None) -> None:
    b = w.b
    name_node = node.child_by_field_name("name")
    if name_node is None:
        return
    name = w.text(name_node)
    symbol = b.symbol(
        name,
        SymbolKind.VARIABLE if of is None else SymbolKind.PROPERTY,
        parent=b.owner if of is None else of.symbol,
        at=name_node.start_byte,
        start=start,
        end=node.end_byte,
        flags=headers.flags(w, node, start) | (0 if of is None else w.visible),
        signature=w.header(node.start_byte, node.end_byte),
        doc=headers.doc(w, node, start),
    )
    with b.definition(symbol):
        type_expr = w.field(node, "type")
        value = w.field(node, "value")
    if type_expr != NONE:
        b.set_type(symbol, type_expr)
    elif value != NONE:
        b.add_value(symbol, value)
    if name != "_":
        b.bind(name, SourceKind.SYMBOL, symbol, scope=w.space.scope if of is None else of.members)
