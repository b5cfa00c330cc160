"""Items: functions, constants, modules, macros; and the statements of blocks, which may hold items.

The items of a block, module or file are known in all of it, so they are declared before any of it is visited.

Source: the Rust Reference, "Items", "Statements".
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from codemap.fact_building.builder import NONE
from codemap.fact_building.walk import COMMENTS, visit_children
from codemap.facts import ScopeKind, SourceKind, SymbolKind
from codemap.languages.rust import constants, definitions, functions, headers, imports
from codemap.languages.rust.macros import macro_items, made_items
from codemap.languages.rust.walk import Space, Type, Walk

if TYPE_CHECKING:
    from tree_sitter import Node

_TYPES = {
    "struct_item": SymbolKind.CLASS,
    "union_item": SymbolKind.CLASS,
    "enum_item": SymbolKind.ENUM,
    "trait_item": SymbolKind.INTERFACE,
    "type_item": SymbolKind.TYPE_ALIAS,
}
_NAMED = frozenset({*_TYPES, "function_item", "function_signature_item", "const_item", "static_item", "mod_item"})
_BESIDES = COMMENTS | {"label"}
_DECLARED = _NAMED | {"use_declaration", "macro_definition", "macro_invocation"}
_TEST_MODULES = frozenset({"test", "tests"})
"""By convention, also where an attribute around them is not read."""
_EXPRESSIONS_END = frozenset({"expression_statement", "let_declaration", "empty_statement"})


def declare(w: Walk, nodes: Sequence[Node]) -> None:
    """Makes the symbols of types, and notes the names of all other items, that a space has."""
    space = w.space
    for node, start in zip(nodes, headers.find_starts(nodes), strict=True):
        kind = node.type
        name_node = node.child_by_field_name("name") if kind in _NAMED else None
        if name_node is not None:
            space.declared.add(w.text(name_node))
        if kind in _TYPES and name_node is not None:
            _declare_type(w, node, name_node, start)
        elif kind == "macro_definition":
            _declare_macro(w, node, start)
        elif kind in ("macro_invocation", "expression_statement"):
            made_items.declare(w, node, start)
        elif kind == "use_declaration":
            imports.declare(w, node)
        elif kind == "extern_crate_declaration":
            space.declared.add(imports.extern_name(w, node))
        elif kind == "foreign_mod_item":
            body = node.child_by_field_name("body")
            for child in body.named_children if body is not None else ():
                if child.type in _NAMED and (inner := child.child_by_field_name("name")) is not None:
                    space.declared.add(w.text(inner))
    if space.is_module:
        _bind_macros(w)


def _bind_macros(w: Walk) -> None:
    """Macros can be imported by their names without the sign, where nothing else is called so."""
    for name, symbol in w.macros.items():
        if name not in w.space.declared and w.b.symbols[symbol][2] == w.b.owner:
            w.b.bind(name, SourceKind.SYMBOL, symbol, scope=w.space.scope)


def _declare_type(w: Walk, node: Node, name_node: Node, start: int) -> None:
    b = w.b
    name = w.text(name_node)
    body = node.child_by_field_name("body")
    is_open = body is not None and body.type != "ordered_field_declaration_list"
    symbol = b.symbol(
        name,
        _TYPES[node.type],
        parent=b.owner,
        at=name_node.start_byte,
        start=start,
        end=node.end_byte,
        flags=headers.flags(w, node, start),
        signature=w.header(node.start_byte, body.start_byte if is_open and body is not None else node.end_byte),
        doc=headers.doc(w, node, start),
    )
    b.bind(name, SourceKind.SYMBOL, symbol, scope=w.space.scope)
    found = w.space.places[name_node.start_byte] = Type(symbol, w.b.namespace(symbol))
    w.space.types.setdefault(name, found)


def _declare_macro(w: Walk, node: Node, start: int) -> None:
    b = w.b
    name_node = node.child_by_field_name("name")
    if name_node is None:
        return
    name = w.text(name_node)
    is_public = "macro_export" in w.chars[start : node.start_byte]
    symbol = b.symbol(
        f"{name}!",
        SymbolKind.FUNCTION,
        parent=b.owner,
        at=name_node.start_byte,
        start=start,
        end=node.end_byte,
        flags=(headers.EXPORTED if is_public else 0) | headers.test_flag(w, node, start),
        signature=f"macro_rules! {name}",
        doc=headers.doc(w, node, start),
    )
    w.macros[name] = symbol
    w.macro_nodes[name] = node
    b.bind(f"{name}!", SourceKind.SYMBOL, symbol, scope=w.space.scope)


def visit(w: Walk, nodes: Sequence[Node]) -> int:
    """Visits what a file, module or block holds; gives the value of an expression that is at its end."""
    value = NONE
    for at, (node, start) in enumerate(zip(nodes, headers.find_starts(nodes), strict=True)):
        kind = node.type
        if kind not in _NAMED:
            last = w.value(node)
            value = NONE if kind in _EXPRESSIONS_END else last
            continue
        value = NONE
        match kind:
            case "function_item" | "function_signature_item":
                functions.function(w, node, start)
            case "const_item" | "static_item":
                constants.constant(w, node, start)
            case "mod_item":
                module(w, node, start)
            case _:
                definitions.type_(w, node, definitions.read_derives(w, nodes, at))
    return value


def statements(w: Walk, node: Node) -> int:
    """What a block holds."""
    nodes = [child for child in node.named_children if child.type not in _BESIDES]
    nodes = macro_items.expand(w, nodes)
    if any(child.type in _DECLARED for child in nodes):
        declare(w, nodes)
    return visit(w, nodes)


def item(w: Walk, node: Node) -> int:
    """An item where none is looked for: in broken source, or in what is no block."""
    declare(w, [node])
    return visit(w, [node])


def foreign(w: Walk, node: Node) -> int:
    """`extern "C" { … }`: what is declared so is defined outside."""
    body = node.child_by_field_name("body")
    return visit(w, body.named_children) if body is not None else NONE


def module(w: Walk, node: Node, start: int) -> None:
    """`mod name;`, which is another file, or `mod name { … }`."""
    b = w.b
    name_node, body = node.child_by_field_name("name"), node.child_by_field_name("body")
    if name_node is None:
        return
    name = w.text(name_node)
    space = w.space
    if body is None:
        around = "".join(f"{inner.name}/" for inner in space.within)
        row = b.import_(imports.file_of(w, node, start, around + name), NONE, name_node.start_byte)
        b.bind(name, SourceKind.IMPORT, row, scope=space.scope)
        if "macro_use" in w.chars[start : node.start_byte] and not space.within:
            b.scope, outer = space.scope, b.scope
            b.star_import(imports.file_of(w, node, start, around + name), name_node.start_byte)
            b.scope = outer
            space.has_stars = True
        return
    symbol = b.symbol(
        name,
        SymbolKind.MODULE,
        parent=b.owner,
        at=name_node.start_byte,
        start=start,
        end=node.end_byte,
        flags=headers.flags(w, node, start) | (headers.TEST if name in _TEST_MODULES else 0),
        signature=w.header(node.start_byte, body.start_byte),
        doc=headers.doc(w, node, start),
    )
    b.bind(name, SourceKind.SYMBOL, symbol, scope=space.scope)
    owner, scope, has_scope = b.owner, b.scope, w.has_scope
    sees_around = imports.asks_for_parent(w, body)
    b.scope = space.scope
    inner = b.open_scope(ScopeKind.MODULE, symbol)
    if not sees_around:
        inner.parent = None
    b.owner = symbol
    w.space = Space(inner, space if sees_around else None, symbol, is_module=True)
    w.space.name = name
    w.space.within = (*space.within, w.space)
    w.has_scope = True
    nodes = macro_items.expand(w, body.named_children)
    declare(w, nodes)
    visit(w, nodes)
    b.owner, b.scope, w.space, w.has_scope = owner, scope, space, has_scope


def broken(w: Walk, node: Node) -> int:
    """What could not be parsed may hold whole items."""
    if any(child.type in _NAMED for child in node.named_children):
        declare(w, node.named_children)
        return visit(w, node.named_children)
    return visit_children(w, node)
