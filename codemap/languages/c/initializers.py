"""Initializers: the fields that they name, and what they hold.

Source: ISO/IEC 9899:2018, 6.7.9 "Initialization".
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from codemap.fact_building.builder import NONE
from codemap.facts import Op, UseRole
from codemap.languages.c.walk import Walk

if TYPE_CHECKING:
    from tree_sitter import Node

_READ = int(UseRole.REFERENCE)
_LIST, _PAIR = "initializer_list", "initializer_pair"
_FIELDS_MAX = 32
"""A list of more elements is not read as the values of a struct's fields."""
_FUNCTION = re.compile(r"&?\s*(?![A-Z_0-9]+\Z)[A-Za-z_]\w*\Z")
"""What may be the name of a function; names in capitals are those of constants."""


def initializer(w: Walk, node: Node | None, type_expr: int, dimensions: int) -> int:
    """Visits what a variable of a type begins as; of so many arrays and pointers, if it is one."""
    if node is not None and node.type == _LIST:
        elements(w, node, w.b.wrap(Op.INSTANCE, type_expr), dimensions)
        return NONE
    return w.value(node)


def elements(w: Walk, node: Node, of: int, dimensions: int = 0) -> None:
    """Visits the elements of a list for the value `of`, or for an array of so many dimensions of such values. A list of
    lists alone is for an array as well."""
    children = [child for child in node.named_children if child.type != "comment"]
    is_of_fields = not dimensions and len(children) <= _FIELDS_MAX and any(child.type != _LIST for child in children)
    for position, child in enumerate(children):
        if child.type == _LIST:
            inner = w.b.wrap(Op.ITEM, of, position) if is_of_fields else of
            elements(w, child, inner, max(0, dimensions - 1))
        elif child.type == _PAIR:
            _pair(w, child, of)
        else:
            if is_of_fields and of != NONE:
                _hold(w, child, of, position)
            w.value(child)


def _hold(w: Walk, value: Node, of: int, position: int) -> None:
    """The field at a position gets a value that may be a function: it is used right in front of that."""
    if value.type in ("identifier", "pointer_expression") and _FUNCTION.match(w.text(value)):
        w.b.use(_READ, w.b.wrap(Op.ITEM, of, position), value.start_byte - 1)


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
    if value is not None and value.type == _LIST:
        elements(w, value, of)
    else:
        w.value(value)


def visit_untyped_list(w: Walk, node: Node) -> int:
    """A list whose type is not known."""
    elements(w, node, NONE)
    return NONE
