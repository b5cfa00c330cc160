"""Displays and comprehensions: what containers hold.

Source: the Python Language Reference, 6.2.4 to 6.2.8.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from codemap.fact_building.builder import NONE
from codemap.fact_building.walk import Handler, children_of
from codemap.facts import Op, ScopeKind
from codemap.languages.python import special_methods as special
from codemap.languages.python.expressions import tested
from codemap.languages.python.narrowing import narrow_positive
from codemap.languages.python.targets import assign
from codemap.languages.python.walk import Walk

if TYPE_CHECKING:
    from tree_sitter import Node


_BLOCK = int(ScopeKind.BLOCK)
_PARTS_MAX = 32
"""Distinct values of a display that are kept: a dispatch table seldom has more, a data table has thousands."""
_TUPLE_MAX = 8
"""Longer tuples are kept as containers: nobody unpacks them into names."""


def list_(w: Walk, node: Node) -> int:
    return w.b.container("list", _union_of(w, node.named_children))


def set_(w: Walk, node: Node) -> int:
    return w.b.container("set", _union_of(w, node.named_children))


def tuple_(w: Walk, node: Node) -> int:
    children = children_of(node)
    if len(children) > _TUPLE_MAX or any(child.type == "list_splat" for child in children):
        return w.b.container("tuple", _union_of(w, children))
    return w.b.tuple_of([w.value(child) for child in children])


def dictionary(w: Walk, node: Node) -> int:
    """A dictionary is known by its values."""
    return w.b.container("dict", _union_of(w, node.named_children))


def pair(w: Walk, node: Node) -> int:
    values = w.values
    key, value = node.child(0), node.child(node.child_count - 1)
    values[key.kind_id](w, key)
    return values[value.kind_id](w, value)


def _union_of(w: Walk, nodes: list[Node]) -> int:
    values = w.values
    found: dict[int, None] = {}
    for node in nodes:
        found[values[node.kind_id](w, node)] = None
    found.pop(NONE, None)
    if not found:
        return NONE
    return w.b.unions(found) if len(found) <= _PARTS_MAX else NONE


def list_splat(w: Walk, node: Node) -> int:
    value = w.value(node.children[-1])
    w.b.operate(value, special.ITER, node.start_byte)
    return w.b.wrap(Op.ITER, value)


def dictionary_splat(w: Walk, node: Node) -> int:
    return w.b.wrap(Op.INDEX, w.value(node.children[-1]))


def comprehension(name: str) -> Handler:
    """The handler of a comprehension that makes a `name`."""

    def visit(w: Walk, node: Node) -> int:
        return w.b.container(name, _comprehend(w, node))

    return visit


def _comprehend(w: Walk, node: Node) -> int:
    """Visits a comprehension in a block scope of its own and returns its element; the first iterable stays outside."""
    b = w.b
    children = children_of(node)
    outer = b.scope
    first = NONE
    for clause in children:
        if clause.type == "for_in_clause":
            first = w.value(clause.children[-1])
            break
    scope = b.open_scope(_BLOCK, b.scope.owner)
    is_first = True
    for clause in children[1:]:
        if clause.type == "for_in_clause":
            value = first if is_first else w.value(clause.children[-1])
            is_first = False
            target = clause.child_by_field_name("left")
            is_async = clause.children[0].type == "async"
            b.operate(value, special.ASYNC_ITER if is_async else special.ITER, clause.start_byte)
            if target is not None:
                assign(w, target, w.b.wrap(Op.ITER, value), scope)
        else:
            for condition in clause.named_children:
                tested(w, condition, clause.start_byte)
                narrow_positive(w, condition)
    element = w.value(children[0])
    b.scope = outer
    return element
