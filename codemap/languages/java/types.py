"""Types: what a stated type admits, and the uses inside it.

Source: The Java Language Specification, "Types, Values, and Variables".
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from codemap.fact_building.builder import NONE
from codemap.fact_building.walk import children_of, visit_children
from codemap.facts import ScopeKind, SourceKind, UseRole
from codemap.languages.java.walk import JavaWalk
from codemap.languages.jvm.semantics import ARRAY

if TYPE_CHECKING:
    from tree_sitter import Node

_READ = int(UseRole.REFERENCE)
_INFERRED = "var"


def visit_name(w: JavaWalk, node: Node) -> int:
    return NONE if w.text(node) == _INFERRED else w.read(node)


def last_name(node: Node) -> Node:
    """The name that a type ends in, without package, outer classes, type arguments and annotations."""
    while node.type in ("generic_type", "scoped_type_identifier", "annotated_type", "array_type"):
        names = [child for child in node.named_children if child.type.endswith(("type", "type_identifier"))]
        if not names:
            break
        node = names[0] if node.type in ("generic_type", "array_type") else names[-1]
    return node


def use_type(w: JavaWalk, node: Node, role: int) -> int:
    """Visits a type whose name is used in a role: extended, or called by `new`."""
    b = w.b
    match node.type:
        case "type_identifier" | "identifier":
            value = w.bare(w.text(node))
            b.use(role, value, node.start_byte)
            return value
        case "generic_type":
            names = [child for child in node.named_children if child.type != "type_arguments"]
            value = use_type(w, names[0], role) if names else NONE
            return _applied(w, node, value)
        case "scoped_type_identifier" | "scoped_identifier":
            parts = [child for child in node.named_children if "annotation" not in child.type]
            if len(parts) != 2:
                return visit_children(w, node)
            value = b.attribute(use_type(w, parts[0], _READ), w.text(parts[1]))
            b.use(role, value, parts[1].start_byte)
            return value
        case "annotated_type":
            parts = node.named_children
            for part in parts[:-1]:
                w.value(part)
            return use_type(w, parts[-1], role) if parts else NONE
        case _:
            return w.value(node)


def qualified(w: JavaWalk, node: Node) -> int:
    return use_type(w, node, _READ)


def visit_plain(w: JavaWalk, node: Node) -> int:
    """Visits the type of a base, without reporting its own use."""
    b = w.b
    match node.type:
        case "type_identifier":
            return w.bare(w.text(node))
        case "scoped_type_identifier":
            parts = [child for child in node.named_children if "annotation" not in child.type]
            return (
                b.attribute(use_type(w, parts[0], _READ), w.text(parts[1]))
                if len(parts) == 2
                else visit_children(w, node)
            )
        case "generic_type" | "annotated_type":
            is_generic = node.type == "generic_type"
            parts = node.named_children
            name = (parts[0] if is_generic else parts[-1]) if parts else None
            value = NONE if name is None else visit_plain(w, name)
            if is_generic:
                return _applied(w, node, value)
            for part in parts[:-1]:
                w.value(part)
            return value
        case _:
            return w.value(node)


def _applied(w: JavaWalk, node: Node, value: int) -> int:
    for child in node.named_children:
        if child.type == "type_arguments":
            arguments = [w.value(argument) for argument in children_of(child)]
            return w.b.apply_known(value, arguments)
    return value


def array(w: JavaWalk, node: Node) -> int:
    return of_arrays(w, w.field(node, "element"), node.child_by_field_name("dimensions"))


def of_arrays(w: JavaWalk, element: int, dimensions: Node | None) -> int:
    """The type of arrays of a type, of as many dimensions as there are brackets."""
    for _ in range(w.text(dimensions).count("[") if dimensions is not None else 0):
        element = array_of(w, element)
    return element


def array_of(w: JavaWalk, element: int) -> int:
    return NONE if element == NONE else w.b.apply(w.b.name(ARRAY), [element])


def primitive(w: JavaWalk, node: Node) -> int:
    return w.b.literal(w.text(node))


def generic_scope(w: JavaWalk, node: Node, owner: int) -> None:
    """Opens the scope of a declaration's type parameters, with what bounds them first."""
    b = w.b
    b.open_scope(ScopeKind.BLOCK, owner)
    listed = node.child_by_field_name("type_parameters")
    bounds: list[tuple[str, Node]] = []
    for child in listed.named_children if listed is not None else ():
        name = next((part for part in child.named_children if part.type == "type_identifier"), None)
        if child.type == "type_parameter" and name is not None:
            b.bind(w.text(name), SourceKind.TYPE_PARAMETER, owner, len(bounds))
            bounds.append((w.text(name), child))
    for name_text, child in bounds:
        for bound in child.named_children:
            if bound.type == "type_bound":
                stated = [w.value(part) for part in children_of(bound)]
                if stated and stated[0] != NONE:
                    b.bind(name_text, SourceKind.VALUE, stated[0])
