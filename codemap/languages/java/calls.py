"""Calls: of methods, of constructors, of classes that have no name; lambdas, and references to methods.

Which of several methods of a name is called depends on the arguments: `Builder.overload` hands them on.

Source: The Java Language Specification, "Method Invocation Expressions", "Class Instance Creation Expressions",
"Method Reference Expressions", "Lambda Expressions".
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from codemap.extract.builder import NONE
from codemap.extract.walk import inside
from codemap.facts import Op, ScopeKind, SourceKind, UseRole
from codemap.languages.class_based.walk import any_name, arguments_name
from codemap.languages.java import definitions, members, types
from codemap.languages.java.walk import JavaWalk
from codemap.languages.jvm.semantics import CONSTRUCTOR

if TYPE_CHECKING:
    from tree_sitter import Node

_CALL = int(UseRole.CALL)
_READ = int(UseRole.REFERENCE)
_COMMENTS = ("line_comment", "block_comment")
_LAMBDA = "lambda_expression"


def listed(node: Node | None) -> list[Node]:
    """The arguments in a list."""
    return [child for child in node.named_children if child.type not in _COMMENTS] if node is not None else []


def call(w: JavaWalk, callee: int, arguments: Node | None, at: int) -> int:
    """A call of a callee with these arguments, which it visits; gives the result."""
    b = w.b
    given = [
        with_expected(w, node, b.wrap(Op.SLOT, callee, position)) if node.type == _LAMBDA else w.value(node)
        for position, node in enumerate(listed(arguments))
    ]
    chosen = b.overload(callee, given)
    b.use(_CALL, chosen, at)
    return b.call(chosen, given)


def invocation(w: JavaWalk, node: Node) -> int:
    name_node, arguments = node.child_by_field_name("name"), node.child_by_field_name("arguments")
    if name_node is None or arguments is None:
        return inside(w, node)
    w.field(node, "type_arguments")
    name = arguments_name(w.text(name_node), len(listed(arguments)))
    receiver = node.child_by_field_name("object")
    if receiver is None:
        return call(w, w.bare(name), arguments, name_node.start_byte)
    value = w.value(receiver)
    if any(child.type == "super" and child != receiver for child in node.children):
        value = w.b.wrap(Op.INSTANCE, value)  # Base.super.m()
    return call(w, w.b.attribute(value, name), arguments, name_node.start_byte)


def constructor_call(w: JavaWalk, node: Node) -> int:
    """`this(…)` or `super(…)`."""
    arguments, which = node.child_by_field_name("arguments"), node.child_by_field_name("constructor")
    outer = node.child_by_field_name("object")
    w.value(outer)
    if not w.classes or which is None:
        return inside(w, node)
    name = arguments_name(CONSTRUCTOR, len(listed(arguments)))
    if which.type == "super":
        callee = w.b.either(w.b.attribute(w.super_(), name), w.classes[-1].superclass)
    else:
        callee = w.b.attribute(w.this(), name)
    call(w, callee, arguments, which.start_byte)
    return NONE


def creation(w: JavaWalk, node: Node) -> int:
    """`new C(…)`, `outer.new C(…)`, `new C(…) {…}`."""
    b = w.b
    type_node, arguments = node.child_by_field_name("type"), node.child_by_field_name("arguments")
    if type_node is None:
        return inside(w, node)
    first = node.named_children[0]
    for child in node.named_children:
        if child.type.endswith("annotation") or child.type == "type_arguments":
            w.value(child)
    is_inner = first.start_byte < type_node.start_byte and not first.type.endswith(("annotation", "type_arguments"))
    if is_inner:
        outer = w.value(first)
        name = types.last_name(type_node)
        type_expr = b.attribute(outer, w.text(name))
        b.use(_CALL, type_expr, name.start_byte)
    else:
        type_expr = types.used(w, type_node, _CALL)
    for position, argument in enumerate(listed(arguments)):
        with_expected(w, argument, b.wrap(Op.SLOT, type_expr, position) if argument.type == _LAMBDA else NONE)
    body = next((child for child in node.named_children if child.type == "class_body"), None)
    if body is not None:
        return anonymous(w, body, type_expr, types.last_name(type_node))
    return b.wrap(Op.INSTANCE, type_expr)


def anonymous(w: JavaWalk, body: Node, base_expr: int, base_name: Node) -> int:
    """An instance of a class without a name."""
    return w.b.expr(Op.THIS, definitions.anonymous(w, body, base_expr, base_name))


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
    method = b.attribute(value, any_name(w.text(parts[-1])))
    b.use(_READ, method, parts[-1].start_byte)
    return method


def with_expected(w: JavaWalk, node: Node | None, expected: int) -> int:
    """Visits an expression that stands where a value of the type `expected` is wanted: its parameters are of that."""
    if node is None:
        return NONE
    return lambda_(w, node, expected) if node.type == _LAMBDA else w.value(node)


def plain_lambda(w: JavaWalk, node: Node) -> int:
    return lambda_(w, node, NONE)


def lambda_(w: JavaWalk, node: Node, expected: int) -> int:
    """A lambda: what it uses belongs to the definition around it."""
    with w.b.block(ScopeKind.FUNCTION):
        _lambda(w, node, expected)
    return NONE


def _lambda(w: JavaWalk, node: Node, expected: int) -> None:
    b = w.b
    given, body = node.child_by_field_name("parameters"), node.child_by_field_name("body")
    if given is not None and given.type == "identifier":
        parameters = [given]
    else:
        parameters = given.named_children if given is not None else []
    for position, parameter in enumerate(parameters):
        if parameter.type == "identifier":
            name, wanted = w.text(parameter), b.wrap(Op.PARAM, expected, position)
            b.bind(name, SourceKind.OPAQUE if wanted == NONE else SourceKind.VALUE, wanted)
        elif parameter.type in ("formal_parameter", "spread_parameter"):
            name, stated = members.declared(w, parameter)
            b.bind_typed(name, stated)
    if body is not None and body.type == "block":
        inside(w, body)
    else:
        w.value(body)
