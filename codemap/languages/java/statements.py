"""Statements that open blocks or declare variables; all others are visited for what they hold.

Source: The Java Language Specification, "Blocks, Statements, and Patterns".
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from codemap.fact_building.builder import NONE
from codemap.fact_building.walk import visit_children, visit_inner
from codemap.facts import Op, UseRole
from codemap.languages.java import types
from codemap.languages.java.walk import JavaWalk
from codemap.mangled_names import mangle_method

if TYPE_CHECKING:
    from tree_sitter import Node

_READ = int(UseRole.REFERENCE)
_CLOSE = (mangle_method("close", 0),)
_ITERATE = (mangle_method("iterator", 0),)


def block(w: JavaWalk, node: Node) -> int:
    """A block, or a statement whose header declares names: they end with it."""
    with w.b.block():
        visit_children(w, node)
    return NONE


def local(w: JavaWalk, node: Node) -> int:
    """`T a = …, b[];` or `var a = …;`"""
    stated = w.field(node, "type")
    for child in node.named_children:
        if child.type == "modifiers":
            w.value(child)
    for declarator in node.children_by_field_name("declarator"):
        name = declarator.child_by_field_name("name")
        type_expr = types.of_arrays(w, stated, declarator.child_by_field_name("dimensions"))
        value = w.value_for(declarator.child_by_field_name("value"), type_expr)
        if name is not None:
            w.declare_typed(w.text(name), type_expr, value)
    return NONE


def visit_foreach(w: JavaWalk, node: Node) -> int:
    """`for (T x : xs)`: asks for an iterator."""
    with w.b.block():
        _each(w, node)
    return NONE


def _each(w: JavaWalk, node: Node) -> None:
    type_expr = w.field(node, "type")
    whole_node, name = node.child_by_field_name("value"), node.child_by_field_name("name")
    whole = w.value(whole_node)
    if whole_node is not None:
        w.b.operate(whole, _ITERATE, whole_node.start_byte)
    if name is not None:
        w.declare_typed(w.text(name), type_expr, w.b.wrap(Op.ITER, whole))
    w.field(node, "body")


def resource(w: JavaWalk, node: Node) -> int:
    """A resource of `try (…)`, which is closed in the end."""
    type_expr = w.field(node, "type")
    name, value_node = node.child_by_field_name("name"), node.child_by_field_name("value")
    if name is None:
        w.b.operate(visit_inner(w, node), _CLOSE, node.start_byte)
        return NONE
    value = w.value(value_node)
    w.declare_typed(w.text(name), type_expr, value)
    held = value if type_expr == NONE else w.b.wrap(Op.INSTANCE, type_expr)
    w.b.operate(held, _CLOSE, name.start_byte)
    return NONE


def visit_catch(w: JavaWalk, node: Node) -> int:
    """`catch (A | B e)`."""
    name = node.child_by_field_name("name")
    found = NONE
    for child in node.named_children:
        if child.type == "catch_type":
            found = w.b.unions([w.value(type_node) for type_node in child.named_children])
    if name is not None:
        w.declare_typed(w.text(name), found)
    return NONE


def switch(w: JavaWalk, node: Node) -> int:
    """`switch`: bare names in its labels are constants of the type of what it looks at."""
    condition = w.field(node, "condition")
    body = node.child_by_field_name("body")
    for group in body.named_children if body is not None else ():
        with w.b.block():
            _group(w, group, condition)
    return NONE


def _group(w: JavaWalk, group: Node, condition: int) -> None:
    for child in group.named_children:
        if child.type == "switch_label":
            for part in child.named_children:
                _label(w, part, condition)
        else:
            w.value(child)


def _label(w: JavaWalk, node: Node, condition: int) -> None:
    if node.type != "identifier":
        w.value(node)
        return
    name = w.text(node)
    if name != "default":
        w.b.use(_READ, w.b.either(w.b.attribute(condition, name), w.bare(name)), node.start_byte)


def jump(w: JavaWalk, node: Node) -> int:
    """`label: …`: the label is no variable."""
    for child in node.named_children:
        if child.type != "identifier":
            w.value(child)
    return NONE
