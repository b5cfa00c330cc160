"""Syntax tree -> facts: which handler visits which kind of node, and what frames the walk."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING

from codemap.fact_building.node_dispatch import by_kind
from codemap.fact_building.walk import Handler, visit_children, visit_nothing
from codemap.languages.ruby import assignments, calls, control, definitions, expressions, generated, methods, reopening
from codemap.languages.ruby.walk import Walk, visit_last

if TYPE_CHECKING:
    from tree_sitter import Node

    from codemap.fact_building.builder import Builder

_HANDLERS: dict[str, Handler] = {
    **dict.fromkeys(expressions.LITERALS, expressions.literal),
    "class": definitions.class_,
    "module": definitions.class_,
    "singleton_class": reopening.singleton,
    "method": generated.method,
    "singleton_method": generated.singleton_method,
    "alias": methods.alias_statement,
    "undef": visit_nothing,
    "body_statement": methods.body,
    "begin": methods.body,
    "block_body": visit_last,
    "then": visit_last,
    "else": visit_last,
    "ensure": visit_children,
    "parenthesized_statements": visit_last,
    "identifier": expressions.identifier,
    "constant": expressions.constant,
    "scope_resolution": expressions.scoped,
    "self": expressions.this,
    "instance_variable": expressions.variable,
    "class_variable": expressions.variable,
    "array": expressions.array,
    "binary": expressions.binary,
    "unary": expressions.unary,
    "element_reference": expressions.index,
    "conditional": expressions.conditional,
    "if": control.if_,
    "unless": control.if_,
    "elsif": control.if_,
    "if_modifier": control.if_,
    "unless_modifier": control.if_,
    "while": control.block,
    "until": control.block,
    "while_modifier": visit_children,
    "until_modifier": visit_children,
    "for": control.for_,
    "case": control.case,
    "case_match": control.case,
    "in_clause": control.pattern_clause,
    "as_pattern": control.pattern_name,
    "keyword_pattern": control.pattern_key,
    "array_pattern": control.pattern_list,
    "find_pattern": control.pattern_list,
    "hash_pattern": control.pattern_list,
    "splat_parameter": control.pattern_list,
    "hash_splat_parameter": control.pattern_list,
    "rescue": control.rescue,
    "rescue_modifier": methods.body,
    "return": control.visit_return,
    "assignment": assignments.assignment,
    "right_assignment_list": assignments.assign_several,
    "operator_assignment": assignments.assign_operator,
    "call": calls.call,
    "super": calls.super_,
    "lambda": calls.lambda_,
    "splat_argument": calls.splat,
    "hash_splat_argument": calls.splat,
    "block_argument": calls.splat,
    "pair": calls.pair,
    "yield": calls.yielded,
    "comment": visit_nothing,
    "string_content": visit_nothing,
    "escape_sequence": visit_nothing,
    "heredoc_beginning": visit_nothing,
    "heredoc_content": visit_nothing,
    "heredoc_end": visit_nothing,
    "hash_key_symbol": visit_nothing,
    "global_variable": visit_nothing,
    "nil": visit_nothing,
    "operator": visit_nothing,
    "uninterpreted": visit_nothing,
}


@cache
def _tables() -> Mapping[int, Handler]:
    return by_kind("ruby", _HANDLERS, otherwise=visit_children, token=visit_nothing)


def extract(root: Node, b: Builder) -> None:
    """Tells the builder everything that the tree under `root` says; never raises on bad source."""
    w = Walk(b, _tables())
    w.flow.function(lambda: visit_children(w, root))
