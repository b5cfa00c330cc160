"""Syntax tree -> facts: which handler visits which kind of node, and what frames the walk."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING

from codemap.fact_building.node_dispatch import by_kind
from codemap.fact_building.walk import Handler, visit_children, visit_nothing
from codemap.languages.go import definitions, expressions, imports, statements, types, variables
from codemap.languages.go.project.modules import OWN_PACKAGE
from codemap.languages.go.walk import Walk

if TYPE_CHECKING:
    from tree_sitter import Node

    from codemap.fact_building.builder import Builder

_HANDLERS: dict[str, Handler] = {
    "identifier": expressions.identifier,
    "selector_expression": expressions.selector,
    "call_expression": expressions.call,
    "unary_expression": expressions.unary,
    "parenthesized_expression": expressions.parenthesized,
    "index_expression": expressions.index,
    "slice_expression": expressions.slice_,
    "type_assertion_expression": expressions.assertion,
    "type_conversion_expression": expressions.conversion,
    "type_instantiation_expression": expressions.instantiation,
    "composite_literal": expressions.composite,
    "func_literal": expressions.function,
    "type_identifier": types.visit_name,
    "qualified_type": types.qualified,
    "pointer_type": types.visit_wrapped,
    "parenthesized_type": types.visit_wrapped,
    "type_constraint": types.visit_wrapped,
    "type_elem": types.visit_wrapped,
    "negated_type": types.visit_wrapped,
    "generic_type": types.generic,
    "slice_type": types.slice_,
    "array_type": types.slice_,
    "implicit_length_array_type": types.slice_,
    "map_type": types.map_,
    "channel_type": types.chan,
    "function_type": types.function,
    "struct_type": types.struct,
    "interface_type": definitions.interface,
    "type_spec": definitions.type_,
    "type_alias": definitions.type_,
    "function_declaration": definitions.function,
    "method_declaration": definitions.method,
    "var_declaration": variables.variables,
    "const_declaration": variables.constants,
    "short_var_declaration": variables.declare_short,
    "receive_statement": variables.declare_received,
    "range_clause": variables.declare_range,
    "import_spec": imports.spec,
    "block": statements.block,
    "if_statement": statements.block,
    "for_statement": statements.block,
    "expression_switch_statement": statements.block,
    "type_switch_statement": statements.type_switch,
    "select_statement": statements.block,
    "expression_case": statements.block,
    "default_case": statements.block,
    "communication_case": statements.block,
    "package_clause": visit_nothing,
    "comment": visit_nothing,
    "label_name": visit_nothing,
    "field_identifier": visit_nothing,
    "package_identifier": visit_nothing,
    "interpreted_string_literal": expressions.literal("string"),
    "raw_string_literal": expressions.literal("string"),
    "rune_literal": expressions.literal("rune"),
    "int_literal": expressions.literal("int"),
    "float_literal": expressions.literal("float64"),
    "imaginary_literal": expressions.literal("complex128"),
    "nil": visit_nothing,
    "true": expressions.literal("bool"),
    "false": expressions.literal("bool"),
    "iota": visit_nothing,
}


@cache
def _tables() -> Mapping[int, Handler]:
    return by_kind("go", _HANDLERS, otherwise=visit_children, token=visit_nothing)


def extract(root: Node, b: Builder) -> None:
    """Tells the builder everything that the tree under `root` says; never raises on bad source."""
    b.not_called = expressions.OWN_CALLS
    w = Walk(b, _tables())
    for child in root.named_children:
        if child.type == "package_clause":
            b.package(w.text(child.named_children[0]) if child.named_children else "")
            b.set_doc(b.file, w.doc(child.start_byte))
            break
    b.implicit_import(OWN_PACKAGE)
    definitions.declare_types(w, root)
    visit_children(w, root)
