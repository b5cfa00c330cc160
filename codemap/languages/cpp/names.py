"""Names with qualifiers and template arguments, and what the standard library's containers hold.

Source: ISO/IEC 14882:2020, 6.5.4 "Qualified name lookup", 13.3 "Names of template specializations".
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from codemap.fact_building.builder import NONE
from codemap.fact_building.walk import children_of, visit_children
from codemap.facts import Op, UseRole
from codemap.languages.c.keywords import MACRO_NAME
from codemap.languages.c.standard import CONTAINERS, MAPS, TRANSPARENT, TUPLES
from codemap.languages.c.walk import Walk
from codemap.languages.cpp.conversions import NAMES
from codemap.languages.cpp.walk import CppWalk

if TYPE_CHECKING:
    from tree_sitter import Node

_MACRO = re.compile(MACRO_NAME)
_CALL = int(UseRole.CALL)
_READ = int(UseRole.REFERENCE)
OPERATOR = "operator"
_REFERENCE = "abstract_reference_declarator"
_NUMBER = re.compile(r"0x[0-9a-f]+|0b[01]+|0|[1-9][0-9]*")
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
    are read. What a macro names may be a namespace that macros open, so that what is in it is outermost in its file."""
    assert isinstance(w, CppWalk)
    b = w.b
    found = split_name(node)
    if _is_standard(w, found[0]):
        within = w.text(found[1]) if len(found) == 2 else ""
        return _standard(w, w.text(strip_arguments(found[0])), arguments(w, found[0]), within)
    if len(found) > 1 and w.text(found[0]) == "std":
        name = w.text(strip_arguments(found[1]))
        within = w.text(found[2]) if len(found) == 3 and found[1].type == "template_type" else ""
        listed = arguments(w, found[1 if within else -1])
        if (meant := _standard(w, name, listed, within)) != NONE:
            return meant
        is_plain = role == _READ and not listed  # what a template's value is may be of the repository
        return b.attribute(b.name("std"), name) if is_plain else NONE
    value = NONE
    is_global = node.type == "qualified_identifier" and node.child_by_field_name("scope") is None
    for at, part in enumerate(found):
        if part.type == "decltype":
            visit_children(w, part)
            continue
        name_node = strip_arguments(part)
        name = w.text(name_node)
        if at == 0 and is_global:
            value = w.choose(w.outermost(name), given if role == _CALL and len(found) == 1 else ())
        elif at == 0:
            value = w.bare(name, has_arguments=name_node is not part)
        else:
            value = b.attribute(value, name)
            if at == 1 and _MACRO.fullmatch(w.text(found[0])):
                value = b.either(value, w.outermost(name))
        if role == _CALL and 0 < at == len(found) - 1:
            value = w.choose(_called_within(w, value, w.text(strip_arguments(found[at - 1])), name), given)
        is_last = at == len(found) - 1
        applied = b.apply_known(value, arguments(w, part))
        b.use(role if is_last else _READ, value if is_last and role == _CALL else applied, name_node.start_byte)
        value = applied
    return value


def _standard(w: CppWalk, name: str, listed: Sequence[int], within: str = "") -> int:
    """A container, tuple or holder of the standard library with arguments, or a type within it; or a builtin type."""
    b = w.b
    full = f"std::{name}"
    if full in TUPLES and listed:
        return _tuple_of(w, listed)
    if full in MAPS and len(listed) > 1:
        listed = [_tuple_of(w, listed[:2]), listed[1]]
    if full in _STANDARD:
        whole = b.apply(b.name(full), listed)
        return b.attribute(whole, within) if within else whole
    return w.literal(NAMES[name]) if name in NAMES else NONE


def _is_standard(w: CppWalk, node: Node) -> bool:
    """Whether a template without a qualifier is one of the standard library, whose names the file uses."""
    if node.type != "template_type" or not w.uses_standard:
        return False
    name = w.text(strip_arguments(node))
    if f"std::{name}" not in _STANDARD and f"std::{name}" not in TUPLES:
        return False
    return name not in w.parameters and w.key(f"struct {name}") not in w.defined


def _tuple_of(w: CppWalk, types: Sequence[int]) -> int:
    return w.b.tuple_of([w.b.wrap(Op.INSTANCE, type_) for type_ in types])


def _called_within(w: CppWalk, member: int, scope: str, name: str) -> int:
    """What a name behind `::` calls: a choice, unlike a member of a value. Where nothing is known to be the scope it is
    what has the name in the file, if a macro of the file opens the scope; else any function of that name may be meant.
    """
    other = w.outermost(name) if scope in w.opened else member
    return member if member == NONE else w.b.expr(Op.ELSE, member, other)


def arguments(w: Walk, node: Node) -> list[int]:
    """Visits the arguments of a template: types, numbers and truths, in their places; NONE for other values."""
    assert isinstance(w, CppWalk)
    listed = node.child_by_field_name("arguments") if node.type.startswith("template_") else None
    return [
        _argument(w, child)
        for child in (listed.named_children if listed is not None else ())
        if child.type != "comment"
    ]


def first_type(node: Node) -> Node | None:
    """The type that is the first argument of a template, without what is around its name."""
    listed = node.child_by_field_name("arguments")
    first = listed.named_children[0] if listed is not None and listed.named_children else None
    return None if first is None else first.child_by_field_name("type")


def pattern(w: CppWalk, node: Node) -> list[int]:
    """The arguments that a specialization is for; NONE for a reference: `X<T&>` is another one than `X<T>`."""
    listed = node.child_by_field_name("arguments")
    nodes = children_of(listed) if listed is not None else []
    return [
        NONE
        if (declared := each.child_by_field_name("declarator")) is not None and declared.type == _REFERENCE
        else value
        for each, value in zip(nodes, arguments(w, node), strict=True)
    ]


def _argument(w: CppWalk, node: Node) -> int:
    value = w.value(node)
    if node.type in ("true", "false"):
        return w.b.with_text(w.literal("bool"), node.type)
    if node.type == "number_literal":
        number = w.text(node).replace("'", "").lower().rstrip("ul")
        return w.b.with_text(w.literal("int"), str(int(number, 0))) if _NUMBER.fullmatch(number) else NONE
    return value if node.type == "type_descriptor" else NONE


def is_specialized(w: CppWalk, node: Node) -> bool:
    """Whether a name has arguments that are not just the parameters of the template around (`Box<int>`, `Box<T*>`)."""
    listed = node.child_by_field_name("arguments") if node.type == "template_type" else None
    if listed is None:
        return False
    given = [w.text(child).removesuffix("...") for child in children_of(listed)]
    return not all(name in w.parameters for name in given) or len({*given}) < len(given)


def spell_part(w: CppWalk, node: Node) -> str:
    """The name of a class as a part of a path: with its arguments where it is a specialization."""
    text = w.text(strip_arguments(node))
    return "".join(w.text(node).split()) if is_specialized(w, node) else text


def template(w: Walk, node: Node) -> int:
    """A class or function with arguments of its template."""
    assert isinstance(w, CppWalk)
    name_node = node.child_by_field_name("name")
    if name_node is None or name_node.type != "type_identifier":
        value = w.field(node, "name")
        return w.b.apply_known(value, arguments(w, node))
    name = w.text(name_node)
    if _is_standard(w, node):
        return _standard(w, name, arguments(w, node))
    value = w.parameters[name] if name in w.parameters else w.find_type(name)
    applied = w.b.apply_known(value, arguments(w, node))
    w.b.use(_READ, applied, name_node.start_byte)
    return applied
