"""Syntax tree -> facts: which handler visits which kind of node, and what frames the walk."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING

from codemap.fact_building.node_dispatch import by_kind
from codemap.fact_building.walk import Handler, Wanted, visit_children, visit_inner, visit_nothing
from codemap.languages.data_providers import mark_providers
from codemap.languages.java import (
    calls,
    creations,
    definitions,
    expressions,
    headers,
    imports,
    lambdas,
    members,
    statements,
    types,
)
from codemap.languages.java.walk import JavaWalk
from codemap.languages.jvm.modules import OWN_PACKAGE
from codemap.languages.jvm.test_annotations import PROVIDERS

if TYPE_CHECKING:
    from tree_sitter import Node

    from codemap.fact_building.builder import Builder

_HANDLERS: dict[str, Handler] = {
    **dict.fromkeys(definitions.KINDS, definitions.declaration),
    **dict.fromkeys(expressions.LITERALS, expressions.literal),
    "class_literal": expressions.class_literal,
    "identifier": expressions.identifier,
    "this": expressions.this,
    "super": expressions.super_,
    "field_access": expressions.field,
    "parenthesized_expression": visit_inner,
    "array_access": expressions.index,
    "cast_expression": expressions.cast,
    "ternary_expression": expressions.conditional,
    "assignment_expression": expressions.assignment,
    "binary_expression": expressions.binary,
    "array_creation_expression": expressions.array_creation,
    "instanceof_expression": expressions.instance_test,
    "type_pattern": expressions.type_pattern,
    "record_pattern_component": expressions.type_pattern,
    "method_invocation": calls.invocation,
    "explicit_constructor_invocation": calls.constructor_call,
    "object_creation_expression": creations.creation,
    "method_reference": calls.reference,
    "lambda_expression": lambdas.plain_lambda,
    "type_identifier": types.visit_name,
    "scoped_type_identifier": types.qualified,
    "scoped_identifier": types.qualified,
    "generic_type": types.qualified,
    "annotated_type": types.qualified,
    "array_type": types.array,
    "wildcard": visit_inner,  # `? extends T` is a T, and `? super T` is treated as one
    "integral_type": types.primitive,
    "floating_point_type": types.primitive,
    "boolean_type": types.primitive,
    "field_declaration": members.field,
    "constant_declaration": members.field,
    "method_declaration": members.method,
    "annotation_type_element_declaration": members.method,
    "constructor_declaration": members.constructor,
    "compact_constructor_declaration": members.constructor,
    "enum_constant": creations.constant,
    "static_initializer": members.initializer,
    "annotation": headers.annotation,
    "marker_annotation": headers.annotation,
    "block": statements.block,
    "for_statement": statements.block,
    "while_statement": statements.block,
    "do_statement": statements.block,
    "try_statement": statements.block,
    "try_with_resources_statement": statements.block,
    "catch_clause": statements.block,
    "local_variable_declaration": statements.local,
    "enhanced_for_statement": statements.visit_foreach,
    "resource": statements.resource,
    "catch_formal_parameter": statements.visit_catch,
    "switch_expression": statements.switch,
    "labeled_statement": statements.jump,
    "break_statement": visit_nothing,
    "continue_statement": visit_nothing,
    "import_declaration": imports.declaration,
    "package_declaration": imports.package,
    "module_declaration": visit_nothing,
    "line_comment": visit_nothing,
    "block_comment": visit_nothing,
    "void_type": visit_nothing,
    "null_literal": visit_nothing,
    "string_fragment": visit_nothing,
    "escape_sequence": visit_nothing,
    "dimensions": visit_nothing,
}

_WANTED: dict[str, Wanted] = {"lambda_expression": lambdas.lambda_}


@cache
def _tables() -> Mapping[int, Handler]:
    return by_kind("java", _HANDLERS, otherwise=visit_children, token=visit_nothing)


def extract(root: Node, b: Builder) -> None:
    """Tells the builder everything that the tree under `root` says; never raises on bad source."""
    b.implicit_import(OWN_PACKAGE)
    w = JavaWalk(b, _tables())
    w.wanted = _WANTED
    definitions.declare(w, root.named_children)
    visit_children(w, root)
    mark_providers(b, PROVIDERS)
