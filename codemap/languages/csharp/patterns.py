"""Patterns: what they test a value for, and what they bind.

Source: the C# language specification, "Patterns and pattern matching".
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from codemap.fact_building.builder import NONE
from codemap.fact_building.walk import children_of, visit_children
from codemap.facts import Op, UseRole
from codemap.languages.csharp import calls, types
from codemap.languages.csharp.walk import CSharpWalk

if TYPE_CHECKING:
    from tree_sitter import Node

_READ = int(UseRole.REFERENCE)


def is_pattern(w: CSharpWalk, node: Node) -> int:
    """`x is P`."""
    value = w.field(node, "expression")
    pattern(w, node.child_by_field_name("pattern"), value)
    return w.b.literal("bool")


def pattern(w: CSharpWalk, node: Node | None, value: int) -> None:
    """Visits a pattern that a value is matched with."""
    if node is None:
        return
    match node.type:
        case "declaration_pattern" | "var_pattern" | "recursive_pattern":
            _binding(w, node, value)
        case "constant_pattern":
            _constant(w, node)
        case "type_pattern":
            types.visit_type(w, node.child_by_field_name("type") or next(iter(node.named_children), None))
        case "negated_pattern" | "parenthesized_pattern" | "and_pattern" | "or_pattern":
            for child in node.named_children:
                pattern(w, child, value)
        case "list_pattern":
            for child in node.named_children:
                pattern(w, child, w.b.wrap(Op.INDEX, value))
        case _:
            visit_children(w, node)


def _binding(w: CSharpWalk, node: Node, value: int) -> None:
    """`T x`, `var x`, `T { A: P } x`, `T(P, P) x`."""
    type_expr = types.visit_type(w, node.child_by_field_name("type"))
    held = w.b.wrap(Op.INSTANCE, type_expr) if type_expr != NONE else value
    for child in node.named_children:
        if child.type == "property_pattern_clause":
            for part in child.named_children:
                _subpattern(w, part, held)
        elif child.type == "positional_pattern_clause":
            for position, part in enumerate(child.named_children):
                for inner in part.named_children:
                    pattern(w, inner, w.b.wrap(Op.ITEM, held, position))
    name = node.child_by_field_name("name")
    if name is not None and name.type == "identifier":
        w.declare_typed(w.text(name), type_expr, value)


def _subpattern(w: CSharpWalk, node: Node, value: int) -> None:
    """`A: P`, `A.B: P`."""
    parts = node.named_children
    member = value
    if len(parts) > 1:
        for name in _names(parts[0]):
            member = w.b.attribute(member, w.text(name))
            w.b.use(_READ, member, name.start_byte)
    for child in parts[-1:]:
        pattern(w, child, member)


def _names(node: Node) -> list[Node]:
    if node.type == "identifier":
        return [node]
    return [leaf for child in node.named_children for leaf in _names(child)]


def _constant(w: CSharpWalk, node: Node) -> None:
    """A constant, or a type, which looks the same."""
    for child in node.named_children:
        if child.type == "identifier":
            name = w.text(child)
            meant = w.b.either(w.type_(name), w.simple(name))
            w.b.use(_READ, meant, child.start_byte)
        else:
            w.value(child)


def switch(w: CSharpWalk, node: Node) -> int:
    """`x switch { P => e, … }`: one of its arms."""
    parts = node.named_children
    value = w.value(parts[0]) if parts else NONE
    found: list[int] = []
    for arm in parts[1:]:
        if arm.type == "switch_expression_arm":
            with w.b.block():
                found.append(_arm(w, arm, value))
    return w.b.unions(found)


def _arm(w: CSharpWalk, node: Node, value: int) -> int:
    parts = children_of(node)
    result = NONE
    for at, child in enumerate(parts):
        if at == 0:
            pattern(w, child, value)
        elif child.type == "when_clause":
            visit_children(w, child)
        else:
            result = calls.function_or_value(w, child)
    return result


def switch_statement(w: CSharpWalk, node: Node) -> int:
    value = w.field(node, "value")
    body = node.child_by_field_name("body")
    for section in body.named_children if body is not None else ():
        with w.b.block():
            _section(w, section, value)
    return NONE


def _section(w: CSharpWalk, section: Node, value: int) -> None:
    for child in section.named_children:
        if child.type.endswith("_pattern"):
            pattern(w, child, value)
        else:
            w.value(child)
