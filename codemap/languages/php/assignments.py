"""Assignments: what becomes of the places that get a value.

Source: the PHP Manual, "Assignment Operators", "Arrays".
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from codemap.fact_building.builder import NONE
from codemap.facts import Op, SourceKind
from codemap.languages.php import expressions, narrowing
from codemap.languages.php.builtins import ARRAY
from codemap.languages.php.walk import Walk

if TYPE_CHECKING:
    from tree_sitter import Node

_SET = ("offsetSet",)
_PLACES = ("member_access_expression", "nullsafe_member_access_expression", "scoped_property_access_expression")
_LISTS = ("list_literal", "array_creation_expression")
_OWN = ("self", "static")


def assignment(w: Walk, node: Node) -> int:
    """`a = b`, `a ??= b`, `a .= b`: the value, and what becomes of the place."""
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    operator = node.child_by_field_name("operator")
    value = w.value(right)
    if left is None:
        return value
    if operator is not None and operator.type == "??=":
        expressions.place(w, left, expressions.TESTED)
        add(w, left, value)
    elif node.type == "augmented_assignment_expression":
        w.value(left)
    else:
        assign(w, left, value)
    return value


def assign(w: Walk, target: Node, value: int) -> None:
    """A place gets a value."""
    if target.type == "variable_name":
        w.assign(w.text(target), SourceKind.VALUE, value)
    elif target.type in _LISTS:
        _destructure(w, target, value)
    elif target.type == "subscript_expression" and target.named_children:
        parts = target.named_children
        held = w.value(parts[0])
        for part in parts[1:]:
            w.value(part)
        w.b.operate(held, _SET, target.start_byte)
        add(w, parts[0], NONE if value == NONE else w.b.container(ARRAY, value))
    else:
        w.value(target)
        add(w, target, value)
        narrowed = narrowing.property_name(w, target)
        if narrowed and w.flow.is_bound(narrowed):
            w.flow.reassign(narrowed, value)


def add(w: Walk, target: Node, value: int) -> None:
    """A place may hold a value, beside others; its name has been visited."""
    if value == NONE:
        return
    if target.type == "variable_name":
        w.add(w.text(target), value)
    elif target.type in _PLACES and w.classes:
        _add_member(w, target, value)


def _add_member(w: Walk, target: Node, value: int) -> None:
    """`$this->a = …`, `self::$a = …`, of a property that the class declares."""
    owner = target.child_by_field_name("object") or target.child_by_field_name("scope")
    name_node = target.child_by_field_name("name")
    if owner is None or name_node is None or name_node.type not in ("name", "variable_name"):
        return
    is_own = w.text(owner) == "$this" or (owner.type == "relative_scope" and w.text(owner).lower() in _OWN)
    spelled = w.text(name_node) if name_node.type == "variable_name" else f"${w.text(name_node)}"
    cls = w.classes[-1]
    if is_own and spelled in cls.declared:
        w.b.member(cls.members, spelled, SourceKind.VALUE, value)


def _destructure(w: Walk, target: Node, value: int) -> None:
    """`[$a, 'k' => $b] = …`."""
    position = -1
    for child in target.children:
        if child.type in ("[", "(", ","):
            position += 1
        if not child.is_named or child.type == "comment":
            continue
        parts = child.named_children if child.type in ("array_element_initializer", "pair") else [child]
        if not parts:
            continue
        for key in parts[:-1]:
            w.value(key)
        place = parts[-1]
        if place.type == "by_ref" and place.named_children:
            place = place.named_children[0]
        is_keyed = len(parts) > 1 or _is_key(child)
        if _is_key(child):
            w.value(child)
            continue
        assign(w, place, w.b.wrap(Op.INDEX, value) if is_keyed else w.b.wrap(Op.ITEM, value, position))


def _is_key(node: Node) -> bool:
    """Whether a part of a list comes before `=>`."""
    following = node.next_sibling
    return following is not None and following.type == "=>"
