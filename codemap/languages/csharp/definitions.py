"""Classes, records, structs, interfaces, enums and delegates: their bases and bodies.

A `partial` type is a part of what has its name in its namespace. The parameters behind the name of a type are those of
a constructor, and variables in its body; those of a record are its properties.

Source: the C# language specification, "Classes", "Structs", "Interfaces", "Enums", "Delegates"; "Records", "Primary
constructors".
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from codemap.fact_building.builder import NONE
from codemap.fact_building.walk import visit_children
from codemap.facts import Op, SymbolFlag, SymbolKind, UseRole
from codemap.languages.class_based.walk import Class
from codemap.languages.csharp import calls, headers, members, parameters, types
from codemap.languages.csharp.walk import CSharpWalk, bind_type, find_child, flatten, modifiers_of, type_keys

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tree_sitter import Node

KINDS = {
    "class_declaration": SymbolKind.CLASS,
    "record_declaration": SymbolKind.CLASS,
    "struct_declaration": SymbolKind.CLASS,
    "enum_declaration": SymbolKind.ENUM,
    "interface_declaration": SymbolKind.INTERFACE,
}
_EXTENDS, _IMPLEMENTS = int(UseRole.EXTENDS), int(UseRole.IMPLEMENTS)
_EXPORTED = int(SymbolFlag.EXPORTED)


def declare(w: CSharpWalk, nodes: list[Node]) -> None:
    """Makes the symbols of the types among some nodes of one body, and binds them there."""
    for node in nodes:
        name = node.child_by_field_name("name")
        if node.type in KINDS and name is not None and w.text(name):
            _declare(w, node, name)


def _declare(w: CSharpWalk, node: Node, name_node: Node) -> None:
    b = w.b
    name, words = w.text(name_node), modifiers_of(node)
    around = w.class_around()
    default = _EXPORTED if around is None or around.is_interface else 0
    symbol = w.define(
        name,
        KINDS[node.type],
        node,
        name_node,
        flags=headers.flags_of(node, default=default),
        header_end=_end_of_header(node),
    )
    if "partial" in words:
        b.part(symbol, name)
    scope = b.namespace(symbol)
    w.types[node.start_byte] = (symbol, scope)
    count = types.parameter_count(node)
    bind_type(w, name, count, symbol, b.scope)
    if around is not None:
        bind_type(w, name, count, symbol, around.members)
    for each in range(count):
        b.parameter(symbol, f"<{each}>", b.literal("object"))


def _end_of_header(node: Node) -> int:
    body = node.child_by_field_name("body")
    end = node.end_byte if body is None else body.start_byte
    clause = find_child(node, "type_parameter_constraints_clause")
    return min(end, clause.start_byte) if clause is not None else end


def declaration(w: CSharpWalk, node: Node) -> int:
    b = w.b
    if node.start_byte not in w.types:
        declare(w, [node])
    if node.start_byte not in w.types:
        return NONE
    symbol, scope = w.types[node.start_byte]
    with b.definition(symbol):
        headers.annotate(w, node, symbol)
        types.open_parameters(w, node, symbol)
        cls = w.make_class(symbol, scope)
        cls.is_interface = b.kind_of(symbol) == SymbolKind.INTERFACE
        cls.has_bases = "partial" in modifiers_of(node)
        bases = find_child(node, "base_list")
        if node.type != "enum_declaration":
            _bases(w, bases, cls)
        elif bases is not None:
            visit_children(w, bases)
        _body(w, cls, node, bases)
    return NONE


def _bases(w: CSharpWalk, listed: Node | None, cls: Class) -> None:
    """The bases of a type. Only the first of a class can be a class: it is taken for one unless it is named as
    interfaces are."""
    at = 0
    for child in listed.named_children if listed is not None else ():
        if child.type in ("argument_list", "comment"):
            continue
        type_node = child
        if child.type == "primary_constructor_base_type":
            type_node = child.child_by_field_name("type") or child
        name = types.last_name(type_node)
        is_class = not cls.is_interface and at == 0 and not _looks_like_interface(w.text(name))
        role = _EXTENDS if is_class or cls.is_interface else _IMPLEMENTS
        at += 1
        if w.b.kind_of(cls.symbol) == SymbolKind.CLASS and role == _EXTENDS and _is_struct(w, cls):
            role = _IMPLEMENTS
        value = types.visit_plain(w, type_node, None)
        applied = types.apply_arguments(w, type_node, value)
        if value != NONE:
            w.b.base(cls.symbol, role, applied, name.start_byte)
            cls.has_bases = True
            if is_class:
                cls.superclass = value


def _looks_like_interface(name: str) -> bool:
    return name[:1] == "I" and name[1:2].isupper()


def _is_struct(w: CSharpWalk, cls: Class) -> bool:
    at = next((at for at, (symbol, _) in w.types.items() if symbol == cls.symbol), 0)
    return w.chars.startswith("struct", at)


def _body(w: CSharpWalk, cls: Class, node: Node, bases: Node | None) -> None:
    """Visits the body of a type."""
    body = node.child_by_field_name("body")
    listed = list(flatten(body.named_children)) if body is not None else []
    for child in listed:
        cls.declared |= set(_names(w, child))
    components = find_child(node, "parameter_list")
    if components is not None:
        cls.declared |= {parameter.name for parameter in parameters.parameters_of(w, components)}
    with w.body_of(cls):
        declare(w, listed)
        if components is not None:
            members.primary(w, cls, node, components, has_properties=node.type == "record_declaration")
            _pass_on(w, cls, bases)
        for child in listed:
            w.value(child)


def _pass_on(w: CSharpWalk, cls: Class, bases: Node | None) -> None:
    """`class C(int a) : Base(a)`: what the constructor of the base is called with."""
    for child in bases.named_children if bases is not None else ():
        listed = child if child.type == "argument_list" else find_child(child, "argument_list")
        if listed is not None and child.type in ("argument_list", "primary_constructor_base_type"):
            calls.delegate(w, cls, listed, listed.start_byte, is_base=True)


def _names(w: CSharpWalk, node: Node) -> Iterator[str]:
    """The names under which a member will be bound."""
    if node.type in ("field_declaration", "event_field_declaration"):
        declaration_node = find_child(node, "variable_declaration")
        for declarator in declaration_node.named_children if declaration_node is not None else ():
            name = declarator.child_by_field_name("name")
            if declarator.type == "variable_declarator" and name is not None:
                yield w.text(name)
        return
    name = node.child_by_field_name("name")
    if name is None or find_child(node, "explicit_interface_specifier") is not None:
        return
    if node.type == "method_declaration":
        yield from members.method_keys(w, node)
    elif node.type in KINDS or node.type == "delegate_declaration":
        yield from type_keys(w.text(name), types.parameter_count(node))
    elif node.type in ("property_declaration", "event_declaration", "enum_member_declaration"):
        yield w.text(name)


def delegate(w: CSharpWalk, node: Node) -> int:
    """`delegate R D(T x);` is a name for a type of functions."""
    name_node = node.child_by_field_name("name")
    if name_node is None:
        return visit_children(w, node)
    b = w.b
    cls = w.class_around()
    name, count = w.text(name_node), types.parameter_count(node)
    symbol = w.define(
        name,
        SymbolKind.TYPE_ALIAS,
        node,
        name_node,
        flags=headers.flags_of(node, default=_EXPORTED if cls is None else 0),
    )
    bind_type(w, name, count, symbol, b.scope)
    if cls is not None:
        bind_type(w, name, count, symbol, cls.members)
    for each in range(count):
        b.parameter(symbol, f"<{each}>", b.literal("object"))
    with b.definition(symbol):
        headers.annotate(w, node, symbol)
        types.open_parameters(w, node, symbol)
        result = types.visit_type(w, node.child_by_field_name("type"))
        listed = node.child_by_field_name("parameters")
        given = [parameters.declared(w, parameter) for parameter in parameters.parameters_of(w, listed)]
        b.set_type(symbol, b.expr(Op.FUNCTION, b.args(given), result))
    return NONE
