"""Syntax tree -> facts: which handler visits which kind of node, and what frames the walk."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING

from codemap.extract.kinds import by_kind
from codemap.extract.walk import Handler, inside, nothing
from codemap.languages.php import assignments, calls, definitions, expressions, members, names, statements, types
from codemap.languages.php.walk import Walk

if TYPE_CHECKING:
    from tree_sitter import Node

    from codemap.extract.builder import Builder

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
    "use_declaration": members.skipped,
    "namespace_definition": names.namespace,
    "namespace_use_declaration": names.use,
    "named_type": types.named,
    "union_type": types.any_of,
    "optional_type": types.any_of,
    "intersection_type": types.any_of,
    "disjunctive_normal_form_type": types.any_of,
    "type_list": types.any_of,
    "primitive_type": nothing,
    "bottom_type": nothing,
    "variable_name": expressions.variable,
    "encapsed_string": expressions.text,
    "heredoc_body": expressions.text,
    "heredoc": expressions.parenthesized,
    "member_access_expression": expressions.member,
    "nullsafe_member_access_expression": expressions.member,
    "scoped_property_access_expression": expressions.static_member,
    "class_constant_access_expression": expressions.constant,
    "parenthesized_expression": expressions.parenthesized,
    "error_suppression_expression": expressions.parenthesized,
    "subscript_expression": expressions.index,
    "array_creation_expression": expressions.array,
    "variadic_unpacking": expressions.unpacking,
    "by_ref": expressions.parenthesized,
    "cast_expression": expressions.cast,
    "conditional_expression": expressions.conditional,
    "binary_expression": expressions.binary,
    "assignment_expression": assignments.assignment,
    "reference_assignment_expression": assignments.assignment,
    "augmented_assignment_expression": assignments.assignment,
    "clone_expression": expressions.clone,
    "match_expression": expressions.match,
    **dict.fromkeys(
        (f"{word}_expression" for word in ("include", "include_once", "require", "require_once")), expressions.included
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
    "finally_clause": inside,
    "foreach_statement": statements.each,
    "catch_clause": statements.caught,
    "return_statement": statements.returned,
    "echo_statement": statements.shown,
    "print_intrinsic": statements.shown,
    "global_declaration": statements.global_,
    "static_variable_declaration": statements.static,
    "yield_expression": statements.yielded,
    "relative_scope": expressions.scope,
    "comment": nothing,
    "text": nothing,
    "text_interpolation": nothing,
    "php_tag": nothing,
    "string_content": nothing,
    "escape_sequence": nothing,
    "named_label_statement": nothing,
    "goto_statement": nothing,
    "break_statement": nothing,
    "continue_statement": nothing,
    "declare_directive": nothing,
    "null": nothing,
}


@cache
def _tables() -> Mapping[int, Handler]:
    return by_kind("php", _HANDLERS, otherwise=inside, token=nothing)


def extract(root: Node, b: Builder) -> None:
    """Tells the builder everything that the tree under `root` says; never raises on bad source."""
    w = Walk(b, _tables())
    names.begin(w, root)
    w.function_scope(b.file, lambda: inside(w, root))
