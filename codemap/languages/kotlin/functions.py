"""Functions, constructors and names of types; a function with a receiver is called as if it were a member of its type.

Source: the Kotlin specification, "Function declaration", "Constructor declaration", "Type alias".
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from codemap.fact_building.builder import NONE
from codemap.fact_building.walk import visit_children
from codemap.facts import Op, ScopeKind, SourceKind, SymbolFlag, SymbolKind
from codemap.languages.class_based.walk import Class
from codemap.languages.jvm.semantics import ARRAY, CONSTRUCTOR
from codemap.languages.kotlin import calls, headers, java_names, types
from codemap.languages.kotlin.walk import (
    EXPECT,
    TYPES,
    KotlinWalk,
    find_behind,
    find_child,
    first_type,
    has_token,
    modifiers,
)
from codemap.mangled_names import COUNTED_MAX

if TYPE_CHECKING:
    from tree_sitter import Node


def parameters_of(node: Node) -> list[tuple[Node, bool, bool]]:
    """Parameters of a function, each with whether it can be left out, and whether it takes any number of arguments."""
    found: list[tuple[Node, bool, bool]] = []
    is_variadic = False
    for child in getattr(find_child(node, "function_value_parameters"), "children", ()):
        if child.type == "parameter_modifiers":
            is_variadic = b"vararg" in (child.text or b"")
        elif child.type == "parameter":
            found.append((child, False, is_variadic))
            is_variadic = False
        elif child.type == "=" and found:
            found[-1] = (found[-1][0], True, found[-1][2])
    return found


def argument_counts(_w: KotlinWalk, node: Node) -> range:
    """The numbers of arguments that a function takes."""
    listed = parameters_of(node)
    least = sum(not is_optional and not is_variadic for _, is_optional, is_variadic in listed)
    most = max(len(listed), COUNTED_MAX if any(is_variadic for _, _, is_variadic in listed) else 0)
    return range(least, most + 1)


def function(w: KotlinWalk, node: Node) -> int:
    name_node = find_child(node, "simple_identifier")
    if name_node is None or not w.text(name_node):
        return visit_children(w, node)
    b = w.b
    name, receiver = w.text(name_node), find_child(node, "receiver_type")
    cls = w.class_around()
    type_parameters = {w.text(child.named_children[0]): first_type(child) for child in _type_parameters(node)}
    of_any = receiver is not None and w.text(types.last_name(receiver)) in type_parameters
    extended = None if receiver is None or of_any else extended_by(w, receiver)
    kind = SymbolKind.FUNCTION if extended is None and cls is None else SymbolKind.METHOD
    parent = b.owner if extended is None or cls is not None else extended.symbol
    symbol = _symbol(w, node, name_node, kind, parent, find_child(node, "function_body"))
    if cls is not None:
        w.bind_method(cls, name, symbol, argument_counts(w, node))
        java_names.bind_method(w, node, symbol, argument_counts(w, node), cls)
    else:
        b.bind(name, SourceKind.SYMBOL, symbol)
        if receiver is not None:
            w.local_extensions.add((b.scope.number, name))
        java_names.bind_function(w, node, name, symbol, argument_counts(w, node))
    if cls is not None and cls.is_interface and find_child(node, "function_body") is None:
        b.add_flags(symbol, SymbolFlag.ABSTRACT)
    if any(is_variadic for _, _, is_variadic in parameters_of(node)):
        b.add_flags(symbol, SymbolFlag.VARIADIC)
    if receiver is not None:
        b.add_flags(symbol, SymbolFlag.EXTENSION)
        bound = type_parameters[w.text(types.last_name(receiver))] if of_any else receiver
        b.reaches(symbol, types.resolve_silently(w, bound), receiver.start_byte)
    _body(w, node, symbol, extended)
    return NONE


def _type_parameters(node: Node) -> list[Node]:
    listed = find_child(node, "type_parameters")
    return [child for child in getattr(listed, "named_children", ()) if child.named_children]


def extended_by(w: KotlinWalk, receiver: Node) -> Class | None:
    """The type that a receiver names: a class of the file, or a part that stands for one of elsewhere."""
    b = w.b
    last = types.last_name(receiver)
    name = w.text(last)
    if last.type != "type_identifier":
        return None
    known = w.named.get((b.file, name))
    if known is None:
        symbol = b.symbol(
            name,
            SymbolKind.CLASS,
            parent=b.file,
            at=last.start_byte,
            start=receiver.start_byte,
            end=receiver.end_byte,
            flags=SymbolFlag.EXPORTED | SymbolFlag.UNNAMED,
            signature=f"extensions of {name}",
        )
        b.part(symbol, name, types.resolve_silently(w, receiver))
        known = w.named[b.file, name] = (symbol, w.b.namespace(symbol))
    cls = w.make_class(*known, b.wrap(Op.INSTANCE, types.resolve_silently(w, receiver)))
    cls.has_bases = True
    return cls


def _symbol(w: KotlinWalk, node: Node, name_node: Node, kind: SymbolKind, parent: int, block: Node | None) -> int:
    is_local = w.b.scope.kind != ScopeKind.MODULE and kind == SymbolKind.FUNCTION
    flags = 0 if is_local else headers.flags_of(w, node)
    symbol = w.define(w.text(name_node), kind, node, name_node, parent=parent, flags=flags, body=block)
    if EXPECT in modifiers(w, node):
        w.b.declaration(symbol)
    return symbol


def _body(w: KotlinWalk, node: Node, symbol: int, extended: Class | None) -> None:
    """Visits the signature and the body of a function, in its own scope."""
    b = w.b
    with b.definition(symbol):
        headers.annotate(w, node)
        if extended is None:
            _signature_and_block(w, node, symbol)
        else:
            with w.body_of(extended):
                _signature_and_block(w, node, symbol)


def _signature_and_block(w: KotlinWalk, node: Node, symbol: int) -> None:
    b = w.b
    types.open_parameters(w, node, symbol)
    receiver = find_child(node, "receiver_type")
    of = NONE if receiver is None else w.value(first_type(receiver))
    if receiver is not None and find_child(node, "type_parameters") is not None:
        b.reaches(symbol, of, receiver.start_byte)  # in terms of the function's own type parameters
    given = declared(w, node, symbol)
    stated = next((child for child in _behind_parameters(node) if child.type in TYPES), None)
    result = w.value(stated)
    if result != NONE:
        b.set_type(symbol, result)
    b.open_scope(ScopeKind.FUNCTION, symbol)
    for name, type_expr in given:
        b.bind_typed(name, type_expr)
    block = find_child(node, "function_body")
    if block is not None:
        value = calls.last_value(w, block)
        if has_token(block, "=") and stated is None and value != NONE:
            b.add_value(symbol, value)


def _behind_parameters(node: Node) -> list[Node]:
    at = next((at for at, child in enumerate(node.children) if child.type == "function_value_parameters"), 0)
    return node.children[at:]


def declared(w: KotlinWalk, node: Node, symbol: int) -> list[tuple[str, int]]:
    """Names and types of a function's parameters, which it states; visits types and defaults."""
    b = w.b
    found = []
    variadic = {parameter.start_byte for parameter, _, is_variadic in parameters_of(node) if is_variadic}
    for child in getattr(find_child(node, "function_value_parameters"), "named_children", ()):
        if child.type != "parameter":
            w.value(child)
            continue
        name = find_child(child, "simple_identifier")
        type_expr = w.value(first_type(child))
        if child.start_byte in variadic and type_expr != NONE:
            type_expr = b.apply(b.name(ARRAY), [type_expr])
        b.parameter(symbol, None if name is None else w.text(name), type_expr)
        if name is not None:
            found.append((w.text(name), type_expr))
    return found


