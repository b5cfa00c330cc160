"""Syntax tree -> facts: which handler visits which kind of node, and what frames the walk."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING

from codemap.fact_building.node_dispatch import by_kind
from codemap.fact_building.walk import Handler, visit_children, visit_inner, visit_nothing
from codemap.facts import SymbolKind
from codemap.languages.data_providers import mark_providers
from codemap.languages.jvm.modules import OWN_PACKAGE
from codemap.languages.jvm.test_annotations import PROVIDERS
from codemap.languages.kotlin import (
    calls,
    definitions,
    expressions,
    functions,
    generic_statements,
    imports,
    java_names,
    operators,
    properties,
    references,
    types,
)
from codemap.languages.kotlin.walk import KotlinWalk

if TYPE_CHECKING:
    from tree_sitter import Node

    from codemap.fact_building.builder import Builder

_HANDLERS: dict[str, Handler] = {
    **dict.fromkeys(definitions.CLASSES, definitions.declaration),
    **dict.fromkeys(expressions.LITERALS, expressions.literal),
    "enum_entry": definitions.entry,
    "object_literal": definitions.object_,
    "function_declaration": functions.function,
    "secondary_constructor": functions.constructor,
    "property_declaration": properties.property_,
    "getter": properties.accessor,
    "setter": properties.accessor,
    "type_alias": functions.alias,
    "call_expression": calls.call,
    "navigation_expression": calls.navigation,
    "callable_reference": references.reference,
    "lambda_literal": generic_statements.lambda_,
    "infix_expression": expressions.infix,
    "simple_identifier": expressions.identifier,
    "interpolated_identifier": expressions.identifier,
    "this_expression": expressions.this,
    "super_expression": expressions.super_,
    "parenthesized_expression": generic_statements.parenthesized,
    "comparison_expression": generic_statements.comparison,
    "equality_expression": operators.tested,
    "check_expression": operators.contained,
    "range_test": operators.contained,
    "prefix_expression": operators.prefix,
    "postfix_expression": operators.postfix,
    "elvis_expression": expressions.visit_elvis,
    "as_expression": expressions.cast,
    "indexing_expression": operators.index,
    "additive_expression": operators.binary,
    "multiplicative_expression": operators.binary,
    "range_expression": operators.binary,
    "if_expression": expressions.conditional,
    "when_expression": expressions.when,
    "try_expression": expressions.try_,
    "catch_block": expressions.visit_catch,
    "for_statement": expressions.loop,
    "while_statement": expressions.block,
    "do_while_statement": expressions.block,
    "anonymous_initializer": expressions.block,
    "assignment": operators.assignment,
    "anonymous_function": expressions.anonymous,
    "jump_expression": expressions.jump,
    "annotation": expressions.annotation,
    "file_annotation": expressions.annotation,
    "user_type": types.user,
    "nullable_type": visit_inner,
    "not_nullable_type": visit_inner,
    "parenthesized_type": visit_inner,
    "type_projection": visit_inner,
    "function_type": types.function,
    "import_header": imports.header,
    "package_header": imports.package,
    "line_comment": visit_nothing,
    "multiline_comment": visit_nothing,
    "string_content": visit_nothing,
    "character_escape_seq": visit_nothing,
    "null_literal": visit_nothing,
    "label": visit_nothing,
    "type_modifiers": visit_nothing,
}


@cache
def _tables() -> Mapping[int, Handler]:
    return by_kind("kotlin", _HANDLERS, otherwise=visit_children, token=visit_nothing)


_VALUE_KINDS = frozenset(map(int, (SymbolKind.FUNCTION, SymbolKind.METHOD, SymbolKind.VARIABLE, SymbolKind.PROPERTY)))
"""What is no type: a property may have the name of its type."""


def extract(root: Node, b: Builder) -> None:
    """Tells the builder everything that the tree under `root` says; never raises on bad source."""
    b.implicit_import(OWN_PACKAGE)
    b.value_kinds = _VALUE_KINDS
    w = KotlinWalk(b, _tables())
    definitions.declare(w, root.named_children)
    visit_children(w, root)
    java_names.declare_file_class(w, root)
    mark_providers(b, PROVIDERS)
