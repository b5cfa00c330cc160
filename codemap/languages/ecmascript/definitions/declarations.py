"""Declarations that only TypeScript has: interfaces, type aliases, enums, namespaces, ambient modules."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from codemap.fact_building.builder import NONE, Scope
from codemap.fact_building.walk import Handler
from codemap.facts import ScopeKind, SourceKind, SymbolKind, UseRole
from codemap.languages.ecmascript import flags as flag
from codemap.languages.ecmascript.definitions import classes, members, properties
from codemap.languages.ecmascript.prefix import Prefix
from codemap.languages.ecmascript.types import signature
from codemap.languages.ecmascript.walk import Walk, name_of

if TYPE_CHECKING:
    from tree_sitter import Node

_TYPE = flag.TYPE_ONLY
_CALL = "()"
"""Name of what calling a value of an interface runs."""
_NEW = "new()"


def interface(w: Walk, node: Node) -> int:
    """An interface; one that is declared again goes on."""
    prefix = w.prefix(node)
    name, body = name_of(node), node.child_by_field_name("body")
    if name is None:
        return NONE
    b = w.b
    symbol = _continued(w, name, SymbolKind.INTERFACE, node, prefix, _TYPE, body)
    with b.definition(symbol):
        scope = b.open_scope(ScopeKind.BLOCK, symbol)
        for child in node.named_children:
            if child.type == "type_parameters":
                w.value(child)
            elif child.type == "extends_type_clause":
                for each in child.named_children:
                    classes.base(w, each, symbol, UseRole.EXTENDS)
        if body is not None:
            type_members(w, body, symbol)
        w.leave(scope)
    return NONE


def _continued(w: Walk, name: Node, kind: SymbolKind, node: Node, prefix: Prefix, flags: int, body: Node | None) -> int:
    """The symbol of an interface or namespace, new or of an earlier declaration in the same place."""
    b = w.b
    text = w.string(name) or w.text(name)
    key = (b.owner, text, -int(kind))
    symbol = w.overloads.get(key, NONE)
    if symbol != NONE:
        b.extend_span(symbol, node.end_byte)
        b.add_flags(symbol, prefix.flags)
        return symbol
    is_specifier = name.kind_id == w.kinds.STRING
    symbol = w.overloads[key] = w.add(
        text,
        kind,
        prefix,
        parent=b.owner,
        at=name.start_byte,
        end=node.end_byte,
        signature=(node.start_byte, node.end_byte if body is None else body.start_byte),
        flags=flags | flag.AMBIENT | flag.UNNAMED if is_specifier else flags,
    )
    if is_specifier:
        w.ambient.add(symbol)
    else:
        b.bind(text, SourceKind.SYMBOL, symbol, scope=w.block_scope())
    return symbol


def type_members(w: Walk, body: Node, owner: int) -> None:
    """Members of an interface or of an object type that an alias names."""
    scope = w.space(owner)
    saved = w.this
    w.this = w.instance(owner)
    for child in body.named_children:
        kind = child.type
        if kind == "comment":
            w.comment = child
            continue
        if kind in ("method_signature", "method_definition"):
            members.method(w, child, owner, scope, w.this)
        elif kind == "property_signature":
            _property(w, child, owner, scope)
        elif kind in ("call_signature", "construct_signature"):
            _call(w, child, scope, _CALL if kind == "call_signature" else _NEW)
        else:
            w.value(child)
        w.comment = None
    w.this = saved


def _property(w: Walk, node: Node, owner: int, scope: Scope) -> None:
    name_node, type_node = name_of(node), node.child_by_field_name("type")
    prefix = w.prefix(node)
    name = w.key(name_node)
    if name is None or name_node is None:
        w.value(type_node)
        return
    b = w.b
    symbol = properties.define(w, name, name_node, prefix, owner, node, node.end_byte, 0)
    b.bind(name, SourceKind.SYMBOL, symbol, scope=scope)
    with b.definition(symbol):
        if type_node is not None:
            stated = members.type_of(w, type_node, symbol)
            if stated != NONE:
                b.set_type(symbol, stated)


def _call(w: Walk, node: Node, scope: Scope, name: str) -> None:
    """`(x: T): R` and `new (x: T): R` in an interface: no symbol, but a member with its type."""
    w.b.bind(name, SourceKind.TYPED, signature(w, node), scope=scope)


def type_alias(w: Walk, node: Node) -> int:
    prefix = w.prefix(node)
    name, value = name_of(node), node.child_by_field_name("value")
    if name is None or value is None:
        return NONE
    b = w.b
    text = w.text(name)
    is_object = value.type == "object_type"
    symbol = w.add(
        text,
        SymbolKind.TYPE_ALIAS,
        prefix,
        parent=b.owner,
        at=name.start_byte,
        end=node.end_byte,
        signature=(node.start_byte, value.start_byte if is_object else node.end_byte),
        flags=_TYPE,
    )
    b.bind(text, SourceKind.SYMBOL, symbol, scope=w.block_scope())
    with b.definition(symbol):
        scope = b.open_scope(ScopeKind.BLOCK, symbol)
        w.field(node, "type_parameters")
        stated = alias_value(w, value, symbol)
        if stated != NONE:
            b.set_type(symbol, stated)
        w.leave(scope)
    return NONE


def alias_value(w: Walk, node: Node, symbol: int) -> int:
    """The type that an alias stands for; object types in it are the alias's own members."""
    if node.type == "object_type":
        if any(child.type in ("property_signature", "method_signature") for child in node.named_children):
            type_members(w, node, symbol)
            return w.instance(symbol)
        return w.value(node)
    if node.type in ("intersection_type", "union_type", "parenthesized_type"):
        return w.b.unions([alias_value(w, child, symbol) for child in node.named_children])
    name = name_of(node) if node.type == "generic_type" else None
    arguments = node.child_by_field_name("type_arguments")
    if name is not None and w.text(name) in _SAME_MEMBERS and arguments is not None and arguments.named_children:
        return alias_value(w, arguments.named_children[0], symbol)
    return w.value(node)


