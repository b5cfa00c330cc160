"""Syntax tree -> facts: which handler visits which kind of node, and what frames the walk."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING

from codemap.fact_building.node_dispatch import by_kind
from codemap.fact_building.walk import Handler, visit_children, visit_inner, visit_nothing
from codemap.languages.data_providers import mark_providers
from codemap.languages.php import (
    assignments,
    calls,
    definitions,
    expressions,
    headers,
    members,
    names,
    statements,
    types,
)
from codemap.languages.php.walk import Walk

if TYPE_CHECKING:
    from tree_sitter import Node

    from codemap.fact_building.builder import Builder

_HANDLERS: dict[str, Handler] = {
    **dict.fromkeys(definitions.KINDS, definitions.class_),
    **dict.fromkeys(expressions.LITERALS, expressions.literal),
    **dict.fromkeys(types.NAMES, expressions.name),
    definitions.FUNCTION: definitions.function,
    "const_declaration": definitions.constant,
    "method_declaration": members.method,
    "property_declaration": members.property_,
    "property_hook": members.hook,
    "enum_case": members.case,
    "use_declaration": members.skip,
    "namespace_definition": names.namespace,
    "namespace_use_declaration": names.use,
    "named_type": types.visit_name,
    "union_type": types.any_of,
    "optional_type": types.any_of,
    "intersection_type": types.any_of,
    "disjunctive_normal_form_type": types.any_of,
    "type_list": types.any_of,
    "primitive_type": visit_nothing,
    "bottom_type": visit_nothing,
    "variable_name": expressions.variable,
    "encapsed_string": expressions.text,
    "heredoc_body": expressions.text,
    "heredoc": visit_children,
    "member_access_expression": expressions.member,
    "nullsafe_member_access_expression": expressions.member,
    "scoped_property_access_expression": expressions.static_member,
    "class_constant_access_expression": expressions.constant,
    "parenthesized_expression": visit_inner,
    "error_suppression_expression": visit_inner,
    "subscript_expression": expressions.index,
    "array_creation_expression": expressions.array,
    "variadic_unpacking": expressions.unpacking,
    "by_ref": visit_inner,
    "cast_expression": expressions.cast,
    "conditional_expression": expressions.conditional,
    "binary_expression": expressions.binary,
    "assignment_expression": assignments.assignment,
    "reference_assignment_expression": assignments.assignment,
    "augmented_assignment_expression": assignments.assignment,
    "clone_expression": expressions.clone,
    "match_expression": expressions.match,
    **dict.fromkeys(
        (f"{word}_expression" for word in ("include", "include_once", "require", "require_once")),
        expressions.visit_include,
    ),
    "function_call_expression": calls.function,
    "member_call_expression": calls.method,
    "nullsafe_member_call_expression": calls.method,
    "scoped_call_expression": calls.static_method,
    "object_creation_expression": calls.creation,
    "anonymous_function": calls.closure,
    "arrow_function": calls.closure,
    "expression_statement": statements.expression,
    "if_statement": statements.if_,
    "else_if_clause": statements.if_,
    "else_clause": statements.block,
    "while_statement": statements.while_,
    "do_statement": statements.block,
    "for_statement": statements.block,
    "switch_statement": statements.block,
    "case_statement": statements.block,
    "default_statement": statements.block,
    "finally_clause": visit_children,
    "foreach_statement": statements.visit_foreach,
    "catch_clause": statements.visit_catch,
    "return_statement": statements.visit_return,
    "echo_statement": statements.visit_echo,
    "print_intrinsic": statements.visit_echo,
    "unset_statement": statements.unset,
    "global_declaration": statements.global_,
    "static_variable_declaration": statements.static,
    "yield_expression": statements.yielded,
    "relative_scope": expressions.scope,
    "comment": visit_nothing,
    "text": visit_nothing,
    "text_interpolation": visit_nothing,
    "php_tag": visit_nothing,
    "string_content": visit_nothing,
    "escape_sequence": visit_nothing,
    "named_label_statement": visit_nothing,
    "goto_statement": visit_nothing,
    "break_statement": visit_nothing,
    "continue_statement": visit_nothing,
    "declare_directive": visit_nothing,
    "null": visit_nothing,
}


@cache
def _tables() -> Mapping[int, Handler]:
    return by_kind("php", _HANDLERS, otherwise=visit_children, token=visit_nothing)


def extract(root: Node, b: Builder) -> None:
    """Tells the builder everything that the tree under `root` says; never raises on bad source."""
    w = Walk(b, _tables())
    names.begin(w, root)
    w.function_scope(b.file, lambda: visit_children(w, root))
    mark_providers(b, headers.PROVIDERS)
