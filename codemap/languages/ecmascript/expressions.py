"""Expressions: what they use, and what their values are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from codemap.fact_building.builder import NONE, Scope
from codemap.fact_building.walk import Handler, visit_children, visit_inner, visit_nothing
from codemap.facts import Op
from codemap.languages.ecmascript import calls, errors, guards
from codemap.languages.ecmascript.definitions import assignments, classes, functions, objects, prototypes
from codemap.languages.ecmascript.definitions.ownership import PROTOTYPE
from codemap.languages.ecmascript.imports_exports import commonjs
from codemap.languages.ecmascript.semantics import CAST, ITERATOR
from codemap.languages.ecmascript.types import HANDLERS as TYPE_HANDLERS
from codemap.languages.ecmascript.types import builtin
from codemap.languages.ecmascript.walk import EXPORTS_OBJECT, READ, Walk

if TYPE_CHECKING:
    from tree_sitter import Node


_PROTOTYPE = f".{PROTOTYPE}"
_PARTS_MAX, _ELEMENTS_MAX = 32, 16
"""Elements of an array literal that are kept apart, and those that count where it has more or others spread into it."""
_NARROWINGS_MAX = 64
"""Operands of one `&&` chain that narrow those after them: each is a scope inside the one before."""


def member(w: Walk, node: Node) -> int:
    """`a.b` that is read."""
    b = w.b
    plain = b.read_chain(node.start_byte, node.end_byte)
    if plain is not None:
        return plain
    if b.chars.endswith(_PROTOTYPE, node.start_byte, node.end_byte):
        return prototypes.prototype_of(w, node)
    expr = calls.member_value(w, node)
    if expr != NONE:
        b.use(READ, expr, w.member_at)
    return expr


def _identifier(w: Walk, node: Node) -> int:
    return w.b.read(node.start_byte, node.end_byte)


def _this(w: Walk, _node: Node) -> int:
    return NONE if w.this == EXPORTS_OBJECT else w.this


def _super(w: Walk, _node: Node) -> int:
    return w.super_value


def _subscript(w: Walk, node: Node) -> int:
    of = w.field(node, "object")
    index = node.child_by_field_name("index")
    if index is None:
        return NONE
    name = w.string(index)
    if name and name.isidentifier():
        expr = w.b.attribute(of, name)
        w.b.use(READ, expr, index.start_byte + 1)
        return expr
    w.value(index)
    if index.type == "number":
        return w.b.wrap(Op.INDEX, of, w.b.literal(w.text(index)))
    return w.b.wrap(Op.INDEX, of)


def _await(w: Walk, node: Node) -> int:
    children = node.named_children
    if not children:
        return NONE
    value = w.value(children[0])
    found = commonjs.match_require(w, node) is not None
    return value if found else w.b.wrap(Op.AWAIT, value)


def _first(w: Walk, node: Node) -> int:
    """An expression whose value is its first child's."""
    result = NONE
    is_first = True
    comment = w.kinds.COMMENT
    for child in node.named_children:
        if child.kind_id == comment:
            continue
        value = w.value(child)
        if is_first:
            result, is_first = value, False
    return result


def _last(w: Walk, node: Node) -> int:
    """`(a, b)`."""
    result, comment = NONE, w.kinds.COMMENT
    for child in node.named_children:
        if child.kind_id != comment:
            result = w.value(child)
    return result


def _parenthesized(w: Walk, node: Node) -> int:
    """`(a)`, which a comment before it may state the type of."""
    result = visit_inner(w, node)
    if w.documented is not None:
        stated = w.documented_type(w.documented.before(node.start_byte).type)
        if stated != NONE:
            return w.b.wrap(Op.INSTANCE, stated)
    return result


def _as(w: Walk, node: Node) -> int:
    """`x as T` and `x satisfies T`: T where it says something (`as const` does not)."""
    children = [child for child in node.named_children if child.kind_id != w.kinds.COMMENT]
    value = w.value(children[0]) if children else NONE
    stated = w.value(children[1]) if len(children) > 1 else NONE
    return value if stated == NONE else _cast(w, value, stated)


def _cast(w: Walk, value: int, stated: int) -> int:
    """Some value of a type; what it is besides is followed where the type says no more than that it can be called."""
    if value == NONE or w.b.is_display(value):
        return w.b.wrap(Op.INSTANCE, stated)
    return w.b.call(builtin(w, CAST), (stated, value))


