"""Classes: their bases, and what `this` and `super` are in them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from codemap.fact_building.builder import NONE
from codemap.facts import Op, ScopeKind, SourceKind, SymbolKind, UseRole
from codemap.languages.ecmascript import flags as flag
from codemap.languages.ecmascript.definitions import members
from codemap.languages.ecmascript.prefix import Prefix
from codemap.languages.ecmascript.types import builtin
from codemap.languages.ecmascript.walk import READ, Walk, name_of

if TYPE_CHECKING:
    from tree_sitter import Node


def class_declaration(w: Walk, node: Node) -> int:
    name = name_of(node)
    prefix = w.prefix(node)
    if name is None:
        return class_expression(w, node)
    text = w.text(name)
    symbol = define(w, text, node, prefix, at=name.start_byte, parent=w.b.owner)
    w.b.bind(text, SourceKind.SYMBOL, symbol, scope=w.block_scope())
    run(w, node, symbol, prefix.decorators)
    return NONE


def class_expression(w: Walk, node: Node) -> int:
    """A class that nothing around it names; one without a name of its own has no symbol."""
    b = w.b
    name = name_of(node)
    prefix = w.prefix(node)
    if name is None:
        run(w, node, NONE, prefix.decorators)
        return NONE
    text = w.text(name)
    symbol = define(w, text, node, prefix, at=name.start_byte, parent=b.owner)
    run(w, node, symbol, prefix.decorators)
    return w.symbol_value(symbol)


def define(w: Walk, name: str, node: Node, prefix: Prefix, *, at: int, parent: int) -> int:
    """The symbol of a class whose syntax is `node`; binds nothing."""
    body = node.child_by_field_name("body")
    is_abstract = node.type == "abstract_class_declaration"
    return w.add(
        name,
        SymbolKind.CLASS,
        prefix,
        parent=parent,
        at=at,
        end=node.end_byte,
        signature=(prefix.head, node.end_byte if body is None else body.start_byte),
        flags=flag.ABSTRACT if is_abstract else 0,
    )


def run(w: Walk, node: Node, symbol: int, decorators: tuple[Node, ...] = ()) -> None:
    """Visits type parameters, bases and members. A class without a symbol has members without symbols."""
    b = w.b
    saved = (b.owner, w.this, w.super_value, w.super_call, w.function)
    if symbol != NONE:
        b.owner = symbol
    for decorator in decorators:
        members.decorate(w, decorator, symbol)
    own_name = name_of(node) if node.type == "class" else None
    scope = b.open_scope(ScopeKind.BLOCK, b.owner)
    if own_name is not None and symbol != NONE:
        b.bind(w.text(own_name), SourceKind.SYMBOL, symbol)
    super_call = NONE
    body = None
    for child in node.named_children:
        kind = child.type
        if kind == "class_heritage":
            super_call = _heritage(w, child, symbol)
        elif kind == "class_body":
            body = child
        elif kind == "decorator":
            members.decorate(w, child, symbol)
        elif kind == "type_parameters":
            w.value(child)
    w.function = NONE
    if body is not None:
        w.super_call = super_call
        w.super_value = b.expr(Op.SUPER, symbol) if symbol != NONE else NONE
        _body(w, body, symbol)
    w.leave(scope)
    b.owner, w.this, w.super_value, w.super_call, w.function = saved


def _heritage(w: Walk, node: Node, symbol: int) -> int:
    """Tells the bases; returns what `super(…)` calls."""
    result = NONE
    for child in node.named_children:
        if child.type == "implements_clause":
            for type_ in child.named_children:
                base(w, type_, symbol, UseRole.IMPLEMENTS)
        elif child.type == "extends_clause":
            value = child.child_by_field_name("value")
            if value is not None:
                result = base(w, value, symbol, UseRole.EXTENDS, child)
            for other in child.named_children if value is None else ():
                w.value(other)
        elif child.kind_id != w.kinds.COMMENT:
            result = base(w, child, symbol, UseRole.EXTENDS)
    return result


def base(w: Walk, node: Node, symbol: int, role: UseRole, clause: Node | None = None) -> int:
    """Visits one base, whose head is the use that inherits; its type arguments may be beside it in a `clause`.

    A base of which nothing is known is reported, too: what the class itself does not define may be there.
    """
    head = _head(node)
    around = node if clause is None else clause
    if head.type in ("identifier", "type_identifier"):
        text = w.text(head)
        expr = w.b.name(text) if head.type == "identifier" else w.b.type_name(text)
        at = head.start_byte
    elif head.type in ("member_expression", "nested_type_identifier") and head.named_children:
        last = head.named_children[-1]
        expr = w.b.attribute(w.value(head.named_children[0]), w.text(last))
        at = last.start_byte
    else:
        expr = w.value(node)
        if symbol != NONE:
            w.b.base(symbol, role, builtin(w, "Object") if expr == NONE else expr, node.start_byte)
        return expr
    given: list[int] = []
    for child in around.named_children if head is not node or clause is not None else ():
        if child.type == "type_arguments":
            given += [w.value(each) for each in child.named_children if each.kind_id != w.kinds.COMMENT]
        elif child.start_byte != head.start_byte:
            w.value(child)
    if symbol == NONE:
        w.b.use(READ, expr, at)
    else:
        w.b.base(symbol, role, w.b.apply(expr, given) if given else expr, at)
    return expr


def _head(node: Node) -> Node:
    """The name that a base with type arguments (or arguments of a call around it) begins with."""
    if node.type in ("generic_type", "instantiation_expression") and node.named_children:
        return node.named_children[0]
    return node


def _body(w: Walk, body: Node, symbol: int) -> None:
    k = w.kinds
    if symbol == NONE:
        scope = w.b.open_scope(ScopeKind.CLASS, w.b.owner)
        w.leave(scope)
    else:
        scope = w.space(symbol)
    instance = NONE if symbol == NONE else w.instance(symbol)
    itself = NONE if symbol == NONE else w.symbol_value(symbol)
    for child in body.named_children:
        kind = child.kind_id
        if kind == k.COMMENT:
            w.comment = child
            continue
        if kind == k.DECORATOR:
            if not w.decorators and w.start == -1:
                w.start = child.start_byte
            w.decorators.append(child)
            continue
        is_static = members.is_static(child)
        this = itself if is_static else instance
        name = child.type
        if name in ("method_definition", "method_signature", "abstract_method_signature"):
            members.method(w, child, symbol, scope, this)
        elif name in ("public_field_definition", "field_definition"):
            members.field(w, child, symbol, scope, this)
        elif name == "class_static_block":
            w.this = itself
            block = child.child_by_field_name("body")
            inner = w.b.open_scope(ScopeKind.FUNCTION, w.b.owner)
            if block is not None:
                w.body(block)
            w.leave(inner)
        else:
            w.this = instance
            w.value(child)
        w.comment = None
        w.decorators, w.start = [], NONE
    if symbol != NONE:
        members.assigned(w, symbol)
