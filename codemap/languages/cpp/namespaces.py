"""Namespaces: modules that any file adds to.

Source: ISO/IEC 14882:2020, 9.8 "Namespaces".
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from codemap.fact_building.builder import NONE
from codemap.fact_building.walk import visit_children
from codemap.facts import ScopeKind, SourceKind, SymbolFlag, SymbolKind, UseRole
from codemap.languages.c.project.modules import NAMESPACE
from codemap.languages.c.walk import Walk
from codemap.languages.cpp import names
from codemap.languages.cpp.walk import Class, CppWalk

if TYPE_CHECKING:
    from tree_sitter import Node

_MACRO = re.compile(rb"^[ \t]*#[ \t]*define[ \t]+\w+[ \t]+((?:[^\n\\]|\\.|\\\r?\n)*)", re.MULTILINE)
_OPENS = re.compile(rb"\bnamespace\s+(\w+)(?:\s|\\\r?\n)*\{")


def find_opened(source: bytes) -> frozenset[str]:
    """The namespaces that the macros of a source open (`#define BEGIN namespace a { namespace b {`)."""
    if b"#define" not in source and b"# define" not in source:
        return frozenset()
    bodies = (body for body in _MACRO.findall(source) if b"namespace" in body)
    return frozenset(name.decode() for body in bodies for name in _OPENS.findall(body))


def alias(w: Walk, node: Node) -> int:
    """`namespace a = b::c;`, `namespace a = ::a;`."""
    assert isinstance(w, CppWalk)
    name_node = node.child_by_field_name("name")
    meant = next((child for child in node.named_children if child != name_node and child.type != "comment"), None)
    if name_node is None or meant is None:
        return NONE
    name = w.text(name_node)
    parts = names.split_nested(meant)
    if meant.child_count and meant.children[0].type == "::":
        value = _outermost(w, ".".join(w.text(part) for part in parts), parts[-1])
    else:
        value = w.bare(w.text(parts[0]))
        for part in parts[1:]:
            value = w.b.attribute(value, w.text(part))
    if value == w.b.name(name):
        return NONE
    symbol = w.define(name, SymbolKind.TYPE_ALIAS, node, name_node, flags=w.shared())
    with w.b.definition(symbol):
        w.b.use(UseRole.REFERENCE, value, parts[-1].start_byte)
    w.declare(name, SourceKind.SYMBOL, symbol)
    w.b.set_type(symbol, value)
    return NONE


def _outermost(w: CppWalk, path: str, at: Node) -> int:
    """The namespace of a dotted path from the outermost, whatever else the file knows under its first name."""
    b = w.b
    specifier = NAMESPACE + path
    b.bind(specifier, SourceKind.IMPORT, b.import_(specifier, NONE, at.start_byte), scope=b.module)
    return b.name_in(b.module, specifier)


def namespace(w: Walk, node: Node) -> int:
    assert isinstance(w, CppWalk)
    body, name_node = node.child_by_field_name("body"), node.child_by_field_name("name")
    if body is None:
        return NONE
    b = w.b
    owner, scope, top, path, has_scope = b.owner, b.scope, w.top, w.path, w.has_scope
    listed = [] if name_node is None else name_node.named_children or [name_node]
    for each in listed:
        w.path = (*w.path, w.text(each))
        _enter(w, node, each, body)
        if _is_inline(each, node):
            b.add_flags(b.owner, SymbolFlag.UNNAMED)
            w.inline.add(w.path)
        elif w.inline and any(w.path[:count] in w.inline for count in range(1, len(w.path))):
            b.package(".".join(name for at, name in enumerate(w.path, 1) if w.path[:at] not in w.inline))
    visit_children(w, body)
    b.owner, b.scope, w.top, w.path, w.has_scope = owner, scope, top, path, has_scope
    return NONE


def _is_inline(name_node: Node, node: Node) -> bool:
    """Whether what is in a namespace is in the one around as well: `inline namespace v1`, `namespace a::inline v1`."""
    before = name_node.prev_sibling
    return node.children[0].type == "inline" or (before is not None and before.type == "inline")


def _enter(w: CppWalk, node: Node, name_node: Node, body: Node) -> None:
    b = w.b
    known = w.spaces.get(w.path)
    if known is None:
        symbol = w.define(w.path[-1], SymbolKind.MODULE, node, name_node, flags=int(SymbolFlag.EXPORTED), body=body)
        b.package(".".join(w.path))
        known = w.spaces[w.path] = Class(symbol, b.open_scope(ScopeKind.MODULE, symbol))
    else:
        b.extend_span(known.symbol, node.end_byte)
    b.owner, b.scope = known
    w.top = known.members
    w.has_scope = True
