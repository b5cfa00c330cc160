"""Types in declarations: what a stated type admits, and the uses inside it. A type that may be null is the type.

Source: the PHP Manual, "Type declarations".
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from codemap.fact_building.builder import NONE
from codemap.facts import Op, UseRole
from codemap.languages.php.headers import name_at
from codemap.languages.php.walk import Walk

if TYPE_CHECKING:
    from tree_sitter import Node

NAMES = ("name", "qualified_name", "relative_name")
_OWN = ("self", "parent")


def visit_name(w: Walk, node: Node) -> int:
    return use_class(w, node.named_children[0], UseRole.REFERENCE) if node.named_children else NONE


def use_class(w: Walk, node: Node, role: UseRole) -> int:
    """Visits the name of a class that is used in a role; gives the class."""
    name = w.text(node)
    at = name_at(node)
    if name.lower() == "static" and role == UseRole.REFERENCE:
        return w.b.literal("static")
    value = w.class_(name, at)
    if name.lower() not in _OWN or role != UseRole.REFERENCE:
        w.use(role, value, at)
    return value


def any_of(w: Walk, node: Node) -> int:
    return w.b.unions([w.value(child) for child in node.named_children])


def read_stated(w: Walk, node: Node | None, documented: int) -> int:
    """The type that a declaration states; what its documentation does, where that is all that is known, or closer:
    what a container holds."""
    native = w.value(node)
    if native == NONE or documented == NONE:
        return documented if native == NONE else native
    is_closer = w.b.exprs[documented][0] == Op.APPLY or documented == w.b.literal("static")
    return documented if is_closer else native
