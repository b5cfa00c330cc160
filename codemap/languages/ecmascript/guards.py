"""Narrowing by `instanceof` and by discriminants (`x.kind === "A"`), where it is plain: the branch that a condition
guards, a case of a `switch`, and what follows an early return.

Source: the TypeScript Handbook, "Narrowing".
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from codemap.fact_building.builder import NONE, Scope
from codemap.facts import Op, ScopeKind, SourceKind
from codemap.languages.ecmascript.walk import Walk

if TYPE_CHECKING:
    from tree_sitter import Node


def narrow(w: Walk, condition: Node | None) -> Scope | None:
    """Opens a scope in which the names that `condition` tests are of the types it states; None where it states none.

    The condition itself has been visited.
    """
    return _open(w, [] if condition is None else _tests(w, condition))


def narrow_otherwise(w: Walk, condition: Node | None) -> Scope | None:
    """The same for where `condition` is false: `!(x instanceof C)`, `x.kind !== "A"`."""
    if condition is None or w.source.find(b"!", condition.start_byte, condition.end_byte) < 0:
        return None
    plain = w.unwrap(condition)
    if plain.type == "binary_expression":
        return _open(w, _equality(w, plain, _UNEQUAL))
    if plain.type != "unary_expression" or plain.children[0].type != "!":
        return None
    operand = plain.child_by_field_name("argument")
    return _open(w, [] if operand is None else _tests(w, operand))


class Discriminant(NamedTuple):
    """A member of a local variable that distinguishes the members of a union."""

    name: str
    """Of the variable."""
    member: int
    """The expression that reads it."""


def discriminant(w: Walk, node: Node | None) -> Discriminant | None:
    """`x.kind`, of a variable of a function or block; None for anything else. It has been visited."""
    plain = None if node is None else w.unwrap(node)
    if plain is None or plain.kind_id != w.kinds.MEMBER:
        return None
    of, member = plain.named_children[0], plain.named_children[-1]
    if of.kind_id != w.kinds.IDENTIFIER:
        return None
    name = w.text(of)
    bound = w.bound(name)
    if bound is None or bound[0].kind == ScopeKind.MODULE:  # reading that variable is a use of it
        return None
    return Discriminant(name, w.b.attribute(w.b.name(name), w.text(member)))


def narrow_to(w: Walk, given: Discriminant, texts: Sequence[str]) -> Scope | None:
    """Opens a scope in which a discriminant is one of some texts; None without any."""
    return _open(w, [_case(w, given, texts)] if texts else [])


def _case(w: Walk, given: Discriminant, texts: Sequence[str]) -> Test:
    b = w.b
    cases = [b.expr(Op.CASE, given.member, b.with_text(w.literal("String"), text)) for text in texts]
    return Test(given.name, SourceKind.VALUE, b.unions(cases))


class Test(NamedTuple):
    """What a condition says of a variable."""

    name: str
    source: SourceKind
    expr: int
    """See `SourceKind`."""


def _open(w: Walk, tests: list[Test]) -> Scope | None:
    if not tests:
        return None
    scope = w.b.open_scope(ScopeKind.BLOCK, w.b.owner)
    w.narrowed.add(scope.number)
    for test in tests:
        w.b.bind(test.name, test.source, test.expr, scope=scope)
    return scope


def _tests(w: Walk, condition: Node) -> list[Test]:
    """What must hold where the condition does."""
    start, end = condition.start_byte, condition.end_byte
    if w.source.find(b"instanceof", start, end) < 0 and w.source.find(b"==", start, end) < 0:
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
    if operator.type == "||":
        return _either(w, _tests(w, left), _tests(w, right))
    if operator.type in _EQUAL:
        return _equality(w, node, _EQUAL)
    type_ = _class(w, right) if operator.type == "instanceof" and left.kind_id == w.kinds.IDENTIFIER else NONE
    return [] if type_ == NONE else [Test(w.text(left), SourceKind.TYPED, type_)]


def _either(w: Walk, first: list[Test], second: list[Test]) -> list[Test]:
    """What holds where one of two conditions does: both must say something of the same variable."""
    if len(first) != 1 or len(second) != 1 or first[0][:2] != second[0][:2]:
        return []
    return [Test(*first[0][:2], w.b.union(first[0].expr, second[0].expr))]


def _equality(w: Walk, node: Node, operators: tuple[str, str]) -> list[Test]:
    """What a comparison of a discriminant with a string says, by one of some operators."""
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    operator = node.child_by_field_name("operator")
    if left is None or right is None or operator is None or operator.type not in operators:
        return []
    text = w.string(w.unwrap(right))
    given = None if text is None else discriminant(w, left)
    return [] if text is None or given is None else [_case(w, given, [text])]


_EQUAL, _UNEQUAL = ("===", "=="), ("!==", "!=")


def _class(w: Walk, node: Node) -> int:
    """The class that a name or a chain of names means; its uses have been reported."""
    if node.kind_id == w.kinds.IDENTIFIER:
        return w.b.name(w.text(node))
    if node.kind_id == w.kinds.MEMBER and len(node.named_children) > 1:
        return w.b.attribute(_class(w, node.named_children[0]), w.text(node.named_children[-1]))
    return NONE
