"""Expressions but for calls: what their value is, and every name and member that they use.

Source: the C# language specification, "Expressions".
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from codemap.fact_building.builder import NONE
from codemap.fact_building.walk import visit_children
from codemap.facts import Op, UseRole
from codemap.languages.csharp import calls, types
from codemap.languages.csharp.builtins import INDEXER
from codemap.languages.csharp.members import operator_name
from codemap.languages.csharp.walk import CSharpWalk, find_child
from codemap.mangled_names import mangle_type

if TYPE_CHECKING:
    from tree_sitter import Node

_CALL = int(UseRole.CALL)
_READ = int(UseRole.REFERENCE)
_LITERALS = {
    "string_literal": "string",
    "verbatim_string_literal": "string",
    "raw_string_literal": "string",
    "interpolated_string_expression": "string",
    "character_literal": "char",
    "integer_literal": "int",
    "real_literal": "double",
    "boolean_literal": "bool",
}
_SUFFIXES = {"l": "long", "u": "uint", "ul": "ulong", "lu": "ulong", "f": "float", "m": "decimal", "d": "double"}
_TESTS = frozenset({"==", "!=", "<", ">", "<=", ">=", "&&", "||"})
_EITHER = "??"
LITERALS = tuple(_LITERALS)


def identifier(w: CSharpWalk, node: Node) -> int:
    value = w.simple(w.text(node))
    w.b.use(_READ, value, node.start_byte)
    return value


def this(w: CSharpWalk, _node: Node) -> int:
    return w.this()


def base(w: CSharpWalk, _node: Node) -> int:
    return w.super_()


def literal(w: CSharpWalk, node: Node) -> int:
    name = _LITERALS[node.type]
    if node.type == "interpolated_string_expression":
        visit_children(w, node)
    if name in ("int", "double"):
        text = w.text(node).lower()
        digits = text.rstrip("ulfdm") if not text.startswith("0x") else text.rstrip("ul")
        name = _SUFFIXES.get(text[len(digits) :], name)
    return w.b.literal(name)


def member(w: CSharpWalk, node: Node) -> int:
    """`a.b`; `a<T>.b` where `a` is a type."""
    b = w.b
    receiver, name_node = calls.split_member(node)
    if name_node is None:
        return visit_children(w, node)
    last = types.name_of(name_node)
    if types.is_constant(w, receiver, last):
        return w.value(receiver)
    value = w.value(receiver)
    types.arguments(w, name_node)
    name = w.text(last)
    if name_node.type == "generic_name":
        found = b.attribute(value, mangle_type(name, types.count_of(name_node)))
    else:
        found = b.attribute(value, name)
    b.use(_READ, found, last.start_byte)
    return found


def conditional_access(w: CSharpWalk, node: Node) -> int:
    """`a?.b`, `a?[i]`."""
    if calls.split_member(node)[1] is not None:
        return member(w, node)
    value = w.field(node, "condition")
    binding = find_child(node, "element_binding_expression")
    return element(w, value, binding) if binding is not None else visit_children(w, node)


def element_access(w: CSharpWalk, node: Node) -> int:
    value = w.field(node, "expression")
    return element(w, value, node.child_by_field_name("subscript"))


def element(w: CSharpWalk, value: int, subscript: Node | None) -> int:
    """`a[i]`: runs an indexer, where the type of `a` has one."""
    b = w.b
    if subscript is not None:
        given = calls.values(w, subscript, NONE)
        b.use(_CALL, b.overload(b.special(value, (INDEXER,)), given), subscript.start_byte)
    return b.wrap(Op.INDEX, value)


def prefix(w: CSharpWalk, node: Node) -> int:
    found = [w.value(child) for child in node.named_children]
    sign = node.children[0].type if node.children else ""
    if not found or sign in ("&", "*", "^"):
        return NONE
    if sign == "!":
        operate(w, found[-1], sign, node)
        return w.b.literal("bool")
    return operate(w, found[-1], sign, node)


def operate(w: CSharpWalk, operand: int, sign: str, at: Node) -> int:
    """Runs an operator that the type of an operand may have; gives what that gives."""
    b = w.b
    if operand == NONE or b.exprs[operand][0] == Op.LITERAL:
        return operand
    b.operate(operand, (operator_name(sign),), at.start_byte)
    return b.call(b.attribute(operand, operator_name(sign)))


def binary(w: CSharpWalk, node: Node) -> int:
    """Text, a truth, or what the operator of the left operand's type gives."""
    operator = node.child_by_field_name("operator")
    sign = "" if operator is None else operator.type
    left_node, right_node = node.child_by_field_name("left"), node.child_by_field_name("right")
    if sign == _EITHER:
        left = calls.function_or_value(w, left_node)
        return w.b.union(left, calls.function_or_value(w, right_node))
    left, right = w.value(left_node), w.value(right_node)
    given = NONE
    if sign not in ("&&", "||") and operator is not None:
        given = operate(w, left, sign, operator)
    if sign in _TESTS:
        return w.b.literal("bool")
    text = w.b.literal("string")
    return text if sign == "+" and text in (left, right) else given


