"""Statements that open blocks; all others are visited for what they hold.

Source: The Go Programming Language Specification, "Statements".
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from codemap.fact_building.builder import NONE
from codemap.fact_building.walk import visit_children
from codemap.facts import Op, SourceKind
from codemap.languages.go.walk import Walk

if TYPE_CHECKING:
    from tree_sitter import Node


def block(w: Walk, node: Node) -> int:
    """A block, a clause, or a statement whose header declares names: they end with it."""
    with w.block():
        visit_children(w, node)
    return NONE


def type_switch(w: Walk, node: Node) -> int:
    """`switch v := x.(type)`: in a clause of one type, v is of that type, else it is what x is."""
    with w.block():
        _type_switch(w, node)
    return NONE


def _type_switch(w: Walk, node: Node) -> None:
    b = w.b
    w.field(node, "initializer")
    value = w.field(node, "value")
    alias = node.child_by_field_name("alias")
    name = w.text(alias.named_children[0]) if alias is not None and alias.named_children else ""
    for clause in node.named_children:
        if clause.type not in ("type_case", "default_case"):
            continue
        types = [child for child in clause.children_by_field_name("type") if child.is_named]
        found = [w.value(child) for child in types]
        with w.block():
            if name:
                held = b.wrap(Op.INSTANCE, found[0]) if len(found) == 1 and found[0] != NONE else value
                kind = SourceKind.OPAQUE if held == NONE else SourceKind.VALUE
                w.declare(name, kind, held)
            for child in clause.named_children:
                if child not in types:
                    w.value(child)
