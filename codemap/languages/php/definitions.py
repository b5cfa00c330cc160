"""Classes, interfaces, traits, enums and functions.

The traits of a class come before its parent, as methods are looked up. A class without a name is called as PHP itself
calls it.

Source: the PHP Manual, "Classes and Objects", "Functions".
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from codemap.fact_building.builder import NONE
from codemap.fact_building.walk import visit_children
from codemap.facts import ScopeKind, SourceKind, SymbolFlag, SymbolKind, UseRole
from codemap.languages.php import headers, members, phpdoc, types
from codemap.languages.php.walk import CONSTANT, Class, Walk

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tree_sitter import Node

KINDS = {
    "class_declaration": SymbolKind.CLASS,
    "trait_declaration": SymbolKind.CLASS,
    "interface_declaration": SymbolKind.INTERFACE,
    "enum_declaration": SymbolKind.ENUM,
}
FUNCTION = "function_definition"
_ANONYMOUS = "class@anonymous"
_CONDITIONAL = ("if_statement", "else_clause", "else_if_clause", "compound_statement", "colon_block")
_EXTENDS, _IMPLEMENTS = int(UseRole.EXTENDS), int(UseRole.IMPLEMENTS)
_NESTING_MAX = 8


def declare(w: Walk, nodes: Iterable[Node], depth: int = 0) -> None:
    """Makes the symbols of the classes and functions among some statements, and in those that run on a condition."""
    for node in nodes:
        if node.type in KINDS or node.type == FUNCTION:
            _declare(w, node)
        elif node.type in _CONDITIONAL and depth < _NESTING_MAX:
            declare(w, node.named_children, depth + 1)


def _declare(w: Walk, node: Node) -> int:
    """The symbol of a definition; NONE for one without a name."""
    name_node, body = node.child_by_field_name("name"), node.child_by_field_name("body")
    name = "" if name_node is None else w.text(name_node)
    if name_node is None or not name:
        return NONE
    is_function = node.type == FUNCTION
    symbol = w.define(
        name,
        SymbolKind.FUNCTION if is_function else KINDS[node.type],
        node,
        name_node,
        parent=w.namespace_symbol,
        flags=headers.flags_of(node),
        body=body,
    )
    w.declared.setdefault(w.own(name).lower() + ("()" if is_function else ""), []).append(symbol)
    return symbol


def _symbol_of(w: Walk, node: Node) -> int:
    """The symbol of a definition that may have been declared before it was met."""
    name = node.child_by_field_name("name")
    if name is not None:
        key = w.own(w.text(name)).lower() + ("()" if node.type == FUNCTION else "")
        for symbol in w.declared.get(key, ()):
            if w.b.spans[symbol][0] == name.start_byte:
                return symbol
    return _declare(w, node)


def class_(w: Walk, node: Node) -> int:
    symbol = _symbol_of(w, node)
    if symbol == NONE:
        return visit_children(w, node)
    with w.b.definition(symbol):
        _class(w, node, symbol)
    return NONE


def anonymous(w: Walk, node: Node) -> int:
    """`new class(…) extends Base {…}`: gives the class."""
    b = w.b
    body = node.child_by_field_name("body")
    symbol = b.symbol(
        _ANONYMOUS,
        SymbolKind.CLASS,
        parent=b.owner,
        at=node.start_byte,
        start=node.start_byte,
        end=node.end_byte,
        signature=w.signature(node, node.end_byte if body is None else body.start_byte),
    )
    with b.definition(symbol):
        _class(w, node, symbol)
    return symbol


def _class(w: Walk, node: Node, symbol: int) -> None:
    """Visits a class, which is the current owner."""
    b = w.b
    headers.annotate(w, node)
    outer = b.scope
    cls = Class(symbol, b.open_scope(ScopeKind.CLASS, symbol))
    listed = _listed(node.child_by_field_name("body"))
    kind = b.kind_of(symbol)
    doc = phpdoc.read_doc(w, node)
    cls.templates = doc.templates
    cls.has_traits = any(child.type == "use_declaration" for child in listed)
    cls.declared = members.declared(w, listed)
    for child in listed:
        if child.type == "use_declaration":
            members.traits(w, cls, child)
    for child in node.named_children:
        if child.type == "base_clause":
            found = [_base(w, cls, name, _EXTENDS) for name in child.named_children if name.type in types.NAMES]
            cls.parent = found[0] if found and kind == SymbolKind.CLASS else NONE
        elif child.type == "class_interface_clause":
            for name in child.named_children:
                if name.type in types.NAMES:
                    _base(w, cls, name, _IMPLEMENTS)
    if kind == SymbolKind.ENUM:
        is_backed = any(child.type == "primitive_type" for child in node.named_children)
        b.base(symbol, _IMPLEMENTS, b.name("BackedEnum" if is_backed else "UnitEnum"), node.start_byte)
    w.classes.append(cls)
    for variable, spelled in doc.properties.items():
        stated = phpdoc.type_of(w, spelled, node.start_byte)
        if stated != NONE and variable not in cls.declared:
            b.bind(variable, SourceKind.TYPED, stated, scope=cls.members)
    for child in listed:
        w.value(child)
    w.classes.pop()
    b.scope = outer


def _listed(body: Node | None) -> list[Node]:
    return [] if body is None else body.named_children


def _base(w: Walk, cls: Class, name: Node, role: int) -> int:
    at = headers.name_at(name)
    value = w.class_(w.text(name), at)
    w.b.base(cls.symbol, role, value, at)
    cls.has_bases = True
    return value


def function(w: Walk, node: Node) -> int:
    symbol = _symbol_of(w, node)
    if symbol == NONE:
        return visit_children(w, node)
    owner, classes = w.b.owner, w.classes
    w.b.owner, w.classes = symbol, []
    members.function_body(w, node, symbol)
    w.b.owner, w.classes = owner, classes
    return NONE


def constant(w: Walk, node: Node) -> int:
    """`const A = 1, B = 2;`, of a class or of a namespace."""
    flags = headers.flags_of(node) | (SymbolFlag.STATIC if w.classes else 0)
    type_node = node.child_by_field_name("type")
    for child in node.named_children:
        if child.type == "const_element" and child.named_children:
            _constant(w, node, child, flags, type_node)
    return NONE


def _constant(w: Walk, node: Node, element: Node, flags: int, type_node: Node | None) -> None:
    b = w.b
    name_node = element.named_children[0]
    name = w.text(name_node)
    cls = w.classes[-1] if w.classes else None
    symbol = b.symbol(
        name,
        SymbolKind.PROPERTY if cls is not None else SymbolKind.VARIABLE,
        parent=b.owner if cls is not None else w.namespace_symbol,
        at=name_node.start_byte,
        start=node.start_byte,
        end=node.end_byte,
        flags=flags,
        signature=w.signature(node, element.end_byte) if element == _first(node) else w.text(element),
        doc=w.doc(node.start_byte),
    )
    if cls is not None:
        b.bind(name, SourceKind.SYMBOL, symbol, scope=cls.members)
    else:
        w.declared.setdefault(w.own(name).lower() + CONSTANT, []).append(symbol)
    with b.definition(symbol):
        stated = types.read_stated(w, type_node, NONE)
        if stated != NONE:
            b.set_type(symbol, stated)
        for value in element.named_children[1:]:
            b.add_value(symbol, w.value(value))


def _first(node: Node) -> Node | None:
    return next((child for child in node.named_children if child.type == "const_element"), None)


def declare_constant(w: Walk, name: str, node: Node, name_node: Node, value: int) -> None:
    """`define('NAME', value)`: a constant of whichever namespace its name says."""
    b = w.b
    last = name.rpartition("\\")[2]
    symbol = b.symbol(
        last,
        SymbolKind.VARIABLE,
        parent=b.file,
        at=name_node.start_byte,
        start=node.start_byte,
        end=node.end_byte,
        flags=SymbolFlag.EXPORTED,
        signature=w.signature(node, node.end_byte),
    )
    b.add_value(symbol, value)
