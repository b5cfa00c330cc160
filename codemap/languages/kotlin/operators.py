"""Operators, each of which runs the method that it stands for, where the class of its operand has one.

Source: the Kotlin specification, "Operator overloading", "Destructuring declarations", "Delegated properties".
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from codemap.fact_building.builder import NONE
from codemap.fact_building.walk import children_of, visit_children
from codemap.facts import Op
from codemap.languages.kotlin import calls
from codemap.languages.kotlin.walk import KotlinWalk, expressions_of
from codemap.mangled_names import mangle_method

if TYPE_CHECKING:
    from tree_sitter import Node

_BINARY = {"+": "plus", "-": "minus", "*": "times", "/": "div", "%": "rem", "..": "rangeTo"}
_BINARY |= dict.fromkeys(("<", ">", "<=", ">="), "compareTo") | dict.fromkeys(("==", "!="), "equals")
_UNARY = {"!": "not", "-": "unaryMinus", "+": "unaryPlus", "++": "inc", "--": "dec"}
_ASSIGNED = {"+=": "plus", "-=": "minus", "*=": "times", "/=": "div", "%=": "rem"}
_CONTAINED = frozenset({"in", "!in"})
_CONTAINS = (mangle_method("contains", 1),)


def binary(w: KotlinWalk, node: Node) -> int:
    """`a + b`; gives what its method does."""
    b = w.b
    parts = expressions_of(node)
    values = [w.value(part) for part in parts]
    sign = _find_sign(node)
    if len(values) != 2 or sign is None or sign.type not in _BINARY:
        return NONE
    method = mangle_method(_BINARY[sign.type], 1)
    b.operate(values[0], (method,), sign.start_byte)
    text = b.literal("String")
    return text if text in values and sign.type == "+" else b.call(b.attribute(values[0], method), values[1:])


def tested(w: KotlinWalk, node: Node) -> int:
    """`a < b`, `a == b`."""
    parts = expressions_of(node)
    values = [w.value(part) for part in parts]
    sign = _find_sign(node)
    is_known = len(values) == 2 and sign is not None and sign.type in _BINARY and parts[1].type != "null_literal"
    if sign is not None and is_known:
        w.b.operate(values[0], (mangle_method(_BINARY[sign.type], 1),), sign.start_byte)
    return NONE


def contained(w: KotlinWalk, node: Node) -> int:
    """`a in b`, and what is in a branch of `when`; `a is B`."""
    parts = expressions_of(node)
    values = [w.value(part) for part in parts]
    sign = _find_sign(node)
    if values and sign is not None and sign.type in _CONTAINED:
        w.b.operate(values[-1], _CONTAINS, sign.start_byte)
    return NONE


def prefix(w: KotlinWalk, node: Node) -> int:
    """`!a`, `-a`, `++a`."""
    parts = expressions_of(node)
    sign = node.children[0]
    if len(parts) != 1 or sign.type not in _UNARY:
        return visit_children(w, node)
    _run_unary(w, w.value(parts[0]), sign)
    return NONE


def postfix(w: KotlinWalk, node: Node) -> int:
    """`a!!` is a; `a++` is a number, or what its method gives."""
    sign, value = node.children[-1], NONE
    for part in expressions_of(node):
        value = w.value(part)
    if sign.type == "!!":
        return value
    if sign.type in _UNARY:
        _run_unary(w, value, sign)
    return NONE


def _run_unary(w: KotlinWalk, value: int, sign: Node) -> None:
    w.b.operate(value, (mangle_method(_UNARY[sign.type], 0),), sign.start_byte)


def index(w: KotlinWalk, node: Node) -> int:
    """`a[b]`."""
    parts = expressions_of(node)
    value = w.value(parts[0]) if parts else NONE
    for part in parts[1:]:
        w.b.operate(value, (mangle_method("get", len(children_of(part))),), part.start_byte)
        visit_children(w, part)
    return w.b.wrap(Op.INDEX, value)


def assignment(w: KotlinWalk, node: Node) -> int:
    """`a = b`, `a += b`, `a[b] = c`."""
    sign = _find_sign(node)
    changed = _ASSIGNED.get(sign.type, "") if sign is not None else ""
    for child in node.named_children:
        if child.type != "directly_assignable_expression":
            w.value(child)
            continue
        *parts, last = child.named_children
        if last.type == "indexing_suffix":
            _assign_element(w, calls.navigate(w, parts), last, is_read=bool(changed))
            continue
        value = calls.navigate(w, [*parts, last])
        if sign is not None and changed:
            methods = (mangle_method(f"{changed}Assign", 1), mangle_method(changed, 1))
            w.b.operate(value, methods, sign.start_byte)
    return NONE


def _assign_element(w: KotlinWalk, whole: int, suffix: Node, *, is_read: bool) -> None:
    count = len(children_of(suffix))
    if is_read:
        w.b.operate(whole, (mangle_method("get", count),), suffix.start_byte)
    w.b.operate(whole, (mangle_method("set", count + 1),), suffix.start_byte)
    visit_children(w, suffix)


def delegated(w: KotlinWalk, node: Node, at: int, *, is_written: bool) -> int:
    """A property asks at `by` what it is delegated to for its value, which this gives; `is_written`: and may set it."""
    b, value = w.b, w.value(node)
    read = mangle_method("getValue", 2)
    for method in (mangle_method("provideDelegate", 2), read, *((mangle_method("setValue", 3),) if is_written else ())):
        b.operate(value, (method,), at)
    return b.call(b.attribute(value, read))


def component(w: KotlinWalk, value: int, position: int, at: int) -> int:
    """What a variable in parentheses gets of a value: the part at that position, from 0."""
    b, method = w.b, mangle_method(f"component{position + 1}", 0)
    b.operate(value, (method,), at)
    return b.either(b.call(b.attribute(value, method)), b.wrap(Op.ITEM, value, position))


def _find_sign(node: Node) -> Node | None:
    """The first token that is no name."""
    return next((child for child in node.children if not child.is_named), None)
