"""Operators, each of which may run a function: a member of its left operand's class, or one for a class of an operand.

Which it runs is decided where the types of all files are known. What is plainly a number, a text or a pointer is left
out here, as most operands are.

Source: ISO/IEC 14882:2020, 12.4 "Overloaded operators".
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from codemap.fact_building.builder import NONE, Scope
from codemap.fact_building.walk import children_of
from codemap.facts import Op, ScopeKind, SourceKind, UseRole
from codemap.languages.c.walk import Walk
from codemap.languages.cpp.walk import CppWalk

if TYPE_CHECKING:
    from tree_sitter import Node

_CALL = int(UseRole.CALL)
_JOINS = frozenset({"&&", "||", "and", "or"})
_ENDS = ("begin", "end")
_TRUTH = "operator bool"
_TESTS = frozenset({"==", "!=", "<", ">", "<=", ">=", "&&", "||", "and", "or", "not_eq"})
_NOT_RUN = frozenset({"&&", "||", "and", "or", ","})
"""Those that hardly any class defines."""
_GIVES_LEFT = frozenset({"+", "-", "<<", ">>"})
"""Those that give their left operand where no class here defines them: `p + 1`, `out << x`."""
_NAMES = {"and": "&&", "or": "||", "not": "!", "not_eq": "!=", "bitand": "&", "bitor": "|", "xor": "^", "compl": "~"}
_ADDRESS = int(Op.ADDRESS)
_CONSTANT = frozenset({_ADDRESS, int(Op.THIS)})
_KNOWN = (SourceKind.TYPED, SourceKind.VALUE)


def binary(w: Walk, node: Node) -> int:
    """`a + b`."""
    assert isinstance(w, CppWalk)
    operator = node.child_by_field_name("operator")
    left, right = _operand(w, node, "left"), _operand(w, node, "right")
    sign = "" if operator is None else operator.type
    if sign in _JOINS and operator is not None:
        for each in (left, right):
            _ask(w, each, _TRUTH, operator.start_byte)
    run = NONE if operator is None or sign in _NOT_RUN else _run(w, sign, [left, right], operator.start_byte)
    if sign in _TESTS:
        return w.literal("bool")
    is_left = sign in _GIVES_LEFT and (right.value in w.builtin or left.value not in w.builtin)
    return w.b.either(w.b.call(run), left.value if is_left else NONE)


def assignment(w: Walk, node: Node) -> int:
    """`a += b`, `a = b`."""
    assert isinstance(w, CppWalk)
    operator = node.child_by_field_name("operator")
    left, right = _operand(w, node, "left"), _operand(w, node, "right")
    if operator is not None:
        _run(w, operator.type, [left, right], operator.start_byte)
    return left.value


def unary(w: Walk, node: Node) -> int:
    """`!x`, `-1`."""
    assert isinstance(w, CppWalk)
    operator = node.child_by_field_name("operator")
    argument = _operand(w, node, "argument")
    sign = "" if operator is None else operator.type
    run = NONE if operator is None else _run(w, sign, [argument], operator.start_byte)
    if sign in ("!", "not"):
        return w.literal("bool")
    is_number = argument.value in w.builtin and sign in ("-", "+", "~")
    return w.b.either(w.b.call(run), argument.value if is_number else NONE)


def condition(w: Walk, node: Node) -> int:
    """`(x)` behind `if` and `while`: asks x whether it holds."""
    assert isinstance(w, CppWalk)
    w.field(node, "initializer")
    value = node.child_by_field_name("value")
    if value is not None:
        _ask(w, _operand(w, node, "value"), _TRUTH, value.start_byte)
    return NONE


def iterated(w: CppWalk, node: Node) -> int:
    """What is behind the colon of `for (T x : xs)`; asks it where it begins and ends."""
    right, whole = node.child_by_field_name("right"), _operand(w, node, "right")
    if right is not None:
        for name in _ENDS:
            _ask(w, whole, name, right.start_byte)
    return whole.value


def update(w: Walk, node: Node) -> int:
    """`++x`, `x++`."""
    assert isinstance(w, CppWalk)
    operator = node.child_by_field_name("operator")
    argument = _operand(w, node, "argument")
    if operator is not None:
        is_behind = operator.start_byte > node.start_byte
        operands = [argument, Operand(w.literal("int"), is_plain=True)] if is_behind else [argument]
        _run(w, operator.type, operands, operator.start_byte)
    return argument.value


def pointed(w: Walk, node: Node) -> int:
    """`*p`; `&x` is what x is."""
    assert isinstance(w, CppWalk)
    operator = node.child_by_field_name("operator")
    argument = _operand(w, node, "argument")
    if operator is None or operator.type != "*":
        return argument.value
    return w.b.either(w.b.call(_run(w, "*", [argument], operator.start_byte)), argument.value)


def subscript(w: Walk, node: Node) -> int:
    """`a[b]`."""
    assert isinstance(w, CppWalk)
    whole = _operand(w, node, "argument")
    indices = node.child_by_field_name("indices")
    given = [operand(w, child) for child in (children_of(indices) if indices is not None else ())]
    if whole.value == NONE:
        return NONE
    if indices is not None and len(given) == 1:
        _run(w, "[]", [whole, Operand(given[0], is_plain=True)], indices.start_byte)
    return w.b.expr(Op.INDEX, whole.value, NONE)


def arrow(w: CppWalk, node: Node, value: int) -> None:
    """`x->` runs the operator of the class of x; the member behind it is found where that class is known."""
    operator, argument = node.child_by_field_name("operator"), node.child_by_field_name("argument")
    if operator is not None and argument is not None and operator.type == "->":
        _run(w, "->", [Operand(value, _is_plain(w, argument, value))], operator.start_byte)


def operand(w: CppWalk, node: Node | None) -> int:
    """An operand or argument, of which it matters whether it is a pointer."""
    value = w.value(node)
    if node is not None and node.type == "pointer_expression":
        return w.b.wrap(Op.ADDRESS if w.chars[node.start_byte] == "&" else Op.POINTED, value)
    return value


class Operand(NamedTuple):
    value: int
    is_plain: bool
    """Whether it is surely of no class, or nothing is known of it."""


def _operand(w: CppWalk, node: Node, field: str) -> Operand:
    inner = node.child_by_field_name(field)
    value = operand(w, inner)
    return Operand(value, inner is None or _is_plain(w, inner, value))


def _is_plain(w: CppWalk, node: Node, value: int) -> bool:
    b = w.b
    if value == NONE or value in w.builtin or b.exprs[value][0] in _CONSTANT:
        return True
    if node.type != "identifier":
        return False
    scope: Scope | None = b.scope
    number = b.names[w.text(node)]
    while scope is not None and scope.kind >= ScopeKind.FUNCTION:
        if number in scope.sources:
            return all(
                kind in _KNOWN and (a in w.builtin or b.exprs[a][0] == _ADDRESS) for kind, a, _ in scope.sources[number]
            )
        scope = scope.parent
    return False


def _run(w: CppWalk, sign: str, operands: Sequence[Operand], at: int) -> int:
    """Uses what an operator may run; gives it."""
    if all(each.is_plain for each in operands):
        return NONE
    b = w.b
    name = f"operator{_NAMES.get(sign, sign)}"
    names = (name, _TRUTH) if name == "operator!" else (name,)
    operation = b.expr(Op.SPECIAL, operands[0].value, b.args([b.literal(each) for each in names]))
    others = NONE
    for each in reversed(operands[1:]):
        others = b.expr(Op.ARG, each.value, others)
    run = b.expr(Op.OVERLOAD, operation, others)
    b.use(_CALL, run, at)
    return run


def _ask(w: CppWalk, of: Operand, name: str, at: int) -> None:
    """Uses the member of a name without arguments of an operand's class."""
    if not of.is_plain:
        w.b.use(_CALL, w.b.overload(w.b.special(of.value, (name,)), (), is_counted=True), at)