_SAME_MEMBERS = frozenset({"Partial", "Readonly", "Required"})
"""Types whose members are those of their argument."""


def enum(w: Walk, node: Node) -> int:
    prefix = w.prefix(node)
    name, body = name_of(node), node.child_by_field_name("body")
    if name is None:
        return NONE
    b = w.b
    symbol = _continued(w, name, SymbolKind.ENUM, node, prefix, 0, body)
    with b.definition(symbol):
        outer_scope = b.scope
        scope = w.spaces.get(symbol)
        if scope is None:
            scope = w.spaces[symbol] = b.open_scope(ScopeKind.CLASS, symbol)
        b.scope = scope
        for child in [] if body is None else body.named_children:
            if child.kind_id == w.kinds.COMMENT:
                w.comment = child
                continue
            _enum_member(w, child, symbol)
            w.comment = None
        b.scope = outer_scope
    return NONE


def _enum_member(w: Walk, node: Node, owner: int) -> None:
    is_assigned = node.type == "enum_assignment"
    name_node = name_of(node) if is_assigned else node
    prefix = w.prefix(node)
    name = w.key(name_node)
    if name is not None and name_node is not None and node.type != "ERROR":
        symbol = properties.define(w, name, name_node, prefix, owner, node, node.end_byte, flag.STATIC)
        w.b.bind(name, SourceKind.SYMBOL, symbol)
    if is_assigned:
        w.field(node, "value")


def namespace(w: Walk, node: Node) -> int:
    """`namespace A.B { … }`, `module A { … }`, `declare module 'm' { … }`."""
    prefix = w.prefix(node)
    name, body = name_of(node), node.child_by_field_name("body")
    if name is not None:
        _namespace(w, node, name, prefix, body)
    return NONE


def _namespace(w: Walk, node: Node, name: Node, prefix: Prefix, body: Node | None) -> None:
    if name.type == "nested_identifier" and len(name.named_children) > 1:
        parts = name.named_children
        _inside(w, _continued(w, parts[0], SymbolKind.MODULE, node, prefix, 0, body), node, parts[1:], body)
        return
    _inside(w, _continued(w, name, SymbolKind.MODULE, node, prefix, 0, body), node, [], body)


def _inside(w: Walk, symbol: int, node: Node, names: list[Node], body: Node | None) -> None:
    """Visits the body of a namespace, inside the namespaces `names` that its dotted name nests."""
    b = w.b
    outer_owner, outer_scope, saved = b.owner, b.scope, (w.this, w.function)
    b.owner = symbol
    w.this, w.function = NONE, NONE
    scope = w.spaces.get(symbol)
    if scope is None:
        scope = w.spaces[symbol] = b.open_scope(ScopeKind.MODULE, symbol)
    b.scope = scope
    if names:
        prefix = Prefix(names[0].start_byte, flag.EXPORTED, "", (), names[0].start_byte)
        inner = _continued(w, names[0], SymbolKind.MODULE, node, prefix, 0, body)
        _inside(w, inner, node, names[1:], body)
    elif body is not None:
        w.body(body)
    b.owner, b.scope = outer_owner, outer_scope
    w.this, w.function = saved


def ambient(w: Walk, node: Node) -> int:
    """`declare …`; `declare global { … }` adds to what every file sees."""
    if w.start == NONE:
        w.start = node.start_byte
    for child in node.named_children:
        if child.kind_id == w.kinds.BLOCK:
            _global(w, node, child)
        elif child.kind_id != w.kinds.COMMENT:
            w.value(child)
    w.start = NONE
    return NONE


def _global(w: Walk, node: Node, body: Node) -> None:
    prefix = w.prefix(node)
    key = (w.b.owner, "global", -int(SymbolKind.MODULE))
    symbol = w.overloads.get(key, NONE)
    if symbol == NONE:
        symbol = w.overloads[key] = w.add(
            "global",
            SymbolKind.MODULE,
            prefix,
            parent=w.b.owner,
            at=node.start_byte,
            end=node.end_byte,
            signature=(node.start_byte, body.start_byte),
            flags=flag.UNNAMED,
        )
        w.ambient.add(symbol)
    _inside(w, symbol, node, [], body)


HANDLERS: Mapping[str, Handler] = {
    "interface_declaration": interface,
    "type_alias_declaration": type_alias,
    "enum_declaration": enum,
    "internal_module": namespace,
    "module": namespace,
    "ambient_declaration": ambient,
}
