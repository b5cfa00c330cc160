"""Assignments: what they give to names and members, and the definitions that they make (`C.prototype.m = function`)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from codemap.extract.builder import NONE, Scope
from codemap.facts import SourceKind, SymbolKind
from codemap.languages.ecmascript import classes, commonjs, functions, objects, variables
from codemap.languages.ecmascript import flags as flag
from codemap.languages.ecmascript.patterns import destructure
from codemap.languages.ecmascript.walk import EXPORTS_OBJECT, Walk, name_of

if TYPE_CHECKING:
    from tree_sitter import Node

_VALUES_MAX = 6
"""More assigned values than this say nothing useful about a variable."""
_PROTOTYPE = b"prototype"


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
    value = w.visit(right)
    if kind in (k.OBJECT_PATTERN, k.ARRAY_PATTERN):
        destructure(w, left, value, lambda name, part: _give(w, name, part))
    else:
        w.visit(left)
    return value


def augmented(w: Walk, node: Node) -> int:
    """`x ??= e`, `x ||= e` and the like."""
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    if left is None or right is None:
        return NONE
    operator = node.child_by_field_name("operator")
    if operator is None or operator.type not in ("??=", "||=", "&&="):
        w.visit(left)
        w.visit(right)
        return NONE
    return assignment(w, node)


def _to_name(w: Walk, node: Node, target: Node, right: Node) -> int:
    name = w.text(target)
    plain = w.unwrap(right)
    found = w.bound(name)
    if found is None and name == "exports":
        return w.visit(right)
    symbol = w.symbol_of(name)
    is_function = plain.kind_id in w.kinds.functions
    if is_function and symbol == NONE:
        scope = w.b.module if found is None else found[0]
        made = variables.named_function(w, name, target, plain, node, scope, w.prefix(node))
        return w.symbol_value(made)
    w.visit(target)
    if symbol != NONE and is_function:
        w.b.owner, outer = symbol, w.b.owner
        value = w.visit(right)
        w.b.owner = outer
    else:
        value = w.visit(right)
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
        return _to_exports(w, node, left, right, exported)
    of, name_node = left.named_children[0], left.named_children[-1]
    name = w.text(name_node)
    owner, this, is_prototype = _owner(w, of)
    if name_node.text == _PROTOTYPE and owner != NONE and not is_prototype:
        plain = w.unwrap(right)
        if plain.kind_id == w.kinds.OBJECT:
            w.visit(of)
            objects.literal_members(w, plain, owner, w.instance(owner), 0)
            return NONE
    plain = w.unwrap(right)
    is_function = plain.kind_id in w.kinds.functions
    is_class = plain.kind_id == w.kinds.CLASS
    if is_function or is_class:
        w.visit(of)
        return _define(w, node, name_node, plain, owner, this, is_prototype)
    value = w.visit(left)
    value = w.visit(right)
    if owner == NONE or value == NONE:
        return value
    scope = w.space(owner)
    if of.kind_id == w.kinds.THIS and w.b.kind_of(owner) in (SymbolKind.CLASS, SymbolKind.FUNCTION):
        own = w.deferred.setdefault(owner, {})
        own.setdefault(name, (name_node.start_byte, node.start_byte, node.end_byte))
    if len(scope.sources.get(w.b.intern(name), ())) < _VALUES_MAX:
        w.b.member(scope, name, SourceKind.VALUE, value)
    return value


def _owner(w: Walk, of: Node) -> tuple[int, int, bool]:
    """Whose member `of.m` is: the symbol, what `this` is in its functions, and whether instances have it."""
    k = w.kinds
    if of.kind_id == k.THIS:
        owner = w.this_symbol()
        return owner, w.this, True
    if of.kind_id == k.IDENTIFIER:
        owner = w.symbol_of(w.text(of))
        return owner, NONE if owner == NONE else w.symbol_value(owner), False
    if of.kind_id == k.MEMBER and len(of.named_children) > 1:
        head, last = of.named_children[0], of.named_children[-1]
        if last.text == _PROTOTYPE and head.kind_id == k.IDENTIFIER:
            owner = w.symbol_of(w.text(head))
            return owner, NONE if owner == NONE else w.instance(owner), True
    return NONE, NONE, False


def _define(w: Walk, node: Node, name_node: Node, plain: Node, owner: int, this: int, is_prototype: bool) -> int:
    """`of.m = function …`: a method where `of` is a definition of this file, else a function of that name."""
    b = w.b
    name = w.text(name_node)
    prefix = w.prefix(node)
    parent = b.owner if owner == NONE else owner
    if plain.kind_id == w.kinds.CLASS:
        symbol = classes.define(w, name, plain, prefix, at=name_node.start_byte, parent=parent)
    else:
        symbol = functions.define(
            w, name, plain, prefix, at=name_node.start_byte, signature_from=node.start_byte, end=node.end_byte,
            kind=SymbolKind.FUNCTION if owner == NONE else SymbolKind.METHOD, parent=parent,
            flags=0 if is_prototype or owner == NONE else flag.STATIC,
        )  # fmt: skip
    if owner != NONE:
        b.bind(name, SourceKind.SYMBOL, symbol, scope=w.space(owner))
    _run(w, plain, symbol, this)
    return w.symbol_value(symbol)


def _run(w: Walk, plain: Node, symbol: int, this: int) -> None:
    if plain.kind_id == w.kinds.CLASS:
        classes.run(w, plain, symbol)
    else:
        functions.run(w, plain, symbol, this=w.this if plain.type == "arrow_function" else this)


def _to_exports(w: Walk, node: Node, left: Node, right: Node, name: str) -> int:
    """`exports.x = …`, `module.exports.x = …`, `module.exports = …`."""
    b, k = w.b, w.kinds
    at = left.named_children[-1].start_byte
    targets = [(name, at)]
    while right.kind_id == k.ASSIGNMENT:  # exports.a = exports.b = value
        inner, value = right.child_by_field_name("left"), right.child_by_field_name("right")
        if inner is None or value is None:
            break
        if inner.kind_id == k.MEMBER and (other := commonjs.exported_member(w, inner)) is not None:
            targets.append((other, inner.named_children[-1].start_byte))
        elif not (inner.kind_id == k.IDENTIFIER and inner.text == b"exports"):
            break
        right = value
    plain = w.unwrap(right)
    kind = plain.kind_id
    found = commonjs.required(w, plain)
    if found is not None and name == commonjs.ASSIGNED:
        commonjs.offer_module(w, found, at)
        return NONE
    if kind == k.IDENTIFIER:
        value_of = w.visit(plain)
        for target, place in targets:
            if target != commonjs.ASSIGNED:
                b.bind(commonjs.EXPORTS + target, SourceKind.VALUE, value_of, scope=b.module)
            commonjs.offer(w, target, place, local=w.text(plain))
        return value_of
    if kind == k.OBJECT and name == commonjs.ASSIGNED:
        _exports_literal(w, plain)
        return NONE
    if kind in k.functions or kind == k.CLASS:
        return _exports_definition(w, node, plain, targets)
    value_of = w.visit(right)
    is_void = plain.type == "unary_expression"
    for target, place in targets:
        if not is_void:
            commonjs.offer_value(w, target, value_of, place)
    return value_of


def _exports_definition(w: Walk, node: Node, plain: Node, targets: list[tuple[str, int]]) -> int:
    """A function or class that is exported as it is defined; its name is its own, or the exported one."""
    b = w.b
    own = None if plain.kind_id == w.kinds.METHOD else name_of(plain)
    exported, at = targets[0]
    name = exported
    if exported == commonjs.ASSIGNED:
        name = "exports" if own is None else w.text(own)
    prefix = w.prefix(node)
    if plain.kind_id == w.kinds.CLASS:
        symbol = classes.define(w, name, plain, prefix, at=at, parent=b.file)
    else:
        symbol = functions.define(
            w, name, plain, prefix, at=at, signature_from=node.start_byte, parent=b.file, end=node.end_byte
        )
    for target, place in targets:
        hidden = commonjs.ASSIGNED if target == commonjs.ASSIGNED else commonjs.EXPORTS + target
        b.bind(hidden, SourceKind.SYMBOL, symbol, scope=b.module)
        commonjs.offer(w, target, place)
    outer: Scope | None = None
    if own is not None:
        outer = w.own_name(w.text(own), symbol)
    _run(w, plain, symbol, w.instance(symbol) if exported == commonjs.ASSIGNED else EXPORTS_OBJECT)
    if outer is not None:
        w.leave(outer)
    return w.symbol_value(symbol)


def _exports_literal(w: Walk, node: Node) -> None:
    """`module.exports = { a, b: c, d() {} }`: every property is an export."""
    k, b = w.kinds, w.b
    scope = b.module
    for child in node.named_children:
        kind = child.kind_id
        if kind == k.COMMENT:
            w.comment = child
            continue
        if kind == k.SHORTHAND:
            value = objects.shorthand(w, child)
            name = w.text(child)
            b.bind(commonjs.EXPORTS + name, SourceKind.VALUE, value, scope=scope)
            commonjs.offer(w, name, child.start_byte, local=name)
        elif kind == k.METHOD:
            _exports_method(w, child, name_of(child), child)
        elif kind == k.PAIR:
            _exports_pair(w, child)
        else:
            _exports_rest(w, child)
        w.comment = None


def _exports_pair(w: Walk, node: Node) -> None:
    k = w.kinds
    key, value_node = node.child_by_field_name("key"), node.child_by_field_name("value")
    if key is None or value_node is None:
        return
    plain = w.unwrap(value_node)
    if plain.kind_id in k.functions or plain.kind_id == k.CLASS:
        _exports_method(w, node, key, plain)
        return
    name = w.key(key)
    if name is None:
        w.visit(value_node)
        return
    if plain.kind_id == k.OBJECT and objects.is_namespace(w, plain):
        symbol = variables.default_symbol(w, name, node, w.prefix(node), value_node, flag.EXPORTED)
        w.b.bind(commonjs.EXPORTS + name, SourceKind.SYMBOL, symbol, scope=w.b.module)
        commonjs.offer(w, name, key.start_byte)
        return
    value = w.visit(value_node)
    if plain.kind_id == k.IDENTIFIER:
        w.b.bind(commonjs.EXPORTS + name, SourceKind.VALUE, value, scope=w.b.module)
        commonjs.offer(w, name, key.start_byte, local=w.text(plain))
    else:
        commonjs.offer_value(w, name, value, key.start_byte)


def _exports_method(w: Walk, node: Node, key: Node | None, plain: Node) -> None:
    name = w.key(key)
    if name is None or key is None:
        functions.run(w, plain, NONE, this=EXPORTS_OBJECT)
        return
    _exports_definition(w, node, plain, [(name, key.start_byte)])


def _exports_rest(w: Walk, node: Node) -> None:
    """`...require('./m')` exports everything of it."""
    inner = node.named_children[0] if node.named_children else None
    found = None if inner is None else commonjs.required(w, inner)
    if found is None:
        w.visit(node)
        return
    specifier, at, flags = found
    row = w.b.import_(specifier, commonjs.STAR, at.start_byte, flags)
    w.b.export(None, import_=row, at=at.start_byte)
