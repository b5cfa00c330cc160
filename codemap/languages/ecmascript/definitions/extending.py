"""Classes that a function makes of an object literal: `Parent.extend({…})`, `createReactClass({…})`.

What the literal has, instances have; what a second literal has, the class has itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from codemap.fact_building.builder import NONE
from codemap.facts import SymbolKind, UseRole
from codemap.languages.ecmascript import flags as flag
from codemap.languages.ecmascript.definitions import classes, objects
from codemap.languages.ecmascript.definitions.ownership import symbol_at
from codemap.languages.ecmascript.prefix import Prefix
from codemap.languages.ecmascript.walk import CALL, Walk

if TYPE_CHECKING:
    from tree_sitter import Node

_EXTENDING = "extend"
_CREATING = frozenset(("createClass", "createReactClass"))


def literal_of(w: Walk, node: Node) -> Node | None:
    """The object literal that a call makes a class of: one with functions, where what is extended is named like a class
    (`_.extend({…}, …)` makes none), and any where it is one."""
    k = w.kinds
    if node.kind_id != k.CALL:
        return None
    function, arguments = node.child_by_field_name("function"), node.child_by_field_name("arguments")
    if function is None or arguments is None or arguments.kind_id != k.ARGUMENTS:
        return None
    name, given = _last_name(w, function), arguments.named_children
    literal = given[0] if given and given[0].kind_id == k.OBJECT else None
    if literal is None or (name != _EXTENDING and name not in _CREATING):
        return None
    if name == _EXTENDING:
        of = function.named_children[0] if function.kind_id == k.MEMBER else function
        symbol = symbol_at(w, of)
        if symbol != NONE and w.b.kind_of(symbol) == SymbolKind.CLASS:
            return literal
        if not _last_name(w, of)[:1].isupper() or w.text(of) == "Object":
            return None
    return literal if any(_is_method(w, each) for each in literal.named_children) else None


def _is_method(w: Walk, member: Node) -> bool:
    """Whether a member is a function: an object of other values is what a schema or a record is made of."""
    value = member.child_by_field_name("value") if member.kind_id == w.kinds.PAIR else None
    return member.kind_id == w.kinds.METHOD or (value is not None and value.kind_id in w.kinds.functions)


def _last_name(w: Walk, node: Node) -> str:
    if node.kind_id == w.kinds.MEMBER and node.named_children:
        node = node.named_children[-1]
    return w.text(node)


def define(w: Walk, name: str, at: int, call: Node, node: Node, prefix: Prefix, *, parent: int) -> int:
    """The class that a call makes, whose whole syntax is `node`; visits the call, and binds nothing."""
    b, k = w.b, w.kinds
    literal, function = literal_of(w, call), call.child_by_field_name("function")
    assert literal is not None, "the caller has asked for it"
    assert function is not None, "it is a call"
    symbol = w.add(
        name, SymbolKind.CLASS, prefix, parent=parent, at=at, end=node.end_byte,
        signature=(prefix.head, literal.start_byte),
    )  # fmt: skip
    with b.definition(symbol):
        if function.kind_id == k.MEMBER and len(function.named_children) > 1:
            of, last = function.named_children[0], function.named_children[-1]
            base = classes.base(w, of, symbol, UseRole.EXTENDS)
            b.use(CALL, b.attribute(base, w.text(last)), last.start_byte)
        else:
            b.use(CALL, w.b.name(w.text(function)), function.start_byte)
        arguments = call.child_by_field_name("arguments")
        for child in () if arguments is None else arguments.named_children:
            if child.id == literal.id:
                objects.literal_members(w, literal, symbol, w.instance(symbol), 0)
            elif child.kind_id == k.OBJECT:
                objects.literal_members(w, child, symbol, None, flag.STATIC)
            elif child.kind_id != k.COMMENT:
                w.value(child)
    return symbol
