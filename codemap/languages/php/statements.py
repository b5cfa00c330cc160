"""Statements that bind variables or run on a condition; all others are visited for what they hold.

A test that a variable is of a class holds in the block behind it, and behind `assert`.

Source: the PHP Manual, "Control Structures".
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from codemap.extract.builder import NONE
from codemap.extract.walk import inside
from codemap.facts import Op, SourceKind
from codemap.languages.php import assignments, phpdoc, types
from codemap.languages.php.walk import Walk

if TYPE_CHECKING:
    from tree_sitter import Node

_ITERATE = ("getIterator",)
_STEP = ("rewind&", "valid&", "current&", "next")
_TEXT = ("__toString",)
_EXITS = ("return_statement", "continue_statement", "break_statement", "exit_statement")
_DEPTH_MAX = 20


def expression(w: Walk, node: Node) -> int:
    """A statement of one expression; documentation before it may say what a variable is."""
    inside(w, node)
    _documented(w, node)
    return NONE


def _documented(w: Walk, node: Node) -> None:
    """`/** @var Foo $x */` says what a variable is from here on."""
    doc = phpdoc.of(w, node)
    variables = dict(doc.variables)
    assigned = node.named_children[0] if node.named_children else None
    if doc.variable and assigned is not None and assigned.type == "assignment_expression":
        left = assigned.child_by_field_name("left")
        if left is not None and left.type == "variable_name":
            variables.setdefault(w.text(left), doc.variable)
    for name, spelled in variables.items():
        stated = phpdoc.type_of(w, spelled, node.start_byte)
        if stated != NONE:
            w.assign(name, SourceKind.TYPED, stated)


def block(w: Walk, node: Node) -> int:
    """A statement whose body runs often, later, or not at all."""
    w.flow.block(lambda: inside(w, node))
    return NONE


def if_(w: Walk, node: Node) -> int:
    condition = node.child_by_field_name("condition")
    w.value(condition)
    narrowed = list(_narrowed(w, condition)) if condition is not None else []
    for child in node.named_children:
        if child == condition:
            continue
        is_then = child == node.child_by_field_name("body")
        w.flow.block(lambda child=child, is_then=is_then: _branch(w, child, narrowed if is_then else []))  # type: ignore[misc]
    if condition is not None and _leaves(node.child_by_field_name("body")):
        for name, cls in _excluded(w, condition):
            _narrow(w, name, cls)
    return NONE


def _branch(w: Walk, node: Node, narrowed: list[tuple[str, int]]) -> None:
    for name, cls in narrowed:
        _narrow(w, name, cls)
    if node.type in ("compound_statement", "colon_block"):
        inside(w, node)
    else:
        w.value(node)


def _narrow(w: Walk, name: str, cls: int) -> None:
    """A variable is of a class from here on, in this block."""
    if cls != NONE and name != "$this":
        w.flow.narrow(name, SourceKind.TYPED, cls)


def _narrowed(w: Walk, node: Node, depth: int = 0) -> Iterator[tuple[str, int]]:
    """The variables of which a condition that holds says the class."""
    if depth > _DEPTH_MAX:
        return
    if node.type == "parenthesized_expression":
        for child in node.named_children:
            yield from _narrowed(w, child, depth + 1)
    operator = node.child_by_field_name("operator")
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    if node.type != "binary_expression" or operator is None or left is None or right is None:
        return
    if operator.type in ("&&", "and"):
        yield from _narrowed(w, left, depth + 1)
        yield from _narrowed(w, right, depth + 1)
    elif operator.type == "instanceof" and left.type == "variable_name" and right.type in types.NAMES:
        yield w.text(left), w.class_(w.text(right), right.start_byte)


def _excluded(w: Walk, node: Node) -> Iterator[tuple[str, int]]:
    """The same of a condition that does not hold: `!$x instanceof A`."""
    while node.type == "parenthesized_expression" and len(node.named_children) == 1:
        node = node.named_children[0]
    if node.type == "unary_op_expression" and node.named_children and w.chars[node.start_byte] == "!":
        yield from _narrowed(w, node.named_children[-1])


def _leaves(node: Node | None) -> bool:
    """Whether a block never gets to its end."""
    while node is not None and node.type in ("compound_statement", "colon_block") and node.named_children:
        node = node.named_children[-1]
    if node is None:
        return False
    is_thrown = node.type == "expression_statement" and node.named_children[0].type == "throw_expression"
    return node.type in _EXITS or is_thrown


def each(w: Walk, node: Node) -> int:
    """`foreach ($a as $k => $v)`: asks for an iterator."""
    body = node.child_by_field_name("body")
    parts = [child for child in node.named_children if child != body and child.type != "comment"]
    whole = w.value(parts[0]) if parts else NONE
    if parts:
        for methods in (_ITERATE, _STEP):
            w.b.operate(whole, methods, parts[0].start_byte)
    w.flow.block(lambda: _each(w, node, parts[1:], whole, body))
    return NONE


def _each(w: Walk, node: Node, parts: list[Node], whole: int, body: Node | None) -> None:
    for part in parts:
        targets = part.named_children if part.type == "pair" else [part]
        for target in targets[:-1]:
            assignments.assign(w, target, NONE)
        for target in targets[-1:]:
            place = target.named_children[0] if target.type == "by_ref" and target.named_children else target
            element = w.b.union(w.b.wrap(Op.ITER, whole), w.b.call(w.b.attribute(whole, "current")))
            assignments.assign(w, place, element)
    _documented(w, node)
    if body is not None:
        inside(w, body) if body.type in ("compound_statement", "colon_block") else w.value(body)


def caught(w: Walk, node: Node) -> int:
    """`catch (A | B $e)`."""
    w.flow.block(lambda: _caught(w, node))
    return NONE


def _caught(w: Walk, node: Node) -> None:
    stated = w.value(node.child_by_field_name("type"))
    name = node.child_by_field_name("name")
    if name is not None:
        w.assign(w.text(name), SourceKind.TYPED, stated)
    w.value(node.child_by_field_name("body"))


def returned(w: Walk, node: Node) -> int:
    function = w.functions[-1]
    for child in node.named_children:
        function.result = w.b.union(function.result, w.value(child))
    return NONE


def shown(w: Walk, node: Node) -> int:
    """`echo a, b`, `print a`: they become text."""
    for child in node.named_children:
        for part in child.named_children if child.type == "sequence_expression" else [child]:
            w.b.operate(w.value(part), _TEXT, part.start_byte)
    return NONE


def global_(w: Walk, node: Node) -> int:
    """`global $a;`, of a type that the documentation of the function states."""
    for child in node.named_children:
        if child.type == "variable_name":
            stated = phpdoc.type_of(w, w.functions[-1].globals.get(w.text(child), ""), child.start_byte)
            w.assign(w.text(child), SourceKind.TYPED, stated)
    return NONE


def static(w: Walk, node: Node) -> int:
    name = node.child_by_field_name("name")
    value = w.value(node.child_by_field_name("value"))
    if name is not None:
        w.add(w.text(name), value)
    return NONE


def yielded(w: Walk, node: Node) -> int:
    """What a generator gives is told by its stated type alone."""
    inside(w, node)
    return NONE
