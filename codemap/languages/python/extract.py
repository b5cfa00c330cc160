"""Syntax tree -> facts: which handler visits which kind of node, and what frames the walk."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from codemap.fact_building.node_dispatch import by_kind, kind_of, kinds_of
from codemap.fact_building.walk import Handler, visit_children, visit_inner, visit_nothing
from codemap.facts import SourceKind, SymbolFlag, SymbolKind
from codemap.languages.python import assignments, calls, displays, errors, expressions, imports, patterns, statements
from codemap.languages.python.annotations import TYPES, generic, type_
from codemap.languages.python.definitions import classes, functions
from codemap.languages.python.definitions.docstring import docstring
from codemap.languages.python.targets import define_deferred
from codemap.languages.python.walk import Kinds, Tables, Walk, token

if TYPE_CHECKING:
    from tree_sitter import Node

    from codemap.fact_building.builder import Builder

_VALUES: dict[str, Handler] = {
    "identifier": expressions.identifier,
    "attribute": expressions.attribute,
    "call": calls.call,
    "subscript": expressions.subscript,
    "keyword_argument": calls.keyword_argument,
    "string": expressions.string,
    "concatenated_string": visit_inner,
    "integer": expressions.integer,
    "float": expressions.float_,
    "true": expressions.boolean,
    "false": expressions.boolean,
    "none": visit_nothing,
    "ellipsis": visit_nothing,
    "comment": visit_nothing,
    "comparison_operator": expressions.comparison,
    "not_operator": expressions.negation,
    "parenthesized_expression": visit_inner,
    "boolean_operator": expressions.boolean_operator,
    "binary_operator": expressions.binary_operator,
    "unary_operator": expressions.unary,
    "conditional_expression": expressions.conditional_expression,
    "named_expression": expressions.named_expression,
    "list": displays.list_,
    "set": displays.set_,
    "tuple": displays.tuple_,
    "expression_list": displays.tuple_,
    "dictionary": displays.dictionary,
    "pair": displays.pair,
    "list_splat": displays.list_splat,
    "dictionary_splat": displays.dictionary_splat,
    "await": expressions.await_,
    "list_comprehension": displays.comprehension("list"),
    "set_comprehension": displays.comprehension("set"),
    "generator_expression": displays.comprehension("list"),
    "dictionary_comprehension": displays.comprehension("dict"),
    "yield": expressions.yield_,
    "type": type_,
    "generic_type": generic,
    "lambda": functions.lambda_,
    "function_definition": functions.function,
    "class_definition": classes.class_,
    "decorated_definition": classes.visit_decorated,
    "assignment": assignments.assignment,
    "augmented_assignment": assignments.augmented,
    "type_alias_statement": assignments.type_alias,
    "block": statements.block,
    "return_statement": statements.return_,
    "if_statement": statements.if_,
    "while_statement": statements.while_,
    "for_statement": statements.for_,
    "assert_statement": statements.assert_,
    "try_statement": statements.try_,
    "except_clause": statements.except_,
    "with_statement": statements.with_,
    "delete_statement": statements.delete,
    "global_statement": statements.global_,
    "nonlocal_statement": statements.nonlocal_,
    "match_statement": patterns.match,
    "import_statement": imports.import_,
    "import_from_statement": imports.import_from,
    "future_import_statement": imports.import_future,
    "pass_statement": visit_nothing,
    "break_statement": visit_nothing,
    "continue_statement": visit_nothing,
    "ERROR": errors.error,
}


@cache
def _tables() -> Tables:
    return Tables(
        values=by_kind("python", _VALUES, otherwise=visit_children, token=token),
        types=by_kind("python", {**_VALUES, **TYPES}, otherwise=visit_children, token=token),
        statements=by_kind("python", {**_VALUES, "call": calls.statement}, otherwise=visit_children, token=token),
        kinds=Kinds(
            not_positional=kinds_of("python", "keyword_argument", "dictionary_splat", "comment"),
            literals=kinds_of("python", "string", "concatenated_string", "integer", "float", "true", "false", "none"),
            identifier=kind_of("python", "identifier"),
            attribute=kind_of("python", "attribute"),
            argument_list=kind_of("python", "argument_list"),
            call=kind_of("python", "call"),
            string=kind_of("python", "string"),
            keyword_argument=kind_of("python", "keyword_argument"),
            parameters=kind_of("python", "parameters"),
            type=kind_of("python", "type"),
            comment=kind_of("python", "comment"),
        ),
    )


def extract(root: Node, b: Builder) -> None:
    """Tells the builder everything that the tree under `root` says; never raises on bad source."""
    b.not_read = expressions.NOT_READ
    b.binds_in_order = True
    b.not_called = calls.NOT_CALLED
    w = Walk(b, _tables())
    b.set_doc(b.file, docstring(b.source, root))
    w.block(root)
    define_deferred(w, w.global_names, b.module, SymbolKind.VARIABLE)
    for name in w.all_names:
        for kind, symbol, _ in b.module.sources.get(b.intern(name), ()):
            if kind == SourceKind.SYMBOL:
                b.add_flags(symbol, SymbolFlag.EXPORTED)
