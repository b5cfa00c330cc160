"""Tests that a variable, or a property of `$this`, is of a class: where they hold, that is what it is.

Rules of the file:
- A test holds in the block behind it, behind `assert`, to the right of `&&`, and where its opposite left the block.
- A property stays what it was found to be until it is assigned, whatever is called meanwhile, as type checkers have it.

Source: the PHP Manual, "Type Operators", "Logical Operators".
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

from codemap.fact_building.builder import NONE
from codemap.facts import Op, SourceKind
from codemap.languages.php import types
from codemap.languages.php.walk import Walk

if TYPE_CHECKING:
    from tree_sitter import Node

Narrowed = tuple[str, int]
"""A variable, and the class that it is of, as an expression."""

_AND, _OR = ("&&", "and"), ("||", "or")
_MEMBERS = ("member_access_expression", "nullsafe_member_access_expression")
_DEPTH_MAX = 20


def narrow(w: Walk, found: Iterable[Narrowed]) -> None:
    """Variables are of classes from here on, in this block."""
    for name, cls in found:
        if cls != NONE and name != "$this":
            # As a value, not as a stated type: assignments further in may add others.
            w.flow.narrow(name, SourceKind.VALUE, w.b.wrap(Op.INSTANCE, cls))


def visit_narrowed(w: Walk, found: list[Narrowed], visit: Callable[[], int]) -> int:
    """The value of a visit in which variables are of classes."""
    if not found:
        return visit()
    value = NONE

    def narrowed() -> None:
        nonlocal value
        narrow(w, found)
        value = visit()

    w.flow.block(narrowed)
    return value


def property_name(w: Walk, node: Node) -> str:
    """The name that `$this->a` is narrowed under, which no program can spell; empty for all else."""
    owner, name = node.child_by_field_name("object"), node.child_by_field_name("name")
    if node.type not in _MEMBERS or owner is None or name is None or name.type != "name" or w.text(owner) != "$this":
        return ""
    return f"$this->{w.text(name)}"


def narrow_true(w: Walk, node: Node | None, depth: int = 0) -> Iterator[Narrowed]:
    """What a condition says where it holds."""
    if node is None or depth > _DEPTH_MAX:
        return
    inner = _negated(w, node)
    if inner is not None:
        yield from narrow_false(w, inner, depth + 1)
    elif node.type == "parenthesized_expression":
        for child in node.named_children:
            yield from narrow_true(w, child, depth + 1)
    elif node.type == "binary_expression":
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        sign = operator_of(node)
        if sign in _AND:
            yield from narrow_true(w, left, depth + 1)
            yield from narrow_true(w, right, depth + 1)
        elif sign == "instanceof" and left is not None and right is not None and right.type in types.NAMES:
            name = w.text(left) if left.type == "variable_name" else property_name(w, left)
            if name:
                yield name, w.class_(w.text(right), right.start_byte)


def narrow_false(w: Walk, node: Node | None, depth: int = 0) -> Iterator[Narrowed]:
    """What a condition says where it does not hold: `!$x instanceof A || …`."""
    if node is None or depth > _DEPTH_MAX:
        return
    inner = _negated(w, node)
    if inner is not None:
        yield from narrow_true(w, inner, depth + 1)
    elif node.type == "parenthesized_expression":
        for child in node.named_children:
            yield from narrow_false(w, child, depth + 1)
    elif node.type == "binary_expression" and operator_of(node) in _OR:
        yield from narrow_false(w, node.child_by_field_name("left"), depth + 1)
        yield from narrow_false(w, node.child_by_field_name("right"), depth + 1)


def narrow_right(w: Walk, node: Node) -> list[Narrowed]:
    """What the left side of `&&` or `||` says where the right one is evaluated."""
    sign, left = operator_of(node), node.child_by_field_name("left")
    if sign in _AND:
        return list(narrow_true(w, left))
    return list(narrow_false(w, left)) if sign in _OR else []


def narrow_asserted(w: Walk, node: Node) -> list[Narrowed]:
    """What a statement `assert(…);` says."""
    call = node.named_children[0] if node.named_children else None
    if call is None or call.type != "function_call_expression":
        return []
    function, arguments = call.child_by_field_name("function"), call.child_by_field_name("arguments")
    if function is None or arguments is None or w.text(function).lstrip("\\").lower() != "assert":
        return []
    condition = arguments.named_children[0] if arguments.named_children else None
    return list(narrow_true(w, condition.named_children[-1])) if condition and condition.named_children else []


def operator_of(node: Node) -> str:
    operator = node.child_by_field_name("operator")
    return "" if operator is None else operator.type


def _negated(w: Walk, node: Node) -> Node | None:
    """What `!` comes before."""
    is_negation = node.type == "unary_op_expression" and node.named_children and w.chars[node.start_byte] == "!"
    return node.named_children[-1] if is_negation else None
