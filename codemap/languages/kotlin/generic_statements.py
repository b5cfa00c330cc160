"""Calls with one type argument that begin a statement: `f<T>(x).g()`, which the grammar reads as `(f < T) > (x).g()`.

No such comparison is right source: `f < T` gives no value that can be compared with `>`. So the callee is put back in
front of its argument when the walk comes to that.

Source: the Kotlin specification, "Comparison expressions".
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from codemap.fact_building.builder import NONE
from codemap.languages.kotlin import calls, expressions, operators
from codemap.languages.kotlin.walk import expressions_of, has_token

if TYPE_CHECKING:
    from tree_sitter import Node

    from codemap.languages.kotlin.walk import KotlinWalk

_CHAIN = frozenset({"call_expression", "navigation_expression", "indexing_expression", "postfix_expression"})
_ARGUMENTS = frozenset({"lambda_literal", "parenthesized_expression"})


def comparison(w: KotlinWalk, node: Node) -> int:
    """`a < b`, or the call of a generic function."""
    parts = expressions_of(node)
    if len(parts) != 2 or parts[0].type != "comparison_expression" or not has_token(node, ">"):
        return operators.tested(w, node)
    head, chain = expressions_of(parts[0]), parts[1]
    argument = _find_first(chain)
    if len(head) != 2 or not has_token(parts[0], "<") or argument.type not in _ARGUMENTS:
        return operators.tested(w, node)
    w.parted_callees[argument.id] = (head[0], [w.value(head[1])])
    return w.value(chain)


def _find_first(chain: Node) -> Node:
    while chain.type in _CHAIN and chain.named_children:
        chain = chain.named_children[0]
    return chain


def parenthesized(w: KotlinWalk, node: Node) -> int:
    """An expression in parentheses, or the argument of a call."""
    head = w.parted_callees.get(node.id)
    return expressions.parenthesized(w, node) if head is None else calls.call_of(w, *head, node, None)


def lambda_(w: KotlinWalk, node: Node) -> int:
    """A lambda by itself, or the block of a call."""
    head = w.parted_callees.get(node.id)
    if head is not None:
        return calls.call_of(w, *head, None, node)
    calls.lambda_(w, node, NONE)
    return NONE
