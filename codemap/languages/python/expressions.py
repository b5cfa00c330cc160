"""Expressions: what their value is, and every name and attribute that they use.

Each handler returns a builder expression for the value and reports the uses inside. A name that is read is a
REFERENCE at the name; `a.b.c()` is a CALL of the whole chain at `c` and a REFERENCE to `a.b` and to `a`.

Source: the Python Language Reference, chapter 6.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from codemap.fact_building.builder import NONE
from codemap.fact_building.walk import children_of, visit_children
from codemap.facts import Op, UseRole
from codemap.languages.python import special_methods as special
from codemap.languages.python.builtins import CONTAINERS, TRANSPARENT
from codemap.languages.python.narrowing import narrow_negative, narrow_positive
from codemap.languages.python.targets import assign
from codemap.languages.python.walk import Walk

if TYPE_CHECKING:
    from tree_sitter import Node


_READ = int(UseRole.REFERENCE)
_QUOTES = b"\"'"
_TYPE_NAMES = frozenset((*CONTAINERS, *TRANSPARENT, "Literal", "Type", "type"))
NOT_READ = frozenset({"True", "False", "None", "__class__"})
"""Names that make a chain more than names read one after the other."""
_LITERALS = frozenset({"string", "concatenated_string", "integer", "float"})
_CONDITIONAL_PARTS = 5
"""Of `a if b else c`."""


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
    children = children_of(node)
    if _names_type(w, children[0]):
        w.item_methods = special.GET_ITEM
        return w.types[node.kind_id](w, node)
    values = w.values
    methods, w.item_methods = w.item_methods, special.GET_ITEM
    of = values[children[0].kind_id](w, children[0])
    w.b.operate(of, methods, children[0].end_byte)
    index = NONE
    for child in children[1:]:
        index = values[child.kind_id](w, child)
    if len(children) == 2 and children[1].type in ("integer", "slice"):
        kind = children[1].type
        return w.b.wrap(Op.INDEX, of, w.b.literal(kind if kind == "slice" else w.text(children[1])))
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
                _replacement(w, child)
    return w.b.literal("bytes") if first in b"bB" else w.text_literal


def _replacement(w: Walk, node: Node) -> None:
    """A replacement field of a string: its value is formatted."""
    value, conversion = NONE, ""
    for child in node.named_children:
        kind = child.type
        if kind == "type_conversion":
            conversion = w.text(child)
        elif kind == "format_specifier":
            for inner in child.named_children:
                _replacement(w, inner)
        else:
            value = w.values[child.kind_id](w, child)
    w.b.operate(value, _CONVERSIONS.get(conversion, special.FORMAT), node.start_byte)


_CONVERSIONS = {"!s": special.STR, "!r": special.REPR, "!a": special.REPR}


def integer(w: Walk, _node: Node) -> int:
    return w.integer_literal


def float_(w: Walk, _node: Node) -> int:
    return w.b.literal("float")


def boolean(w: Walk, _node: Node) -> int:
    return w.boolean_literal


def comparison(w: Walk, node: Node) -> int:
    values, b = w.values, w.b
    previous, operator = NONE, None
    for child in node.children:
        if not child.is_named:
            operator = child
            continue
        value = values[child.kind_id](w, child)
        if operator is not None:
            special.compare(b, previous, operator.type, value, operator.start_byte)
            operator = None
        previous = value
    return w.boolean_literal


def negation(w: Walk, node: Node) -> int:
    tested(w, node.children[-1], node.start_byte)
    return w.boolean_literal


def tested(w: Walk, node: Node, at: int) -> int:
    """Visits an expression that is tested for its truth; `at` is the offset of the keyword that does so."""
    if node.type == "boolean_operator" and node.children[1].type == "or":
        left, operator, *_, right = node.children
        return w.b.union(tested(w, left, operator.start_byte), tested(w, right, at))
    value = w.value(node)
    w.b.operate(value, special.TRUTH, at)
    return value


def boolean_operator(w: Walk, node: Node) -> int:
    """`e or f` is either; `e and f` is f where it matters, and sees what e narrows."""
    left, operator, *_, right = node.children
    if operator.type != "and":
        value = tested(w, left, operator.start_byte)
        return w.b.union(value, w.value(right))
    spine = [(operator.start_byte, right)]
    while left.kind_id == node.kind_id:
        first, operator, *_, right = left.children
        if operator.type != "and":
            break
        spine.append((operator.start_byte, right))
        left = first
    scope = w.b.scope
    value = w.value(left)
    while spine:
        at, right = spine.pop()
        w.b.operate(value, special.TRUTH, at)
        narrow_positive(w, left)
        left = right
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
            _to_literal(w, operator, right, other)
            continue
        sign = operator.type
        if sign not in special.BINARY:
            continue
        special.binary(b, value, sign, other, operator.start_byte)
        value = b.union(value, other) if sign == "|" else b.call(b.attribute(value, f"__{special.BINARY[sign]}__"))
    return value


def _to_literal(w: Walk, operator: Node, right: Node, other: int) -> None:
    """What an operation on a literal asks its right operand for; `%` formats it."""
    b, at = w.b, operator.start_byte
    sign = operator.type
    if sign == "%":
        for value in b.parts_of(other) if right.type == "tuple" else (other,):
            b.operate(value, special.STR, at)
    elif sign in special.BINARY:
        special.binary(b, w.text_literal, sign, other, at)


def conditional_expression(w: Walk, node: Node) -> int:
    parts = [child for child in node.children if child.type != "comment"]
    if len(parts) != _CONDITIONAL_PARTS:
        return visit_children(w, node)
    yes, keyword, condition, _, no = parts
    tested(w, condition, keyword.start_byte)
    scope = w.b.scope
    narrow_positive(w, condition)
    value = w.value(yes)
    w.b.scope = scope
    narrow_negative(w, condition)
    other = w.value(no)
    w.b.scope = scope
    return w.b.union(value, other)


def named_expression(w: Walk, node: Node) -> int:
    target, value_node = node.children[0], node.children[-1]
    value = w.value(value_node)
    assign(w, target, value, w.b.function_scope())
    return value


def await_(w: Walk, node: Node) -> int:
    value = w.value(node.children[-1])
    w.b.operate(value, special.AWAIT, node.start_byte)
    return w.b.wrap(Op.AWAIT, value)


def unary(w: Walk, node: Node) -> int:
    value = w.value(node.children[-1])
    methods = special.UNARY.get(node.children[0].type)
    if methods is not None:
        w.b.operate(value, methods, node.start_byte)
    return NONE


def yield_(w: Walk, node: Node) -> int:
    place = w.place
    place.is_generator = True
    is_from = len(node.children) > 1 and node.children[1].type == "from"
    for child in node.named_children:
        value = w.value(child)
        if is_from:
            w.b.operate(value, special.ITER, node.children[1].start_byte)
        place.yields.append(w.b.wrap(Op.ITER, value) if is_from else value)
    return NONE
