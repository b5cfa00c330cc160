"""Type expressions: what a stated type admits, and the uses inside it.

A reference is what it refers to: fields and methods are the same. A type parameter means its bounds, and `dyn` or
`impl` what follows it.

Source: the Rust Reference, "Type system".
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from codemap.fact_building.builder import NONE
from codemap.facts import Op, SourceKind
from codemap.languages.rust import paths
from codemap.languages.rust.builtins import RESULT, SLICE
from codemap.languages.rust.standard import CONTAINERS, ITEM_TRAITS, MAPS, TRANSPARENT
from codemap.languages.rust.walk import Walk

if TYPE_CHECKING:
    from tree_sitter import Node

_STANDARD = frozenset({*CONTAINERS, *TRANSPARENT})


def visit_name(w: Walk, node: Node) -> int:
    """A type by its name or path; `Self` has the type arguments that its implementation states."""
    value = paths.read(w, node)
    is_self = bool(w.self_arguments) and node.type == "type_identifier" and w.text(node) == "Self"
    return w.b.apply_known(value, w.self_arguments) if is_self else value


def primitive(w: Walk, node: Node) -> int:
    return w.b.literal(w.text(node))


def generic(w: Walk, node: Node) -> int:
    """A type with type arguments."""
    return _visit_generic(w, node)[0]


def _visit_generic(w: Walk, node: Node) -> tuple[int, Mapping[str, int]]:
    """A type with type arguments, and what these state of its items (`Item = T`)."""
    type_ = node.child_by_field_name("type")
    value = w.value(type_)
    arguments, items = visit_arguments(w, node.child_by_field_name("type_arguments"))
    name = "" if type_ is None else paths.last_name(w, type_)
    return _apply(w, name, value, arguments, items.get("Item", NONE)), items


def _apply(w: Walk, name: str, value: int, arguments: list[int], item: int) -> int:
    b = w.b
    if name in ITEM_TRAITS and item != NONE:
        return b.apply(b.name(SLICE), [item])
    if name not in _STANDARD or not arguments or w.type_of(name) is not None:
        return b.apply_known(value, arguments)
    if name == "Result":
        return b.apply(b.name(RESULT), arguments)
    if name in MAPS and len(arguments) > 1:
        pair = b.tuple_of([b.wrap(Op.INSTANCE, argument) for argument in arguments[:2]])
        arguments = [pair, arguments[1]]
    return b.apply(value, arguments)


def list_arguments(given: Node | None) -> list[Node]:
    """The type and constant arguments in a list, in order."""
    listed = [] if given is None else given.named_children
    return [child for child in listed if child.type != "type_binding" and child.type not in paths.NO_ARGUMENTS]


def visit_arguments(w: Walk, node: Node | None) -> tuple[list[int], dict[str, int]]:
    """Visits type arguments: those without a name, and what they state of items, by name."""
    found: list[int] = []
    items: dict[str, int] = {}
    for child in node.named_children if node is not None else ():
        if child.type == "type_binding":
            name, type_ = child.child_by_field_name("name"), w.field(child, "type")
            if name is not None:
                items[w.text(name)] = type_
        elif child.type not in paths.NO_ARGUMENTS:
            found.append(w.value(child))
    return found, items


def visit_wrapped(w: Walk, node: Node) -> int:
    """A reference, a pointer, `dyn`, a type in brackets: what is inside."""
    found = [w.value(child) for child in node.named_children if child.type not in ("lifetime", "mutable_specifier")]
    known = [value for value in found if value != NONE]
    return known[0] if len(known) == 1 else NONE


def visit_bounds(w: Walk, node: Node) -> int:
    """`A + B`: either may be what a method is of."""
    return bounds(w, node)


def bounds(w: Walk, node: Node | None, items: dict[str, int] | None = None) -> int:
    """What bounds admit; those of lifetimes, and what is taken back (`?Sized`), say nothing. What they state of items
    is added to `items`."""
    if node is None:
        return NONE
    found: list[int] = []
    for child in node.named_children:
        if child.type == "generic_type" and items is not None:
            value, stated = _visit_generic(w, child)
            items.update(stated)
            found.append(value)
        elif child.type not in ("lifetime", "removed_trait_bound", "line_comment", "block_comment"):
            found.append(w.value(child))
    return w.b.unions(found)


def slice_(w: Walk, node: Node) -> int:
    w.field(node, "length")
    element = w.field(node, "element")
    return NONE if element == NONE else w.b.apply(w.b.name(SLICE), [element])


def tuple_(w: Walk, node: Node) -> int:
    b = w.b
    parts = [w.value(child) for child in node.named_children]
    if all(part == NONE for part in parts):
        return NONE
    return b.tuple_of([b.wrap(Op.INSTANCE, part) for part in parts])


def function(w: Walk, node: Node) -> int:
    """`fn(A) -> B`, `Fn(A) -> B`; what comes before the brackets may be a trait of the repository."""
    b = w.b
    trait = node.child_by_field_name("trait")
    if trait is not None:
        w.value(trait)
    given = node.child_by_field_name("parameters")
    nodes = [] if given is None else given.named_children
    listed = [w.value(child.child_by_field_name("type") if child.type == "parameter" else child) for child in nodes]
    return b.expr(Op.FUNCTION, b.args(listed), w.field(node, "return_type"))


def higher_ranked(w: Walk, node: Node) -> int:
    """`for<'a> T` is T."""
    return w.field(node, "type")


def qualified(w: Walk, node: Node) -> int:
    """`T as Trait`: what T has, or else the trait."""
    type_ = w.field(node, "type")
    return w.b.either(type_, w.field(node, "alias"))


def names_of_parameters(w: Walk, node: Node) -> list[str]:
    """The type and constant parameters of a definition, in order."""
    listed = node.child_by_field_name("type_parameters")
    nodes = [] if listed is None else [child for child in listed.named_children if child.type.endswith("_parameter")]
    names = [child.child_by_field_name("name") for child in nodes if child.type != "lifetime_parameter"]
    return [w.text(name) for name in names if name is not None]


def parameters(w: Walk, node: Node, owner: int, positions: Mapping[str, int] | None = None) -> None:
    """Binds the type parameters that an item lists to their bounds, which it visits. They are those of the definition
    `owner`: in order, or, of an implementation, at the `positions` where its type is given them."""
    b = w.b
    listed = node.child_by_field_name("type_parameters")
    scope = w.space.scope
    names: list[tuple[str, Node]] = []
    if positions is None:
        positions = {name: position for position, name in enumerate(names_of_parameters(w, node))}
    for child in listed.named_children if listed is not None else ():
        name_node = child.child_by_field_name("name")
        if child.type == "const_parameter" and name_node is not None:
            b.bind(w.text(name_node), SourceKind.OPAQUE, scope=scope)
            w.field(child, "type")
        elif child.type == "type_parameter" and name_node is not None:
            name = w.text(name_node)
            if name in positions:
                b.bind(name, SourceKind.TYPE_PARAMETER, owner, positions[name], scope=scope)
            else:
                b.bind(name, SourceKind.OPAQUE, scope=scope)
            names.append((name, child))
    for name, child in names:
        bound = _visit_bounds(w, name, child)
        w.field(child, "default_type")
        if bound != NONE:
            b.bind(name, SourceKind.VALUE, bound, scope=scope)
    for child in node.named_children:
        if child.type == "where_clause":
            _where(w, child)


def _visit_bounds(w: Walk, name: str, node: Node) -> int:
    """The bounds of a type parameter. What they state of an item of it, that is: of `S: Service<Response = R>`,
    `S::Response` is R."""
    items: dict[str, int] = {}
    bound = bounds(w, node.child_by_field_name("bounds"), items)
    for item, stated in items.items() if name else ():
        if stated != NONE:
            w.b.bind(f"{name}::{item}", SourceKind.VALUE, stated, scope=w.space.scope)
    return bound


def _where(w: Walk, node: Node) -> None:
    b = w.b
    for predicate in node.named_children:
        if predicate.type != "where_predicate":
            continue
        left = predicate.child_by_field_name("left")
        w.value(left)
        name = w.text(left) if left is not None and left.type == "type_identifier" else ""
        bound = _visit_bounds(w, name, predicate)
        if name and bound != NONE:
            number = b.names.get(name)
            if number in w.space.scope.sources:
                b.bind(name, SourceKind.VALUE, bound, scope=w.space.scope)
