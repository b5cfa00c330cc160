"""Syntax tree -> facts: which handler visits which kind of node, and what frames the walk."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING

from codemap.extract.kinds import by_kind
from codemap.languages.ruby import calls, definitions, expressions
from codemap.languages.ruby.walk import Handler, Walk, inside, last, nothing

if TYPE_CHECKING:
    from tree_sitter import Node

    from codemap.extract.builder import Builder

_HANDLERS: dict[str, Handler] = {
    **dict.fromkeys(expressions.LITERALS, expressions.literal),
    "class": definitions.class_,
    "module": definitions.class_,
    "singleton_class": definitions.singleton,
    "method": definitions.method,
    "singleton_method": definitions.singleton_method,
    "alias": definitions.alias_statement,
    "undef": nothing,
    "body_statement": definitions.body,
    "begin": definitions.body,
    "block_body": last,
    "then": last,
    "else": last,
    "ensure": inside,
    "parenthesized_statements": last,
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
    "if": expressions.if_,
    "unless": expressions.if_,
    "elsif": expressions.if_,
    "if_modifier": expressions.if_,
    "unless_modifier": expressions.if_,
    "while": expressions.block,
    "until": expressions.block,
    "while_modifier": inside,
    "until_modifier": inside,
    "for": expressions.for_,
    "case": expressions.case,
    "case_match": expressions.case,
    "in_clause": expressions.pattern_clause,
    "as_pattern": expressions.pattern_name,
    "keyword_pattern": expressions.pattern_key,
    "array_pattern": expressions.pattern_list,
    "find_pattern": expressions.pattern_list,
    "hash_pattern": expressions.pattern_list,
    "splat_parameter": expressions.pattern_list,
    "hash_splat_parameter": expressions.pattern_list,
    "rescue": expressions.rescue,
    "rescue_modifier": definitions.body,
    "return": expressions.returned,
    "assignment": expressions.assignment,
    "operator_assignment": expressions.changed,
    "call": calls.call,
    "super": calls.super_,
    "lambda": calls.lambda_,
    "splat_argument": calls.splat,
    "hash_splat_argument": calls.splat,
    "block_argument": calls.splat,
    "pair": calls.pair,
    "yield": calls.yielded,
    "comment": nothing,
    "string_content": nothing,
    "escape_sequence": nothing,
    "heredoc_beginning": nothing,
    "heredoc_content": nothing,
    "heredoc_end": nothing,
    "hash_key_symbol": nothing,
    "global_variable": nothing,
    "nil": nothing,
    "operator": nothing,
    "uninterpreted": nothing,
}


@cache
def _tables() -> Mapping[int, Handler]:
    return by_kind("ruby", _HANDLERS, otherwise=inside, token=nothing)


def extract(root: Node, b: Builder) -> None:
    """Tells the builder everything that the tree under `root` says; never raises on bad source."""
    w = Walk(b, _tables())
    w.flow.function(lambda: inside(w, root))
