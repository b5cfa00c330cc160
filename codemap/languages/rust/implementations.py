"""Implementations: the items of a type, and what it implements.

The items belong to the type: where another module or file declares that, a part of it is here, so that a method's
name is `Type.method` in whichever file. Those for whatever has a bound are a part of the bound, and those for a type
from outside have a symbol of their own.

Source: the Rust Reference, "Implementations".
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from codemap.fact_building.builder import NONE
from codemap.facts import SourceKind, SymbolFlag, SymbolKind, UseRole
from codemap.languages.rust import definitions, paths, types
from codemap.languages.rust.builtins import BUILTINS, CLOSED_TRAITS, SLICE
from codemap.languages.rust.standard import ITEM_TRAITS
from codemap.languages.rust.walk import Type, Walk

if TYPE_CHECKING:
    from tree_sitter import Node

_DEREF, _TARGET = "Deref", "Target"
_ITEM = "Item"
_NAMED = frozenset({"type_identifier", "scoped_type_identifier", "generic_type"})
_EXTENDS = int(UseRole.EXTENDS)
_PLAIN = {"array_type": "[]", "tuple_type": "()", "unit_type": "()", "function_type": "fn", "never_type": "never"}
"""Names for implementations of types that have none."""
_UNWRAPPED = frozenset({"reference_type", "pointer_type", "dynamic_type", "bracketed_type"})


def implementation(w: Walk, node: Node) -> int:
    """`impl Type { … }`, `impl Trait for Type { … }`."""
    b = w.b
    trait, target, body = (node.child_by_field_name(field) for field in ("trait", "type", "body"))
    if target is None:
        return NONE
    plain = target
    while plain.type in _UNWRAPPED:
        inner = plain.child_by_field_name("type") or plain.child_by_field_name("trait")
        plain = inner or next((child for child in plain.named_children if child.type != "lifetime"), plain)
        if inner is None and not plain.named_children:
            break
    owner, scope, space = b.owner, b.scope, w.space
    owner_type, outer_trait, visible, implements = w.owner_type, w.trait, w.visible, w.implements
    outer_arguments, w.self_arguments = w.self_arguments, []
    w.implements = trait is not None
    w.visible = 0 if trait is None else int(SymbolFlag.EXPORTED)
    generic = _parameters(w, node)
    of = _target(w, node, plain, generic)
    b.owner = of.symbol
    definitions.open_space(w, of.symbol)
    w.owner_type, w.trait = of.symbol, False
    positions = _positions(w, plain)
    types.parameters(w, node, of.symbol, positions)
    _hand_on_bounds(w, of.symbol, positions)
    b.bind("Self", SourceKind.CLASS, of.symbol, scope=w.space.scope)
    if plain.type == "type_identifier" and w.text(plain) in generic:
        _of_bound(w, node, w.text(plain), of.symbol, "" if trait is None else paths.last_name(w, trait))
    else:
        w.self_arguments = _read_target(w, plain, of)
    implemented: int | None = None
    if trait is not None:
        if any(child.type == "!" for child in node.children):
            w.value(trait)
        else:
            implemented = definitions.resolve_quietly(w, trait)
    definitions.members(w, body, of)
    if trait is not None and implemented is not None:
        if paths.last_name(w, trait) in ITEM_TRAITS and (item := _read_type(w, body, of, _ITEM)) != NONE:
            implemented = b.apply(implemented, [item])
        definitions.implement(w, of.symbol, implemented, definitions.last_name(trait))
    if trait is not None and body is not None and paths.last_name(w, trait) == _DEREF:
        _reach_target(w, body, of)
    b.owner, b.scope, w.space, w.owner_type, w.trait = owner, scope, space, owner_type, outer_trait
    w.visible, w.implements, w.self_arguments = visible, implements, outer_arguments
    return NONE


def _read_type(w: Walk, body: Node | None, of: Type, wanted: str) -> int:
    """The type that an implementation gives a name (`type Item = T`), as an expression."""
    b = w.b
    for child in body.named_children if body is not None else ():
        name = child.child_by_field_name("name")
        if child.type == "type_item" and name is not None and w.text(name) == wanted:
            for _, symbol, _ in of.members.sources.get(b.intern(wanted), ()):
                if b.spans[symbol][0] == name.start_byte:
                    return b.symbols[symbol][7]
    return NONE


def _reach_target(w: Walk, body: Node, of: Type) -> None:
    """What dereferencing a type gives has its methods and fields called on the type, too; slices and primitive types
    have those that the repository may add to them, which are found by name."""
    b = w.b
    for child in body.named_children:
        name, target = child.child_by_field_name("name"), child.child_by_field_name("type")
        if name is None or target is None or w.text(name) != _TARGET or target.type not in _NAMED:
            continue
        if paths.last_name(w, target) in BUILTINS:
            continue
        for _, symbol, _ in of.members.sources.get(b.intern(_TARGET), ()):
            if b.spans[symbol][0] == name.start_byte:
                b.reaches(of.symbol, b.symbols[symbol][7], name.start_byte)


def _hand_on_bounds(w: Walk, symbol: int, positions: Mapping[str, int]) -> None:
    """What an implementation states of the type parameters of its type, the fields of that type have in it."""
    for name, position in positions.items():
        for kind, bound, _ in w.space.scope.sources.get(w.b.intern(name), ()):
            if kind == SourceKind.VALUE:
                w.bounds.append((symbol, position, bound))


def _positions(w: Walk, plain: Node) -> dict[str, int]:
    """Which type parameters of its type those of an implementation are: `impl<T> Pair<u8, T>` has the second."""
    return {
        w.text(node): position
        for position, node in enumerate(types.list_arguments(plain.child_by_field_name("type_arguments")))
        if node.type == "type_identifier"
    }


def _of_bound(w: Walk, node: Node, parameter: str, symbol: int, trait: str) -> None:
    """An implementation for whatever has a bound: what has that has its items, so they are a part of the bound."""
    for bound in _bounds_of(w, node, parameter):
        name = paths.last_name(w, bound)
        if bound.type in ("type_identifier", "scoped_type_identifier", "generic_type") and name not in CLOSED_TRAITS:
            meant = paths.resolve_path(w, paths.split_path(bound), paths.QUIET)
            if name == trait:
                w.b.base(symbol, _EXTENDS, meant, definitions.last_name(bound).start_byte)
            else:
                w.b.part(symbol, w.own_name(name), meant)
            return


def _bounds_of(w: Walk, node: Node, parameter: str) -> Iterator[Node]:
    """What a type parameter of an item is stated to have."""
    listed = node.child_by_field_name("type_parameters")
    stated = [] if listed is None else list(listed.named_children)
    stated += [each for child in node.named_children if child.type == "where_clause" for each in child.named_children]
    for child in stated:
        name = child.child_by_field_name("name") or child.child_by_field_name("left")
        bounds = child.child_by_field_name("bounds")
        if name is not None and bounds is not None and w.text(name) == parameter:
            yield from bounds.named_children


def _parameters(w: Walk, node: Node) -> frozenset[str]:
    listed = node.child_by_field_name("type_parameters")
    names = [child.child_by_field_name("name") for child in (listed.named_children if listed is not None else ())]
    return frozenset(w.text(name) for name in names if name is not None)


def _read_target(w: Walk, plain: Node, of: Type) -> list[int]:
    """The uses that the type of an implementation makes; a part says itself what it is a part of. Gives the type
    arguments."""
    is_generic = plain.type == "generic_type"
    if not w.b.symbols[of.symbol][4] & SymbolFlag.PART:
        w.value(plain.child_by_field_name("type") if is_generic else plain)
    return types.visit_arguments(w, plain.child_by_field_name("type_arguments"))[0] if is_generic else []


def _target(w: Walk, node: Node, plain: Node, generic: frozenset[str]) -> Type:
    """The type that the items of an implementation belong to."""
    b = w.b
    taken = paths.split_path(plain)
    is_named = plain.type in ("type_identifier", "generic_type", "scoped_type_identifier") and bool(taken.names)
    name = w.text(taken.names[-1]) if is_named else _PLAIN.get(plain.type) or w.text(plain)
    is_blanket = is_named and name in generic and len(taken.names) == 1
    if is_named and len(taken.names) == 1 and not is_blanket:
        known = w.type_of(name)
        if known is not None:
            return known
        name = w.own_name(name)
    space = w.space
    name = "".join(name.split()) if name.isidentifier() or name in _PLAIN.values() else "type"
    key = f"{w.text(plain) if len(taken.names) > 1 else name} part"
    if not is_blanket and key in space.types:
        return space.types[key]
    at = taken.names[-1] if is_named else plain
    symbol = b.symbol(
        name,
        SymbolKind.CLASS,
        parent=b.owner,
        at=at.start_byte,
        start=node.start_byte,
        end=node.end_byte,
        flags=SymbolFlag.UNNAMED,
        signature=w.header(node.start_byte, _header_end(node)),
    )
    if is_named and not is_blanket:
        b.part(symbol, name, paths.resolve_path(w, taken, paths.QUIET))
    elif plain.type == "primitive_type" or name == SLICE:
        b.part(symbol, name, b.literal(name))
    found = Type(symbol, w.b.namespace(symbol))
    if not is_blanket:
        space.types[key] = found
    return found


def _header_end(node: Node) -> int:
    body = node.child_by_field_name("body")
    return node.end_byte if body is None else body.start_byte
