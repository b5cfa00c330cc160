"""Assignments: what they give to names and members, and the definitions that they make (`C.prototype.m = function`)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from codemap.fact_building.builder import NONE
from codemap.facts import SourceKind, SymbolKind
from codemap.languages.ecmascript import flags as flag
from codemap.languages.ecmascript.definitions import bodies, classes, extending, functions, prototypes, variables
from codemap.languages.ecmascript.definitions.ownership import (
    NOBODY,
    PROTOTYPE,
    Owner,
    constructor_of,
    owner_of,
    symbol_at,
)
from codemap.languages.ecmascript.definitions.patterns import destructure
from codemap.languages.ecmascript.imports_exports import commonjs, module_exports
from codemap.languages.ecmascript.walk import Walk, name_of

if TYPE_CHECKING:
    from tree_sitter import Node

_VALUES_MAX = 6
"""More assigned values than this say nothing useful about a variable."""


def assignment(w: Walk, node: Node) -> int:
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    if left is None or right is None:
        return NONE
    k = w.kinds
    kind = left.kind_id
    if kind == k.IDENTIFIER:
        return _to_name(w, node, left, right)
    if kind == k.MEMBER and len(left.named_children) > 1:
        return _to_member(w, node, left, right)
    if kind == k.SUBSCRIPT and (plain := w.unwrap(right)).kind_id in k.functions:
        return _to_element(w, node, left, plain)
    value = w.value(right)
    if kind in (k.OBJECT_PATTERN, k.ARRAY_PATTERN):
        destructure(w, left, value, lambda name, part: _give(w, name, part))
    else:
        w.value(left)
    return value


def _to_element(w: Walk, node: Node, left: Node, function: Node) -> int:
    """`of["name"] = function …`, and `of[name] = function …`, a method of `of` that no name is known of."""
    of, index = left.child_by_field_name("object"), left.child_by_field_name("index")
    owner = NOBODY if of is None else owner_of(w, of)
    name = w.string(index)
    if name and of is not None and index is not None and owner.symbol != NONE:
        w.value(of)
        return _define(w, node, name, index.start_byte + 1, function, owner)
    w.value(left)
    functions.run(w, function, NONE, this=w.this if function.type == "arrow_function" else owner.this)
    return NONE


def augmented(w: Walk, node: Node) -> int:
    """`x ??= e`, `x ||= e` and the like."""
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    if left is None or right is None:
        return NONE
    operator = node.child_by_field_name("operator")
    if operator is None or operator.type not in ("??=", "||=", "&&="):
        w.value(left)
        w.value(right)
        return NONE
    return assignment(w, node)


def _to_name(w: Walk, node: Node, target: Node, right: Node) -> int:
    name = w.text(target)
    plain = w.unwrap(right)
    found = w.bound(name)
    if found is None and name == "exports":
        return w.value(right)
    symbol = w.symbol_of(name)
    is_function = plain.kind_id in w.kinds.functions
    if is_function and symbol == NONE:
        scope = w.b.module if found is None else found[0]
        made = variables.named_function(w, name, target, plain, node, scope, w.prefix(node))
        return w.symbol_value(made)
    w.value(target)
    if symbol != NONE and is_function:
        with w.b.definition(symbol):
            value = w.value(right)
    else:
        value = w.value(right)
    _give(w, target, value)
    return value


def _give(w: Walk, target: Node, value: int) -> None:
    """One more value of a variable, where its declaration has been seen."""
    found = w.bound(w.text(target))
    if found is None or value == NONE:
        return
    scope, sources = found
    for kind, symbol, _ in sources:
        if kind == SourceKind.SYMBOL:
            if w.b.kind_of(symbol) == SymbolKind.VARIABLE:
                w.b.add_value(symbol, value)
            return
        if kind == SourceKind.TYPED:
            return
    if len(sources) < _VALUES_MAX:
        w.b.bind(w.text(target), SourceKind.VALUE, value, scope=scope)


def _to_member(w: Walk, node: Node, left: Node, right: Node) -> int:
    exported = commonjs.exported_member(w, left)
    if exported is not None:
        return module_exports.assigned(w, node, left, right, exported)
    of, name_node = left.named_children[0], left.named_children[-1]
    name = w.text(name_node)
    if name == PROTOTYPE and symbol_at(w, of) != NONE:
        return prototypes.replace(w, of, right)
    constructor = constructor_of(w, of) if name == "__proto__" else None
    if constructor is not None and prototypes.inherit(w, constructor, right):
        return NONE
    owned = owner_of(w, of)
    owner = owned.symbol
    plain = w.unwrap(right)
    is_function = plain.kind_id in w.kinds.functions
    is_class = plain.kind_id == w.kinds.CLASS
    if is_function or is_class:
        w.value(of)
        return _define(w, node, name, name_node.start_byte, plain, owned)
    if extending.literal_of(w, plain) is not None:
        w.value(of)
        parent = w.b.owner if owner == NONE else owner
        made = extending.define(w, name, name_node.start_byte, plain, node, w.prefix(node), parent=parent)
        if owner != NONE:
            w.b.bind(name, SourceKind.SYMBOL, made, scope=w.space(owner))
        return w.symbol_value(made)
    value = w.value(left)
    stated = NONE
    if w.documented is not None and of.kind_id == w.kinds.THIS:
        stated = w.documented_type(w.documented.before(node.start_byte).type)
    value = w.value(right)
    if owner == NONE or (value == NONE and stated == NONE):
        return value
    scope = w.space(owner)
    if owned.is_prototype and w.b.kind_of(owner) in (SymbolKind.CLASS, SymbolKind.FUNCTION):
        own = w.deferred.setdefault(owner, {})
        own.setdefault(name, (name_node.start_byte, node.start_byte, node.end_byte))
    if stated != NONE:
        w.b.member(scope, name, SourceKind.TYPED, stated)
    elif len(scope.sources.get(w.b.intern(name), ())) < _VALUES_MAX:
        w.b.member(scope, name, SourceKind.VALUE, value)
    return value


def _define(w: Walk, node: Node, name: str, at: int, plain: Node, owned: Owner) -> int:
    """`of.m = function …`: a method where `of` is a definition of this file, else a function of that name."""
    b = w.b
    owner = owned.symbol
    prefix = w.prefix(node)
    parent = b.owner if owner == NONE else owner
    if plain.kind_id == w.kinds.CLASS:
        symbol = classes.define(w, name, plain, prefix, at=at, parent=parent)
    else:
        symbol = functions.define(
            w, name, plain, prefix, at=at, signature_from=node.start_byte, end=node.end_byte,
            kind=SymbolKind.FUNCTION if owner == NONE else SymbolKind.METHOD, parent=parent,
            flags=0 if owned.is_prototype or owner == NONE else flag.STATIC,
        )  # fmt: skip
    if owner != NONE:
        b.bind(name, SourceKind.SYMBOL, symbol, scope=w.space(owner))
    own = name_of(plain)
    outer = None if own is None else w.own_name(w.text(own), symbol)
    bodies.run(w, plain, symbol, owned.this)
    if outer is not None:
        w.leave(outer)
    return w.symbol_value(symbol)
