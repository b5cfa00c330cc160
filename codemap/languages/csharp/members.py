"""Members of types: fields, properties, indexers, events, methods, operators, constructors, constants of enums.

A constructor is named `<ctor>`, an indexer `this[]`, an operator `operator+`, a conversion as in metadata. A method
that implements a member of an interface by the interface's name is no member under its own name.

The file is long because every kind of member is declared in the same few steps.

Source: the C# language specification, "Class members", "Interface members", "Extension methods".
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from codemap.fact_building.builder import NONE
from codemap.fact_building.walk import visit_children
from codemap.facts import Op, ScopeKind, SymbolFlag, SymbolKind
from codemap.languages.class_based.walk import Class
from codemap.languages.csharp import calls, functions, headers, parameters, types
from codemap.languages.csharp.builtins import CONSTRUCTOR, INDEXER
from codemap.languages.csharp.parameters import Parameter
from codemap.languages.csharp.walk import CSharpWalk, find_child, flatten, modifiers_of
from codemap.mangled_names import mangle_method

if TYPE_CHECKING:
    from tree_sitter import Node

_STATIC_CONSTRUCTOR = "<cctor>"
_FINALIZER, _IMPLICIT, _EXPLICIT = "Finalize", "op_Implicit", "op_Explicit"
_EXPORTED = int(SymbolFlag.EXPORTED)


def method_keys(w: CSharpWalk, node: Node) -> list[str]:
    """The names under which a method is bound; asked for when its class is declared, and again when it is visited."""
    known = w.method_keys.get(node.start_byte)
    if known is None:
        known = _method_keys(w, node, parameters.parameters_of(w, node.child_by_field_name("parameters")))
        w.method_keys[node.start_byte] = known
    return known


def _method_keys(w: CSharpWalk, node: Node, listed: Sequence[Parameter]) -> list[str]:
    """By the number of its arguments, if no type parameter of it need be stated; by that of its type parameters too, if
    it has some; and by its name alone."""
    name_node = node.child_by_field_name("name")
    name = "" if name_node is None else w.text(name_node)
    generic = types.type_parameters(
        w, node.child_by_field_name("type_parameters") or find_child(node, "type_parameter_list")
    )
    is_inferred = True
    if generic:
        texts = " ".join(w.text(parameter.type) for parameter in listed if parameter.type is not None)
        is_inferred = all(re.search(rf"\b{re.escape(each)}\b", texts) for each in generic)
    counts = parameters.counts_of(listed)
    if listed and counts.start == 0 and _has_plain(w, node, name, len(generic)):
        counts = counts[1:]
    is_set = any(parameter.is_reference for parameter in listed)
    found = [mangle_method(name, count, by_reference=is_set) for count in counts] if is_inferred else []
    if generic:
        found += [mangle_method(name, count, len(generic), by_reference=is_set) for count in counts]
    return [*found, mangle_method(name)]


def _has_plain(w: CSharpWalk, node: Node, name: str, type_count: int) -> bool:
    """Whether a type has a method of a name that takes no argument, which a call without any means first of all."""
    for other in node.parent.named_children if node.parent is not None else ():
        name_node, listed = other.child_by_field_name("name"), other.child_by_field_name("parameters")
        is_named = other.type == "method_declaration" and name_node is not None and w.text(name_node) == name
        is_plain = is_named and listed is not None and not listed.named_children
        if is_plain and types.parameter_count(other) == type_count:
            return True
    return False


def _flags(w: CSharpWalk, node: Node) -> int:
    cls = w.classes[-1]
    return headers.flags_of(node, default=_EXPORTED if cls.is_interface else 0)


def field(w: CSharpWalk, node: Node) -> int:
    """A declaration of fields or of events without accessors: the first owns what its type and attributes use."""
    holder = find_child(node, "variable_declaration")
    if not w.classes or holder is None:
        return visit_children(w, node)
    b, cls = w.b, w.classes[-1]
    type_node, stated = holder.child_by_field_name("type"), NONE
    flags, text = _flags(w, node), w.doc(node.start_byte)
    before = w.signature(node, node.end_byte if type_node is None else type_node.end_byte)
    is_first = True
    for declarator in holder.named_children:
        name_node = declarator.child_by_field_name("name")
        if declarator.type != "variable_declarator" or name_node is None:
            continue
        name = w.text(name_node)
        symbol = b.symbol(
            name,
            SymbolKind.PROPERTY,
            parent=cls.symbol,
            at=name_node.start_byte,
            start=node.start_byte if is_first else declarator.start_byte,
            end=node.end_byte if is_first else declarator.end_byte,
            flags=flags,
            signature=f"{before} {name}",
            doc=text,
        )
        w.bind_member(cls, name, symbol)
        with b.definition(symbol):
            if is_first:
                headers.annotate(w, node, symbol)
                stated = types.visit_type(w, type_node)
                is_first = False
            if stated != NONE:
                b.set_type(symbol, stated)
            for value in declarator.named_children:
                if value != name_node:
                    calls.expected_value(w, value, stated)
    return NONE


def property_(w: CSharpWalk, node: Node) -> int:
    """A property, or an event with accessors."""
    name_node = node.child_by_field_name("name")
    if name_node is None or not w.classes:
        return visit_children(w, node)
    cls = w.classes[-1]
    name = w.text(name_node)
    symbol = _symbol(w, node, name, SymbolKind.PROPERTY, name_node, _end_of_property(node))
    if find_child(node, "explicit_interface_specifier") is None:
        w.bind_member(cls, name, symbol)
    _accessors(w, node, symbol, [])
    return NONE


def indexer(w: CSharpWalk, node: Node) -> int:
    """`T this[K key] {…}`."""
    listed = node.child_by_field_name("parameters")
    if listed is None or not w.classes:
        return visit_children(w, node)
    cls = w.classes[-1]
    at = next((child for child in node.children if child.type == "this"), listed)
    symbol = _symbol(w, node, INDEXER, SymbolKind.METHOD, at, listed.end_byte)
    if find_child(node, "explicit_interface_specifier") is None:
        w.bind_member(cls, INDEXER, symbol)
    _accessors(w, node, symbol, parameters.parameters_of(w, listed))
    return NONE


def _end_of_property(node: Node) -> int:
    for child in node.children:
        if child.type in ("accessor_list", "arrow_expression_clause", "="):
            return child.start_byte
    return node.end_byte


def _symbol(w: CSharpWalk, node: Node, name: str, kind: SymbolKind, name_node: Node, end: int, flags: int = 0) -> int:
    return w.define(
        name, kind, node, name_node, parent=w.classes[-1].symbol, flags=_flags(w, node) | flags, header_end=end
    )


def _accessors(w: CSharpWalk, node: Node, symbol: int, listed: list[Parameter]) -> None:
    """Visits the type, the accessors and the value of a property."""
    b = w.b
    with b.definition(symbol):
        headers.annotate(w, node, symbol)
        _explicit(w, node)
        stated = types.visit_type(w, node.child_by_field_name("type"))
        if stated != NONE:
            b.set_type(symbol, stated)
        b.open_scope(ScopeKind.FUNCTION, symbol)
        for parameter in listed:
            parameters.declare(w, symbol, parameter)
        with w.returning(stated):
            accessors = node.child_by_field_name("accessors")
            for child in flatten(accessors.named_children) if accessors is not None else ():
                with w.b.block(ScopeKind.FUNCTION):
                    _accessor(w, child, stated)
            value = node.child_by_field_name("value")
            if value is not None and value.type != "arrow_expression_clause":
                calls.expected_value(w, value, stated)
            else:
                w.value(value)


def _accessor(w: CSharpWalk, node: Node, stated: int) -> None:
    w.b.bind_typed("value", stated)
    for child in node.named_children:
        if child.type != "modifier":
            w.value(child)


def _explicit(w: CSharpWalk, node: Node) -> None:
    """`R IName.M()` names the interface."""
    specifier = find_child(node, "explicit_interface_specifier")
    for child in specifier.named_children if specifier is not None else ():
        types.visit_type(w, child)


def method(w: CSharpWalk, node: Node) -> int:
    name_node = node.child_by_field_name("name")
    if name_node is None or not w.classes:
        return visit_children(w, node)
    cls = w.classes[-1]
    name = w.text(name_node)
    listed = parameters.parameters_of(w, node.child_by_field_name("parameters"))
    is_extension = bool(listed) and listed[0].is_receiver
    flags = int(SymbolFlag.EXTENSION) if is_extension else 0
    symbol = _symbol(w, node, name, SymbolKind.METHOD, name_node, _end_of_header(node), flags)
    if node.child_by_field_name("body") is None:
        words = modifiers_of(node)
        if "partial" in words:
            w.b.declaration(symbol)
        elif cls.is_interface:
            w.b.add_flags(symbol, SymbolFlag.ABSTRACT)
    if find_child(node, "explicit_interface_specifier") is None:
        for key in method_keys(w, node):
            w.bind_member(cls, key, symbol)
    _callable(w, node, symbol, listed)
    return NONE


def _end_of_header(node: Node) -> int:
    for child in node.children:
        if child.type in ("block", "arrow_expression_clause", "constructor_initializer"):
            return child.start_byte
    return node.end_byte


def constructor(w: CSharpWalk, node: Node) -> int:
    name_node = node.child_by_field_name("name")
    if name_node is None or not w.classes:
        return visit_children(w, node)
    cls = w.classes[-1]
    is_static = "static" in modifiers_of(node)
    name = _STATIC_CONSTRUCTOR if is_static else CONSTRUCTOR
    symbol = _symbol(w, node, name, SymbolKind.METHOD, name_node, _end_of_header(node))
    listed = parameters.parameters_of(w, node.child_by_field_name("parameters"))
    if not is_static:
        w.bind_method(cls, CONSTRUCTOR, symbol, parameters.counts_of(listed))
    _callable(w, node, symbol, listed)
    return NONE


def finalizer(w: CSharpWalk, node: Node) -> int:
    name_node = node.child_by_field_name("name")
    if name_node is None or not w.classes:
        return visit_children(w, node)
    symbol = _symbol(w, node, _FINALIZER, SymbolKind.METHOD, name_node, _end_of_header(node))
    _callable(w, node, symbol, [])
    return NONE


def operator(w: CSharpWalk, node: Node) -> int:
    """`operator +`, `implicit operator T`."""
    if not w.classes:
        return visit_children(w, node)
    cls = w.classes[-1]
    sign = node.child_by_field_name("operator")
    word = next((child for child in node.children if child.type == "operator"), node)
    is_implicit = any(child.type == "implicit" for child in node.children)
    if node.type == "conversion_operator_declaration":
        name = _IMPLICIT if is_implicit else _EXPLICIT
    else:
        name = operator_name("" if sign is None else w.text(sign))
    symbol = _symbol(w, node, name, SymbolKind.METHOD, word, _end_of_header(node))
    w.bind_member(cls, name, symbol)
    _callable(w, node, symbol, parameters.parameters_of(w, node.child_by_field_name("parameters")))
    return NONE


def operator_name(sign: str) -> str:
    return f"operator{sign}"


def _callable(w: CSharpWalk, node: Node, symbol: int, listed: list[Parameter]) -> None:
    """Visits the signature and the body of a method, in its own scope."""
    b = w.b
    with b.definition(symbol):
        headers.annotate(w, node, symbol)
        types.open_parameters(w, node, symbol)
        _explicit(w, node)
        result_node = node.child_by_field_name("returns") or node.child_by_field_name("type")
        result = types.visit_type(w, result_node)
        if result != NONE:
            b.set_type(symbol, result)
        b.open_scope(ScopeKind.FUNCTION, symbol)
        for parameter in listed:
            parameters.declare(w, symbol, parameter)
        initializer = find_child(node, "constructor_initializer")
        if initializer is not None and w.classes:
            arguments = find_child(initializer, "argument_list")
            which = next((child for child in initializer.children if child.type in ("base", "this")), initializer)
            calls.delegate(w, w.classes[-1], arguments, which.start_byte, is_base=which.type == "base")
        body = node.child_by_field_name("body")
        if body is not None:
            with w.returning(functions.returned(node, result)):
                functions.function_body(w, body)


def primary(w: CSharpWalk, cls: Class, node: Node, listed: Node, *, has_properties: bool) -> None:
    """The parameters behind the name of a type: a constructor's, and properties or variables of the type."""
    b = w.b
    name_node = node.child_by_field_name("name") or listed
    symbol = b.symbol(
        CONSTRUCTOR,
        SymbolKind.METHOD,
        parent=cls.symbol,
        at=listed.start_byte,
        start=listed.start_byte,
        end=listed.end_byte,
        flags=_EXPORTED,
        signature=b.text(name_node.start_byte, listed.end_byte),
    )
    given = parameters.parameters_of(w, listed)
    w.bind_method(cls, CONSTRUCTOR, symbol, parameters.counts_of(given))
    owner = b.owner
    for parameter in given:
        if not has_properties:
            b.owner = symbol
        elif parameter.name:
            b.owner = b.symbol(
                parameter.name,
                SymbolKind.PROPERTY,
                parent=cls.symbol,
                at=(parameter.holder.child_by_field_name("name") or parameter.holder).start_byte,
                start=parameter.holder.start_byte,
                end=parameter.holder.end_byte,
                flags=_EXPORTED,
                signature=w.text(parameter.holder),
            )
        type_expr = parameters.declared(w, parameter)
        b.parameter(symbol, parameter.name or None, type_expr)
        if not parameter.name:
            continue
        if has_properties:
            if type_expr != NONE:
                b.set_type(b.owner, type_expr)
            w.bind_member(cls, parameter.name, b.owner)
        else:
            b.bind_typed(parameter.name, type_expr, scope=cls.frame)
    b.owner = owner


def constant(w: CSharpWalk, node: Node) -> int:
    """A constant of an enum."""
    name_node = node.child_by_field_name("name")
    if name_node is None or not w.classes:
        return visit_children(w, node)
    b, cls = w.b, w.classes[-1]
    symbol = w.define(
        w.text(name_node),
        SymbolKind.PROPERTY,
        node,
        name_node,
        parent=cls.symbol,
        flags=SymbolFlag.EXPORTED | SymbolFlag.STATIC,
    )
    w.bind_member(cls, w.text(name_node), symbol)
    b.set_type(symbol, b.expr(Op.SYMBOL, cls.symbol))
    with b.definition(symbol):
        headers.annotate(w, node, symbol)
        w.field(node, "value")
    return NONE
