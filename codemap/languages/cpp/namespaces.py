"""Namespaces: modules that any file adds to.

Source: ISO/IEC 14882:2020, 9.8 "Namespaces".
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from codemap.extract.builder import NONE
from codemap.extract.walk import visit_children
from codemap.facts import ScopeKind, SymbolFlag, SymbolKind
from codemap.languages.c.walk import Walk
from codemap.languages.cpp.walk import Class, CppWalk

if TYPE_CHECKING:
    from tree_sitter import Node


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
