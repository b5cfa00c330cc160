"""Expressions but for calls, and statements: what they are, and the names that they use and bind.

What is tested to be of a type is of that type where the test holds.

Source: the Kotlin specification, "Expressions", "Statements", "Smart casts".
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from codemap.fact_building.builder import NONE
from codemap.fact_building.walk import visit_children
from codemap.facts import Op, SourceKind, UseRole
from codemap.languages.kotlin import calls, properties
from codemap.languages.kotlin.walk import TYPES, KotlinWalk, expressions_of, find_child, first_type, has_token
from codemap.mangled_names import mangle_method

if TYPE_CHECKING:
    from tree_sitter import Node

LITERALS = {
    "string_literal": "String",
    "character_literal": "Char",
    "integer_literal": "Int",
    "hex_literal": "Int",
    "bin_literal": "Int",
    "long_literal": "Long",
    "real_literal": "Double",
    "boolean_literal": "Boolean",
}
_ITERATE = (mangle_method("iterator", 0),)


def identifier(w: KotlinWalk, node: Node) -> int:
    return w.read(node)


def this(w: KotlinWalk, node: Node) -> int:
    """`this`, or `this@Outer`."""
    label = find_child(node, "type_identifier", "simple_identifier")
    if label is None:
        return w.this()
    known = w.named.get((w.b.file, w.text(label)))
    around = [cls for cls in w.classes if known is not None and cls.symbol == known[0]]
    return around[0].this if around else w.b.wrap(Op.INSTANCE, w.bare(w.text(label)))


def super_(w: KotlinWalk, node: Node) -> int:
    base = first_type(node)
    return w.super_() if base is None else w.b.wrap(Op.INSTANCE, w.value(base))


def literal(w: KotlinWalk, node: Node) -> int:
    visit_children(w, node)
    return w.b.literal(LITERALS[node.type])


def parenthesized(w: KotlinWalk, node: Node) -> int:
    found = [w.value(child) for child in expressions_of(node)]
    return found[-1] if found else NONE


def visit_elvis(w: KotlinWalk, node: Node) -> int:
    """`a ?: b`."""
    return w.b.unions([w.value(child) for child in expressions_of(node)])


def cast(w: KotlinWalk, node: Node) -> int:
    parts = expressions_of(node)
    values = [w.value(part) for part in parts]
    return w.b.wrap(Op.INSTANCE, values[-1]) if len(parts) == 2 else NONE


def infix(w: KotlinWalk, node: Node) -> int:
    """`a f b` calls `a.f(b)`."""
    b = w.b
    parts = expressions_of(node)
    if len(parts) != 3 or parts[1].type != "simple_identifier":
        return visit_children(w, node)
    receiver = w.value(parts[0])
    value = w.value(parts[2])
    callee = b.overload(b.attribute(receiver, mangle_method(w.text(parts[1]), 1)), [value])
    b.use(int(UseRole.CALL), callee, parts[1].start_byte)
    return b.call(callee, [value])


def conditional(w: KotlinWalk, node: Node) -> int:
    """`if`: gives what its branches do; what the condition tests holds in the first."""
    condition = node.child_by_field_name("condition")
    branches = [child for child in expressions_of(node) if child != condition]
    w.value(condition)
    values: list[int] = []
    for at, branch in enumerate(branches):
        with w.b.block():
            values.append(_branch(w, branch, condition if at == 0 else None))
    return w.b.unions(values) if len(branches) == 2 else NONE


def _branch(w: KotlinWalk, branch: Node, condition: Node | None) -> int:
    if condition is not None:
        _narrow(w, condition)
    return calls.last_value(w, branch)


def _narrow(w: KotlinWalk, condition: Node) -> None:
    """Binds anew the variables that a condition says the type of."""
    if condition.type in ("conjunction_expression", "parenthesized_expression"):
        for part in condition.named_children:
            _narrow(w, part)
    elif condition.type == "check_expression" and has_token(condition, "is"):
        variable, stated = find_child(condition, "simple_identifier"), first_type(condition)
        if variable is not None and stated is not None:
            _bind_narrowed(w, w.text(variable), stated)


def _bind_narrowed(w: KotlinWalk, name: str, stated: Node) -> None:
    names = [child for child in stated.named_children if child.type == "type_identifier"]
    if not names or stated.type != "user_type":
        return
    value = w.bare(w.text(names[0]))
    for part in names[1:]:
        value = w.b.attribute(value, w.text(part))
    w.declare(name, SourceKind.TYPED, value)


def when(w: KotlinWalk, node: Node) -> int:
    values: list[int] = []
    with w.b.block():
        _when(w, node, values)
    return w.b.unions(values)


def _when(w: KotlinWalk, node: Node, values: list[int]) -> None:
    subject = find_child(node, "when_subject")
    name = None
    if subject is not None:
        variable = find_child(subject, "variable_declaration")
        parts = [child for child in expressions_of(subject) if child != variable]
        value = w.value(parts[0]) if parts else NONE
        if variable is not None:
            properties.declare_variable(w, variable, value)
            name = find_child(variable, "simple_identifier")
        elif parts and parts[0].type == "simple_identifier":
            name = parts[0]
    for entry in node.named_children:
        if entry.type == "when_entry":
            with w.b.block():
                values.append(_entry(w, entry, name))


def _entry(w: KotlinWalk, entry: Node, subject: Node | None) -> int:
    conditions = [child for child in entry.named_children if child.type == "when_condition"]
    for condition in conditions:
        visit_children(w, condition)
    tests = [find_child(condition, "type_test") for condition in conditions]
    test = tests[0] if len(tests) == 1 else None
    stated = first_type(test) if test is not None and not has_token(test, "!is") else None
    if stated is not None and subject is not None:
        _bind_narrowed(w, w.text(subject), stated)
    elif len(conditions) == 1 and conditions[0].named_children:
        _narrow(w, conditions[0].named_children[0])
    body = find_child(entry, "control_structure_body")
    return calls.last_value(w, body) if body is not None else NONE


def try_(w: KotlinWalk, node: Node) -> int:
    with w.b.block():
        visit_children(w, node)
    return NONE


def visit_catch(w: KotlinWalk, node: Node) -> int:
    with w.b.block():
        _caught(w, node)
    return NONE


def _caught(w: KotlinWalk, node: Node) -> None:
    name, stated = find_child(node, "simple_identifier"), first_type(node)
    type_expr = w.value(stated)
    if name is not None:
        w.declare_typed(w.text(name), type_expr)
    for child in node.named_children:
        if child not in (name, stated):
            w.value(child)


def loop(w: KotlinWalk, node: Node) -> int:
    """`for (x in xs)`: asks for an iterator."""
    with w.b.block():
        _loop(w, node)
    return NONE


def _loop(w: KotlinWalk, node: Node) -> None:
    several, variable = find_child(node, "multi_variable_declaration"), find_child(node, "variable_declaration")
    parts = [child for child in expressions_of(node) if child not in (several, variable)]
    whole = w.value(parts[0]) if parts else NONE
    if parts:
        w.b.operate(whole, _ITERATE, parts[0].start_byte)
    element = w.b.wrap(Op.ITER, whole)
    if several is not None:
        properties.destructure(w, several, element)
    elif variable is not None:
        properties.declare_variable(w, variable, element)
    for part in parts[1:]:
        w.value(part)


def block(w: KotlinWalk, node: Node) -> int:
    """A block of statements: the names that it declares end with it."""
    with w.b.block():
        visit_children(w, node)
    return NONE


def anonymous(w: KotlinWalk, node: Node) -> int:
    """`fun(x: T): R {…}`: what it uses belongs to the definition around it."""
    with w.b.block():
        _anonymous(w, node)
    return NONE


def _anonymous(w: KotlinWalk, node: Node) -> None:
    for child in node.named_children:
        if child.type != "function_value_parameters":
            w.value(child)
            continue
        for parameter in child.named_children:
            name = find_child(parameter, "simple_identifier")
            stated = w.value(first_type(parameter))
            if name is not None:
                w.declare_typed(w.text(name), stated)


def jump(w: KotlinWalk, node: Node) -> int:
    """`return x`, `throw x`; labels are no variables."""
    for child in node.named_children:
        if child.type not in ("label", "simple_identifier") or not has_token(node, "@"):
            w.value(child)
    return NONE


def annotation(w: KotlinWalk, node: Node) -> int:
    """An annotation refers to its type."""
    for child in node.named_children:
        type_node = child if child.type in TYPES else find_child(child, "user_type")
        w.value(type_node)
        listed = find_child(child, "value_arguments")
        if listed is not None:
            calls.arguments(w, listed, NONE)
    return NONE
