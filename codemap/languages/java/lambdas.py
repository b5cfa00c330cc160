"""Lambdas: what their place asks for says what their parameters are.

Source: The Java Language Specification, "Lambda Expressions".
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from codemap.fact_building.builder import NONE
from codemap.fact_building.walk import visit_children
from codemap.facts import Op, ScopeKind, SourceKind
from codemap.languages.java import members
from codemap.languages.java.walk import JavaWalk

if TYPE_CHECKING:
    from tree_sitter import Node


def plain_lambda(w: JavaWalk, node: Node) -> int:
    return lambda_(w, node, NONE)


def lambda_(w: JavaWalk, node: Node, expected: int) -> int:
    """A lambda: what it uses belongs to the definition around it."""
    with w.b.block(ScopeKind.FUNCTION):
        count = _lambda(w, node, expected)
    return w.b.lambda_of(count)


def _lambda(w: JavaWalk, node: Node, expected: int) -> int:
    """Visits a lambda; gives how many parameters it has."""
    b = w.b
    given, body = node.child_by_field_name("parameters"), node.child_by_field_name("body")
    if given is not None and given.type == "identifier":
        parameters = [given]
    else:
        parameters = given.named_children if given is not None else []
    for position, parameter in enumerate(parameters):
        if parameter.type == "identifier":
            name, wanted = w.text(parameter), b.wrap(Op.PARAM, expected, position)
            b.bind(name, SourceKind.OPAQUE if wanted == NONE else SourceKind.VALUE, wanted)
        elif parameter.type in ("formal_parameter", "spread_parameter"):
            name, stated = members.declared(w, parameter)
            b.bind_typed(name, stated)
    if body is not None and body.type == "block":
        visit_children(w, body)
    else:
        w.value(body)
    return len(parameters)
