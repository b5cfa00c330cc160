"""Narrowing: a test that holds gives a name a stated type for the code behind it.

A narrowed name is bound again, TYPED, in a block scope that ends with the block (or operand) in which the test is
known to hold. Only tests that are plain are read: `isinstance(name, C)`, `issubclass` left out, with `not`, `and` and
parentheses around them. None needs no narrowing, for it has no members.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from codemap.fact_building.builder import NONE
from codemap.fact_building.walk import children_of
from codemap.facts import Op, ScopeKind, SourceKind
from codemap.languages.python.builtin_calls import is_builtin

if TYPE_CHECKING:
    from tree_sitter import Node

    from codemap.languages.python.walk import Walk


def narrow_positive(w: Walk, test: Node) -> None:
    """Opens a block scope for each name whose type follows from `test` being true."""
    kind = test.type
    if kind == "call":
        _narrow_isinstance(w, test)
    elif kind == "not_operator":
        narrow_negative(w, test.children[-1])
    elif kind == "parenthesized_expression":
        for child in test.named_children:
            narrow_positive(w, child)
    elif kind == "boolean_operator" and test.children[1].type == "and":
        narrow_positive(w, test.children[0])
        narrow_positive(w, test.children[-1])


def narrow_negative(w: Walk, test: Node) -> None:
    """Opens a block scope for each name whose type follows from `test` being false."""
    kind = test.type
    if kind == "call":
        _exclude_isinstance(w, test)
    elif kind == "not_operator":
        narrow_positive(w, test.children[-1])
    elif kind == "parenthesized_expression":
        for child in test.named_children:
            narrow_negative(w, child)
    elif kind == "boolean_operator" and test.children[1].type == "or":
        narrow_negative(w, test.children[0])
        narrow_negative(w, test.children[-1])


def leaves(block: Node) -> bool:
    """Whether control never comes out of the end of a block, as its last statement says."""
    children = block.named_children
    while children and children[-1].type == "comment":
        children.pop()
    return bool(children) and children[-1].type in _LEAVING


_LEAVING = frozenset({"return_statement", "raise_statement", "continue_statement", "break_statement"})


def narrow(w: Walk, name: str, type_: int) -> None:
    """Binds a name to a stated type in a new block scope."""
    if type_ != NONE:
        b = w.b
        b.open_scope(ScopeKind.BLOCK, b.scope.owner)
        b.bind(name, SourceKind.TYPED, type_)


def _narrow_isinstance(w: Walk, test: Node) -> None:
    tested = _isinstance(w, test)
    if tested is not None and not _is_any_class(w, tested[1]):
        narrow(w, _spelled(w, tested[0]), class_of(w, tested[1]))


def _is_any_class(w: Walk, node: Node) -> bool:
    """Whether it is `type`: what a name holds that is a class says more of it."""
    return node.type == "identifier" and w.text(node) == "type" and is_builtin(w.b, "type")


def _exclude_isinstance(w: Walk, test: Node) -> None:
    """`isinstance(x, C)` does not hold: x is what it was, but no C."""
    tested = _isinstance(w, test)
    type_ = NONE if tested is None else class_of(w, tested[1])
    if tested is not None and type_ != NONE:
        b = w.b
        name = _spelled(w, tested[0])
        others = b.expr(Op.OTHER, class_of(w, tested[0]), type_)
        b.open_scope(ScopeKind.BLOCK, b.scope.owner)
        b.bind(name, SourceKind.VALUE, others)


def _isinstance(w: Walk, test: Node) -> tuple[Node, Node] | None:
    """The name and the class of `isinstance(name, C)`."""
    function, arguments = test.children[0], test.children[-1]
    if w.text(function) != "isinstance":
        return None
    parts = children_of(arguments)
    return (parts[0], parts[1]) if len(parts) == 2 and _spelled(w, parts[0]) else None


def _spelled(w: Walk, node: Node) -> str:
    """A name, or a plain chain of names (`a.b`) as the walk narrows it; empty for anything else."""
    if node.type not in ("identifier", "attribute"):
        return ""
    text = w.text(node)
    first, *rest = text.split(".")
    if not all(map(str.isidentifier, (first, *rest))):
        return ""
    if rest:
        w.b.narrowed.add(first)
    return text


def class_of(w: Walk, node: Node) -> int:
    """The type that a class, a tuple of classes or a union of them names, without using it again."""
    b = w.b
    match node.type:
        case "identifier":
            return b.name(w.text(node))
        case "attribute":
            return b.attribute(class_of(w, node.children[0]), w.text(node.children[-1]))
        case "tuple" | "parenthesized_expression":
            parts = [class_of(w, child) for child in children_of(node)]
            return NONE if NONE in parts else b.unions(parts)
        case "binary_operator" if node.children[1].type == "|":
            parts = [class_of(w, node.children[0]), class_of(w, node.children[-1])]
            return NONE if NONE in parts else b.unions(parts)
        case _:
            return NONE
