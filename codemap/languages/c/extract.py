"""Syntax tree -> facts: which handler visits which kind of node, and what frames the walk."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING

from codemap.fact_building.node_dispatch import by_kind
from codemap.fact_building.walk import Handler, visit_children, visit_nothing
from codemap.languages.c import (
    definitions,
    expressions,
    initializers,
    macro_definitions,
    preprocessor,
    records,
    syntax_errors,
)
from codemap.languages.c.walk import Walk, block, visit_first

if TYPE_CHECKING:
    from tree_sitter import Node

    from codemap.fact_building.builder import Builder

HANDLERS: dict[str, Handler] = {
    "identifier": expressions.identifier,
    "field_expression": expressions.field,
    "call_expression": expressions.call,
    "assignment_expression": expressions.assignment,
    "subscript_expression": expressions.subscript,
    "conditional_expression": expressions.conditional,
    "comma_expression": expressions.comma,
    "binary_expression": expressions.binary,
    "update_expression": expressions.update,
    "cast_expression": expressions.cast,
    "compound_literal_expression": expressions.compound_literal,
    "offsetof_expression": expressions.member_offset,
    "sizeof_expression": expressions.size,
    "parenthesized_expression": visit_first,
    "pointer_expression": visit_first,
    "initializer_list": initializers.visit_untyped_list,
    "type_identifier": records.visit_name,
    "type_descriptor": records.descriptor,
    "struct_specifier": records.record,
    "union_specifier": records.record,
    "enum_specifier": records.enumeration,
    "function_definition": macro_definitions.definition,
    "expression_statement": macro_definitions.statement,
    "declaration": definitions.declaration,
    "ERROR": syntax_errors.broken,
    "type_definition": definitions.type_definition,
    "preproc_include": preprocessor.include,
    "preproc_def": preprocessor.macro,
    "preproc_function_def": preprocessor.macro,
    "preproc_if": preprocessor.conditional,
    "preproc_ifdef": preprocessor.conditional,
    "preproc_call": preprocessor.directive,
    "compound_statement": block,
    "for_statement": block,
    "comment": visit_nothing,
    "field_identifier": visit_nothing,
    "statement_identifier": visit_nothing,
    "primitive_type": visit_nothing,
    "sized_type_specifier": visit_nothing,
    "storage_class_specifier": visit_nothing,
    "type_qualifier": visit_nothing,
    "attribute_specifier": visit_nothing,
    "attribute_declaration": visit_nothing,
    "ms_declspec_modifier": visit_nothing,
    "gnu_asm_qualifier": visit_nothing,
    "string_literal": visit_nothing,
    "char_literal": visit_nothing,
    "number_literal": visit_nothing,
    "true": visit_nothing,
    "false": visit_nothing,
    "null": visit_nothing,
}


@cache
def _tables() -> Mapping[int, Handler]:
    return by_kind("c", HANDLERS, otherwise=visit_children, token=visit_nothing)


def extract(root: Node, b: Builder) -> None:
    """Tells the builder everything that the tree under `root` says; never raises on bad source."""
    w = Walk(b, _tables())
    preprocessor.find_guard(w, root)
    visit_children(w, root)
    for report in w.later:
        report()
    preprocessor.name_functions(w)
