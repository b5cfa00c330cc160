"""Using-declarations and using-directives, and the namespaces whose names a file has without a qualifier.

Source: ISO/IEC 14882:2020, 9.8.3 "Using namespace directive", 9.9 "The using declaration".
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from codemap.fact_building.builder import NONE
from codemap.facts import ScopeKind, SourceKind, SymbolFlag, SymbolKind, UseRole
from codemap.languages.c.project.modules import NAMESPACE
from codemap.languages.c.walk import Walk
from codemap.languages.cpp import names
from codemap.languages.cpp.walk import CppWalk

if TYPE_CHECKING:
    from tree_sitter import Node

    from codemap.fact_building.builder import Scope

_READ = int(UseRole.REFERENCE)
_LOCAL = (ScopeKind.FUNCTION, ScopeKind.BLOCK)
_USED_MAX = 8
"""Namespaces that a file uses, in which another one that it uses is looked for."""


def using(w: Walk, node: Node) -> int:
    """`using namespace a::b` brings all of it, `using a::b` one name, of what `a` means there; in a function to the end
    of the block."""
    assert isinstance(w, CppWalk)
    target = next((child for child in node.named_children if child.type != "comment"), None)
    if target is None:
        return NONE
    b = w.b
    *of, last = (w.text(part) for part in names.split_name(target))
    if b.scope.kind == ScopeKind.CLASS:  # of a base: its constructors, or a member that is inherited anyway
        if of:
            value = w.bare(of[0])
            for name in of[1:]:
                value = b.attribute(value, name)
            b.use(_READ, value, names.split_name(target)[-2].start_byte)
            members, inherited = b.scope, b.attribute(value, last)
            w.defer(lambda: _join_inherited(w, members, last, inherited))
        return NONE
    w.uses_standard |= (of[0] if of else last) == "std"
    meant = NONE
    is_space = any(child.type == "namespace" for child in node.children)
    if of and w.path and of[0] not in ("std", w.path[0]):
        meant = b.name(of[0])
        for name in of[1:]:
            meant = b.attribute(meant, name)
        if w.is_top() and not is_space:
            _offer(w, node, names.split_name(target)[-1], b.attribute(meant, last))
    scope, b.scope = b.scope, b.module
    if is_space:
        b.star_import(NAMESPACE + ".".join((*of, last)), target.start_byte)
        around = [w.path[:length] for length in range(len(w.path), 0, -1)]
        for space in (*around, *w.used[:_USED_MAX]):
            b.implicit_import(NAMESPACE + ".".join((*space, *of, last)))
        w.used.append((*of, last))
    elif of:
        row = b.import_(NAMESPACE + ".".join(of), last, names.split_name(target)[-1].start_byte, path=meant)
        if scope.kind in _LOCAL:
            b.scope = scope
            w.local_types.add(last)
            w.declare(last, SourceKind.IMPORT, row)
            return NONE
        b.bind(last, SourceKind.IMPORT, row)
    b.scope = scope
    return NONE


def _join_inherited(w: CppWalk, members: Scope, name: str, inherited: int) -> None:
    """Adds what a class inherits under a name to what it has itself, which would hide that."""
    if w.b.names[name] in members.sources:
        w.b.bind(name, SourceKind.VALUE, inherited, scope=members)


def _offer(w: CppWalk, node: Node, name_node: Node, meant: int) -> None:
    """Gives the namespace around a name for what is in another, which other files find in it."""
    b = w.b
    name = w.text(name_node)
    flags = int(SymbolFlag.EXPORTED | SymbolFlag.UNNAMED) | w.condition()
    b.part(w.define(name, SymbolKind.TYPE_ALIAS, node, name_node, flags=flags), name, meant)


def implicit(w: CppWalk) -> None:
    """The namespaces that the file opens, or defines functions of: what others declare in them is known without a
    qualifier."""
    scope, w.b.scope = w.b.scope, w.b.module
    for path in sorted(dict.fromkeys([*w.spaces, *w.outside]), key=len, reverse=True):
        w.b.implicit_import(NAMESPACE + ".".join(path))
    w.b.scope = scope
