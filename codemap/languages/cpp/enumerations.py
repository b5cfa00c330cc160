"""Enumerations and their constants.

Source: ISO/IEC 14882:2020, 9.7 "Enumerations".
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from codemap.fact_building.builder import NONE
from codemap.facts import Op, SourceKind, SymbolFlag, SymbolKind
from codemap.languages.c.walk import Walk
from codemap.languages.cpp import names
from codemap.languages.cpp.walk import CppWalk

if TYPE_CHECKING:
    from tree_sitter import Node


def enumeration(w: Walk, node: Node) -> int:
    """An enumeration: its constants are its members, and unless it is a class what is around it has them, too."""
    assert isinstance(w, CppWalk)
    body, name_node = node.child_by_field_name("body"), node.child_by_field_name("name")
    if body is None:
        return w.value(name_node)
    if name_node is not None and _is_nameless(name_node):
        w.value(name_node)
        name_node = None
    b = w.b
    inner = w.classes[-1] if w.classes and b.owner == w.classes[-1].symbol else None
    around = b.scope if inner is None else inner.members
    flags = int(SymbolFlag.EXPORTED) if w.is_top() else 0
    symbol = NONE
    if name_node is not None:
        named = names.strip_arguments(names.split_name(name_node)[-1])
        symbol = w.define(w.text(named), SymbolKind.ENUM, node, named, flags=flags, body=body)
        b.bind(w.text(named), SourceKind.SYMBOL, symbol, scope=around)
    members = w.b.namespace(symbol) if symbol != NONE else None
    is_class = any(child.type in ("class", "struct") for child in node.children)
    for child in body.named_children:
        constant = child.child_by_field_name("name") if child.type == "enumerator" else None
        if constant is None:
            continue
        w.field(child, "value")
        row = w.define(
            w.text(constant),
            SymbolKind.VARIABLE,
            child,
            constant,
            parent=symbol if is_class and symbol != NONE else b.owner,
            flags=flags,
        )
        if symbol != NONE:
            b.set_type(row, b.expr(Op.SYMBOL, symbol))
        if members is not None:
            b.bind(w.text(constant), SourceKind.SYMBOL, row, scope=members)
        if not is_class:
            b.bind(w.text(constant), SourceKind.SYMBOL, row, scope=around)
    return NONE if symbol == NONE else b.expr(Op.SYMBOL, symbol)


def _is_nameless(name_node: Node) -> bool:
    """Whether an enumeration has no name: of `enum : type {…}` the grammar misses it, or takes the type for it."""
    before = name_node.prev_sibling
    return name_node.is_missing or (before is not None and before.is_error)
