"""Types, their fields and methods, and functions.

A method belongs to the type of its receiver. Where another file of the package declares that type, a part of it is
here for its methods, so that a method's name is `Type.Method` in whichever file.

Source: The Go Programming Language Specification, "Type declarations", "Method declarations", "Struct types".
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from codemap.fact_building.builder import NONE, Scope
from codemap.fact_building.walk import children_of
from codemap.facts import Op, ScopeKind, SourceKind, SymbolFlag, SymbolKind, UseRole
from codemap.languages.go import types
from codemap.languages.go.walk import Type, Walk, exported

if TYPE_CHECKING:
    from tree_sitter import Node

_KINDS = {"struct_type": SymbolKind.CLASS, "interface_type": SymbolKind.INTERFACE}
_EXTENDS = int(UseRole.EXTENDS)


_RUN = re.compile(r"\btesting\.(?:T|TB|B|F|M)\b")
"""What `go test` hands to functions."""


def declare_types(w: Walk, root: Node) -> None:
    """Makes the symbols of the types of the top level, which methods before them belong to as well."""
    for declaration in root.named_children:
        if declaration.type == "type_declaration":
            specs = [child for child in declaration.named_children if child.type in ("type_spec", "type_alias")]
            for spec in specs:
                start = declaration.start_byte if len(specs) == 1 else spec.start_byte
                _declare(w, spec, start)


def _declare(w: Walk, spec: Node, start: int) -> Type | None:
    name_node, type_ = spec.child_by_field_name("name"), spec.child_by_field_name("type")
    if name_node is None:
        return None
    name = w.text(name_node)
    body = type_.named_children[0] if type_ is not None and type_.type in _KINDS and type_.named_children else None
    kind = SymbolKind.TYPE_ALIAS if spec.type == "type_alias" else SymbolKind.CLASS
    end = spec.end_byte
    if type_ is not None and spec.type != "type_alias" and type_.type in _KINDS:
        kind = _KINDS[type_.type]
        end = body.start_byte if body is not None and body.type == "field_declaration_list" else _brace(w, type_)
    symbol = w.b.symbol(
        name,
        kind,
        parent=w.b.owner,
        at=name_node.start_byte,
        start=start,
        end=spec.end_byte,
        flags=exported(name) if w.is_top() else 0,
        signature=w.header(start, end),
        doc=w.doc(start),
    )
    w.declare(name, SourceKind.SYMBOL, symbol)
    found = Type(symbol, w.b.namespace(symbol))
    if w.is_top():
        w.types.setdefault(name, found)
    return found


def _brace(w: Walk, node: Node) -> int:
    """Where the body of an interface begins."""
    at = w.chars.find("{", node.start_byte, node.end_byte)
    return at if at >= 0 else node.end_byte


def type_(w: Walk, node: Node) -> int:
    """`type T …`: of the top level it is declared already."""
    name_node = node.child_by_field_name("name")
    if name_node is None:
        return NONE
    known = w.types.get(w.text(name_node)) if w.is_top() else None
    if known is None or w.b.spans[known.symbol][0] != name_node.start_byte:
        found = _declare(w, node, node.start_byte)
        assert found is not None, "it has a name"
        known = found
    b, outer = w.b, w.parameters
    with b.definition(known.symbol):
        if node.child_by_field_name("type_parameters") is not None:
            b.open_scope(ScopeKind.BLOCK, b.scope.owner)
            types.open_parameters(w, node.child_by_field_name("type_parameters"), known.symbol)
        body = node.child_by_field_name("type")
        if body is not None and node.type == "type_spec" and body.type == "struct_type":
            _fields(w, body, known.symbol, known.members)
        elif body is not None and node.type == "type_spec" and body.type == "interface_type":
            _methods(w, body, known)
        else:
            b.set_type(known.symbol, w.value(body))
    w.parameters = outer
    return NONE


def _fields(w: Walk, struct: Node, owner: int, members: Scope) -> None:
    b = w.b
    for declarations in struct.named_children:
        for field in declarations.named_children:
            if field.type != "field_declaration":
                if field.type != "comment":
                    w.value(field)
                continue
            names = field.children_by_field_name("name")
            body = field.child_by_field_name("type")
            inner = body is not None and body.type == "struct_type" and bool(names)
            type_expr = NONE if inner else w.value(body) if names else types.visit_embedded(w, body)
            if not names and body is not None:
                b.base(owner, _EXTENDS, type_expr, types.last_name(body).start_byte)
                names = [types.last_name(body)]
            for name_node in names:
                symbol = _field(w, field, name_node, owner, members)
                if type_expr != NONE:
                    b.set_type(symbol, type_expr)
                if inner and body is not None:
                    _fields(w, body, symbol, w.b.namespace(symbol))


def _field(w: Walk, field: Node, name_node: Node, owner: int, members: Scope) -> int:
    name = w.text(name_node)
    symbol = w.define(name, SymbolKind.PROPERTY, field, name_node, parent=owner, flags=exported(name))
    w.b.bind(name, SourceKind.SYMBOL, symbol, scope=members)
    return symbol


def interface(w: Walk, node: Node) -> int:
    """An interface type without a name: what it embeds, where that is all it has; else a definition that no code names,
    with its methods and what it embeds."""
    elements = children_of(node)
    if len(elements) < 2 and all(child.type == "type_elem" for child in elements):
        return w.value(elements[0]) if elements else w.b.literal("interface")
    symbol = w.b.symbol(
        "interface",
        SymbolKind.INTERFACE,
        parent=w.b.owner,
        at=node.start_byte,
        start=node.start_byte,
        end=node.end_byte,
        flags=int(SymbolFlag.UNNAMED),
        signature=w.header(node.start_byte, node.end_byte),
    )
    with w.b.definition(symbol):
        _methods(w, node, Type(symbol, w.b.namespace(symbol)))
    return w.b.expr(Op.SYMBOL, symbol)


def _methods(w: Walk, interface: Node, of: Type) -> None:
    """The methods of an interface, and what it embeds."""
    b = w.b
    for child in interface.named_children:
        if child.type == "type_elem":
            listed = child.named_children
            if len(listed) == 1 and listed[0].type in types.NAMED:
                b.base(of.symbol, _EXTENDS, types.visit_embedded(w, listed[0]), types.last_name(listed[0]).start_byte)
            else:
                w.value(child)
        elif child.type == "method_elem":
            name_node = child.child_by_field_name("name")
            if name_node is None:
                continue
            name = w.text(name_node)
            symbol = w.define(name, SymbolKind.METHOD, child, name_node, parent=of.symbol, flags=exported(name))
            b.bind(name, SourceKind.SYMBOL, symbol, scope=of.members)
            _sign(w, child, symbol)
        elif child.type != "comment":
            w.value(child)


def _sign(w: Walk, node: Node, symbol: int) -> list[tuple[Node, int]]:
    """States parameters and result of a function or method; gives those with names, and their types."""
    b = w.b
    with b.definition(symbol):
        parameters = types.declared(w, node.child_by_field_name("parameters"))
        for name, type_expr in parameters:
            b.parameter(symbol, None if name is None else w.text(name), type_expr)
        given, results = types.result(w, node.child_by_field_name("result"))
        if given != NONE:
            b.set_type(symbol, given)
        if b.kind_of(symbol) == SymbolKind.METHOD:
            b.shape(symbol, types.spell_shape(w, node))
    return [(name, type_expr) for name, type_expr in (*parameters, *results) if name is not None]


def function(w: Walk, node: Node) -> int:
    name_node = node.child_by_field_name("name")
    name = w.text(name_node) if name_node is not None else ""
    if name_node is None or not name:
        return NONE
    symbol = _function(w, node, name_node, SymbolKind.FUNCTION, w.b.owner)
    if name not in ("init", "_"):
        w.declare(name, SourceKind.SYMBOL, symbol)
    body(w, node, symbol, None)
    return NONE


def _function(w: Walk, node: Node, name_node: Node, kind: SymbolKind, parent: int) -> int:
    block = node.child_by_field_name("body")
    name = w.text(name_node)
    flags = exported(name) | _of_tests(w, node)
    return w.define(name, kind, node, name_node, parent=parent, flags=flags, body=block)


def _of_tests(w: Walk, node: Node) -> int:
    """What takes a `*testing.T` is run by tests alone, whatever its file is called."""
    parameters = node.child_by_field_name("parameters")
    if parameters is None or w.chars.find("testing.", parameters.start_byte, parameters.end_byte) < 0:
        return 0
    return int(SymbolFlag.TEST) if _RUN.search(w.text(parameters)) else 0


def method(w: Walk, node: Node) -> int:
    name_node, receiver = node.child_by_field_name("name"), node.child_by_field_name("receiver")
    given = None if receiver is None else next((c for c in receiver.named_children if c.type != "comment"), None)
    type_node = None if given is None else given.child_by_field_name("type")
    if name_node is None or given is None or type_node is None:
        return function(w, node)
    of = _receiver_type(w, types.last_name(type_node))
    symbol = _function(w, node, name_node, SymbolKind.METHOD, of.symbol)
    w.b.bind(w.text(name_node), SourceKind.SYMBOL, symbol, scope=of.members)
    body(w, node, symbol, given)
    return NONE


def _receiver_type(w: Walk, node: Node) -> Type:
    """The type that a method belongs to: one of this file, or a part of one of the package."""
    name = w.text(node)
    known = w.types.get(name)
    if known is None:
        b = w.b
        symbol = b.symbol(
            name,
            SymbolKind.CLASS,
            parent=b.file,
            at=node.start_byte,
            start=node.start_byte,
            end=node.end_byte,
            signature=f"methods of {name}",
        )
        b.part(symbol, name, b.name(name))
        known = w.types[name] = Type(symbol, w.b.namespace(symbol))
    return known


def body(w: Walk, node: Node, symbol: int, receiver: Node | None) -> None:
    """Visits the signature and the body of a function, in its own scope."""
    b = w.b
    with w.function(symbol):
        if receiver is not None:
            _open_receiver(w, receiver, b.parent_of(symbol))
        types.open_parameters(w, node.child_by_field_name("type_parameters"), symbol)
        named = _sign(w, node, symbol)
        receiver_name = None if receiver is None else receiver.child_by_field_name("name")
        if receiver_name is not None and w.text(receiver_name) != "_":
            w.declare(w.text(receiver_name), SourceKind.SELF, b.parent_of(symbol))
        types.declare_parameters(w, named)
        block = node.child_by_field_name("body")
        for child in block.named_children if block is not None else ():
            w.value(child)


def _open_receiver(w: Walk, receiver: Node, of: int) -> None:
    """Visits the type of a receiver, and binds the names that it gives to type parameters."""
    b = w.b
    type_node = receiver.child_by_field_name("type")
    if type_node is not None:
        name = types.last_name(type_node)
        if not b.symbols[of][4] & SymbolFlag.PART:
            b.use(UseRole.REFERENCE, b.name(w.text(name)), name.start_byte)
        while type_node is not None and type_node.type in ("pointer_type", "parenthesized_type"):
            type_node = type_node.named_children[0] if type_node.named_children else None
    if type_node is not None and type_node.type == "generic_type":
        arguments = type_node.child_by_field_name("type_arguments")
        for position, argument in enumerate(arguments.named_children if arguments is not None else ()):
            if w.text(argument) != "_":
                b.bind(w.text(argument), SourceKind.TYPE_PARAMETER, of, position)
            w.parameters |= {w.text(argument)}
