"""Names with qualifiers and template arguments, and what the standard library's containers hold.

Source: ISO/IEC 14882:2020, 6.5.4 "Qualified name lookup", 13.3 "Names of template specializations".
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from codemap.extract.builder import NONE
from codemap.facts import Op, UseRole
from codemap.languages.c.standard import CONTAINERS, MAPS, TRANSPARENT, TUPLES
from codemap.languages.c.walk import Walk
from codemap.languages.cpp.conversions import NAMES
from codemap.languages.cpp.walk import CppWalk

if TYPE_CHECKING:
    from tree_sitter import Node

_CALL = int(UseRole.CALL)
_READ = int(UseRole.REFERENCE)
OPERATOR = "operator"
_STANDARD = frozenset({*CONTAINERS, *TRANSPARENT})


def split_name(node: Node) -> list[Node]:
    """The names of a qualified one, from the outermost in."""
    found: list[Node] = []
    inner: Node | None = node
    while inner is not None and inner.type == "qualified_identifier":
        scope = inner.child_by_field_name("scope")
        if scope is not None:
            found.append(scope)
        inner = inner.child_by_field_name("name")
    return found if inner is None else [*found, inner]


def split_nested(node: Node) -> list[Node]:
    """The names of a namespace with qualifiers, from the outermost in."""
    if not node.named_children:
        return [node]
    return [each for child in node.named_children for each in split_nested(child)]


def strip_arguments(node: Node) -> Node:
    """The name of a template, without its arguments; another as it is."""
    return (node.child_by_field_name("name") or node) if node.type.startswith("template_") else node


def spell_name(w: Walk, node: Node, parameters: Node | None) -> str:
    """The name of a method as it is called: `operator+`, or `operator bool` with all that is before the parameters."""
    text = w.text(node)
    if parameters is None or not (node.type == "operator_cast" or text == OPERATOR):
        return text.replace(" ", "")
    return " ".join(w.chars[node.start_byte : parameters.start_byte].split())


def qualified(w: Walk, node: Node) -> int:
    return use_name(w, node, _READ)


def use_name(w: Walk, node: Node, role: int, given: Sequence[int] = ()) -> int:
    """What a name with qualifiers means, called with some arguments; its last name is used as `role` says, the others
    are read."""
    assert isinstance(w, CppWalk)
    b = w.b
    found = split_name(node)
    if len(found) > 1 and w.text(found[0]) == "std":
        full = f"std::{w.text(strip_arguments(found[1]))}"
        listed = arguments(w, found[-1])
        if full in TUPLES and listed:
            return _tuple_of(w, listed)
        if full in MAPS and len(listed) > 1:
            listed = [_tuple_of(w, listed[:2]), listed[1]]
        if full in _STANDARD:
            return b.apply(b.name(full), listed)
        if full.removeprefix("std::") in NAMES:
            return w.literal(NAMES[full.removeprefix("std::")])
        is_plain = role == _READ and not listed  # what a template's value is may be of the repository
        return b.attribute(b.name("std"), full.removeprefix("std::")) if is_plain else NONE
    value = NONE
    is_global = node.type == "qualified_identifier" and node.child_by_field_name("scope") is None
    for at, part in enumerate(found):
        name_node = strip_arguments(part)
        name = w.text(name_node)
        if at == 0:
            meant = w.outermost if is_global else w.bare
        value = b.attribute(value, name) if at else meant(name)
        if role == _CALL and 0 < at == len(found) - 1:
            value = w.choose(_called_within(w, value, w.text(strip_arguments(found[at - 1])), name), given)
        b.use(role if at == len(found) - 1 else _READ, value, name_node.start_byte)
        value = b.apply_known(value, arguments(w, part))
    return value


def _tuple_of(w: CppWalk, types: Sequence[int]) -> int:
    return w.b.tuple_of([w.b.wrap(Op.INSTANCE, type_) for type_ in types])


def _called_within(w: CppWalk, member: int, scope: str, name: str) -> int:
    """What a name behind `::` calls: a choice, unlike a member of a value. Where nothing is known to be the scope it is
    what has the name in the file, if a macro of the file opens the scope; else any function of that name may be meant.
    """
    other = w.outermost(name) if scope in w.opened else member
    return member if member == NONE else w.b.expr(Op.ELSE, member, other)


def arguments(w: Walk, node: Node) -> list[int]:
    """Visits the arguments of a template: the types, in their places; NONE for values."""
    listed = node.child_by_field_name("arguments") if node.type.startswith("template_") else None
    found: list[int] = []
    for child in listed.named_children if listed is not None else ():
        if child.type != "comment":
            value = w.value(child)
            found.append(value if child.type == "type_descriptor" else NONE)
    return found


def template(w: Walk, node: Node) -> int:
    """A class or function with arguments of its template."""
    value = w.field(node, "name")
    return w.b.apply_known(value, arguments(w, node))
