"""Expressions but for calls: what their value is, and every name and member that they use.

Source: The Java Language Specification, "Expressions".
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from codemap.fact_building.builder import NONE
from codemap.fact_building.walk import visit_children
from codemap.facts import Op, UseRole
from codemap.languages.java import types
from codemap.languages.java.walk import JavaWalk
from codemap.languages.jvm.semantics import BOXES

if TYPE_CHECKING:
    from tree_sitter import Node

_READ = int(UseRole.REFERENCE)
_LITERALS = {
    "string_literal": "String",
    "character_literal": "char",
    "decimal_integer_literal": "int",
    "hex_integer_literal": "int",
    "octal_integer_literal": "int",
    "binary_integer_literal": "int",
    "decimal_floating_point_literal": "double",
    "hex_floating_point_literal": "double",
    "true": "boolean",
    "false": "boolean",
}
_TESTS = frozenset({"==", "!=", "<", ">", "<=", ">=", "&&", "||"})
LITERALS = tuple(_LITERALS)


def identifier(w: JavaWalk, node: Node) -> int:
    return w.read(node)


def this(w: JavaWalk, _node: Node) -> int:
    return w.this()


def super_(w: JavaWalk, _node: Node) -> int:
    return w.super_()


def literal(w: JavaWalk, node: Node) -> int:
    name = _LITERALS[node.type]
    if node.named_child_count:
        visit_children(w, node)
    if name == "int" and w.chars[node.end_byte - 1] in "lL":
        name = "long"
    return w.b.literal(name)


def class_literal(w: JavaWalk, node: Node) -> int:
    """`C.class`: the only value of the type `Class<C>`."""
    parts = node.named_children
    boxed = BOXES.get(w.text(parts[0])) if parts else None
    of = w.b.name(boxed) if boxed else w.value(parts[0]) if parts else NONE
    return w.b.wrap(Op.INSTANCE, w.b.apply(w.b.name("Class"), [of]))


def field(w: JavaWalk, node: Node) -> int:
    """`a.b`, `Outer.this`, `Outer.super`."""
    b = w.b
    owner, name = node.child_by_field_name("object"), node.child_by_field_name("field")
    value = w.value(owner)
    if any(child.type == "super" and child != owner for child in node.children) or (name and name.type == "this"):
        return b.wrap(Op.INSTANCE, value)
    if name is None or value == NONE:
        return NONE
    value = b.attribute(value, w.text(name))
    b.use(_READ, value, name.start_byte)
    return value


def index(w: JavaWalk, node: Node) -> int:
    value = w.field(node, "array")
    w.field(node, "index")
    return w.b.wrap(Op.INDEX, value)


def cast(w: JavaWalk, node: Node) -> int:
    given = [w.value(child) for child in node.children_by_field_name("type")]
    w.field(node, "value")
    return w.b.wrap(Op.INSTANCE, given[0]) if given else NONE


def conditional(w: JavaWalk, node: Node) -> int:
    w.field(node, "condition")
    left = w.field(node, "consequence")
    return w.b.union(left, w.field(node, "alternative"))


def assignment(w: JavaWalk, node: Node) -> int:
    w.field(node, "left")
    return w.field(node, "right")


def binary(w: JavaWalk, node: Node) -> int:
    """Text, a truth, or a number that is not known closer."""
    operator = node.child_by_field_name("operator")
    left = w.field(node, "left")
    right = w.field(node, "right")
    if operator is not None and operator.type in _TESTS:
        return w.b.literal("boolean")
    text = w.b.literal("String")
    return text if operator is not None and operator.type == "+" and text in (left, right) else NONE


def array_creation(w: JavaWalk, node: Node) -> int:
    """`new T[n]`, `new T[] {…}`."""
    element = w.field(node, "type")
    for dimensions in node.children_by_field_name("dimensions"):
        if dimensions.type == "dimensions":
            element = types.of_arrays(w, element, dimensions)
        else:
            w.value(dimensions)
            element = types.array_of(w, element)
    w.field(node, "value")
    return w.b.wrap(Op.INSTANCE, element)


def instance_test(w: JavaWalk, node: Node) -> int:
    """`x instanceof T`, which may bind what it has tested."""
    w.field(node, "left")
    right, name = node.child_by_field_name("right"), node.child_by_field_name("name")
    type_expr = w.value(right)
    w.field(node, "pattern")
    if name is not None:
        w.declare_typed(w.text(name), type_expr)
    return w.b.literal("boolean")


def type_pattern(w: JavaWalk, node: Node) -> int:
    """`T x` in a pattern; also a component of one of a record, which may be a pattern itself."""
    parts = [child for child in node.named_children if child.type != "modifiers"]
    if len(parts) == 2 and parts[1].type == "identifier":
        w.declare_typed(w.text(parts[1]), w.value(parts[0]))
        return NONE
    return visit_children(w, node)
