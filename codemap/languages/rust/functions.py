"""Functions and methods: their signatures and bodies.

Source: the Rust Reference, "Functions", "Associated Items".
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from codemap.fact_building.builder import NONE
from codemap.facts import Op, ScopeKind, SourceKind, SymbolFlag, SymbolKind
from codemap.languages.rust import headers, patterns, types
from codemap.languages.rust.walk import Space, Type, Walk
from codemap.mangled_names import mangle_method

if TYPE_CHECKING:
    from tree_sitter import Node


def function(w: Walk, node: Node, start: int, of: Type | None = None) -> None:
    """A function, or one of a type or trait: a method."""
    b = w.b
    name_node, body = node.child_by_field_name("name"), node.child_by_field_name("body")
    if name_node is None or not (name := w.text(name_node)):
        return
    listed = node.child_by_field_name("parameters")
    has_self = of is not None and listed is not None and _has_self(listed)
    own = headers.flags(w, node, start) | headers.case_flag(w, node, start)
    if any(child.type == "function_modifiers" and "async" in w.text(child) for child in node.children):
        own |= SymbolFlag.ASYNC
    if of is not None:
        own |= w.visible
        own |= 0 if has_self else SymbolFlag.STATIC
        own |= SymbolFlag.ABSTRACT if w.trait and body is None else 0
    symbol = b.symbol(
        name,
        SymbolKind.FUNCTION if of is None else SymbolKind.METHOD,
        parent=b.owner if of is None else of.symbol,
        at=name_node.start_byte,
        start=start,
        end=node.end_byte,
        flags=own,
        signature=w.header(node.start_byte, node.end_byte if body is None else body.start_byte),
        doc=headers.doc(w, node, start),
    )
    if of is None:
        b.bind(name, SourceKind.SYMBOL, symbol, scope=w.space.scope)
    else:
        _bind_method(w, of, mangle_method(name), symbol)
    _body(w, node, symbol, None if of is None else of.symbol)


def _bind_method(w: Walk, of: Type, name: str, symbol: int) -> None:
    """Binds a method of a type; one that the type has itself is called before those of traits."""
    key = of.members.number, name
    if key in w.own_methods and w.implements:
        return
    if key not in w.own_methods and not w.implements:
        w.own_methods.add(key)
        of.members.sources.pop(w.b.intern(name), None)
    w.b.bind(name, SourceKind.SYMBOL, symbol, scope=of.members)


def _has_self(listed: Node) -> bool:
    return any(
        child.type == "self_parameter"
        or (
            child.type == "parameter"
            and (inner := child.child_by_field_name("pattern")) is not None
            and inner.type == "self"
        )
        for child in listed.named_children
    )


def _body(w: Walk, node: Node, symbol: int, of: int | None) -> None:
    """Visits the signature and the body of a function, in its own space."""
    b = w.b
    owner, scope, space, has_scope = b.owner, b.scope, w.space, w.has_scope
    b.owner = symbol
    b.scope = space.scope
    w.space = Space(b.open_scope(ScopeKind.FUNCTION, symbol), space, symbol, is_module=False)
    types.parameters(w, node, symbol)
    b.open_scope(ScopeKind.BLOCK, symbol)
    w.has_scope = True
    listed = node.child_by_field_name("parameters")
    for child in listed.named_children if listed is not None else ():
        if child.type == "self_parameter":
            if of is not None:
                b.bind("self", SourceKind.SELF, of)
            continue
        if child.type != "parameter":
            continue
        pattern = child.child_by_field_name("pattern")
        type_expr = w.field(child, "type")
        if pattern is not None and pattern.type == "self":
            if of is not None:
                b.bind("self", SourceKind.SELF, of)
            continue
        is_plain = pattern is not None and pattern.type == "identifier"
        b.parameter(symbol, w.text(pattern) if is_plain and pattern is not None else None, type_expr)
        if is_plain and pattern is not None and type_expr != NONE and not w.text(pattern)[:1].isupper():
            b.bind(w.text(pattern), SourceKind.TYPED, type_expr)
        else:
            patterns.bind(w, pattern, b.wrap(Op.INSTANCE, type_expr))
    result = w.field(node, "return_type")
    if result != NONE:
        b.set_type(symbol, result)
    body = node.child_by_field_name("body")
    if body is not None:
        w.function_block = body.id
        w.value(body)
    b.owner, b.scope, w.space, w.has_scope = owner, scope, space, has_scope