def cast(w: CSharpWalk, node: Node) -> int:
    type_expr = types.visit_type(w, node.child_by_field_name("type"))
    calls.expected_value(w, node.child_by_field_name("value"), type_expr)
    return w.b.wrap(Op.INSTANCE, type_expr)


def as_(w: CSharpWalk, node: Node) -> int:
    """`x as T`."""
    w.field(node, "left")
    return w.b.wrap(Op.INSTANCE, types.visit_type(w, node.child_by_field_name("right")))


def is_(w: CSharpWalk, node: Node) -> int:
    """`x is T`."""
    w.field(node, "left")
    types.visit_type(w, node.child_by_field_name("right"))
    return w.b.literal("bool")


def type_of(w: CSharpWalk, node: Node) -> int:
    types.visit_type(w, node.child_by_field_name("type"))
    return w.b.literal(mangle_type("Type", 0))


def default(w: CSharpWalk, node: Node) -> int:
    """`default(T)`."""
    return w.b.wrap(Op.INSTANCE, types.visit_type(w, node.child_by_field_name("type")))


def size_of(w: CSharpWalk, node: Node) -> int:
    types.visit_type(w, node.child_by_field_name("type"))
    return w.b.literal("int")


def conditional(w: CSharpWalk, node: Node) -> int:
    w.field(node, "condition")
    left = calls.function_or_value(w, node.child_by_field_name("consequence"))
    return w.b.union(left, calls.function_or_value(w, node.child_by_field_name("alternative")))


def assignment(w: CSharpWalk, node: Node) -> int:
    """What is assigned to; `new()`, lambdas and methods there are of its type."""
    left_node, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    sign = node.child_by_field_name("operator")
    left = w.value(left_node)
    if right is None:
        return left
    if right.type in ("lambda_expression", "anonymous_method_expression"):
        w.value_for(right, left)
    elif right.type == "implicit_object_creation_expression":
        calls.new(w, right, left, is_value=True)
    else:
        value = calls.function_or_value(w, right)
        if sign is not None and sign.type in ("+=", "-=", "*=", "/="):
            operate(w, left, sign.type[:-1], sign)
        return value if left == NONE else w.b.union(left, NONE)
    return left


def array_creation(w: CSharpWalk, node: Node) -> int:
    """`new T[n]`, `new T[] {…}`."""
    type_expr = types.visit_type(w, node.child_by_field_name("type"))
    for child in node.named_children:
        if child.type == "initializer_expression":
            visit_children(w, child)
    return w.b.wrap(Op.INSTANCE, type_expr)


def display(w: CSharpWalk, node: Node) -> int:
    """`new[] {…}`, `[a, ..b]`: holds what is in it."""
    found = NONE
    for child in node.named_children:
        for part in child.named_children if child.type in ("initializer_expression", "collection_element") else ():
            found = w.b.union(found, _element_of(w, part))
    return w.b.container("[]", found)


def _element_of(w: CSharpWalk, node: Node) -> int:
    if node.type == "spread_element":
        return w.b.wrap(Op.ITER, parenthesized(w, node))
    return parenthesized(w, node) if node.type == "expression_element" else calls.function_or_value(w, node)


def parenthesized(w: CSharpWalk, node: Node) -> int:
    """The only expression in a node, which may name a function: `(x)`, `ref x`, `checked(x)`."""
    found = [calls.function_or_value(w, child) for child in node.named_children]
    return next((value for value in found if value != NONE), NONE)


def awaited(w: CSharpWalk, node: Node) -> int:
    return w.b.wrap(Op.AWAIT, parenthesized(w, node))


def tuple_(w: CSharpWalk, node: Node) -> int:
    found = []
    for child in node.named_children:
        if child.type == "argument":
            name = child.child_by_field_name("name")
            parts = [calls.function_or_value(w, part) for part in child.named_children if part != name]
            found.append(parts[-1] if parts else NONE)
    return w.b.tuple_of(found)


def declaration(w: CSharpWalk, node: Node) -> int:
    """`out T x`, `var x` in an expression."""
    type_expr, name = types.visit_type(w, node.child_by_field_name("type")), node.child_by_field_name("name")
    if name is not None and name.type == "identifier":
        w.declare_typed(w.text(name), type_expr)
    return w.b.wrap(Op.INSTANCE, type_expr)


def with_(w: CSharpWalk, node: Node) -> int:
    """`r with { A = 1 }` is another `r`."""
    value = NONE
    for child in node.named_children:
        if child.type != "with_initializer":
            value = w.value(child)
            continue
        parts = child.named_children
        if parts and parts[0].type == "identifier":
            w.b.use(_READ, w.b.attribute(value, w.text(parts[0])), parts[0].start_byte)
        for part in parts[1:]:
            calls.function_or_value(w, part)
    return value


def anonymous_object(w: CSharpWalk, node: Node) -> int:
    """`new { A = x, y.B }`: its own names are no uses."""
    skipped = {at for at, child in enumerate(node.children[1:]) if child.type == "="}
    for at, child in enumerate(node.children):
        if child.is_named and at not in skipped:
            calls.function_or_value(w, child)
    return NONE
