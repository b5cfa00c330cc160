"""Expressions: what their value is, and every name and member that they use.

Source: the Rust Reference, "Expressions".
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from codemap.fact_building.builder import NONE
from codemap.fact_building.walk import Handler, children_of, visit_children
from codemap.facts import Op, UseRole
from codemap.languages.rust import closures, items, paths, patterns
from codemap.languages.rust.walk import Walk
from codemap.mangled_names import mangle_method

if TYPE_CHECKING:
    from tree_sitter import Node

_READ, _CALL = int(UseRole.REFERENCE), int(UseRole.CALL)
_BINARY = {
    **dict(zip("+-*/%", ("add", "sub", "mul", "div", "rem"), strict=True)),
    **dict(zip("&|^", ("bitand", "bitor", "bitxor"), strict=True)),
    **dict(zip(("<<", ">>"), ("shl", "shr"), strict=True)),
}
"""Operator -> the method that a type has for it. Comparisons, which are mostly derived, are left out."""
_UNARY = {"-": "neg", "!": "not", "*": "deref"}
_TESTS = frozenset({"==", "!=", "<", ">", "<=", ">=", "&&", "||"})
_INTO_ITER, _NEXT = mangle_method("into_iter"), mangle_method("next")
_ITERATE = (f"{_INTO_ITER}&", _NEXT)


def identifier(w: Walk, node: Node) -> int:
    value = w.name(w.text(node))
    w.b.use(_READ, value, node.start_byte)
    return value


def literal(type_name: str) -> Handler:
    """The handler of the literals of a primitive type."""
    return lambda w, _node: w.b.literal(type_name)


def field(w: Walk, node: Node) -> int:
    name = node.child_by_field_name("field")
    value = w.field(node, "value")
    if name is None:
        return NONE
    value = w.b.attribute(value, w.text(name))
    if name.type == "field_identifier":
        w.b.use(_READ, value, name.start_byte)
    return value


def list_children(node: Node | None) -> list[Node]:
    return [] if node is None else children_of(node)


def transparent(w: Walk, node: Node) -> int:
    """A reference, what is in brackets, `.await`: what is inside."""
    found = [w.value(child) for child in list_children(node) if child.type != "mutable_specifier"]
    return found[-1] if found else NONE


def unary(w: Walk, node: Node) -> int:
    """`*x` is x; `!x` and `-x` are what the method of its type gives. `*self` is what a reference refers to."""
    value = NONE
    sign = node.children[0].type if node.children else ""
    for child in list_children(node):
        value = w.value(child)
        if sign == "*" and child.type == "self":
            return value
    given = _operated(w, value, _UNARY.get(sign, ""), [], node.start_byte)
    return value if sign == "*" else given


def binary(w: Walk, node: Node) -> int:
    """`a + b`: an operator runs the method of its left operand's type."""
    left = w.field(node, "left")
    right = w.field(node, "right")
    operator = node.child_by_field_name("operator")
    sign = "" if operator is None else operator.type
    given = NONE if operator is None else _operated(w, left, _BINARY.get(sign, ""), [right], operator.start_byte)
    return w.b.literal("bool") if sign in _TESTS else given


def _operated(w: Walk, value: int, method: str, given: list[int], at: int) -> int:
    """The method of an operator is run, where the type of a value has one; gives what that gives."""
    b = w.b
    if value == NONE or not method or b.exprs[value][0] == Op.LITERAL:
        return value if method else NONE
    run = b.overload(b.special(value, (mangle_method(method),)), given)
    b.use(_CALL, run, at)
    return b.call(run, given)


def visit_compound_assignment(w: Walk, node: Node) -> int:
    """`a += b`."""
    operator = node.child_by_field_name("operator")
    value, given = _sides(w, node)
    if operator is not None:
        method = _BINARY.get(operator.type.removesuffix("="))
        _operated(w, value, f"{method}_assign" if method else "", [given], operator.start_byte)
    return NONE


def assigned(w: Walk, node: Node) -> int:
    """`a = b`."""
    _, given = _sides(w, node)
    left = node.child_by_field_name("left")
    if left is not None and left.type == "identifier":
        w.infer(w.text(left), given)
    return NONE


def _sides(w: Walk, node: Node) -> tuple[int, int]:
    """Both sides of an assignment; an element that is assigned to is asked for to be changed."""
    left = node.child_by_field_name("left")
    is_element = left is not None and left.type == "index_expression"
    value = _element(w, left, "index_mut") if left is not None and is_element else w.value(left)
    return value, w.field(node, "right")


def reference(w: Walk, node: Node) -> int:
    """`&x`, `&mut x[i]`."""
    inner = node.child_by_field_name("value")
    if inner is None or inner.type != "index_expression" or node.named_children[0].type != "mutable_specifier":
        return transparent(w, node)
    return _element(w, inner, "index_mut")


def visit_try(w: Walk, node: Node) -> int:
    """`x?`: what an option or result holds."""
    return w.b.wrap(Op.ENTER, transparent(w, node))


def index(w: Walk, node: Node) -> int:
    return _element(w, node, "index")


def _element(w: Walk, node: Node, method: str) -> int:
    """`a[i]`, for which the type of `a` may have a method."""
    children = list_children(node)
    values = [w.value(child) for child in children]
    if len(values) < 2:
        return NONE
    b = w.b
    b.use(_CALL, b.overload(b.special(values[0], (mangle_method(method),)), values[1:]), children[0].end_byte)
    return values[0] if children[1].type == "range_expression" else w.b.wrap(Op.INDEX, values[0])