def _assertion(w: Walk, node: Node) -> int:
    """`<T>x`."""
    children = node.named_children
    stated = w.value(children[0]) if children else NONE
    value = NONE
    for child in children[1:]:
        value = w.value(child)
    return value if stated == NONE else _cast(w, value, stated)


def _binary(w: Walk, node: Node) -> int:
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    operator = node.child_by_field_name("operator")
    if left is None or right is None or operator is None:
        return visit_children(w, node)
    sign = operator.type
    if sign == "&&":
        return _conjunction(w, node)
    first, second = w.value(left), w.value(right)
    return w.b.union(first, second) if sign in ("||", "??") else NONE


def _conjunction(w: Walk, node: Node) -> int:
    """`a && b && c`: each operand is read where those before it hold."""
    operands: list[Node] = []
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    while left is not None and right is not None:
        operands.append(right)
        node = w.unwrap(left)
        operator = node.child_by_field_name("operator") if node.type == "binary_expression" else None
        if operator is None or operator.type != "&&":
            break
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    value = w.value(node)
    scopes: list[Scope] = []
    before = node
    for operand in reversed(operands):
        scope = guards.narrow(w, before) if len(scopes) < _NARROWINGS_MAX else None
        if scope is not None:
            scopes.append(scope)
        value, before = w.value(operand), operand
    for scope in reversed(scopes):
        w.leave(scope)
    return value


def _ternary(w: Walk, node: Node) -> int:
    condition = node.child_by_field_name("condition")
    w.value(condition)
    scope = guards.narrow(w, condition)
    first = w.field(node, "consequence")
    if scope is not None:
        w.leave(scope)
    return w.b.union(first, w.field(node, "alternative"))


def _array(w: Walk, node: Node) -> int:
    """An array literal; the parts of a short one are kept apart."""
    comment = w.kinds.COMMENT
    values = [w.value(child) for child in node.named_children if child.kind_id != comment]
    known = [value for value in values if value != NONE]
    if not known:
        return w.literal("Array")
    if len(values) <= _PARTS_MAX and not any(child.type == "spread_element" for child in node.named_children):
        return w.b.expr(Op.TUPLE, w.b.args(values))
    element = w.b.unions(known[:_ELEMENTS_MAX])
    return w.b.container("Array", element)


def _spread(w: Walk, node: Node) -> int:
    value = _first(w, node)
    if node.parent is not None and node.parent.kind_id != w.kinds.OBJECT:
        w.b.operate(value, (ITERATOR,), node.start_byte)
    return w.b.wrap(Op.ITER, value)


def _template(w: Walk, node: Node) -> int:
    visit_children(w, node)
    return w.literal("String")


def _literal(name: str) -> Handler:
    def handler(w: Walk, _node: Node) -> int:
        return w.literals.get(name) or w.literal(name)

    return handler


HANDLERS: Mapping[str, Handler] = {
    **TYPE_HANDLERS,
    "ERROR": errors.error,
    "identifier": _identifier,
    "undefined": visit_nothing,
    "member_expression": member,
    "subscript_expression": _subscript,
    "call_expression": calls.call,
    "new_expression": calls.new,
    "this": _this,
    "super": _super,
    "await_expression": _await,
    "yield_expression": functions.yield_expression,
    "parenthesized_expression": _parenthesized,
    "sequence_expression": _last,
    "non_null_expression": _first,
    "instantiation_expression": _first,
    "as_expression": _as,
    "satisfies_expression": _as,
    "type_assertion": _assertion,
    "binary_expression": _binary,
    "ternary_expression": _ternary,
    "assignment_expression": assignments.assignment,
    "augmented_assignment_expression": assignments.augmented,
    "array": _array,
    "spread_element": _spread,
    "object": objects.object_value,
    "shorthand_property_identifier": objects.shorthand,
    "arrow_function": functions.function_value,
    "function_expression": functions.function_value,
    "function": functions.function_value,
    "generator_function": functions.function_value,
    "class": classes.class_expression,
    "string": _literal("String"),
    "template_string": _template,
    "number": _literal("Number"),
    "true": _literal("Boolean"),
    "false": _literal("Boolean"),
    "regex": _literal("RegExp"),
    "null": visit_nothing,
    "comment": visit_nothing,
    "property_identifier": visit_nothing,
    "private_property_identifier": visit_nothing,
    "statement_identifier": visit_nothing,
    "string_fragment": visit_nothing,
    "escape_sequence": visit_nothing,
    "meta_property": visit_nothing,
    "optional_chain": visit_nothing,
    "accessibility_modifier": visit_nothing,
    "override_modifier": visit_nothing,
    "decorator": _first,
}
