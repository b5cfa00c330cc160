"""Object literals: those that a name owns are namespaces, whose functions are definitions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from codemap.fact_building.builder import NONE, Scope
from codemap.facts import Op, SourceKind, SymbolKind
from codemap.languages.ecmascript import flags as flag
from codemap.languages.ecmascript.definitions import classes, functions, members
from codemap.languages.ecmascript.definitions.parameters import Given
from codemap.languages.ecmascript.walk import EXPORTS_OBJECT, READ, Walk, name_of

if TYPE_CHECKING:
    from tree_sitter import Node


def object_value(w: Walk, node: Node, wanted: int = NONE) -> int:
    """An object literal; one that nothing owns is no namespace, and what it uses belongs to the definition around.

    `this` in its methods is what its place asks for, which may say so by `ThisType`.
    """
    b, k = w.b, w.kinds
    kept, symbol = w.kept
    if kept == node.id:
        literal_members(w, node, symbol, wanted=wanted)
        return w.symbol_value(symbol)
    parts: dict[str, int] = {}
    for child in node.named_children:
        kind = child.kind_id
        if kind == k.PAIR:
            key, value = child.child_by_field_name("key"), child.child_by_field_name("value")
            name = w.key(key)
            if value is None or key is None:
                continue
            of = NONE if name is None or wanted == NONE else b.attribute(wanted, name)
            if value.type in _WITH_THIS and name_of(value) is None:
                part = functions.run(w, value, NONE, this=wanted, given=Given(wanted=of))
            else:
                part = w.value_for(value, of)
            parts[w.text(key) if name is None else name] = part
        elif kind == k.METHOD:
            name = w.key(name_of(child))
            of = NONE if name is None else b.attribute(wanted, name)
            functions.run(w, child, NONE, this=wanted, given=Given(wanted=of))
        elif kind == k.SHORTHAND:
            parts[w.text(child)] = w.value(child)
        elif child.type == "spread_element":
            for inner in child.named_children:
                parts[f"...{len(parts)}"] = w.value(inner)
        else:
            w.value(child)
    return _object_of(w, parts)


def _object_of(w: Walk, parts: dict[str, int]) -> int:
    """An object that has some values under these names; NONE where nothing that matters is known of any."""
    b = w.b
    named = [
        b.expr(Op.NAMED, value, b.intern(name))
        for name, value in parts.items()
        if value != NONE and not b.is_display(value)
    ]
    return b.expr(Op.TUPLE, b.args(named)) if named else NONE


_WITH_THIS = ("function_expression", "generator_function")


def shorthand(w: Walk, node: Node) -> int:
    """`{ a }`: reads the variable `a`."""
    expr = w.b.name(w.text(node))
    w.b.use(READ, expr, node.start_byte)
    return expr


def literal_members(
    w: Walk, node: Node, owner: int, this: int | None = None, flags: int = flag.STATIC, wanted: int = NONE
) -> None:
    """Visits an object literal whose members belong to the symbol `owner`; `this` is what its methods see, and `wanted`
    what its place asks for."""
    seen_as = w.symbol_value(owner) if this is None else this
    scope = w.space(owner)
    with w.b.definition(owner):
        comment = w.kinds.COMMENT
        for child in node.named_children:
            if child.kind_id == comment:
                w.comment = child
            else:
                _member(w, child, owner, scope, seen_as, flags, wanted)
                w.comment = None


def _member(w: Walk, node: Node, owner: int, scope: Scope, this: int, flags: int, wanted: int) -> None:
    k, b = w.kinds, w.b
    kind = node.kind_id
    if kind == k.METHOD:
        members.method(w, node, owner, scope, this, flags, wanted)
        return
    if kind == k.SHORTHAND:
        value = shorthand(w, node)
        b.bind(w.text(node), SourceKind.VALUE, value, scope=scope)
        return
    if node.type == "spread_element":
        _spread(w, node, owner)
        return
    key, value_node = node.child_by_field_name("key"), node.child_by_field_name("value")
    if kind != k.PAIR or key is None or value_node is None:
        w.value(node)
        return
    name = w.key(key)
    if name is None:
        w.value(value_node)
    else:
        member(w, name, key, node, value_node, scope, owner, this, flags, b.attribute(wanted, name))


def _spread(w: Walk, node: Node, owner: int) -> None:
    """`...other`: the object has what the other has, too, where its own members do not hide that."""
    for child in node.named_children:
        value = w.value(child)
        if w.b.kind_of(owner) in _PLACES:
            w.b.add_value(owner, value)


_PLACES = (SymbolKind.VARIABLE, SymbolKind.PROPERTY)


def member(
    w: Walk,
    name: str,
    key: Node,
    node: Node,
    value_node: Node,
    scope: Scope,
    owner: int,
    this: int,
    flags: int,
    wanted: int = NONE,
) -> None:
    """A property `name` of `owner`, whose whole syntax is `node`, with its value; `wanted` is what it is to be."""
    b, k = w.b, w.kinds
    plain = w.unwrap(value_node)
    plain_kind = plain.kind_id
    if plain_kind in k.functions:
        prefix = w.prefix(node)
        symbol = functions.define(
            w, name, plain, prefix, at=key.start_byte, signature_from=node.start_byte,
            kind=SymbolKind.METHOD, parent=owner, flags=flags, end=node.end_byte,
        )  # fmt: skip
        b.bind(name, SourceKind.SYMBOL, symbol, scope=scope)
        is_arrow = plain.type == "arrow_function"
        functions.run(w, plain, symbol, this=w.this if is_arrow else this, given=Given(wanted=wanted))
    elif plain_kind == k.CLASS:
        prefix = w.prefix(node)
        symbol = classes.define(w, name, plain, prefix, at=key.start_byte, parent=owner)
        b.bind(name, SourceKind.SYMBOL, symbol, scope=scope)
        classes.run(w, plain, symbol)
    elif plain_kind == k.OBJECT and w.is_namespace(plain):
        prefix = w.prefix(node)
        symbol = w.add(
            name, SymbolKind.PROPERTY, prefix, parent=owner, at=key.start_byte, end=node.end_byte,
            signature=(node.start_byte, plain.start_byte), flags=flags,
        )  # fmt: skip
        b.bind(name, SourceKind.SYMBOL, symbol, scope=scope)
        seen_as = EXPORTS_OBJECT if this == EXPORTS_OBJECT else None
        literal_members(w, plain, symbol, this=seen_as, wanted=wanted)
    else:
        value = w.value_for(value_node, wanted)
        if value != NONE:
            b.bind(name, SourceKind.VALUE, value, scope=scope)
