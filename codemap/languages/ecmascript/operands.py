"""The operands that `x!` and calls with type arguments have, where the grammar gives them a whole operation; and the
name that stands for what is called."""

from __future__ import annotations

from typing import TYPE_CHECKING

from codemap.languages.ecmascript.walk import Walk

if TYPE_CHECKING:
    from tree_sitter import Node

OPERATIONS = frozenset(("await_expression", "unary_expression", "binary_expression"))
"""What ends in an operand without brackets around it."""


def operand(w: Walk, node: Node) -> int:
    """What `x!` in front of a member is: the grammar has it hold all of `a - x`, of which it holds the last operand."""
    plain = node
    while plain.type == "non_null_expression" and plain.named_children:
        plain = plain.named_children[0]
    if plain.type == "binary_expression" and len(plain.named_children) > 1:
        *before, last = plain.named_children
        for child in before:
            w.value(child)
        return operand(w, last)
    if plain.type == "unary_expression" and plain.named_children:
        return operand(w, plain.named_children[-1])
    return w.value(plain)


def operand_called(w: Walk, node: Node) -> tuple[Node, bool]:
    """What a call with type arguments behind an operator calls, and whether its result is awaited: the grammar has it
    call all of `await f` in `await f<T>(x)`. What is before is visited."""
    is_awaited = False
    while node.type in OPERATIONS and node.named_children:
        is_awaited = node.kind_id == w.kinds.AWAIT
        *before, last = node.named_children
        for child in before:
            w.value(child)
        node = last
    return node, is_awaited


_INSIDE = frozenset(("call_expression", "subscript_expression", "parenthesized_expression", "non_null_expression"))
"""What a callee begins with that is called, or read, in turn."""


def last_name(w: Walk, callee: Node) -> int:
    """Offset of the name nearest to the call's parenthesis, where the callee is no plain chain. In a chain of calls,
    the one that was visited last is what the next begins with."""
    node = callee
    while node.type in _INSIDE:
        if node.id == w.called:
            return w.called_at
        index = node.child_by_field_name("index")
        if (name := w.string(index)) and index is not None and name.isidentifier():
            return index.start_byte + 1
        inner = node.named_children
        if not inner:
            break
        node = inner[0]
    if node.kind_id == w.kinds.MEMBER and node.named_children:
        node = node.named_children[-1]
    return node.start_byte
