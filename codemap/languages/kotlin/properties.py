"""Properties, the parameters of classes, and variables; a property with a receiver is a member of its type.

A property is also what Java calls to get or set it.

Source: the Kotlin specification, "Property declaration", "Classifier declaration".
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from codemap.fact_building.builder import NONE
from codemap.fact_building.walk import children_of
from codemap.facts import ScopeKind, SourceKind, SymbolKind
from codemap.languages.class_based.walk import Class
from codemap.languages.kotlin import calls, functions, headers, java_names, operators, types
from codemap.languages.kotlin.walk import (
    KotlinWalk,
    expressions_of,
    find_behind,
    find_child,
    first_type,
    has_token,
    modifiers,
)

if TYPE_CHECKING:
    from tree_sitter import Node


def class_parameters(w: KotlinWalk, cls: Class, parameters: list[Node], of: int) -> None:
    """The parameters of a class: properties, or variables of its initializers. They are those of its constructor `of`,
    or of the class where that has no other."""
    b = w.b
    for node in parameters:
        name_node = find_child(node, "simple_identifier")
        if name_node is None:
            continue
        name, type_node = w.text(name_node), first_type(node)
        owner = b.owner
        symbol = NONE
        if find_child(node, "binding_pattern_kind") is not None:
            symbol = _property_symbol(w, node, name_node, node.end_byte if type_node is None else type_node.end_byte)
            b.owner = symbol
        headers.annotate(w, node)
        type_expr = w.value(type_node)
        b.parameter(of, name, type_expr)
        default = find_behind(node, "=")
        if default is not None:
            w.value(default)
        b.owner = owner
        if symbol != NONE:
            b.set_type(symbol, type_expr)
            _bind_property(w, node, cls, name, symbol)
        else:
            b.bind_typed(name, type_expr, scope=cls.frame)


def _property_symbol(w: KotlinWalk, node: Node, name_node: Node, end: int, parent: int = NONE) -> int:
    is_member = w.class_around() is not None
    return w.define(
        w.text(name_node),
        SymbolKind.PROPERTY if is_member or parent != NONE else SymbolKind.VARIABLE,
        node,
        name_node,
        parent=w.b.owner if parent == NONE else parent,
        flags=headers.flags_of(w, node),
        header_end=end,
    )


def _bind_property(w: KotlinWalk, node: Node, cls: Class, name: str, symbol: int) -> None:
    w.bind_member(cls, name, symbol)
    java_names.bind_accessors(w, node, name, symbol, cls, has_receiver=False)


def property_(w: KotlinWalk, node: Node) -> int:
    """`val x: T = …`, `val (a, b) = …`, `val x by …`, `val T.x get() = …`."""
    b = w.b
    cls = w.class_around()
    variable, receiver = find_child(node, "variable_declaration"), find_child(node, "receiver_type")
    name_node = find_child(variable, "simple_identifier")
    if variable is None or name_node is None or (cls is None and b.owner != b.file):
        return _local(w, node, variable)
    extended = w.last_extended = functions.extended_by(w, receiver) if receiver is not None else None
    parent = NONE if extended is None else extended.symbol
    symbol = w.last_property = _property_symbol(w, node, name_node, variable.end_byte, parent)
    name = w.text(name_node)
    if extended is not None:
        w.bind_member(extended, name, symbol)
    elif cls is not None:
        _bind_property(w, node, cls, name, symbol)
    else:
        b.bind(name, SourceKind.SYMBOL, symbol)
    if cls is None and "private" not in modifiers(w, node):
        java_names.bind_accessors(w, node, name, symbol, None, has_receiver=extended is not None)
    with b.definition(symbol):
        headers.annotate(w, node)
        types.open_parameters(w, node, symbol)
        type_node = first_type(variable)
        stated = w.value(type_node)
        if stated != NONE:
            b.set_type(symbol, stated)
        holder = extended or cls
        if holder is not None and type_node is not None and type_node.type == "user_type":
            w.plain_properties.add((holder.symbol, name))
        if extended is None:
            _value_and_accessors(w, node, symbol, stated)
        else:
            w.value(first_type(receiver))
            with w.body_of(extended):
                _value_and_accessors(w, node, symbol, stated)
    return NONE


def _value_and_accessors(w: KotlinWalk, node: Node, symbol: int, stated: int) -> None:
    value = _initial(w, node, stated)
    if stated == NONE and value != NONE:
        w.b.add_value(symbol, value)
    for child in node.named_children:
        if child.type in ("getter", "setter"):
            accessor(w, child)


def _initial(w: KotlinWalk, node: Node, stated: int) -> int:
    """What a property of a stated type is given, or its delegate makes."""
    value = find_behind(node, "=")
    if value is not None:
        return calls.of_type(w, value, stated)
    delegate = find_child(node, "property_delegate")
    parts = expressions_of(delegate) if delegate is not None else []
    if delegate is None or not parts:
        return NONE
    made = calls.made_lazily(w, parts[0])
    if made is not None:
        return made
    kind = find_child(node, "binding_pattern_kind")
    is_written = kind is not None and has_token(kind, "var")
    return operators.delegated(w, parts[0], delegate.start_byte, is_written=is_written)


def _local(w: KotlinWalk, node: Node, variable: Node | None) -> int:
    stated = w.value(first_type(variable))
    value = _initial(w, node, stated)
    several = find_child(node, "multi_variable_declaration")
    if several is not None:
        destructure(w, several, value)
    elif variable is not None:
        _declare(w, variable, stated, value)
    return NONE


def declare_variable(w: KotlinWalk, variable: Node, value: int) -> None:
    """A variable of a block, by its stated type or its value."""
    _declare(w, variable, w.value(first_type(variable)), value)


def _declare(w: KotlinWalk, variable: Node, stated: int, value: int) -> None:
    name = find_child(variable, "simple_identifier")
    if name is not None:
        w.declare_typed(w.text(name), stated, value)


def destructure(w: KotlinWalk, several: Node, value: int) -> None:
    """`(a, b)`: parts of a value, which are known where it is a pair of known parts."""
    for position, variable in enumerate(children_of(several)):
        if variable.type == "variable_declaration":
            declare_variable(w, variable, operators.component(w, value, position, variable.start_byte))


def accessor(w: KotlinWalk, node: Node) -> int:
    """A getter or setter, which may follow its property: what it uses belongs to that."""
    extended = w.last_extended
    if extended is None or extended in w.classes:
        return _accessor(w, node)
    with w.body_of(extended):
        return _accessor(w, node)


def _accessor(w: KotlinWalk, node: Node) -> int:
    b = w.b
    symbol = w.last_property
    if symbol != NONE:
        b.extend_span(symbol, node.end_byte)
        extended = w.last_extended
        cls = w.classes[-1] if w.classes and extended is None else None
        java_names.bind_accessor(w, node, symbol, cls, has_receiver=extended is not None)
    with b.definition(b.owner if symbol == NONE else symbol):
        b.open_scope(ScopeKind.FUNCTION, b.owner)
        parameter = find_child(node, "parameter_with_optional_type")
        name = find_child(parameter, "simple_identifier")
        if name is not None:
            b.bind(w.text(name), SourceKind.OPAQUE)
        b.bind("field", SourceKind.OPAQUE)
        stated = w.value(first_type(node))
        block = find_child(node, "function_body")
        if block is not None:
            value = calls.last_value(w, block)
            if node.type == "getter" and symbol != NONE and b.symbols[symbol][7] == NONE:
                if stated != NONE:
                    b.set_type(symbol, stated)
                elif has_token(block, "=") and value != NONE:
                    b.add_value(symbol, value)
    return NONE
