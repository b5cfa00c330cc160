"""Classes, interfaces, objects and enums, their constructors and bodies.

The members of a companion are also those of its class, as one writes them. A constructor that is spelled out in the
body is named `<init>`, and then so is the one in the header.

Source: the Kotlin specification, "Declarations".
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from codemap.fact_building.builder import NONE, Scope
from codemap.facts import Op, SourceKind, SymbolFlag, SymbolKind, UseRole
from codemap.languages.class_based.walk import Class
from codemap.languages.kotlin import calls, functions, headers, properties, types
from codemap.languages.kotlin.walk import EXPECT, KotlinWalk, expressions_of, find_child, has_token, modifiers
from codemap.mangled_names import mangle_method

if TYPE_CHECKING:
    from tree_sitter import Node

CLASSES = frozenset({"class_declaration", "object_declaration", "companion_object"})
_BODIES = ("class_body", "enum_class_body")
_EXTENDS, _IMPLEMENTS, _CALL = int(UseRole.EXTENDS), int(UseRole.IMPLEMENTS), int(UseRole.CALL)


def declare(w: KotlinWalk, nodes: list[Node]) -> None:
    """Makes the symbols of the classes among the nodes of one body, and binds them there."""
    for node in nodes:
        if node.type in CLASSES:
            _declare(w, node)


def _declare(w: KotlinWalk, node: Node) -> None:
    b = w.b
    name_node = find_child(node, "type_identifier", "simple_identifier")
    name = "Companion" if name_node is None else w.text(name_node)
    if not name or (name_node is None and node.type != "companion_object"):
        return
    kind = SymbolKind.CLASS
    if find_child(node, "enum_class_body") is not None:
        kind = SymbolKind.ENUM
    elif has_token(node, "interface"):
        kind = SymbolKind.INTERFACE
    body = _body_of(node)
    symbol = b.symbol(
        name,
        kind,
        parent=b.owner,
        at=node.start_byte if name_node is None else name_node.start_byte,
        start=node.start_byte,
        end=node.end_byte,
        flags=headers.flags_of(w, node),
        signature=w.signature(node, node.end_byte if body is None else body.start_byte),
        doc=w.doc(node.start_byte),
    )
    if EXPECT in modifiers(w, node):
        b.declaration(symbol)
    scope = w.b.namespace(symbol)
    w.types[node.start_byte] = (symbol, scope)
    w.named.setdefault((b.owner, name), (symbol, scope))
    b.bind(name, SourceKind.SYMBOL, symbol)
    around = w.class_around()
    if around is not None:
        b.bind(name, SourceKind.SYMBOL, symbol, scope=around.members)


def _body_of(node: Node) -> Node | None:
    """The body of a class; behind a delegate, the grammar takes it for a block that is handed to that."""
    found = find_child(node, *_BODIES)
    if found is not None:
        return found
    specifiers = [child for child in node.named_children if child.type == "delegation_specifier"]
    delegate = find_child(find_child(specifiers[-1], "explicit_delegation") if specifiers else None, "call_expression")
    return _block_of(delegate) if delegate is not None else None


def _block_of(delegate: Node) -> Node | None:
    return find_child(find_child(find_child(delegate, "call_suffix"), "annotated_lambda"), "lambda_literal")


def declaration(w: KotlinWalk, node: Node) -> int:
    b = w.b
    if node.start_byte not in w.types:
        declare(w, [node])
    if node.start_byte not in w.types:
        return NONE
    symbol, members = w.types[node.start_byte]
    around = w.classes[-1] if w.classes else None
    with b.definition(symbol):
        headers.annotate(w, node)
        types.open_parameters(w, node, symbol)
        bases = [child for child in node.named_children if child.type == "delegation_specifier"]
        cls = w.make_class(symbol, members)
        cls.is_interface = b.kind_of(symbol) == SymbolKind.INTERFACE
        within, constructor = _body_of(node), find_child(node, "primary_constructor")
        is_called_inside = constructor is None and find_child(within, "secondary_constructor") is not None
        for base in bases:
            _base(w, cls, base, is_called_inside=is_called_inside)
        body(w, cls, within, constructor, bases)
        if node.type == "companion_object" and around is not None:
            _share(cls.members, around)
    return NONE


def _share(members: Scope, cls: Class) -> None:
    """What a companion has, its class has too, unless it has it itself."""
    for scope in (cls.members, cls.frame):
        for name, sources in members.sources.items():
            scope.sources.setdefault(name, list(sources))


def _base(w: KotlinWalk, cls: Class, node: Node, *, is_called_inside: bool) -> None:
    """A base, and the call of its constructor where there is one; `by` is visited in the body. Where the constructors
    of the class are in its body, they call that of the base, and nothing in the head distinguishes it."""
    b = w.b
    called = find_child(node, "constructor_invocation")
    delegated = find_child(node, "explicit_delegation")
    holder = called or delegated or node
    type_node = find_child(holder, "user_type")
    if type_node is None:
        return
    value = types.visit_plain(w, type_node)
    at = types.last_name(type_node).start_byte
    if value == NONE:
        return
    role = _EXTENDS if called is not None or is_called_inside or cls.is_interface else _IMPLEMENTS
    b.base(cls.symbol, role, value, at)
    if called is not None or (is_called_inside and not cls.has_bases):
        cls.superclass = value
    cls.has_bases = True
    if called is not None:
        b.use(_CALL, value, at)


def body(w: KotlinWalk, cls: Class, node: Node | None, constructor: Node | None, bases: list[Node]) -> None:
    """Visits the body of a class."""
    holder = find_child(node, "statements") or node if node is not None and node.type == "lambda_literal" else node
    listed = list(holder.named_children) if holder is not None else []
    parameters = [child for child in getattr(constructor, "named_children", ()) if child.type == "class_parameter"]
    for child in [*parameters, *listed]:
        cls.declared |= set(_names(w, child))
    with w.body_of(cls):
        declare(w, listed)
        of = cls.symbol
        if constructor is not None and any(child.type == "secondary_constructor" for child in listed):
            of = functions.primary_constructor(w, cls, constructor, parameters)
        properties.class_parameters(w, cls, parameters, of)
        for base in bases:
            for child in base.named_children:
                arguments = find_child(child, "value_arguments")
                if child.type == "constructor_invocation" and arguments is not None:
                    calls.arguments(w, arguments, NONE)
                elif child.type == "explicit_delegation":
                    for part in expressions_of(child)[1:]:
                        is_body = part.type == "call_expression" and _block_of(part) == node
                        w.value(part.named_children[0] if is_body else part)
        for child in listed:
            w.value(child)


def _names(w: KotlinWalk, node: Node) -> Iterator[str]:
    """The names under which a member will be bound; those of a companion are members of its class."""
    match node.type:
        case "property_declaration":
            variable = find_child(node, "variable_declaration")
            name = find_child(variable, "simple_identifier")
            if name is not None and find_child(node, "receiver_type") is None:
                yield w.text(name)
        case "class_parameter" | "enum_entry":
            name = find_child(node, "simple_identifier")
            if name is not None and (node.type == "enum_entry" or find_child(node, "binding_pattern_kind") is not None):
                yield w.text(name)
        case "function_declaration":
            name = find_child(node, "simple_identifier")
            if name is not None:
                yield mangle_method(w.text(name))
                for count in functions.argument_counts(w, node):
                    yield mangle_method(w.text(name), count)
        case "class_declaration" | "object_declaration":
            name = find_child(node, "type_identifier", "simple_identifier")
            if name is not None:
                yield w.text(name)
        case "companion_object":
            for child in getattr(find_child(node, "class_body"), "named_children", ()):
                yield from _names(w, child)
        case _:
            return


def entry(w: KotlinWalk, node: Node) -> int:
    """A constant of an enum; one with a body is of a class of its own."""
    name_node = find_child(node, "simple_identifier")
    if name_node is None or not w.classes:
        return NONE
    b, cls = w.b, w.classes[-1]
    name = w.text(name_node)
    symbol = b.symbol(
        name,
        SymbolKind.PROPERTY,
        parent=cls.symbol,
        at=name_node.start_byte,
        start=node.start_byte,
        end=node.end_byte,
        flags=SymbolFlag.EXPORTED | SymbolFlag.STATIC,
        signature=name,
        doc=w.doc(node.start_byte),
    )
    w.bind_member(cls, name, symbol)
    own = b.expr(Op.SYMBOL, cls.symbol)
    b.set_type(symbol, own)
    with b.definition(symbol):
        arguments = find_child(node, "value_arguments")
        if arguments is not None:
            calls.arguments(w, arguments, own)
        block = find_child(node, "class_body")
        if block is not None:
            unnamed(w, block, name, name_node.start_byte, [(own, name_node.start_byte, _EXTENDS)], [])
    return NONE


def object_(w: KotlinWalk, node: Node) -> int:
    """`object : Base(…) {…}`: a class without a name, and its only instance."""
    bases: list[tuple[int, int, int]] = []
    specifiers = [child for child in node.named_children if child.type == "delegation_specifier"]
    name = "object"
    for specifier in specifiers:
        called = find_child(specifier, "constructor_invocation")
        type_node = find_child(called or find_child(specifier, "explicit_delegation") or specifier, "user_type")
        if type_node is not None:
            last = types.last_name(type_node)
            value = types.visit_plain(w, type_node)
            bases.append((value, last.start_byte, _IMPLEMENTS if called is None else _EXTENDS))
            if called is not None:
                w.b.use(_CALL, value, last.start_byte)
            name = w.text(last) if name == "object" else name
    return unnamed(w, node, name, node.start_byte, bases, specifiers)


def unnamed(
    w: KotlinWalk, node: Node, name: str, at: int, bases: list[tuple[int, int, int]], specifiers: list[Node]
) -> int:
    """A class without a name, in the definition around it; gives an instance of it."""
    b = w.b
    number = w.anonymous[b.owner, name] = w.anonymous.get((b.owner, name), 0) + 1
    symbol = b.symbol(
        f"{name}${number}",
        SymbolKind.CLASS,
        parent=b.owner,
        at=at,
        start=at,
        end=node.end_byte,
        signature=f"object : {name}" if name != "object" else name,
    )
    with b.definition(symbol):
        cls = w.make_class(symbol, b.namespace(symbol))
        for value, base_at, role in bases:
            if value != NONE:
                b.base(symbol, role, value, base_at)
                cls.has_bases = True
        block = node if node.type == "class_body" else find_child(node, "class_body")
        body(w, cls, block, None, specifiers)
    return cls.this
