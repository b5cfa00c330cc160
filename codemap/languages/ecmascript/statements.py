"""Statements: blocks and the scopes they open."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from codemap.fact_building.builder import NONE
from codemap.fact_building.walk import Handler, children_of, visit_children, visit_nothing
from codemap.facts import Op, ScopeKind, SourceKind
from codemap.languages.ecmascript import calls, guards
from codemap.languages.ecmascript.definitions import classes, functions, variables
from codemap.languages.ecmascript.definitions.patterns import destructure, local
from codemap.languages.ecmascript.semantics import ASYNC_ITERATOR, ITERATOR
from codemap.languages.ecmascript.walk import Walk

if TYPE_CHECKING:
    from tree_sitter import Node

_LEAVES = frozenset({"return_statement", "throw_statement", "continue_statement", "break_statement"})


def block(w: Walk, node: Node) -> int:
    scope = w.b.open_scope(ScopeKind.BLOCK, w.b.owner)
    w.body(node)
    w.leave(scope)
    return NONE


def _if(w: Walk, node: Node) -> int:
    """Where the guarded branch leaves, what follows in the same block is narrowed by the condition's opposite."""
    condition = node.child_by_field_name("condition")
    w.value(condition)
    consequence, alternative = node.child_by_field_name("consequence"), node.child_by_field_name("alternative")
    scope = guards.narrow(w, condition)
    w.value(consequence)
    if scope is not None:
        w.leave(scope)
    if alternative is not None:
        scope = guards.narrow_otherwise(w, condition)
        w.value(alternative)
        if scope is not None:
            w.leave(scope)
    elif consequence is not None and _leaves(consequence):
        guards.narrow_otherwise(w, condition)
    return NONE


def _switch(w: Walk, node: Node) -> int:
    """The cases of a discriminant narrow what it is a member of; one that does not leave goes on in the next."""
    w.field(node, "value")
    given, body = guards.discriminant(w, node.child_by_field_name("value")), node.child_by_field_name("body")
    if given is None or body is None:
        w.value(body)
        return NONE
    around = w.b.open_scope(ScopeKind.BLOCK, w.b.owner)
    texts: list[str] = []
    is_known = True
    for case in body.named_children:
        if case.type == "comment":
            continue
        label = case.child_by_field_name("value")
        text = None if label is None else w.string(w.unwrap(label))
        is_known = is_known and text is not None
        texts.append(text or "")
        scope = guards.narrow_to(w, given, texts if is_known else [])
        w.body(case)
        if scope is not None:
            w.leave(scope)
        statements = children_of(case)
        if statements and _leaves(statements[-1]):
            texts, is_known = [], True
    w.leave(around)
    return NONE


def _leaves(node: Node) -> bool:
    """Whether a branch ends by leaving the block around it."""
    statements = children_of(node) if node.type == "statement_block" else [node]
    return bool(statements) and statements[-1].type in _LEAVES


def _for(w: Walk, node: Node) -> int:
    scope = w.b.open_scope(ScopeKind.BLOCK, w.b.owner)
    visit_children(w, node)
    w.leave(scope)
    return NONE


def _for_in(w: Walk, node: Node) -> int:
    """`for (const x of xs)`: x is an element; `for (x in o)`: x is a key."""
    b = w.b
    left, operator = node.child_by_field_name("left"), node.child_by_field_name("operator")
    kind = node.child_by_field_name("kind")
    whole = w.field(node, "right")
    is_of = operator is not None and operator.type == "of"
    is_await = any(child.type == "await" for child in node.children[:3])
    value = b.wrap(Op.ITER, whole) if is_of else NONE
    if is_of:
        b.operate(whole, (ASYNC_ITERATOR, ITERATOR) if is_await else (ITERATOR,), node.children[1].start_byte)
    if is_await:
        value = b.wrap(Op.AWAIT, value)
    scope = b.open_scope(ScopeKind.BLOCK, b.owner)
    if left is not None:
        if kind is None:
            w.value(left)
        else:
            destructure(w, left, value, local(w, b.function_scope() if kind.type == "var" else scope))
    w.field(node, "body")
    w.leave(scope)
    return NONE


def _catch(w: Walk, node: Node) -> int:
    b = w.b
    scope = b.open_scope(ScopeKind.BLOCK, b.owner)
    parameter = node.child_by_field_name("parameter")
    if parameter is not None:
        if parameter.kind_id == w.kinds.IDENTIFIER:
            b.bind(w.text(parameter), SourceKind.OPAQUE)
        else:
            destructure(w, parameter, NONE, local(w, scope))
    w.field(node, "body")
    w.leave(scope)
    return NONE


HANDLERS: Mapping[str, Handler] = {
    "statement_block": block,
    "expression_statement": calls.statement,
    "switch_body": block,
    "if_statement": _if,
    "switch_statement": _switch,
    "for_statement": _for,
    "for_in_statement": _for_in,
    "catch_clause": _catch,
    "return_statement": functions.return_statement,
    "lexical_declaration": variables.declaration,
    "variable_declaration": variables.declaration,
    "using_declaration": variables.declaration,
    "function_declaration": functions.function_declaration,
    "generator_function_declaration": functions.function_declaration,
    "function_signature": functions.function_declaration,
    "class_declaration": classes.class_declaration,
    "abstract_class_declaration": classes.class_declaration,
    "break_statement": visit_nothing,
    "continue_statement": visit_nothing,
    "empty_statement": visit_nothing,
    "debugger_statement": visit_nothing,
    "hash_bang_line": visit_nothing,
    "html_comment": visit_nothing,
}
