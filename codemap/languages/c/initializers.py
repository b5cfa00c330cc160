"""Initializers: the fields that they name, and what they hold.

Source: ISO/IEC 9899:2018, 6.7.9 "Initialization".
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from codemap.fact_building.builder import NONE
from codemap.facts import Op, UseRole
from codemap.languages.c.walk import Walk

if TYPE_CHECKING:
    from tree_sitter import Node

_READ = int(UseRole.REFERENCE)


def initializer(w: Walk, node: Node | None, type_expr: int) -> int:
    """Visits what a variable of a type begins as."""
    if node is not None and node.type == "initializer_list":
        elements(w, node, w.b.wrap(Op.INSTANCE, type_expr))
        return NONE
    return w.value(node)


def elements(w: Walk, node: Node, of: int) -> None:
    """Visits the elements of a list for the value `of`, which a list inside without a designator is for as well: an
    array and its elements are one."""
    for child in node.named_children:
        if child.type == "initializer_list":
            elements(w, child, of)
        elif child.type == "initializer_pair":
            _pair(w, child, of)
        else:
            w.value(child)


def _pair(w: Walk, node: Node, of: int) -> None:
    b = w.b
    for designator in node.children_by_field_name("designator"):
        if designator.type == "field_designator" and designator.named_children:
            name = designator.named_children[0]
            of = b.attribute(of, w.text(name))
            b.use(_READ, of, name.start_byte)
        elif designator.type == "field_identifier":
            of = b.attribute(of, w.text(designator))
            b.use(_READ, of, designator.start_byte)
        else:
            w.value(designator)
    value = node.child_by_field_name("value")
    if value is not None and value.type == "initializer_list":
        elements(w, value, of)
    else:
        w.value(value)


def visit_untyped_list(w: Walk, node: Node) -> int:
    """A list whose type is not known."""
    elements(w, node, NONE)
    return NONE
