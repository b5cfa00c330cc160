"""Expressions: what their value is, and every name and attribute that they use.

Each handler returns a builder expression for the value and tells the builder the uses inside. A name that is read is a
REFERENCE at the name; `a.b.c()` is a CALL of the whole chain at `c` and a REFERENCE to `a.b` and to `a`.

Source: the Python Language Reference, chapter 6.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from codemap.extract.builder import NONE
from codemap.facts import Op, UseRole
from codemap.languages.python.builtins import CONTAINERS, TRANSPARENT
from codemap.languages.python.narrowing import narrow_positive
from codemap.languages.python.targets import assign
from codemap.languages.python.walk import Walk, inside

if TYPE_CHECKING:
    from tree_sitter import Node


_READ = int(UseRole.REFERENCE)
_QUOTES = b"\"'"
_TYPE_NAMES = frozenset((*CONTAINERS, *TRANSPARENT, "Literal", "Type", "type"))
_OPERATORS = {
    "+": "__add__",
    "-": "__sub__",
    "*": "__mul__",
    "/": "__truediv__",
    "//": "__floordiv__",
    "%": "__mod__",
    "@": "__matmul__",
    "&": "__and__",
    "^": "__xor__",
    "<<": "__lshift__",
    ">>": "__rshift__",
    "**": "__pow__",
}
NOT_READ = frozenset({"True", "False", "None", "__class__"})
"""Names that make a chain more than names read one after the other."""
_LITERALS = frozenset({"string", "concatenated_string", "integer", "float"})


def identifier(w: Walk, node: Node) -> int:
    return w.b.read(node.start_byte, node.end_byte)


def attribute(w: Walk, node: Node) -> int:
    plain = w.b.read_chain(node.start_byte, node.end_byte)
    if plain is not None:
        return plain
    children = node.children
    of = children[0]
    value = w.values[of.kind_id](w, of)
    if value == NONE:
        return NONE
    last = children[-1]
    start = last.start_byte
    b = w.b
    name = w.source[start : last.end_byte].decode("utf-8", "replace")
    if name == "__class__" and w.is_receiver(of):
        return b.expr(Op.SYMBOL, w.place.class_symbol)
    value = b.attribute(value, name)
    b.use(_READ, value, start)
    return value


def subscript(w: Walk, node: Node) -> int:
    children = [child for child in node.named_children if child.type != "comment"]
    if _names_type(w, children[0]):
        return w.types[node.kind_id](w, node)
    values = w.values
    of = values[children[0].kind_id](w, children[0])
    index = NONE
    for child in children[1:]:
        index = values[child.kind_id](w, child)
    if len(children) == 2 and children[1].type == "integer":
        return w.b.wrap(Op.INDEX, of, w.b.literal(w.text(children[1])))
    return w.b.wrap(Op.INDEX, of, index if len(children) == 2 else NONE)


def _names_type(w: Walk, node: Node) -> bool:
    """Whether a subscript of this expression makes a type (`Dict[str, C]`), by the names of the typing module."""
    if node.type == "attribute":
        node = node.children[-1]
    return node.type == "identifier" and w.text(node) in _TYPE_NAMES


def string(w: Walk, node: Node) -> int:
    first = w.source[node.start_byte]
    if first in _QUOTES:
        return w.text_literal
    if first not in b"rRuUbB" or w.source[node.start_byte + 1] in b"fFtT":
        for child in node.named_children:
            if child.type == "interpolation":
                inside(w, child)
    return w.b.literal("bytes") if first in b"bB" else w.text_literal


def concatenated_string(w: Walk, node: Node) -> int:
    value = NONE
    for child in node.named_children:
        value = w.value(child)
    return value


def integer(w: Walk, _node: Node) -> int:
    return w.integer_literal


def float_(w: Walk, _node: Node) -> int:
    return w.b.literal("float")


def boolean(w: Walk, _node: Node) -> int:
    return w.boolean_literal


def comparison(w: Walk, node: Node) -> int:
    values = w.values
    for child in node.named_children:
        values[child.kind_id](w, child)
    return w.boolean_literal


def parenthesized(w: Walk, node: Node) -> int:
    value = NONE
    values = w.values
    for child in node.named_children:
        value = values[child.kind_id](w, child)
    return value


def boolean_operator(w: Walk, node: Node) -> int:
    """`e or f` is either; `e and f` is f where it matters, and sees what e narrows."""
    left, operator, *_, right = node.children
    if operator.type != "and":
        value = w.value(left)
        return w.b.union(value, w.value(right))
    spine = [right]
    while left.kind_id == node.kind_id:
        first, operator, *_, right = left.children
        if operator.type != "and":
            break
        spine.append(right)
        left = first
    scope = w.b.scope
    value = w.value(left)
    while spine:
        narrow_positive(w, left)
        left = spine.pop()
        value = w.value(left)
    w.b.scope = scope
    return value


def binary_operator(w: Walk, node: Node) -> int:
    spine = []
    while node.type == "binary_operator":
        left, operator, *_, right = node.children
        spine.append((operator, right))
        node = left
    b = w.b
    value = w.value(node)
    is_literal = node.type in _LITERALS
    for operator, right in reversed(spine):
        other = w.value(right)
        if is_literal:
            continue
        sign = operator.type
        if sign == "|":
            value = b.union(value, other)
        elif sign in _OPERATORS:
            value = b.call(b.attribute(value, _OPERATORS[sign]))
    return value


def conditional_expression(w: Walk, node: Node) -> int:
    parts = [child for child in node.named_children if child.type != "comment"]
    if len(parts) != 3:
        return inside(w, node)
    yes, condition, no = parts
    w.value(condition)
    scope = w.b.scope
    narrow_positive(w, condition)
    value = w.value(yes)
    w.b.scope = scope
    return w.b.union(value, w.value(no))


def named_expression(w: Walk, node: Node) -> int:
    target, value_node = node.children[0], node.children[-1]
    value = w.value(value_node)
    assign(w, target, value, w.b.function_scope())
    return value


def await_(w: Walk, node: Node) -> int:
    return w.b.wrap(Op.AWAIT, w.value(node.children[-1]))


def unary(w: Walk, node: Node) -> int:
    w.value(node.children[-1])
    return NONE


def yield_(w: Walk, node: Node) -> int:
    place = w.place
    place.is_generator = True
    is_from = len(node.children) > 1 and node.children[1].type == "from"
    for child in node.named_children:
        value = w.value(child)
        place.yields.append(w.b.wrap(Op.ITER, value) if is_from else value)
    return NONE
