"""Classes that a function makes of an object literal: `Parent.extend({…})`, `createReactClass({…})`.

What the literal has, instances have; what a second literal has, the class has itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from codemap.facts import SymbolKind, UseRole
from codemap.languages.ecmascript import flags as flag
from codemap.languages.ecmascript.definitions import classes, objects
from codemap.languages.ecmascript.prefix import Prefix
from codemap.languages.ecmascript.walk import CALL, Walk

if TYPE_CHECKING:
    from tree_sitter import Node

_EXTENDING = "extend"
_CREATING = frozenset(("createClass", "createReactClass"))


def literal_of(w: Walk, node: Node) -> Node | None:
    """The object literal that a call makes a class of: of `extend`, where what that is asked of is named like a class,
    as `_.extend({…}, …)` makes none."""
    k = w.kinds
    if node.kind_id != k.CALL:
        return None
    function, arguments = node.child_by_field_name("function"), node.child_by_field_name("arguments")
    if function is None or arguments is None or arguments.kind_id != k.ARGUMENTS:
        return None
    name = _last_name(w, function)
    is_class = name == _EXTENDING and function.kind_id == k.MEMBER and _is_class(w, function.named_children[0])
    return _first(w, arguments) if is_class or name in _CREATING else None


def _is_class(w: Walk, node: Node) -> bool:
    return _last_name(w, node)[:1].isupper()


def _first(w: Walk, arguments: Node | None) -> Node | None:
    given = [] if arguments is None else arguments.named_children
    is_made = bool(given) and given[0].kind_id == w.kinds.OBJECT and w.is_namespace(given[0])
    return given[0] if is_made else None


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