def constructor(w: KotlinWalk, node: Node) -> int:
    """A constructor in the body of a class."""
    if not w.classes:
        return visit_children(w, node)
    b, cls = w.b, w.classes[-1]
    at = node.start_byte
    for child in node.children:
        if child.type == "constructor":
            at = child.start_byte
    block = find_child(node, "statements")
    symbol = b.symbol(
        CONSTRUCTOR,
        SymbolKind.METHOD,
        parent=cls.symbol,
        at=at,
        start=node.start_byte,
        end=node.end_byte,
        flags=headers.flags_of(w, node),
        signature=w.signature(node, _end_of_parameters(node)),
        doc=w.doc(node.start_byte),
    )
    w.bind_method(cls, CONSTRUCTOR, symbol, argument_counts(w, node))
    with b.definition(symbol):
        headers.annotate(w, node)
        given = declared(w, node, symbol)
        b.open_scope(ScopeKind.FUNCTION, symbol)
        for name, type_expr in given:
            b.bind_typed(name, type_expr)
        delegation = find_child(node, "constructor_delegation_call")
        if delegation is not None:
            own = b.expr(Op.SYMBOL, cls.symbol)
            receiver, otherwise = (w.super_(), cls.superclass) if has_token(delegation, "super") else (cls.this, own)
            calls.delegate(w, delegation, receiver, otherwise)
        if block is not None:
            visit_children(w, block)
    return NONE


def _end_of_parameters(node: Node) -> int:
    listed = find_child(node, "function_value_parameters")
    return node.end_byte if listed is None else listed.end_byte


def primary_constructor(w: KotlinWalk, cls: Class, node: Node, parameters: list[Node]) -> int:
    """The constructor in the header of a class that has others."""
    b = w.b
    symbol = b.symbol(
        CONSTRUCTOR,
        SymbolKind.METHOD,
        parent=cls.symbol,
        at=node.start_byte,
        start=node.start_byte,
        end=node.end_byte,
        flags=headers.flags_of(w, node),
        signature=w.signature(node, node.end_byte),
    )
    least = sum(find_behind(parameter, "=") is None for parameter in parameters)
    w.bind_method(cls, CONSTRUCTOR, symbol, range(least, len(parameters) + 1))
    return symbol


def alias(w: KotlinWalk, node: Node) -> int:
    """`typealias A = B`."""
    b = w.b
    name_node = find_child(node, "type_identifier")
    if name_node is None:
        return NONE
    symbol = w.define(w.text(name_node), SymbolKind.TYPE_ALIAS, node, name_node, flags=headers.flags_of(w, node))
    b.bind(w.text(name_node), SourceKind.SYMBOL, symbol)
    with b.definition(symbol):
        types.open_parameters(w, node, symbol)
        b.set_type(symbol, w.value(first_type(node)))
    return NONE
