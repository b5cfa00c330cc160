"""`match` statements: what the patterns of a case bind, and what its class patterns say of the subject.

Source: the Python Language Reference, 8.6; PEP 634.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from codemap.fact_building.builder import NONE
from codemap.fact_building.walk import children_of
from codemap.facts import Op, UseRole
from codemap.languages.python.expressions import tested
from codemap.languages.python.narrowing import narrow
from codemap.languages.python.targets import bind_value
from codemap.languages.python.walk import Walk

if TYPE_CHECKING:
    from tree_sitter import Node


def match(w: Walk, node: Node) -> int:
    subjects: list[Node] = []
    for child in node.named_children:
        if child.type == "block":
            _cases(w, child, subjects)
        elif child.type == "case_clause":
            _case(w, child, subjects)
        elif child.type != "comment":
            subjects.append(child)
            w.value(child)
    return NONE


def _cases(w: Walk, node: Node, subjects: list[Node]) -> None:
    for child in node.named_children:
        if child.type == "case_clause":
            _case(w, child, subjects)
        else:
            w.value(child)


def _case(w: Walk, node: Node, subjects: list[Node]) -> None:
    """One case: its patterns bind in the function, and narrow a subject that is a plain name in the case's block."""
    b = w.b
    scope = b.scope
    name = w.text(subjects[0]) if len(subjects) == 1 and subjects[0].type == "identifier" else ""
    subject = b.name(name) if name else NONE
    patterns = [child for child in node.named_children if child.type == "case_pattern"]
    types = [_pattern(w, child, subject if len(patterns) == 1 else NONE) for child in patterns]
    if name and len(patterns) == 1:
        narrow(w, name, types[0])
    for child in node.named_children:
        if child.type == "block":
            w.block(child)
        elif child.type == "if_clause":
            for condition in child.named_children:
                tested(w, condition, child.start_byte)
    b.scope = scope


def _pattern(w: Walk, node: Node, value: int) -> int:
    """Binds the captures of a pattern for a value; returns the class that a match implies, as a type, or NONE."""
    b = w.b
    match node.type:
        case "case_pattern" | "parenthesized_expression":
            result = NONE
            for child in node.named_children:
                result = _pattern(w, child, value)
            return result
        case "identifier":
            _capture(w, node, value)
        case "dotted_name":
            parts = node.named_children
            if len(parts) == 1:
                _capture(w, parts[0], value)
            else:
                _dotted(w, node, UseRole.REFERENCE)
        case "as_pattern":
            pattern, *_, target = node.named_children
            type_ = _pattern(w, pattern, value)
            _capture(w, target, value if type_ == NONE else b.wrap(Op.INSTANCE, type_))
            return type_
        case "union_pattern":
            types = [_pattern(w, child, value) for child in children_of(node)]
            return NONE if NONE in types else b.unions(types)
        case "class_pattern":
            return _class(w, node)
        case "list_pattern" | "tuple_pattern":
            for index, child in enumerate(child for child in node.named_children if child.type != "comment"):
                _pattern(w, child, b.wrap(Op.ITEM, value, index))
        case "dict_pattern":
            for child in node.named_children:
                _pattern(w, child, b.wrap(Op.INDEX, value))
        case "splat_pattern":
            for child in node.named_children:
                _capture(w, child, NONE)
        case "keyword_pattern":
            for child in node.named_children[1:]:
                _pattern(w, child, value)
        case "string":
            w.value(node)
        case _:
            pass
    return NONE


def _capture(w: Walk, node: Node, value: int) -> None:
    name = w.text(node)
    if name != "_":
        bind_value(w, name, value, w.b.function_scope())


def _class(w: Walk, node: Node) -> int:
    cls, *parts = node.named_children
    type_ = _dotted(w, cls, UseRole.REFERENCE)
    b = w.b
    instance = b.wrap(Op.INSTANCE, type_)
    for part in parts:
        inner = part.named_children[0] if part.type == "case_pattern" and part.named_children else part
        if inner.type == "keyword_pattern":
            name, *values = inner.named_children
            for value in values:
                _pattern(w, value, b.attribute(instance, w.text(name)))
        else:
            _pattern(w, inner, NONE)
    return type_


def _dotted(w: Walk, node: Node, role: UseRole) -> int:
    """`a.b.c`, read."""
    b = w.b
    value = NONE
    for index, part in enumerate(node.named_children or [node]):
        value = b.attribute(value, w.text(part)) if index else b.name(w.text(part))
        b.use(role, value, part.start_byte)
    return value
