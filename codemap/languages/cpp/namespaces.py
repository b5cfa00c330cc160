"""Namespaces: modules that any file adds to.

Source: ISO/IEC 14882:2020, 9.8 "Namespaces".
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from codemap.fact_building.builder import NONE
from codemap.fact_building.walk import visit_children
from codemap.facts import ScopeKind, SourceKind, SymbolFlag, SymbolKind, UseRole
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
    """`namespace a = b::c;`."""
    assert isinstance(w, CppWalk)
    name_node = node.child_by_field_name("name")
    meant = next((child for child in node.named_children if child != name_node and child.type != "comment"), None)
    if name_node is None or meant is None:
        return NONE
    name = w.text(name_node)
    parts = names.split_nested(meant)
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
    visit_children(w, body)
    b.owner, b.scope, w.top, w.path, w.has_scope = owner, scope, top, path, has_scope
    return NONE


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
