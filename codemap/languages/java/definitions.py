"""Classes, interfaces, enums, records and annotation types: their bases and bodies.

A class without a name is named after its base, with `$1`, as its class file would number it in its method.

Source: The Java Language Specification, "Classes", "Interfaces".
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from codemap.fact_building.builder import NONE
from codemap.facts import SourceKind, SymbolFlag, SymbolKind, UseRole
from codemap.languages.class_based.walk import Class
from codemap.languages.java import headers, members, types
from codemap.languages.java.walk import JavaWalk
from codemap.mangled_names import mangle_method

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tree_sitter import Node

KINDS = {
    "class_declaration": SymbolKind.CLASS,
    "record_declaration": SymbolKind.CLASS,
    "enum_declaration": SymbolKind.ENUM,
    "interface_declaration": SymbolKind.INTERFACE,
    "annotation_type_declaration": SymbolKind.INTERFACE,
}
_EXTENDS, _IMPLEMENTS = int(UseRole.EXTENDS), int(UseRole.IMPLEMENTS)
_FIELDS = ("field_declaration", "constant_declaration")
_PUBLIC_STATIC = SymbolFlag.EXPORTED | SymbolFlag.STATIC


def declare(w: JavaWalk, nodes: list[Node]) -> None:
    """Makes the symbols of the types among some nodes of one body, and binds them there."""
    for node in nodes:
        name = node.child_by_field_name("name")
        if node.type in KINDS and name is not None and w.text(name):
            _declare(w, node, name)


def _declare(w: JavaWalk, node: Node, name_node: Node) -> int:
    b = w.b
    name, body = w.text(name_node), node.child_by_field_name("body")
    flags = headers.flags_of(node)
    around = w.class_around()
    if around is not None and around.is_interface:
        flags |= _PUBLIC_STATIC
    symbol = w.define(name, KINDS[node.type], node, name_node, flags=flags, body=body)
    scope = b.namespace(symbol)
    w.types[node.start_byte] = (symbol, scope)
    b.bind(name, SourceKind.SYMBOL, symbol)
    if around is not None:
        b.bind(name, SourceKind.SYMBOL, symbol, scope=around.members)
    return symbol


def declaration(w: JavaWalk, node: Node) -> int:
    """A type; one in a block is declared by it."""
    b = w.b
    if node.start_byte not in w.types:
        declare(w, [node])
    if node.start_byte not in w.types:
        return NONE
    symbol, scope = w.types[node.start_byte]
    with b.definition(symbol):
        headers.annotate(w, node, symbol)
        types.generic_scope(w, node, symbol)
        cls = w.make_class(symbol, scope)
        cls.is_interface = b.kind_of(symbol) == SymbolKind.INTERFACE
        _bases(w, node, cls)
        body(w, cls, node.child_by_field_name("body"), node.child_by_field_name("parameters"))
    return NONE


def _bases(w: JavaWalk, node: Node, cls: Class) -> None:
    role = _EXTENDS if cls.is_interface else _IMPLEMENTS
    for child in node.named_children:
        match child.type:
            case "superclass":
                for type_node in child.named_children:
                    cls.superclass = base(w, cls, type_node, _EXTENDS)
            case "super_interfaces" | "extends_interfaces":
                for listed in child.named_children:
                    for type_node in listed.named_children:
                        base(w, cls, type_node, role)
            case "permits":
                w.value(child)
            case _:
                pass


def base(w: JavaWalk, cls: Class, type_node: Node, role: int) -> int:
    """One base of a class; its type arguments are references."""
    b = w.b
    value = types.visit_plain(w, type_node)
    if value != NONE:
        b.base(cls.symbol, role, value, types.last_name(type_node).start_byte)
        cls.has_bases = True
    return value


def body(w: JavaWalk, cls: Class, node: Node | None, components: Node | None) -> None:
    """Visits the body of a class."""
    listed = list(_listed(node))
    if components is not None:
        cls.declared |= {name for name in members.component_names(w, components) if name}
    for child in listed:
        cls.declared |= set(_names(w, child))
    with w.body_of(cls):
        declare(w, listed)
        if components is not None:
            members.components(w, cls, components, listed)
        for child in listed:
            w.value(child)


def _listed(node: Node | None) -> Iterator[Node]:
    """The members of a body; those of an enum follow its constants."""
    for child in node.named_children if node is not None else ():
        if child.type == "enum_body_declarations":
            yield from child.named_children
        else:
            yield child


def _names(w: JavaWalk, node: Node) -> Iterator[str]:
    """The names under which a member will be bound."""
    if node.type in _FIELDS:
        for declarator in node.children_by_field_name("declarator"):
            name = declarator.child_by_field_name("name")
            yield "" if name is None else w.text(name)
        return
    name = node.child_by_field_name("name")
    if name is None:
        return
    if node.type == "method_declaration":
        yield mangle_method(w.text(name))
        for count in members.argument_counts(node):
            yield mangle_method(w.text(name), count)
    elif node.type == "annotation_type_element_declaration":
        yield mangle_method(w.text(name), 0)
    elif node.type in KINDS or node.type == "enum_constant":
        yield w.text(name)
