"""The symbols of fields and properties."""

from __future__ import annotations

from typing import TYPE_CHECKING

from codemap.facts import SourceKind, SymbolKind
from codemap.languages.ecmascript.prefix import Prefix
from codemap.languages.ecmascript.walk import Walk

if TYPE_CHECKING:
    from tree_sitter import Node


def define(
    w: Walk, name: str, name_node: Node, prefix: Prefix, owner: int, node: Node, signature_end: int, flags: int
) -> int:
    return w.add(
        name,
        SymbolKind.PROPERTY,
        prefix,
        parent=owner,
        at=name_node.start_byte,
        end=node.end_byte,
        signature=(node.start_byte, signature_end),
        flags=flags,
    )


def of_parameter(w: Walk, node: Node, name_node: Node, cls: int, type_: int) -> None:
    """`constructor(private store: Store)`: a parameter that is a field, too."""
    name = w.text(name_node)
    scope = w.space(cls)
    prefix = Prefix(node.start_byte, 0, "", (), node.start_byte)
    symbol = define(w, name, name_node, prefix, cls, node, node.end_byte, 0)
    w.b.set_type(symbol, type_)
    w.b.add_value(symbol, w.b.name(name))
    w.b.bind(name, SourceKind.SYMBOL, symbol, scope=scope)
