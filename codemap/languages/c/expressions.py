"""Expressions: what their value is, and every name and member that they use.

Source: ISO/IEC 9899:2018, 6.5 "Expressions".
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from codemap.fact_building.builder import NONE
from codemap.fact_building.walk import children_of, visit_children
from codemap.facts import Op, UseRole
from codemap.languages.c.initializers import elements
from codemap.languages.c.walk import Walk

if TYPE_CHECKING:
    from tree_sitter import Node

_CALL = int(UseRole.CALL)
_READ = int(UseRole.REFERENCE)
_CHAINS = frozenset({"identifier", "field_expression", "subscript_expression"})
_TAGS = ("struct ", "union ")
_WRAPPERS = frozenset({"parenthesized_expression", "pointer_expression"})


def identifier(w: Walk, node: Node) -> int:
    return w.b.read(node.start_byte, node.end_byte)


def field(w: Walk, node: Node) -> int:
    return _member(w, node, _READ)


def _member(w: Walk, node: Node, role: int) -> int:
    name = node.child_by_field_name("field")
    value = w.field(node, "argument")
    if name is None or value == NONE:
        return NONE
    value = w.b.attribute(value, w.text(name))
    w.b.use(role, value, name.start_byte)
    return value


def call(w: Walk, node: Node) -> int:
    """A call; `(*f)(x)` and `(f)(x, y)` are `f(…)`. `(T)(x)` converts, unless the file knows T as something else."""
    function, arguments = node.child_by_field_name("function"), node.child_by_field_name("arguments")
    listed = children_of(arguments) if arguments else []
    if function is not None and len(listed) == 1 and (named := _converts(w, function)):
        stated = w.read_type(named)
        w.value(listed[0])
        return w.b.wrap(Op.INSTANCE, stated)
    while function is not None and function.type in _WRAPPERS:
        inner = children_of(function)
        if len(inner) != 1:
            break
        function = inner[0]
    callee = NONE
    if function is not None and function.type == "identifier":
        name = w.text(function)
        if name == "offsetof" and len(listed) == 2:
            _member_of(w, listed[1], w.b.wrap(Op.INSTANCE, w.value(listed[0])))
            return NONE
        callee = w.b.name(name)
        w.b.use(_CALL, callee, function.start_byte)
    elif function is not None and function.type == "field_expression":
        callee = _member(w, function, _CALL)
    else:
        callee = w.value(function)
    stated = next((place for place, child in enumerate(listed[:-1]) if _is_tag(w, child)), -1)
    if stated < 0:
        return w.b.call(callee, [w.value(child) for child in listed])
    for child in listed[:stated] + listed[stated + 2 :]:
        w.value(child)
    of = w.b.wrap(Op.INSTANCE, w.read_type(listed[stated]))
    if listed[stated + 1].type not in _CHAINS:
        w.value(listed[stated + 1])
    else:
        _member_of(w, listed[stated + 1], of)
    return of


def _is_tag(w: Walk, node: Node) -> bool:
    """Whether an argument is `struct x`, which has been spelt as a name alone: only a macro takes one. The next one
    names a member of it, and what comes out is one (`container_of(p, struct x, member)`)."""
    return node.type == "identifier" and w.chars[max(0, node.start_byte - 7) : node.start_byte].endswith(_TAGS)


def _converts(w: Walk, node: Node) -> Node | None:
    """The name of a type in parentheses, as far as one file can say."""
    inner = children_of(node)
    if node.type != "parenthesized_expression" or len(inner) != 1 or inner[0].type != "identifier":
        return None
    name = w.text(inner[0])
    return None if w.is_local(name) or f"{w.b.module.number} {name}" in w.defined else inner[0]


def assignment(w: Walk, node: Node) -> int:
    value = w.field(node, "left")
    w.field(node, "right")
    return value


def subscript(w: Walk, node: Node) -> int:
    """An element is what the array is."""
    value = w.field(node, "argument")
    w.field(node, "index")
    return value


def conditional(w: Walk, node: Node) -> int:
    w.field(node, "condition")
    chosen = [w.value(node.child_by_field_name(name)) for name in ("consequence", "alternative")]
    return w.b.unions(chosen)


def comma(w: Walk, node: Node) -> int:
    w.field(node, "left")
    return w.field(node, "right")


def binary(w: Walk, node: Node) -> int:
    """`p + 1` points into what p does."""
    left, operator = w.field(node, "left"), node.child_by_field_name("operator")
    w.field(node, "right")
    return left if operator is not None and operator.type in ("+", "-") else NONE


def update(w: Walk, node: Node) -> int:
    return w.field(node, "argument")


def cast(w: Walk, node: Node) -> int:
    """`(T *)x` is a T; a type that nothing is known of leaves what x is."""
    stated = w.field(node, "type")
    value = w.field(node, "value")
    return value if stated == NONE else w.b.wrap(Op.INSTANCE, stated)


def compound_literal(w: Walk, node: Node) -> int:
    """`(T){…}`: an instance of T."""
    instance = w.b.wrap(Op.INSTANCE, w.field(node, "type"))
    value = node.child_by_field_name("value")
    if value is not None:
        elements(w, value, instance)
    return instance


def member_offset(w: Walk, node: Node) -> int:
    """`offsetof(T, member)` names a field."""
    of = w.b.wrap(Op.INSTANCE, w.field(node, "type"))
    name = node.child_by_field_name("member")
    if name is not None and name.type == "field_identifier":
        w.b.use(_READ, w.b.attribute(of, w.text(name)), name.start_byte)
    return NONE


def _member_of(w: Walk, node: Node, of: int) -> int:
    """`a.b[n].c` in `offsetof(T, a.b[n].c)`, where `of` is a T: its first name is a member, too."""
    if node.type == "identifier":
        of = w.b.attribute(of, w.text(node))
        w.b.use(_READ, of, node.start_byte)
        return of
    inner, name = node.child_by_field_name("argument"), node.child_by_field_name("field")
    value = NONE if inner is None else _member_of(w, inner, of)
    w.field(node, "index")
    if name is not None and value != NONE:
        value = w.b.attribute(value, w.text(name))
        w.b.use(_READ, value, name.start_byte)
    return value


def size(w: Walk, node: Node) -> int:
    visit_children(w, node)
    return NONE
