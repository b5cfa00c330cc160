"""Syntax tree -> facts: which handler visits which kind of node, and what frames the walk."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING

from codemap.fact_building.node_dispatch import by_kind
from codemap.fact_building.walk import Handler, visit_children, visit_nothing
from codemap.languages.c import preprocessor
from codemap.languages.c.extract import HANDLERS as C_HANDLERS
from codemap.languages.cpp import (
    builtin_types,
    classes,
    enumerations,
    expressions,
    methods,
    names,
    namespaces,
    operators,
    templates,
    using,
)
from codemap.languages.cpp.walk import CppWalk

if TYPE_CHECKING:
    from tree_sitter import Node

    from codemap.fact_building.builder import Builder

_HANDLERS: dict[str, Handler] = {
    **C_HANDLERS,
    "identifier": expressions.identifier,
    "call_expression": expressions.call,
    "new_expression": expressions.new,
    "field_expression": expressions.field,
    "subscript_expression": operators.subscript,
    "lambda_expression": expressions.lambda_,
    "this": expressions.this,
    "catch_clause": expressions.catch,
    "for_range_loop": expressions.for_range,
    "alias_declaration": expressions.alias,
    "concept_definition": expressions.concept,
    "using_declaration": using.using,
    "qualified_identifier": names.qualified,
    "template_type": names.template,
    "template_function": names.template,
    "class_specifier": classes.class_,
    "struct_specifier": classes.class_,
    "union_specifier": classes.class_,
    "enum_specifier": enumerations.enumeration,
    "namespace_definition": namespaces.namespace,
    "template_declaration": templates.template,
    "function_definition": methods.function,
    "field_initializer": classes.field_initializer,
    "namespace_alias_definition": namespaces.alias,
    "friend_declaration": visit_nothing,
    "namespace_identifier": visit_nothing,
    "placeholder_type_specifier": expressions.placeholder,
    "access_specifier": visit_nothing,
    "virtual_specifier": visit_nothing,
    "primitive_type": builtin_types.primitive,
    "sized_type_specifier": builtin_types.sized,
    "number_literal": builtin_types.number,
    "char_literal": builtin_types.character,
    "string_literal": builtin_types.string,
    "raw_string_literal": builtin_types.string,
    "concatenated_string": builtin_types.strings,
    "true": builtin_types.truth,
    "false": builtin_types.truth,
    "null": builtin_types.null,
    "sizeof_expression": builtin_types.size,
    "condition_clause": operators.condition,
    "binary_expression": operators.binary,
    "unary_expression": operators.unary,
    "assignment_expression": operators.assignment,
    "update_expression": operators.update,
    "pointer_expression": operators.pointed,
    "auto": visit_nothing,
}


@cache
def _tables() -> Mapping[int, Handler]:
    return by_kind("cpp", _HANDLERS, otherwise=visit_children, token=visit_nothing)


def extract(root: Node, b: Builder) -> None:
    """Tells the builder everything that the tree under `root` says; never raises on bad source."""
    w = CppWalk(b, _tables())
    b.package("")
    w.opened = namespaces.find_opened(b.source)
    preprocessor.find_guard(w, root)
    visit_children(w, root)
    for report in w.later:
        report()
    templates.close(w)
    preprocessor.name_functions(w)
    using.implicit(w)
