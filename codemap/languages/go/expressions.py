"""Expressions: what their value is, and every name and member that they use.

Source: The Go Programming Language Specification, "Expressions".
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from codemap.fact_building.builder import NONE
from codemap.fact_building.walk import Handler, children_of, visit_children
from codemap.facts import Op, UseRole
from codemap.languages.go import types
from codemap.languages.go.walk import Walk

if TYPE_CHECKING:
    from tree_sitter import Node

_CALL = int(UseRole.CALL)
_READ = int(UseRole.REFERENCE)
OWN_CALLS = frozenset({"new", "make", "append", "min", "max"})
"""Predeclared functions whose result says something of their arguments."""
_WITH_FIELDS = frozenset({"type_identifier", "qualified_type", "generic_type", "struct_type"})


def identifier(w: Walk, node: Node) -> int:
    return w.b.read(node.start_byte, node.end_byte)


def literal(type_name: str) -> Handler:
    """The handler of the literals of a predeclared type."""
    return lambda w, _node: w.b.literal(type_name)


def selector(w: Walk, node: Node) -> int:
    plain = w.b.read_chain(node.start_byte, node.end_byte)
    return _member(w, node, _READ) if plain is None else plain


def _member(w: Walk, node: Node, role: int) -> int:
    operand, field = node.child_by_field_name("operand"), node.child_by_field_name("field")
    value = w.value(operand)
    if field is None or value == NONE:
        return NONE
    value = w.b.attribute(value, w.text(field))
    w.b.use(role, value, field.start_byte)
    return value


def call(w: Walk, node: Node) -> int:
    b = w.b
    function, arguments = node.child_by_field_name("function"), node.child_by_field_name("arguments")
    if function is None or arguments is None:
        return visit_children(w, node)
    plain = b.call_chain(function.start_byte, function.end_byte)
    if plain is not None:
        stated = types.arguments(w, node.child_by_field_name("type_arguments")) if node.child_count > 2 else []
        return b.call(b.apply_known(plain, stated), _arguments(w, arguments))
    return _called(w, function, types.arguments(w, node.child_by_field_name("type_arguments")), arguments)


def _called(w: Walk, function: Node, stated: list[int], arguments: Node) -> int:
    b = w.b
    match function.type:
        case "identifier":
            name = w.text(function)
            callee = b.name(name)
            b.use(_CALL, callee, function.start_byte)
            given = _arguments(w, arguments)
            if name in OWN_CALLS and not b.is_bound_here(name):
                first = given[0] if given else NONE
                return b.wrap(Op.INSTANCE, first) if name in ("new", "make") else first
            return b.call(b.apply_known(callee, stated), given)
        case "selector_expression":
            callee = _member(w, function, _CALL)
        case "type_instantiation_expression":
            callee, *stated = [w.value(child) for child in children_of(function)]
            b.use(_CALL, callee, function.start_byte)
        case "index_expression":  # of a function, its type argument
            callee = b.wrap(Op.INDEX, w.field(function, "operand"))
            stated = [w.field(function, "index")]
            b.use(_CALL, callee, function.start_byte)
        case "parenthesized_expression":
            callee = w.value(function)
        case _:
            callee = w.value(function)
    return b.call(b.apply_known(callee, stated), _arguments(w, arguments))


def _arguments(w: Walk, node: Node) -> list[int]:
    values = w.values
    return [values[child.kind_id](w, child) for child in children_of(node)]


def unary(w: Walk, node: Node) -> int:
    """A value and a pointer to it are the same; receiving gives what a channel holds."""
    operator = node.child_by_field_name("operator")
    value = w.field(node, "operand")
    if operator is None:
        return NONE
    if operator.type == "<-":
        return w.b.wrap(Op.ITER, value)
    return value if operator.type in ("&", "*") else NONE


def parenthesized(w: Walk, node: Node) -> int:
    found = [w.value(child) for child in children_of(node)]
    return found[0] if len(found) == 1 else NONE


def index(w: Walk, node: Node) -> int:
    value = w.field(node, "operand")
    w.field(node, "index")
    return w.b.wrap(Op.INDEX, value)


def slice_(w: Walk, node: Node) -> int:
    value = w.field(node, "operand")
    for field in ("start", "end", "capacity"):
        w.value(node.child_by_field_name(field))
    return value


def assertion(w: Walk, node: Node) -> int:
    """`x.(T)` is a T."""
    w.field(node, "operand")
    return w.b.wrap(Op.INSTANCE, w.field(node, "type"))


def conversion(w: Walk, node: Node) -> int:
    """`[]T(x)`; what reads as `F[int](x)` may be a call, too."""
    b, type_node = w.b, node.child_by_field_name("type")
    if type_node is not None and type_node.type == "generic_type":
        callee = w.field(type_node, "type")
        stated = types.arguments(w, type_node.child_by_field_name("type_arguments"))
        b.use(_CALL, callee, type_node.start_byte)
        return b.call(b.apply_known(callee, stated), [w.field(node, "operand")])
    value = w.value(type_node)
    w.field(node, "operand")
    return b.wrap(Op.INSTANCE, value)


def instantiation(w: Walk, node: Node) -> int:
    """`F[int, string]`."""
    found = [w.value(child) for child in children_of(node)]
    return w.b.apply_known(found[0], found[1:]) if found else NONE


def composite(w: Walk, node: Node) -> int:
    """`T{…}`: an instance of T, whose fields the keys name."""
    type_node = node.child_by_field_name("type")
    if type_node is not None and type_node.type == "implicit_length_array_type":
        element = w.field(type_node, "element")
        whole = types.container(w, "slice", element)
    else:
        whole = w.value(type_node)
    instance = w.b.wrap(Op.INSTANCE, whole)
    has_fields = type_node is not None and type_node.type in _WITH_FIELDS
    _elements(w, node.child_by_field_name("body"), instance, has_fields=has_fields)
    return instance


def _elements(w: Walk, body: Node | None, of: int, *, has_fields: bool) -> None:
    """Visits the elements of a literal of the value `of`; inner literals need not state their type."""
    b = w.b
    for element in body.named_children if body is not None else ():
        if element.type != "keyed_element":
            _element(w, element, b.wrap(Op.INDEX, of))
            continue
        key, value = element.child_by_field_name("key"), element.child_by_field_name("value")
        name = key.named_children[0] if key is not None and key.named_children else None
        if has_fields and name is not None and name.type == "identifier":
            field = b.attribute(of, w.text(name))
            b.use(_READ, field, name.start_byte)
            _element(w, value, NONE)
        else:
            _element(w, key, b.wrap(Op.ITER, of))
            _element(w, value, b.wrap(Op.INDEX, of))


def _element(w: Walk, node: Node | None, expected: int) -> None:
    if node is None:
        return
    inner = node.named_children[0] if node.type == "literal_element" and node.named_children else node
    if inner.type == "literal_value":
        _elements(w, inner, expected, has_fields=_looks_like_fields(inner))
    else:
        w.value(inner)


def _looks_like_fields(body: Node) -> bool:
    for element in body.named_children:
        if element.type == "keyed_element":
            key = element.child_by_field_name("key")
            inner = key.named_children[0] if key is not None and key.named_children else None
            return inner is not None and inner.type == "identifier"
    return False


def function(w: Walk, node: Node) -> int:
    """A function without a name: what it uses belongs to the definition around it."""
    b = w.b
    with w.function(b.owner):
        listed = types.declared(w, node.child_by_field_name("parameters"))
        given, results = types.result(w, node.child_by_field_name("result"))
        types.declare_parameters(w, (*listed, *results))
        block = node.child_by_field_name("body")
        for child in block.named_children if block is not None else ():
            w.value(child)
    return b.expr(Op.FUNCTION, b.args([type_expr for _, type_expr in listed]), given)
