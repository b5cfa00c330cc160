"""Types and their fields, variants and bounds; what implements what.

The items of an implementation belong to its type: where another module or file declares that, a part of it stands here,
so that a method's name is `Type.method` in whichever file. An implementation for whatever has some bounds, or for a
type from outside, has a symbol of its own.

Source: the Rust Reference, "Structs", "Enumerations", "Traits", "Implementations".
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from codemap.extract.builder import NONE
from codemap.facts import Op, ScopeKind, SourceKind, SymbolFlag, SymbolKind, UseRole
from codemap.languages.rust import items, passed, paths, types
from codemap.languages.rust.builtins import CLOSED_TRAITS, SLICE
from codemap.languages.rust.walk import Space, Type, Walk

if TYPE_CHECKING:
    from tree_sitter import Node

_EXTENDS, _IMPLEMENTS, _READ = int(UseRole.EXTENDS), int(UseRole.IMPLEMENTS), int(UseRole.REFERENCE)
_PLAIN = {"array_type": "[]", "tuple_type": "()", "unit_type": "()", "function_type": "fn", "never_type": "never"}
"""Names for implementations of types that have none."""
_UNWRAPPED = frozenset({"reference_type", "pointer_type", "dynamic_type", "bracketed_type"})


def derived(w: Walk, nodes: Sequence[Node], at: int) -> list[list[Node]]:
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
        meant = paths.along(w, paths.Parts(None, path, is_global=False, arguments=[]), paths.QUIET)
        _implement(w, known.symbol, meant, path[-1])
    _open(w, known.symbol)
    w.owner_type, w.trait = known.symbol, node.type == "trait_item"
    if not w.trait:
        b.bind("Self", SourceKind.CLASS, known.symbol, scope=w.space.scope)
    types.parameters(w, node)
    body = node.child_by_field_name("body")
    if w.trait:
        w.visible = b.symbols[known.symbol][4] & SymbolFlag.EXPORTED
        _bases(w, node.child_by_field_name("bounds"), known.symbol)
        members(w, body, known)
    elif node.type == "enum_item":
        _variants(w, body, known)
    elif node.type == "type_item":
        b.set_type(known.symbol, w.value(node.child_by_field_name("type")))
    else:
        _fields(w, body, known)
    b.owner, b.scope, w.space, w.owner_type, w.trait = owner, scope, space, owner_type, trait
    w.visible = visible


def _open(w: Walk, symbol: int) -> None:
    """Opens a space for the type parameters of an item."""
    outer = w.space
    w.b.scope = outer.scope
    w.space = Space(w.b.open_scope(ScopeKind.BLOCK, symbol), outer, symbol, is_module=False)


def _bases(w: Walk, node: Node | None, symbol: int) -> None:
    """What a trait asks of its implementers besides its own items."""
    for child in node.named_children if node is not None else ():
        if child.type in ("type_identifier", "scoped_type_identifier", "generic_type"):
            w.b.base(symbol, _EXTENDS, _quiet(w, child), _last(child).start_byte)
        else:
            w.value(child)


def _implement(w: Walk, symbol: int, trait: int, name_node: Node) -> None:
    """A type implements a trait; of those that bring no methods that are called by name, nothing is looked for."""
    name = w.text(name_node)
    if name in CLOSED_TRAITS and w.type_of(name) is None:
        w.b.use(_IMPLEMENTS, trait, name_node.start_byte)
    else:
        w.b.base(symbol, _IMPLEMENTS, trait, name_node.start_byte)


def _quiet(w: Walk, node: Node) -> int:
    """A type of which another use than reading is told; its type arguments are read."""
    taken = paths.parts(node)
    for arguments in taken.arguments:
        for child in arguments.named_children:
            w.value(child.child_by_field_name("type") if child.type == "type_binding" else child)
    return paths.along(w, taken, paths.QUIET)


def _last(node: Node) -> Node:
    names = paths.parts(node).names
    return names[-1] if names else node


def _fields(w: Walk, body: Node | None, of: Type) -> None:
    b = w.b
    nodes = [] if body is None else body.named_children
    position = 0
    for at, child in enumerate(nodes):
        if child.type == "field_declaration":
            name_node = child.child_by_field_name("name")
            if name_node is None:
                continue
            name = w.text(name_node)
            start = _start(nodes, at)
            symbol = b.symbol(
                name,
                SymbolKind.PROPERTY,
                parent=of.symbol,
                at=name_node.start_byte,
                start=start,
                end=child.end_byte,
                flags=items.flags(w, child),
                signature=w.header(child.start_byte, child.end_byte),
                doc=items.doc(w, child, start),
            )
            b.bind(name, SourceKind.SYMBOL, symbol, scope=of.members)
            type_expr = w.value(child.child_by_field_name("type"))
            if type_expr != NONE:
                b.set_type(symbol, type_expr)
        elif body is not None and body.type == "ordered_field_declaration_list":
            if child.type in ("attribute_item", "visibility_modifier", "line_comment", "block_comment"):
                continue
            type_expr = w.value(child)
            if type_expr != NONE:
                b.bind(str(position), SourceKind.TYPED, type_expr, scope=of.members)
            position += 1


def _start(nodes: Sequence[Node], at: int) -> int:
    start = nodes[at].start_byte
    while at > 0 and nodes[at - 1].type in ("attribute_item", "line_comment"):
        at -= 1
        if nodes[at].type == "attribute_item":
            start = nodes[at].start_byte
    return start


def _variants(w: Walk, body: Node | None, of: Type) -> None:
    b = w.b
    nodes = [] if body is None else body.named_children
    for at, child in enumerate(nodes):
        name_node = child.child_by_field_name("name") if child.type == "enum_variant" else None
        if name_node is None:
            continue
        name = w.text(name_node)
        start = _start(nodes, at)
        symbol = b.symbol(
            name,
            SymbolKind.PROPERTY,
            parent=of.symbol,
            at=name_node.start_byte,
            start=start,
            end=child.end_byte,
            flags=b.symbols[of.symbol][4] & SymbolFlag.EXPORTED,
            signature=w.header(child.start_byte, _variant_end(child)),
            doc=items.doc(w, child, start),
        )
        b.bind(name, SourceKind.SYMBOL, symbol, scope=of.members)
        b.add_value(symbol, b.wrap(Op.INSTANCE, b.expr(Op.SYMBOL, of.symbol)))
        fields = child.child_by_field_name("body")
        if fields is not None:
            owner = b.owner
            b.owner = symbol
            _fields(w, fields, Type(symbol, w.open_type(symbol)))
            b.owner = owner
        w.value(child.child_by_field_name("value"))


def _variant_end(node: Node) -> int:
    """Where what shows of a variant ends: fields with names are listed below it."""
    body = node.child_by_field_name("body")
    return body.start_byte if body is not None and body.type == "field_declaration_list" else node.end_byte


def members(w: Walk, body: Node | None, of: Type) -> None:
    """The items of a trait or an implementation."""
    nodes = [] if body is None else passed.expanded(w, body.named_children)
    for at, child in enumerate(nodes):
        start = _start(nodes, at)
        match child.type:
            case "function_item" | "function_signature_item":
                items.function(w, child, start, of)
            case "const_item":
                items.constant(w, child, start, of)
            case "type_item" | "associated_type":
                _associated(w, child, start, of)
            case "macro_invocation" | "expression_statement":
                w.value(child)
            case _:
                pass


def _associated(w: Walk, node: Node, start: int, of: Type) -> None:
    """`type Item = T;`, or `type Item: Bound;`, which is anything that has the bound."""
    b = w.b
    name_node = node.child_by_field_name("name")
    if name_node is None:
        return
    name = w.text(name_node)
    symbol = b.symbol(
        name,
        SymbolKind.TYPE_ALIAS,
        parent=of.symbol,
        at=name_node.start_byte,
        start=start,
        end=node.end_byte,
        flags=w.visible,
        signature=w.header(node.start_byte, node.end_byte),
        doc=items.doc(w, node, start),
    )
    owner = b.owner
    b.owner = symbol
    stated = node.child_by_field_name("type")
    meant = types.bounds(w, node.child_by_field_name("bounds")) if stated is None else w.value(stated)
    b.owner = owner
    if meant != NONE:
        b.set_type(symbol, meant)
    b.bind(name, SourceKind.SYMBOL, symbol, scope=of.members)


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
    owner_type, outer_trait, visible = w.owner_type, w.trait, w.visible
    w.visible = 0 if trait is None else int(SymbolFlag.EXPORTED)
    generic = _parameters(w, node)
    of = _target(w, node, plain, generic)
    b.owner = of.symbol
    _open(w, of.symbol)
    w.owner_type, w.trait = of.symbol, False
    types.parameters(w, node)
    b.bind("Self", SourceKind.CLASS, of.symbol, scope=w.space.scope)
    if plain.type == "type_identifier" and w.text(plain) in generic:
        _of_bound(w, node, w.text(plain), of.symbol, "" if trait is None else paths.last_name(w, trait))
    else:
        _read_target(w, plain, of)
    if trait is not None:
        if any(child.type == "!" for child in node.children):
            w.value(trait)
        else:
            _implement(w, of.symbol, _quiet(w, trait), _last(trait))
    members(w, body, of)
    b.owner, b.scope, w.space, w.owner_type, w.trait = owner, scope, space, owner_type, outer_trait
    w.visible = visible
    return NONE


def _of_bound(w: Walk, node: Node, parameter: str, symbol: int, trait: str) -> None:
    """An implementation for whatever has a bound: what has that has its items, so they are a part of the bound."""
    for bound in _bounds_of(w, node, parameter):
        name = paths.last_name(w, bound)
        if bound.type in ("type_identifier", "scoped_type_identifier", "generic_type") and name not in CLOSED_TRAITS:
            meant = paths.along(w, paths.parts(bound), paths.QUIET)
            if name == trait:
                w.b.base(symbol, _EXTENDS, meant, _last(bound).start_byte)
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


def _read_target(w: Walk, plain: Node, of: Type) -> None:
    """The uses that the type of an implementation makes; a part says itself what it is a part of."""
    is_part = bool(w.b.symbols[of.symbol][4] & SymbolFlag.PART)
    if not is_part:
        w.value(plain)
        return
    for arguments in paths.parts(plain).arguments:
        for child in arguments.named_children:
            w.value(child)


def _target(w: Walk, node: Node, plain: Node, generic: frozenset[str]) -> Type:
    """The type that the items of an implementation belong to."""
    b = w.b
    taken = paths.parts(plain)
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
        signature=w.header(node.start_byte, _header_end(node)),
    )
    if is_named and not is_blanket:
        b.part(symbol, name, paths.along(w, taken, paths.QUIET))
    elif plain.type == "primitive_type" or name == SLICE:
        b.part(symbol, name, b.literal(name))
    found = Type(symbol, w.open_type(symbol))
    if not is_blanket:
        space.types[key] = found
    return found


def _header_end(node: Node) -> int:
    body = node.child_by_field_name("body")
    return node.end_byte if body is None else body.start_byte
