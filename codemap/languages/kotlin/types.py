"""Types: what a stated type admits, and the uses inside it. A type that may be null is the type.

Source: the Kotlin specification, "Type system".
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from codemap.fact_building.builder import NONE
from codemap.fact_building.walk import children_of, visit_children
from codemap.facts import RECEIVER, Op, ScopeKind, SourceKind, UseRole
from codemap.languages.kotlin.walk import TYPES, KotlinWalk, find_child, first_type

if TYPE_CHECKING:
    from tree_sitter import Node

_READ = int(UseRole.REFERENCE)


def user(w: KotlinWalk, node: Node) -> int:
    return use_type(w, node, _READ, arguments=True)


def use_type(w: KotlinWalk, node: Node, role: int, *, arguments: bool = False) -> int:
    """Visits a type whose last name is used in a role; with `arguments` gives it with its type arguments."""
    b = w.b
    names = [child for child in node.named_children if child.type == "type_identifier"]
    given: list[int] = []
    for child in node.named_children:
        if child.type == "type_arguments":
            given = [w.value(argument) for argument in child.named_children]
        elif child.type != "type_identifier":
            w.value(child)
    value = NONE
    for at, name in enumerate(names):
        value = b.attribute(value, w.text(name)) if at else w.bare_type(w.text(name))
        b.use(role if at == len(names) - 1 else _READ, value, name.start_byte)
    return b.apply_known(value, given) if arguments else value


def visit_plain(w: KotlinWalk, node: Node) -> int:
    """Visits the type of a base, without reporting its own use."""
    b = w.b
    names = [child for child in node.named_children if child.type == "type_identifier"]
    value = NONE
    for at, name in enumerate(names):
        value = b.attribute(value, w.text(name)) if at else w.bare_type(w.text(name))
        if at < len(names) - 1:
            b.use(_READ, value, name.start_byte)
    given: list[int] = []
    for child in node.named_children:
        if child.type == "type_arguments":
            given = list_arguments(w, child)
        elif child.type != "type_identifier":
            w.value(child)
    return b.apply_known(value, given)


def resolve_silently(w: KotlinWalk, node: Node | None) -> int:
    """What a type means, without type arguments and without reporting uses; NONE where it is no name."""
    while node is not None and node.type in (*TYPES - {"user_type", "function_type"}, "receiver_type"):
        node = first_type(node)
    if node is None or node.type != "user_type":
        return NONE
    names = [w.text(child) for child in node.named_children if child.type == "type_identifier"]
    value = w.bare_type(names[0]) if names else NONE
    for name in names[1:]:
        value = w.b.attribute(value, name)
    return value


def last_name(node: Node) -> Node:
    """The name that a type ends in."""
    while node.type in TYPES or node.type == "receiver_type":
        names = [child for child in node.named_children if child.type == "type_identifier"]
        inner = names[-1] if names else first_type(node)
        if inner is None:
            return node
        node = inner
    return node


def function(w: KotlinWalk, node: Node) -> int:
    """The type of functions; a receiver is at the position `RECEIVER`."""
    b = w.b
    parameters: list[int] = []
    receiver = result = NONE
    for child in node.named_children:
        if child.type == "receiver_type":
            receiver = w.value(first_type(child))
        elif child.type == "function_type_parameters":
            for parameter in children_of(child):
                type_node = first_type(parameter) if parameter.type == "parameter" else parameter
                parameters.append(w.value(type_node))
        elif child.type in TYPES:
            result = w.value(child)
    if receiver != NONE:
        parameters += [NONE] * (RECEIVER - len(parameters)) + [receiver]
    return b.expr(Op.FUNCTION, b.args(parameters), result)


def open_parameters(w: KotlinWalk, node: Node, owner: int) -> None:
    """Opens a scope with the type parameters of a declaration, bound to what bounds them."""
    b = w.b
    b.open_scope(ScopeKind.BLOCK, owner)
    bounds: list[tuple[str, Node]] = []
    for child in getattr(find_child(node, "type_parameters"), "named_children", ()):
        name = find_child(child, "type_identifier")
        if child.type != "type_parameter" or name is None:
            visit_children(w, child)
            continue
        b.bind(w.text(name), SourceKind.TYPE_PARAMETER, owner, len(bounds))
        bounds.append((w.text(name), child))
    for name_text, child in bounds:
        type_expr = w.value(first_type(child))
        if type_expr != NONE:
            b.bind(name_text, SourceKind.VALUE, type_expr)


def list_arguments(w: KotlinWalk, node: Node | None) -> list[int]:
    """Visits the type arguments of a call."""
    return [] if node is None else [w.value(child) for child in node.named_children]
