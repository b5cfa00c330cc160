"""Syntax tree -> facts: which handler visits which kind of node, and what frames the walk."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING

from codemap.fact_building.comments import LINES_MAX, summary
from codemap.fact_building.node_dispatch import by_kind
from codemap.fact_building.walk import Handler, visit_children, visit_nothing
from codemap.facts import SourceKind
from codemap.languages.rust import attributes, calls, closures, expressions, implementations, imports, items, types
from codemap.languages.rust.builtins import ANY
from codemap.languages.rust.macros import macro_items
from codemap.languages.rust.walk import Walk

if TYPE_CHECKING:
    from tree_sitter import Node

    from codemap.fact_building.builder import Builder

_HANDLERS: dict[str, Handler] = {
    "identifier": expressions.identifier,
    "self": expressions.identifier,
    "scoped_identifier": types.visit_name,
    "field_expression": expressions.field,
    "call_expression": calls.call,
    "macro_invocation": calls.macro,
    "generic_function": types.visit_name,
    "reference_expression": expressions.reference,
    "parenthesized_expression": expressions.transparent,
    "await_expression": expressions.transparent,
    "else_clause": expressions.transparent,
    "unsafe_block": expressions.transparent,
    "async_block": expressions.transparent,
    "const_block": expressions.transparent,
    "unary_expression": expressions.unary,
    "binary_expression": expressions.binary,
    "compound_assignment_expr": expressions.visit_compound_assignment,
    "assignment_expression": expressions.assigned,
    "try_expression": expressions.visit_try,
    "index_expression": expressions.index,
    "type_cast_expression": expressions.cast,
    "tuple_expression": expressions.tuple_,
    "array_expression": expressions.array,
    "struct_expression": expressions.struct,
    "closure_expression": closures.visit_plain,
    "block": expressions.block,
    "if_expression": expressions.if_,
    "while_expression": expressions.while_,
    "for_expression": expressions.for_,
    "match_expression": expressions.match,
    "let_condition": expressions.condition,
    "let_declaration": expressions.let,
    "return_expression": expressions.visit_return,
    "break_expression": expressions.visit_return,
    "type_identifier": types.visit_name,
    "scoped_type_identifier": types.visit_name,
    "primitive_type": types.primitive,
    "generic_type": types.generic,
    "reference_type": types.visit_wrapped,
    "pointer_type": types.visit_wrapped,
    "dynamic_type": types.visit_wrapped,
    "abstract_type": types.visit_wrapped,
    "bracketed_type": types.visit_wrapped,
    "bounded_type": types.visit_bounds,
    "array_type": types.slice_,
    "tuple_type": types.tuple_,
    "function_type": types.function,
    "higher_ranked_trait_bound": types.higher_ranked,
    "qualified_type": types.qualified,
    "use_declaration": imports.use,
    "extern_crate_declaration": imports.extern_crate,
    "impl_item": implementations.implementation,
    "foreign_mod_item": items.foreign,
    "function_item": items.item,
    "function_signature_item": items.item,
    "const_item": items.item,
    "static_item": items.item,
    "mod_item": items.item,
    "struct_item": items.item,
    "union_item": items.item,
    "enum_item": items.item,
    "trait_item": items.item,
    "type_item": items.item,
    "ERROR": items.broken,
    "macro_definition": calls.macro_definition,
    "attribute_item": attributes.visit,
    "inner_attribute_item": visit_nothing,
    "line_comment": visit_nothing,
    "block_comment": visit_nothing,
    "lifetime": visit_nothing,
    "label": visit_nothing,
    "visibility_modifier": visit_nothing,
    "token_tree": visit_nothing,
    "metavariable": visit_nothing,
    "field_identifier": visit_nothing,
    "crate": visit_nothing,
    "super": visit_nothing,
    "string_literal": expressions.literal("str"),
    "raw_string_literal": expressions.literal("str"),
    "char_literal": expressions.literal("char"),
    "integer_literal": expressions.literal("i32"),
    "float_literal": expressions.literal("f64"),
    "boolean_literal": expressions.literal("bool"),
}


@cache
def _tables() -> Mapping[int, Handler]:
    return by_kind("rust", _HANDLERS, otherwise=visit_children, token=visit_nothing)


def extract(root: Node, b: Builder) -> None:
    """Tells the builder everything that the tree under `root` says; never raises on bad source."""
    w = Walk(b, _tables())
    b.set_doc(b.file, _doc(w))
    nodes = macro_items.expand(w, root.named_children)
    items.declare(w, nodes)
    items.visit(w, nodes)
    anything = b.name_in(b.module, ANY)  # what one implementation asks for, not every value has
    for symbol, position, bound in w.bounds:
        scope, names = w.generics.get(symbol, (b.module, []))
        if position < len(names):
            b.bind(names[position], SourceKind.VALUE, b.union(bound, anything), scope=scope)


def _doc(w: Walk) -> str:
    """The summary of the documentation that a file begins with."""
    found: list[str] = []
    for line in w.chars.split("\n", LINES_MAX)[:LINES_MAX]:
        text = line.strip()
        if text.startswith("//!"):
            found.append(text[3:].strip())
        elif found or (text and not text.startswith(("//", "#!"))):
            break
    return summary("\n".join(found))
