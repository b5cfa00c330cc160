"""Calls of methods and constructors, and references to methods.

Which of several methods of a name is called depends on the arguments: `Builder.overload` hands them on.

Source: The Java Language Specification, "Method Invocation Expressions", "Explicit Constructor
Invocations", "Method Reference Expressions".
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from codemap.fact_building.builder import NONE
from codemap.fact_building.walk import children_of, visit_children
from codemap.facts import Op, UseRole
from codemap.languages.java.walk import JavaWalk
from codemap.languages.jvm.semantics import CONSTRUCTOR
from codemap.mangled_names import mangle_method

if TYPE_CHECKING:
    from tree_sitter import Node

_CALL = int(UseRole.CALL)
_READ = int(UseRole.REFERENCE)
_LAMBDA = "lambda_expression"


def list_arguments(node: Node | None) -> list[Node]:
    """The arguments in a list."""
    return children_of(node) if node is not None else []


def call(w: JavaWalk, callee: int, arguments: Node | None, at: int) -> int:
    """A call of a callee with these arguments, which it visits; gives the result."""
    b = w.b
    given = visit_arguments(w, callee, arguments)
    chosen = b.overload(callee, given)
    b.use(_CALL, chosen, at)
    return b.call(chosen, given)


def visit_arguments(w: JavaWalk, callee: int, arguments: Node | None) -> list[int]:
    """Visits the arguments of a call; lambdas among them are called with what the callee wants of them."""
    return [
        w.value_for(node, w.b.wrap(Op.SLOT, callee, position)) if node.type == _LAMBDA else w.value(node)
        for position, node in enumerate(list_arguments(arguments))
    ]


def invocation(w: JavaWalk, node: Node) -> int:
    name_node, arguments = node.child_by_field_name("name"), node.child_by_field_name("arguments")
    if name_node is None or arguments is None:
        return visit_children(w, node)
    w.field(node, "type_arguments")
    count = len(list_arguments(arguments))
    name = mangle_method(w.text(name_node), count)
    receiver = node.child_by_field_name("object")
    if receiver is None:
        callee = w.bare(name)
    else:
        value = w.value(receiver)
        if any(child.type == "super" and child != receiver for child in node.children):
            value = w.b.wrap(Op.INSTANCE, value)  # Base.super.m()
        callee = w.b.attribute(value, name)
    result = call(w, callee, arguments, name_node.start_byte)
    is_of_class = not count and w.text(name_node) == "getClass"  # which no class can override
    return w.b.wrap(Op.INSTANCE, w.b.apply(w.b.name("Class"), [NONE])) if is_of_class else result


def constructor_call(w: JavaWalk, node: Node) -> int:
    """`this(…)` or `super(…)`."""
    arguments, which = node.child_by_field_name("arguments"), node.child_by_field_name("constructor")
    outer = node.child_by_field_name("object")
    w.value(outer)
    if not w.classes or which is None:
        return visit_children(w, node)
    name = mangle_method(CONSTRUCTOR, len(list_arguments(arguments)))
    if which.type == "super":
        callee = w.b.either(w.b.attribute(w.super_(), name), w.classes[-1].superclass)
    else:
        callee = w.b.attribute(w.this(), name)
    call(w, callee, arguments, which.start_byte)
    return NONE


def reference(w: JavaWalk, node: Node) -> int:
    """`Type::method`, `value::method`, `Type::new`: what is meant by its name alone."""
    b = w.b
    parts = [child for child in node.children if child.is_named and child.type != "type_arguments"]
    if not parts:
        return NONE
    is_new = any(child.type == "new" for child in node.children)
    if is_new:
        return w.value(parts[0])
    value = w.value(parts[0])
    if len(parts) < 2:
        return NONE
    method = b.attribute(value, mangle_method(w.text(parts[-1])))
    b.use(_READ, method, parts[-1].start_byte)
    return method
