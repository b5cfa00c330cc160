"""Destructuring: what each name of a pattern is given."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from codemap.fact_building.builder import NONE, Scope
from codemap.facts import Op, SourceKind
from codemap.languages.ecmascript.walk import READ, Walk

if TYPE_CHECKING:
    from tree_sitter import Node

Leaf = Callable[["Node", int], None]
"""Receives the node of a name and the value it is given."""


def destructure(w: Walk, node: Node, value: int, leaf: Leaf) -> None:
    """Gives every name in a pattern its part of `value`, in source order; visits defaults and computed names."""
    k = w.kinds
    kind = node.kind_id
    if kind == k.IDENTIFIER or kind == k.SHORTHAND_PATTERN:
        leaf(node, value)
    elif kind == k.OBJECT_PATTERN:
        for child in node.named_children:
            _property(w, child, value, leaf)
    elif kind == k.ARRAY_PATTERN:
        position = 0
        for child in node.children:
            if child.is_named:
                destructure(w, child, w.b.wrap(Op.ITEM, value, position), leaf)
            elif child.type == ",":
                position += 1
    elif kind == k.ASSIGNMENT_PATTERN or kind == k.OBJECT_ASSIGNMENT_PATTERN:
        target = node.child_by_field_name("left")
        default = w.field(node, "right")
        if target is not None:
            destructure(w, target, w.b.union(value, default), leaf)
    elif kind == k.REST_PATTERN:
        for child in node.named_children:
            destructure(w, child, NONE, leaf)
    else:
        w.value(node)


def _property(w: Walk, node: Node, value: int, leaf: Leaf) -> None:
    k = w.kinds
    kind = node.kind_id
    if kind == k.SHORTHAND_PATTERN:
        leaf(node, _member(w, value, node))
    elif kind == k.OBJECT_ASSIGNMENT_PATTERN:
        target = node.child_by_field_name("left")
        default = w.field(node, "right")
        if target is not None:
            part = _member(w, value, target) if target.kind_id == k.SHORTHAND_PATTERN else NONE
            destructure(w, target, w.b.union(part, default), leaf)
    elif kind == k.PAIR_PATTERN:
        key, target = node.child_by_field_name("key"), node.child_by_field_name("value")
        part = _member(w, value, key) if key is not None else NONE
        if target is not None:
            destructure(w, target, part, leaf)
    else:
        destructure(w, node, value, leaf)


def _member(w: Walk, value: int, key: Node) -> int:
    """The property of `value` that a pattern reads."""
    name = w.key(key)
    if name is None or value == NONE:
        return NONE
    part = w.b.attribute(value, name)
    w.b.use(READ, part, key.start_byte)
    return part


def local(w: Walk, scope: Scope) -> Leaf:
    """Binds names as locals of `scope` with what they are given."""

    def bind(node: Node, value: int) -> None:
        kind = SourceKind.OPAQUE if value == NONE else SourceKind.VALUE
        w.b.bind(w.text(node), kind, value, scope=scope)

    return bind
