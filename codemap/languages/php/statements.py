"""Statements that bind variables or run on a condition; all others are visited for what they hold.

Source: the PHP Manual, "Control Structures".
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from codemap.fact_building.builder import NONE
from codemap.fact_building.walk import visit_children
from codemap.facts import Op, SourceKind
from codemap.languages.php import assignments, expressions, narrowing, phpdoc
from codemap.languages.php.walk import Walk

if TYPE_CHECKING:
    from tree_sitter import Node

_ITERATE = ("getIterator",)
_STEP = ("rewind&", "valid&", "current&", "next")
_TEXT = ("__toString",)
_UNSET = ("offsetUnset",)
_EXITS = ("return_statement", "continue_statement", "break_statement", "exit_statement")


def expression(w: Walk, node: Node) -> int:
    """A statement of one expression; documentation before it may say what a variable is."""
    visit_children(w, node)
    narrowing.narrow(w, narrowing.narrow_asserted(w, node))
    _documented(w, node)
    return NONE


def _documented(w: Walk, node: Node) -> None:
    """`/** @var Foo $x */` says what a variable is from here on."""
    doc = phpdoc.read_doc(w, node)
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
    w.flow.block(lambda: visit_children(w, node))
    return NONE


def if_(w: Walk, node: Node) -> int:
    condition, body = node.child_by_field_name("condition"), node.child_by_field_name("body")
    w.value(condition)
    holds, fails = list(narrowing.narrow_true(w, condition)), list(narrowing.narrow_false(w, condition))
    for child in node.named_children:
        if child != condition:
            known = holds if child == body else fails
            w.flow.block(lambda child=child, known=known: _branch(w, child, known))  # type: ignore[misc]
    if _leaves(body):
        narrowing.narrow(w, fails)
    return NONE


def _branch(w: Walk, node: Node, known: list[narrowing.Narrowed]) -> None:
    narrowing.narrow(w, known)
    if node.type in ("compound_statement", "colon_block"):
        visit_children(w, node)
    else:
        w.value(node)


def while_(w: Walk, node: Node) -> int:
    condition = node.child_by_field_name("condition")
    w.flow.block(lambda: _while(w, node, condition))
    return NONE


def _while(w: Walk, node: Node, condition: Node | None) -> None:
    w.value(condition)
    body = node.child_by_field_name("body")
    if body is not None:
        _branch(w, body, list(narrowing.narrow_true(w, condition)))


def _leaves(node: Node | None) -> bool:
    """Whether a block never gets to its end."""
    while node is not None and node.type in ("compound_statement", "colon_block") and node.named_children:
        node = node.named_children[-1]
    if node is None:
        return False
    is_thrown = node.type == "expression_statement" and node.named_children[0].type == "throw_expression"
    return node.type in _EXITS or is_thrown


def visit_foreach(w: Walk, node: Node) -> int:
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
        visit_children(w, body) if body.type in ("compound_statement", "colon_block") else w.value(body)


def visit_catch(w: Walk, node: Node) -> int:
    """`catch (A | B $e)`."""
    w.flow.block(lambda: _caught(w, node))
    return NONE


def _caught(w: Walk, node: Node) -> None:
    stated = w.field(node, "type")
    name = node.child_by_field_name("name")
    if name is not None:
        w.assign(w.text(name), SourceKind.TYPED, stated)
    w.field(node, "body")


def visit_return(w: Walk, node: Node) -> int:
    function = w.functions[-1]
    for child in node.named_children:
        function.result = w.b.union(function.result, w.value(child))
    return NONE


def visit_echo(w: Walk, node: Node) -> int:
    """`echo a, b`, `print a`: they become text."""
    for child in node.named_children:
        for part in child.named_children if child.type == "sequence_expression" else [child]:
            w.b.operate(w.value(part), _TEXT, part.start_byte)
    return NONE


def unset(w: Walk, node: Node) -> int:
    """`unset($a[b], $c)`."""
    for child in node.named_children:
        expressions.place(w, child, _UNSET)
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
    value = w.field(node, "value")
    if name is not None:
        w.add(w.text(name), value)
    return NONE


def yielded(w: Walk, node: Node) -> int:
    """What a generator yields is known by its stated type alone."""
    visit_children(w, node)
    return NONE
