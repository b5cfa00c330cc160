"""Whose members the members of an expression are: those of a definition of this file, or of what it constructs."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from codemap.fact_building.builder import NONE, Scope
from codemap.facts import Op, SourceKind, SymbolKind
from codemap.languages.ecmascript.imports_exports import commonjs
from codemap.languages.ecmascript.walk import Walk

if TYPE_CHECKING:
    from tree_sitter import Node

PROTOTYPE = "prototype"


class Owner(NamedTuple):
    """Whose member `of.m` is."""

    symbol: int = NONE
    this: int = NONE
    """What `this` is in its functions."""
    is_prototype: bool = False
    """Whether instances have it."""


NOBODY = Owner()


def owner_of(w: Walk, of: Node) -> Owner:
    """Whose members the members of an expression are, where that is a definition of this file."""
    k = w.kinds
    if of.kind_id == k.THIS:
        return Owner(w.this_symbol(), w.this, is_prototype=True)
    if of.kind_id == k.IDENTIFIER:
        return _owner_of_name(w, w.text(of))
    head = constructor_of(w, of)
    if head is not None:
        symbol = symbol_at(w, head)
        return NOBODY if symbol == NONE else Owner(symbol, w.instance(symbol), is_prototype=True)
    symbol = symbol_at(w, of)
    return NOBODY if symbol == NONE else Owner(symbol, w.symbol_value(symbol))


def _owner_of_name(w: Walk, name: str) -> Owner:
    """A definition, or a variable that holds `C.prototype` or `this`."""
    found = w.bound(name)
    for kind, a, _ in () if found is None else found[1]:
        if kind == SourceKind.SYMBOL:
            held = w.b.symbols[a][8] if w.b.kind_of(a) == SymbolKind.VARIABLE else NONE
            return _owner_of_value(w, held) or Owner(a, w.symbol_value(a))
        if kind == SourceKind.VALUE and (owner := _owner_of_value(w, a)) is not None:
            return owner
    return NOBODY


def _owner_of_value(w: Walk, value: int) -> Owner | None:
    """Of an instance: what it is given, all instances have."""
    symbol = w.owners.get(value, NONE)
    is_instance = symbol != NONE and w.b.exprs[value][0] == Op.THIS
    return Owner(symbol, value, is_prototype=True) if is_instance else None


def constructor_of(w: Walk, node: Node) -> Node | None:
    """`C` of `C.prototype`."""
    children = node.named_children if node.kind_id == w.kinds.MEMBER else []
    return children[0] if len(children) > 1 and w.text(children[-1]) == PROTOTYPE else None


def symbol_at(w: Walk, node: Node) -> int:
    """The definition of this file that `a`, `exports.a` or `a.b` is, among those seen so far, or NONE."""
    k = w.kinds
    if node.kind_id == k.IDENTIFIER:
        return w.symbol_of(w.text(node))
    if node.kind_id != k.MEMBER or len(node.named_children) < 2:
        return NONE
    exported = commonjs.exported_member(w, node)
    if exported is not None:
        hidden = exported if exported == commonjs.ASSIGNED else commonjs.EXPORTS + exported
        return _symbol_in(w, w.b.module, hidden)
    space = w.spaces.get(owner_of(w, node.named_children[0]).symbol)
    return NONE if space is None else _symbol_in(w, space, w.text(node.named_children[-1]))


def _symbol_in(w: Walk, scope: Scope, name: str) -> int:
    sources = scope.sources.get(w.b.intern(name), ())
    return next((a for kind, a, _ in sources if kind == SourceKind.SYMBOL), NONE)
