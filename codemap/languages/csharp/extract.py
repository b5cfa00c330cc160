"""Syntax tree -> facts: which handler visits which kind of node, and what frames the walk."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING

from codemap.fact_building.node_dispatch import by_kind, token_of
from codemap.fact_building.walk import Handler, Wanted, visit_children, visit_inner, visit_nothing
from codemap.languages.csharp import (
    calls,
    definitions,
    expressions,
    functions,
    headers,
    members,
    namespaces,
    patterns,
    preprocessor,
    products,
    statements,
    types,
)
from codemap.languages.csharp.walk import CSharpWalk, flatten

if TYPE_CHECKING:
    from tree_sitter import Node

    from codemap.fact_building.builder import Builder

_BLOCKS = (
    "block",
    "for_statement",
    "catch_clause",
    "fixed_statement",
    "while_statement",
    "do_statement",
)
_HANDLERS: dict[str, Handler] = {
    **dict.fromkeys(definitions.KINDS, definitions.declaration),
    **dict.fromkeys(expressions.LITERALS, expressions.literal),
    **dict.fromkeys(_BLOCKS, statements.block),
    "delegate_declaration": definitions.delegate,
    "if_statement": statements.branch,
    "namespace_declaration": namespaces.namespace,
    "file_scoped_namespace_declaration": visit_nothing,
    "using_directive": visit_nothing,
    "extern_alias_directive": visit_nothing,
    "identifier": expressions.identifier,
    "member_access_expression": expressions.member,
    "conditional_access_expression": expressions.conditional_access,
    "element_access_expression": expressions.element_access,
    "parenthesized_expression": expressions.parenthesized,
    "postfix_unary_expression": visit_inner,  # `a!` is `a`, and so is `a++`
    "prefix_unary_expression": expressions.prefix,
    "binary_expression": expressions.binary,
    "cast_expression": expressions.cast,
    "as_expression": expressions.as_,
    "is_expression": expressions.is_,
    "typeof_expression": expressions.type_of,
    "sizeof_expression": expressions.size_of,
    "default_expression": expressions.default,
    "conditional_expression": expressions.conditional,
    "assignment_expression": expressions.assignment,
    "array_creation_expression": expressions.array_creation,
    "stackalloc_expression": expressions.array_creation,
    "implicit_array_creation_expression": expressions.display,
    "collection_expression": expressions.display,
    "await_expression": expressions.awaited,
    "ref_expression": expressions.parenthesized,
    "checked_expression": expressions.parenthesized,
    "tuple_expression": expressions.tuple_,
    "declaration_expression": products.product_or_declaration,
    "with_expression": expressions.with_,
    "anonymous_object_creation_expression": expressions.anonymous_object,
    "is_pattern_expression": patterns.is_pattern,
    "switch_expression": patterns.switch,
    "switch_statement": patterns.switch_statement,
    "invocation_expression": calls.invocation,
    "object_creation_expression": calls.creation,
    "implicit_object_creation_expression": calls.new_plain,
    "lambda_expression": functions.plain_lambda,
    "anonymous_method_expression": functions.plain_lambda,
    "local_function_statement": functions.local_function,
    "query_expression": statements.query,
    "generic_name": types.generic,
    "qualified_name": types.generic,
    "alias_qualified_name": types.space,
    "nullable_type": types.visit_inner,
    "pointer_type": types.visit_inner,
    "ref_type": types.visit_inner,
    "scoped_type": types.visit_inner,
    "array_type": types.array,
    "tuple_type": types.tuple_,
    "predefined_type": types.primitive,
    "implicit_type": visit_nothing,
    "field_declaration": members.field,
    "event_field_declaration": members.field,
    "property_declaration": members.property_,
    "event_declaration": members.property_,
    "indexer_declaration": members.indexer,
    "method_declaration": members.method,
    "constructor_declaration": members.constructor,
    "destructor_declaration": members.finalizer,
    "operator_declaration": members.operator,
    "conversion_operator_declaration": members.operator,
    "enum_member_declaration": members.constant,
    "attribute": headers.attribute,
    "local_declaration_statement": statements.local,
    "variable_declaration": statements.variable_declaration,
    "foreach_statement": statements.visit_foreach,
    "using_statement": statements.using,
    "catch_declaration": statements.visit_catch,
    "return_statement": statements.visit_return,
    "yield_statement": statements.visit_return,
    "arrow_expression_clause": statements.visit_return,
    "labeled_statement": statements.label,
    "goto_statement": visit_nothing,
    "preproc_if": preprocessor.conditional,
    "preproc_elif": preprocessor.conditional,
    "comment": visit_nothing,
    "modifier": visit_nothing,
    "null_literal": visit_nothing,
    "discard": visit_nothing,
}

_WANTED: dict[str, Wanted] = {
    "lambda_expression": functions.lambda_,
    "anonymous_method_expression": functions.lambda_,
}


@cache
def _tables() -> Mapping[int, Handler]:
    found = by_kind("csharp", _HANDLERS, otherwise=visit_children, token=visit_nothing)
    tokens = {token_of("csharp", "this"): expressions.this, token_of("csharp", "base"): expressions.base}
    return preprocessor.without_directives({**found, **tokens})


def extract(root: Node, b: Builder) -> None:
    """Tells the builder everything that the tree under `root` says; never raises on bad source."""
    w = CSharpWalk(b, _tables())
    w.wanted = _WANTED
    namespaces.open_file(w, root)
    listed = list(flatten(root.named_children))
    functions.declare_functions(w, root)
    namespaces.members(w, listed)
