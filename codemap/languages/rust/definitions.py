"""Types and their fields, variants and bounds, and the items of traits.

Source: the Rust Reference, "Structs", "Enumerations", "Traits", "Derive".
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from codemap.fact_building.builder import NONE
from codemap.facts import Op, ScopeKind, SourceKind, SymbolFlag, SymbolKind, UseRole
from codemap.languages.rust import attributes, constants, functions, headers, paths, types
from codemap.languages.rust.builtins import CLOSED_TRAITS
from codemap.languages.rust.macros import macro_items, made_items
from codemap.languages.rust.walk import Space, Type, Walk

if TYPE_CHECKING:
    from tree_sitter import Node

_EXTENDS, _IMPLEMENTS = int(UseRole.EXTENDS), int(UseRole.IMPLEMENTS)


def read_derives(w: Walk, nodes: Sequence[Node], at: int) -> list[list[Node]]:
    """The paths in the `derive` attributes in front of an item, by its place among others."""
    found: list[list[Node]] = []
    while at > 0 and nodes[at - 1].type in ("attribute_item", "line_comment", "block_comment"):
        at -= 1
        for attribute in nodes[at].named_children:
            first = attribute.named_children[0] if attribute.named_children else None
            tree = attribute.child_by_field_name("arguments")
            if first is not None and tree is not None and w.text(first) == "derive":
                path: list[Node] = []
                for token in tree.children:
                    if token.type in ("identifier", "crate", "self", "super"):
                        path.append(token)
                    elif token.type != "::":
                        found += [path] if path else []
                        path = []
    return found


def type_(w: Walk, node: Node, traits: Sequence[list[Node]]) -> None:
    """The inside of a type that is declared already."""
    b = w.b
    name_node = node.child_by_field_name("name")
    known = None if name_node is None else w.space.places.get(name_node.start_byte)
    if name_node is None or known is None:
        return
    owner, scope, space = b.owner, b.scope, w.space
    owner_type, trait, visible = w.owner_type, w.trait, w.visible
    b.owner = known.symbol
    for path in traits:
        meant = paths.resolve_path(w, paths.Parts(None, path, is_global=False, arguments=[]), paths.QUIET)
        implement(w, known.symbol, meant, path[-1])
    open_space(w, known.symbol)
    w.owner_type, w.trait = known.symbol, node.type == "trait_item"
    if not w.trait:
        b.bind("Self", SourceKind.CLASS, known.symbol, scope=w.space.scope)
    types.parameters(w, node, known.symbol)
    w.generics[known.symbol] = (w.space.scope, types.names_of_parameters(w, node))
    body = node.child_by_field_name("body")
    if w.trait:
        w.visible = b.symbols[known.symbol][4] & SymbolFlag.EXPORTED
        _bases(w, node.child_by_field_name("bounds"), known.symbol)
        members(w, body, known)
    elif node.type == "enum_item":
        _variants(w, body, known)
    elif node.type == "type_item":
        b.set_type(known.symbol, w.field(node, "type"))
    else:
        _fields(w, body, known)
    b.owner, b.scope, w.space, w.owner_type, w.trait = owner, scope, space, owner_type, trait
    w.visible = visible


def open_space(w: Walk, symbol: int) -> None:
    """Opens a space for the type parameters of an item."""
    outer = w.space
    w.b.scope = outer.scope
    w.space = Space(w.b.open_scope(ScopeKind.BLOCK, symbol), outer, symbol, is_module=False)


def _bases(w: Walk, node: Node | None, symbol: int) -> None:
    """What a trait asks of its implementers besides its own items."""
    for child in node.named_children if node is not None else ():
        if child.type in ("type_identifier", "scoped_type_identifier", "generic_type"):
            w.b.base(symbol, _EXTENDS, resolve_quietly(w, child), last_name(child).start_byte)
        else:
            w.value(child)


def implement(w: Walk, symbol: int, trait: int, name_node: Node) -> None:
    """A type implements a trait; of those that bring no methods that are called by name, nothing is looked for."""
    name = w.text(name_node)
    if name in CLOSED_TRAITS and w.type_of(name) is None:
        w.b.use(_IMPLEMENTS, trait, name_node.start_byte)
    else:
        w.b.base(symbol, _IMPLEMENTS, trait, name_node.start_byte)


def resolve_quietly(w: Walk, node: Node) -> int:
    """Resolves a type without reporting its use; its type arguments are read."""
    taken = paths.split_path(node)
    paths.visit_arguments(w, taken)
    return paths.resolve_path(w, taken, paths.QUIET)


def last_name(node: Node) -> Node:
    names = paths.split_path(node).names
    return names[-1] if names else node


def _fields(w: Walk, body: Node | None, of: Type) -> None:
    b = w.b
    nodes = [] if body is None else body.named_children
    position = 0
    for child, start in zip(nodes, headers.find_starts(nodes), strict=True):
        if child.type == "attribute_item":
            attributes.visit(w, child)
        elif child.type == "field_declaration":
            name_node = child.child_by_field_name("name")
            if name_node is None:
                continue
            place = Place(child, name_node, start, child.end_byte)
            symbol = _member(w, of, SymbolKind.PROPERTY, place, headers.flags(w, child, start))
            type_expr = w.field(child, "type")
            if type_expr != NONE:
                b.set_type(symbol, type_expr)
        elif body is not None and body.type == "ordered_field_declaration_list":
            if child.type in ("visibility_modifier", "line_comment", "block_comment"):
                continue
            type_expr = w.value(child)
            if type_expr != NONE:
                b.bind(str(position), SourceKind.TYPED, type_expr, scope=of.members)
            b.parameter(of.symbol, None, type_expr)
            position += 1


class Place(NamedTuple):
    """Where a member is."""

    node: Node
    name: Node
    start: int
    """With its attributes."""
    header_end: int
    """What shows of it ends there."""


def _member(w: Walk, of: Type, kind: SymbolKind, place: Place, flags: int) -> int:
    """The symbol of a field, variant or type of a type or trait, bound there."""
    b = w.b
    node, name = place.node, w.text(place.name)
    symbol = b.symbol(
        name,
        kind,
        parent=of.symbol,
        at=place.name.start_byte,
        start=place.start,
        end=node.end_byte,
        flags=flags,
        signature=w.header(node.start_byte, place.header_end),
        doc=headers.doc(w, node, place.start),
    )
    b.bind(name, SourceKind.SYMBOL, symbol, scope=of.members)
    return symbol


def _variants(w: Walk, body: Node | None, of: Type) -> None:
    b = w.b
    nodes = [] if body is None else body.named_children
    for child, start in zip(nodes, headers.find_starts(nodes), strict=True):
        if child.type == "attribute_item":
            attributes.visit(w, child)
        name_node = child.child_by_field_name("name") if child.type == "enum_variant" else None
        if name_node is None:
            continue
        place = Place(child, name_node, start, _variant_end(child))
        symbol = _member(w, of, SymbolKind.PROPERTY, place, b.symbols[of.symbol][4] & SymbolFlag.EXPORTED)
        b.add_value(symbol, b.wrap(Op.INSTANCE, b.expr(Op.SYMBOL, of.symbol)))
        fields = child.child_by_field_name("body")
        if fields is not None:
            with b.definition(symbol):
                _fields(w, fields, Type(symbol, w.b.namespace(symbol)))
        w.field(child, "value")


def _variant_end(node: Node) -> int:
    """Where what shows of a variant ends: fields with names are listed below it."""
    body = node.child_by_field_name("body")
    return body.start_byte if body is not None and body.type == "field_declaration_list" else node.end_byte


def members(w: Walk, body: Node | None, of: Type) -> None:
    """The items of a trait or an implementation."""
    nodes = [] if body is None else macro_items.expand(w, body.named_children)
    for child, start in zip(nodes, headers.find_starts(nodes), strict=True):
        match child.type:
            case "function_item" | "function_signature_item":
                functions.function(w, child, start, of)
            case "const_item":
                constants.constant(w, child, start, of)
            case "type_item" | "associated_type":
                _associated(w, child, start, of)
            case "macro_invocation" | "expression_statement":
                made_items.declare(w, child, start, of)
                w.value(child)
            case _:
                pass


def _associated(w: Walk, node: Node, start: int, of: Type) -> None:
    """`type Item = T;`, or `type Item: Bound;`, which is anything that has the bound."""
    b = w.b
    name_node = node.child_by_field_name("name")
    if name_node is None:
        return
    symbol = _member(w, of, SymbolKind.TYPE_ALIAS, Place(node, name_node, start, node.end_byte), w.visible)
    with b.definition(symbol):
        stated = node.child_by_field_name("type")
        meant = types.bounds(w, node.child_by_field_name("bounds")) if stated is None else w.value(stated)
    if meant != NONE:
        b.set_type(symbol, meant)
