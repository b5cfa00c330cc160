"""Statements that bind names, open blocks or end functions; all others are visited for what they hold.

Source: the Python Language Reference, chapters 7 and 8.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from codemap.fact_building.builder import NONE
from codemap.fact_building.walk import children_of, visit_children
from codemap.facts import ImportFlag, Op
from codemap.languages.python import special_methods as special
from codemap.languages.python.expressions import tested
from codemap.languages.python.narrowing import leaves, narrow_negative, narrow_positive
from codemap.languages.python.targets import assign, bind_value
from codemap.languages.python.walk import Walk

if TYPE_CHECKING:
    from tree_sitter import Node

_CONDITIONAL = int(ImportFlag.CONDITIONAL)
_TYPE_ONLY = int(ImportFlag.TYPE_ONLY)


def block(w: Walk, node: Node) -> int:
    w.block(node)
    return NONE


def return_(w: Walk, node: Node) -> int:
    for child in node.named_children:
        value = w.values[child.kind_id](w, child)
        if value != NONE:
            w.place.returns.append(value)
    return NONE


def if_(w: Walk, node: Node) -> int:
    """A test narrows what follows when true; when its branch never ends, what follows the statement when false."""
    b = w.b
    condition = consequence = None
    alternatives: list[Node] = []
    for child in node.named_children:
        kind = child.type
        if kind == "block":
            consequence = child
        elif kind in ("elif_clause", "else_clause"):
            alternatives.append(child)
        elif condition is None and kind != "comment":
            condition = child
        else:
            w.value(child)
    outer = b.scope
    flags = w.import_flags
    if condition is None:
        return visit_children(w, node)
    tested(w, condition, node.start_byte)
    w.import_flags = flags | _guard_flags(w, condition)
    narrow_positive(w, condition)
    if consequence is not None:
        w.block(consequence)
    b.scope = outer
    w.import_flags = flags | _CONDITIONAL
    if alternatives:
        narrow_negative(w, condition)
        for child in alternatives:
            if child.type == "elif_clause":
                scope = b.scope
                if_(w, child)
                b.scope = scope
                another = child.child_by_field_name("condition")
                if another is not None:
                    narrow_negative(w, another)
            else:
                visit_children(w, child)
        b.scope = outer
    elif consequence is not None and leaves(consequence):
        narrow_negative(w, condition)
    w.import_flags = flags
    return NONE


def _guard_flags(w: Walk, condition: Node) -> int:
    if w.text(condition).rpartition(".")[2] == "TYPE_CHECKING":
        return _CONDITIONAL | _TYPE_ONLY
    return _CONDITIONAL


def while_(w: Walk, node: Node) -> int:
    scope = w.b.scope
    for child in node.named_children:
        kind = child.type
        if kind == "block":
            w.block(child)
            w.b.scope = scope
        elif kind == "else_clause":
            w.value(child)
        else:
            tested(w, child, node.start_byte)
            narrow_positive(w, child)
    w.b.scope = scope
    return NONE


def assert_(w: Walk, node: Node) -> int:
    """What is asserted holds to the end of the block."""
    children = node.named_children
    if children:
        tested(w, children[0], node.start_byte)
        for child in children[1:]:
            w.value(child)
        narrow_positive(w, children[0])
    return NONE


def for_(w: Walk, node: Node) -> int:
    target = iterable = None
    rest: list[Node] = []
    for child in node.named_children:
        if child.type == "comment":
            continue
        if target is None:
            target = child
        elif iterable is None:
            iterable = child
        else:
            rest.append(child)
    if target is None or iterable is None:
        return visit_children(w, node)
    value = w.value(iterable)
    is_async = node.children[0].type == "async"
    w.b.operate(value, special.ASYNC_ITER if is_async else special.ITER, node.start_byte)
    assign(w, target, w.b.wrap(Op.ITER, value), w.b.function_scope())
    for child in rest:
        w.value(child)
    return NONE


def try_(w: Walk, node: Node) -> int:
    flags = w.import_flags
    w.import_flags = flags | _CONDITIONAL
    visit_children(w, node)
    w.import_flags = flags
    return NONE


def except_(w: Walk, node: Node) -> int:
    """`except C as e`: e is an instance of C."""
    b = w.b
    for child in node.named_children:
        if child.type == "as_pattern":
            parts = child.named_children
            types = _exception_types(w, parts[0])
            name = w.text(parts[-1])
            if name.isidentifier():
                bind_value(w, name, b.wrap(Op.INSTANCE, types), b.function_scope())
        else:
            w.value(child)
    return NONE


def _exception_types(w: Walk, node: Node) -> int:
    if node.type in ("tuple", "parenthesized_expression"):
        return w.b.unions([_exception_types(w, child) for child in children_of(node)])
    return w.value(node)


def with_(w: Walk, node: Node) -> int:
    is_async = node.children[0].type == "async"
    methods = special.ASYNC_WITH if is_async else special.WITH
    for child in node.named_children:
        if child.type == "with_clause":
            at = node.start_byte
            for item in child.children:
                if item.type == ",":
                    at = item.start_byte
                for value_node in item.named_children:
                    w.b.operate(_with_item(w, value_node), methods, at)
        else:
            w.value(child)
    return NONE


def _with_item(w: Walk, node: Node) -> int:
    """Visits a context manager and what it is bound to; returns the manager."""
    if node.type != "as_pattern":
        return w.value(node)
    b = w.b
    parts = node.named_children
    value = w.value(parts[0])
    entered = b.wrap(Op.ENTER, value)
    for target in parts[1:]:
        assign(w, target, entered, b.function_scope())
    return value


def delete(w: Walk, node: Node) -> int:
    """Names are unbound, which says nothing; attributes and elements are used."""
    for child in node.named_children:
        if child.type in ("expression_list", "tuple", "parenthesized_expression", "list"):
            delete(w, child)
        elif child.type != "identifier":
            if child.type == "subscript":
                w.item_methods = special.DELETE_ITEM
            w.value(child)
    return NONE


def global_(w: Walk, node: Node) -> int:
    b = w.b
    names = [w.text(child) for child in node.named_children if child.type == "identifier"]
    if b.function_scope() is not b.module:
        w.place.globals |= frozenset(names)
        for name in names:
            b.declare_elsewhere(name, b.module)
    return NONE


def nonlocal_(w: Walk, node: Node) -> int:
    b = w.b
    for child in node.named_children:
        scope = b.function_scope().parent
        number = b.intern(w.text(child))
        while scope is not None and number not in scope.sources:
            scope = scope.parent
        if scope is not None:
            b.declare_elsewhere(w.text(child), scope)
    return NONE
