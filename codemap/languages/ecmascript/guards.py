"""Narrowing by `instanceof`, where it is plain: the branch it guards, and what follows an early return."""

from __future__ import annotations

from typing import TYPE_CHECKING

from codemap.extract.builder import NONE, Scope
from codemap.facts import ScopeKind, SourceKind
from codemap.languages.ecmascript.walk import Walk

if TYPE_CHECKING:
    from tree_sitter import Node


def narrow(w: Walk, condition: Node | None) -> Scope | None:
    """Opens a scope in which the names that `condition` tests are of the types it states; None where it states none.

    The condition itself has been visited.
    """
    return _open(w, [] if condition is None else _tests(w, condition))


def narrow_otherwise(w: Walk, condition: Node | None) -> Scope | None:
    """The same for where `condition` is false: `!(x instanceof C)`."""
    if condition is None or w.source.find(b"!", condition.start_byte, condition.end_byte) < 0:
        return None
    plain = w.unwrap(condition)
    if plain.type != "unary_expression" or plain.children[0].type != "!":
        return None
    operand = plain.child_by_field_name("argument")
    return _open(w, [] if operand is None else _tests(w, operand))


def _open(w: Walk, tests: list[tuple[str, int]]) -> Scope | None:
    if not tests:
        return None
    scope = w.b.open_scope(ScopeKind.BLOCK, w.b.owner)
    w.narrowed.add(scope.number)
    for name, type_ in tests:
        w.b.bind(name, SourceKind.TYPED, type_, scope=scope)
    return scope


def _tests(w: Walk, condition: Node) -> list[tuple[str, int]]:
    """Name and type of every `x instanceof C` that must hold where the condition does."""
    if w.source.find(b"instanceof", condition.start_byte, condition.end_byte) < 0:
        return []
    node = w.unwrap(condition)
    if node.type != "binary_expression":
        return []
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    operator = node.child_by_field_name("operator")
    if left is None or right is None or operator is None:
        return []
    if operator.type == "&&":
        return _tests(w, left) + _tests(w, right)
    type_ = _class(w, right) if operator.type == "instanceof" and left.kind_id == w.kinds.IDENTIFIER else NONE
    return [] if type_ == NONE else [(w.text(left), type_)]


def _class(w: Walk, node: Node) -> int:
    """The class that a name or a chain of names means; its uses have been reported."""
    if node.kind_id == w.kinds.IDENTIFIER:
        return w.b.name(w.text(node))
    if node.kind_id == w.kinds.MEMBER and len(node.named_children) > 1:
        return w.b.attribute(_class(w, node.named_children[0]), w.text(node.named_children[-1]))
    return NONE