def cast(w: Walk, node: Node) -> int:
    w.field(node, "value")
    return w.b.wrap(Op.INSTANCE, w.field(node, "type"))


def tuple_(w: Walk, node: Node) -> int:
    return w.b.tuple_of([w.value(child) for child in list_children(node)])


def array(w: Walk, node: Node) -> int:
    values = [w.value(child) for child in list_children(node) if child.type != "attribute_item"]
    first = next((value for value in values if value != NONE), NONE)
    return NONE if first == NONE else w.b.container("[]", first)


def struct(w: Walk, node: Node) -> int:
    """`Type { field: value, field, ..rest }`; a variant is made as by a call, like one with a tuple."""
    b = w.b
    name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
    of = NONE if name is None else paths.use_path(w, name, _CALL if _is_variant(w, name) else _READ)
    for child in body.named_children if body is not None else ():
        if child.type == "field_initializer":
            field_name = child.child_by_field_name("field") or child.child_by_field_name("name")
            if field_name is not None and field_name.type != "integer_literal":
                b.use(_READ, b.attribute(of, w.text(field_name)), field_name.start_byte)
            w.field(child, "value")
        elif child.type == "shorthand_field_initializer":
            for inner in list_children(child):
                if inner.type == "identifier":
                    b.use(_READ, b.attribute(of, w.text(inner)), inner.start_byte)
                    identifier(w, inner)
        else:
            visit_children(w, child)
    return b.wrap(Op.INSTANCE, of)


def _is_variant(w: Walk, name: Node) -> bool:
    """Whether a type is named before the name, which then is that of one of its variants."""
    names = paths.split_path(name).names
    return len(names) > 1 and w.text(names[-2])[:1].isupper()


def block(w: Walk, node: Node) -> int:
    """A block: the value of its last expression. That of a function shares the scope of the parameters."""
    if node.id == w.function_block:
        return items.statements(w, node)
    with w.block():
        return items.statements(w, node)


def if_(w: Walk, node: Node) -> int:
    with w.block():
        w.field(node, "condition")
        value = w.field(node, "consequence")
    otherwise = node.child_by_field_name("alternative")
    return w.b.union(value, NONE if otherwise is None else transparent(w, otherwise))


def while_(w: Walk, node: Node) -> int:
    with w.block():
        visit_children(w, node)
    return NONE


def condition(w: Walk, node: Node) -> int:
    """`let p = x` in a condition: what it binds lasts as long as what the condition is for."""
    value = w.field(node, "value")
    patterns.bind(w, node.child_by_field_name("pattern"), value)
    return NONE


def for_(w: Walk, node: Node) -> int:
    b = w.b
    whole = w.field(node, "value")
    each = NONE
    if whole != NONE:
        b.operate(whole, _ITERATE, node.start_byte)
        made = b.call(b.attribute(whole, _INTO_ITER))
        own = [b.wrap(Op.ENTER, b.call(b.attribute(iterator, _NEXT))) for iterator in (whole, made)]
        each = b.either(b.wrap(Op.ITER, whole), b.either(own[0], b.either(own[1], b.wrap(Op.ITER, made))))
    with w.block():
        patterns.bind(w, node.child_by_field_name("pattern"), each)
        w.field(node, "body")
    return NONE


def match(w: Walk, node: Node) -> int:
    value = w.field(node, "value")
    body = node.child_by_field_name("body")
    arms = [child for child in body.named_children if child.type == "match_arm"] if body is not None else []
    found = [_arm(w, arm, value) for arm in arms]
    known = list(dict.fromkeys(value for value in found if value != NONE))
    return w.b.unions(known[:_ARMS_MAX])


_ARMS_MAX = 8
"""All arms are of one type: a few show it."""


def _arm(w: Walk, arm: Node, value: int) -> int:
    pattern = arm.child_by_field_name("pattern")
    with w.block():
        patterns.bind(w, pattern, value)
        if pattern is not None:
            w.field(pattern, "condition")
        return w.field(arm, "value")


def let(w: Walk, node: Node) -> int:
    """`let p: T = x else { … };`."""
    pattern, given = node.child_by_field_name("pattern"), node.child_by_field_name("value")
    if given is not None and given.type == "closure_expression" and pattern is not None:
        inner = pattern if pattern.type == "identifier" else next(iter(pattern.named_children[-1:]), pattern)
        if inner.type == "identifier" and not w.text(inner).startswith("_"):
            w.field(node, "type")
            closures.define_named(w, inner, given, node)
            return NONE
    stated = w.b.wrap(Op.INSTANCE, w.field(node, "type"))
    value = w.value(given)
    w.field(node, "alternative")
    is_none = given is None or (given.type == "identifier" and w.text(given) == "None")
    if pattern is not None and stated == NONE and is_none:
        patterns.bind(w, pattern, NONE)
        w.leave_open(w.text(pattern))
        return NONE
    patterns.bind(w, pattern, w.b.either(stated, value) if value != NONE else stated)
    return NONE


def visit_return(w: Walk, node: Node) -> int:
    """`return x`, `break x`: what follows is never reached."""
    for child in list_children(node):
        if child.type != "label":
            w.value(child)
    return NONE
