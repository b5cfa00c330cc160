"""Functions: parameters, bodies, results, and the definitions that name them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from codemap.fact_building.builder import NONE
from codemap.facts import RECEIVER, Op, ScopeKind, SourceKind, SymbolKind
from codemap.languages.ecmascript import flags as flag
from codemap.languages.ecmascript.definitions.parameters import NOTHING_GIVEN, Given, parameters
from codemap.languages.ecmascript.jsdoc.types import NO_TAGS
from codemap.languages.ecmascript.prefix import Prefix
from codemap.languages.ecmascript.semantics import ITERATOR, TYPEOF
from codemap.languages.ecmascript.types import builtin
from codemap.languages.ecmascript.walk import RETURNS_MAX, Walk, name_of

if TYPE_CHECKING:
    from tree_sitter import Node


def function_declaration(w: Walk, node: Node) -> int:
    """`function f() {}`, and its overload signatures, which are one symbol with it."""
    prefix = w.prefix(node)
    name = name_of(node)
    body = node.child_by_field_name("body")
    b = w.b
    if name is None:
        run(w, node, NONE, this=NONE)
        return NONE
    text = w.text(name)
    key = (b.owner, text, 0)
    symbol = w.overloads.get(key, NONE)
    if symbol == NONE or not _continues(w, symbol):
        symbol = define(w, text, node, prefix, at=name.start_byte, signature_from=node.start_byte)
        b.bind(text, SourceKind.SYMBOL, symbol, scope=w.block_scope())
    else:
        b.extend_span(symbol, node.end_byte)
        b.add_flags(symbol, prefix.flags | marks(node))
    if body is None:
        w.overloads[key] = symbol
    else:
        w.overloads.pop(key, None)
    run(w, node, symbol, this=w.instance(symbol))
    return NONE


def _continues(w: Walk, symbol: int) -> bool:
    return w.b.kind_of(symbol) in (SymbolKind.FUNCTION, SymbolKind.METHOD)


def function_value(w: Walk, node: Node) -> int:
    """A function expression that nothing around it names; its own name, if it has one, is a definition."""
    return contextual(w, node, NOTHING_GIVEN)


def contextual(w: Walk, node: Node, given: Given) -> int:
    """A function expression whose place says what it is given."""
    b = w.b
    name = name_of(node)
    if name is None:
        kept, symbol = w.kept
        is_arrow = node.type == "arrow_function"
        return run(w, node, symbol if kept == node.id else NONE, this=w.this if is_arrow else NONE, given=given)
    text = w.text(name)
    kept, symbol = w.kept
    if kept != node.id:
        prefix = w.prefix(node)
        symbol = define(w, text, node, prefix, at=name.start_byte, signature_from=node.start_byte)
    scope = b.open_scope(ScopeKind.BLOCK, b.owner)
    b.bind(text, SourceKind.SYMBOL, symbol, scope=scope)
    run(w, node, symbol, this=w.instance(symbol), given=given)
    w.leave(scope)
    return w.symbol_value(symbol)


def define(
    w: Walk,
    name: str,
    node: Node,
    prefix: Prefix,
    *,
    at: int,
    signature_from: int,
    kind: SymbolKind = SymbolKind.FUNCTION,
    parent: int | None = None,
    flags: int = 0,
    end: int | None = None,
) -> int:
    """The symbol of a function, method or accessor whose syntax is `node`; binds nothing."""
    body = node.child_by_field_name("body")
    return w.add(
        name,
        kind,
        prefix,
        parent=w.b.owner if parent is None else parent,
        at=at,
        end=node.end_byte if end is None else end,
        signature=(signature_from, node.end_byte if body is None else body.start_byte),
        flags=flags | marks(node),
    )


def marks(node: Node) -> int:
    """`async` and `*` of a function."""
    flags = 0
    for child in node.children:
        if child.is_named:
            if child.type in ("statement_block", "formal_parameters", "identifier", "property_identifier"):
                break
        elif child.type == "async":
            flags |= flag.ASYNC
        elif child.type == "*":
            flags |= flag.GENERATOR
    return flags


def run(w: Walk, node: Node, symbol: int, *, this: int, given: Given = NOTHING_GIVEN) -> int:
    """Visits parameters, result type and body in a scope of their own; `symbol`, if any, owns what they use. Returns
    what is known of a function without one."""
    b = w.b
    saved = (b.owner, w.this, w.function, w.returns, w.result)
    if symbol != NONE:
        b.owner = symbol
    if given.wanted != NONE and node.type != "arrow_function":
        stated = b.expr(Op.PARAM, given.wanted, RECEIVER)
        owner, this = w.owners.get(this, NONE), stated if this == NONE else b.either(stated, this)
        if owner != NONE:
            w.owners[this] = owner
    w.this, w.function, w.returns = this, symbol, []
    scope = b.open_scope(ScopeKind.FUNCTION, b.owner)
    type_parameters = node.child_by_field_name("type_parameters")
    if type_parameters is not None:
        w.value(type_parameters)
    tags = w.tags.get(symbol, NO_TAGS)
    for name in tags.templates:
        b.bind(name, SourceKind.OPAQUE)
    parameters(w, node, symbol, given)
    result = node.child_by_field_name("return_type")
    stated = w.documented_type(tags.result) if result is None else w.value(result)
    if symbol != NONE and stated != NONE:
        b.set_type(symbol, stated)
    suspends = marks(node)
    w.result = NONE if suspends & flag.GENERATOR else _wanted_result(w, stated, given)
    if suspends & flag.ASYNC:
        w.result = b.wrap(Op.AWAIT, w.result)
    body = node.child_by_field_name("body")
    if body is not None:
        if body.kind_id == w.kinds.BLOCK:
            w.body(body)
        else:
            visit_returned(w, body)
    value = NONE
    if symbol != NONE:
        for value in w.returns[:RETURNS_MAX]:
            b.add_value(symbol, value)
    elif not suspends & flag.GENERATOR:
        value = _nameless(w, stated, suspends)
    w.leave(scope)
    b.owner, w.this, w.function, w.returns, w.result = saved
    return value


def _wanted_result(w: Walk, stated: int, given: Given) -> int:
    """What a function is to return: by its own result type, or by the type that its place asks for."""
    return w.b.call(given.wanted) if stated == NONE else w.b.wrap(Op.INSTANCE, stated)


def _nameless(w: Walk, stated: int, suspends: int) -> int:
    """A function that has no symbol, known by what it gives."""
    b = w.b
    if stated == NONE:
        given = b.unions([value for value in w.returns[:RETURNS_MAX] if value != NONE])
        if given == NONE:
            return NONE
        stated = b.apply(builtin(w, TYPEOF), [given])
        if suspends & flag.ASYNC:
            stated = b.apply(builtin(w, "Promise"), [stated])
    return b.expr(Op.FUNCTION, NONE, stated)


def return_statement(w: Walk, node: Node) -> int:
    for child in node.named_children:
        if child.kind_id != w.kinds.COMMENT:
            visit_returned(w, child)
    return NONE


def yield_expression(w: Walk, node: Node) -> int:
    """What `yield` evaluates to is given from outside: nothing is known of it."""
    is_delegate = any(child.type == "*" for child in node.children[:3])
    for child in node.named_children:
        value = w.value(child)
        if is_delegate:
            w.b.operate(value, (ITERATOR,), child.start_byte)
        w.returns.append(w.b.wrap(Op.ITER, value) if is_delegate else value)
    return NONE


def visit_returned(w: Walk, node: Node) -> None:
    """Visits a returned expression. The members of a returned object literal belong to the function."""
    plain = w.unwrap(node)
    if plain.kind_id == w.kinds.OBJECT and w.function != NONE and w.is_namespace(plain):
        w.kept = (plain.id, w.function)
        w.returns.append(w.wanted["object"](w, plain, w.result))
    else:
        value = w.value_for(node, w.result)
        is_nameless = value == NONE and plain.kind_id in w.kinds.functions
        w.returns.append(w.b.expr(Op.FUNCTION, NONE, NONE) if is_nameless else value)
