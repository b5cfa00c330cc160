"""What `module.exports = …` and `exports.x = …` offer, and the definitions that they make."""

from __future__ import annotations

from typing import TYPE_CHECKING

from codemap.fact_building.builder import NONE, Scope
from codemap.facts import ImportFlag, SourceKind
from codemap.languages.ecmascript import flags as flag
from codemap.languages.ecmascript.definitions import bodies, classes, extending, functions, objects, variables
from codemap.languages.ecmascript.imports_exports import commonjs
from codemap.languages.ecmascript.walk import EXPORTS_OBJECT, Walk, name_of

if TYPE_CHECKING:
    from tree_sitter import Node


def assigned(w: Walk, node: Node, left: Node, right: Node, name: str) -> int:
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
    found = commonjs.match_require(w, plain)
    if found is not None and name == commonjs.ASSIGNED:
        commonjs.offer_module(w, found, at)
        return NONE
    if kind == k.IDENTIFIER:
        value_of = w.value(plain)
        is_local = _is_local(w, w.text(plain))
        for target, place in targets:
            if is_local:
                commonjs.offer_value(w, target, value_of, place)
                continue
            if target != commonjs.ASSIGNED:
                b.bind(commonjs.EXPORTS + target, SourceKind.VALUE, value_of, scope=b.module)
            commonjs.offer(w, target, place, local=w.text(plain))
        return value_of
    if kind == k.OBJECT and name == commonjs.ASSIGNED:
        exports_literal(w, plain)
        return NONE
    if kind in k.functions or kind == k.CLASS:
        return _exports_definition(w, node, plain, targets)
    if extending.literal_of(w, plain) is not None:
        made_as = "exports" if name == commonjs.ASSIGNED else name
        symbol = extending.define(w, made_as, at, plain, node, w.prefix(node), parent=b.file)
        for target, place in targets:
            hidden = commonjs.ASSIGNED if target == commonjs.ASSIGNED else commonjs.EXPORTS + target
            b.bind(hidden, SourceKind.SYMBOL, symbol, scope=b.module)
            commonjs.offer(w, target, place)
        return w.symbol_value(symbol)
    if name != commonjs.ASSIGNED and _is_made(w, plain):
        symbol = variables.default_symbol(w, name, node, w.prefix(node), right, flag.EXPORTED, at=at)
        for target, place in targets:
            hidden = commonjs.ASSIGNED if target == commonjs.ASSIGNED else commonjs.EXPORTS + target
            b.bind(hidden, SourceKind.SYMBOL, symbol, scope=b.module)
            commonjs.offer(w, target, place)
        return w.symbol_value(symbol)
    value_of = w.value(right)
    is_void = plain.type == "unary_expression"
    for target, place in targets:
        if not is_void:
            commonjs.offer_value(w, target, value_of, place)
    return value_of


def _is_made(w: Walk, plain: Node) -> bool:
    """Whether a value is what a call gives that requires no module: `exports.parser = createParser()`."""
    return plain.kind_id in (w.kinds.CALL, w.kinds.NEW) and commonjs.match_require(w, plain) is None


def _is_local(w: Walk, name: str) -> bool:
    """Whether a name is one of the function or block around, which the module's own scope does not see."""
    found = w.bound(name)
    return (w.b.function_scope() if found is None else found[0]) is not w.b.module


def _exports_definition(w: Walk, node: Node, plain: Node, targets: list[tuple[str, int]]) -> int:
    """A function or class that is exported as it is defined; its name is its own, or the exported one."""
    b = w.b
    own = None if plain.kind_id == w.kinds.METHOD else name_of(plain)
    exported, at = targets[0]
    name = exported
    if exported == commonjs.ASSIGNED:
        name, at = ("exports", at) if own is None else (w.text(own), own.start_byte)
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
    bodies.run(w, plain, symbol, w.instance(symbol) if exported == commonjs.ASSIGNED else EXPORTS_OBJECT)
    if outer is not None:
        w.leave(outer)
    return w.symbol_value(symbol)


def exports_literal(w: Walk, node: Node) -> None:
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
        w.value(value_node)
        return
    if (plain.kind_id == k.OBJECT and w.is_namespace(plain)) or _is_made(w, plain):
        symbol = variables.default_symbol(w, name, node, w.prefix(node), value_node, flag.EXPORTED)
        w.b.bind(commonjs.EXPORTS + name, SourceKind.SYMBOL, symbol, scope=w.b.module)
        commonjs.offer(w, name, key.start_byte)
        return
    value = w.value(value_node)
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
    if inner is None:
        w.value(node)
    else:
        export_all(w, inner)


def export_all(w: Walk, node: Node) -> None:
    """Exports everything of `require('./m')`, or of a variable that is a module."""
    b = w.b
    found = commonjs.match_require(w, node)
    if found is None:
        w.value(node)
        specifier = _required(w, node)
        flags = ImportFlag.REQUIRE
    else:
        specifier, node, flags = found
    if specifier is not None:
        w.is_module = True
        row = b.import_(specifier, commonjs.STAR, node.start_byte, flags)
        b.export(None, import_=row, at=node.start_byte)


def _required(w: Walk, node: Node) -> str | None:
    """The specifier of the module that a name is bound to."""
    bound = w.bound(w.text(node)) if node.kind_id == w.kinds.IDENTIFIER else None
    for kind, row, _ in () if bound is None else bound[1]:
        if kind == SourceKind.IMPORT:
            specifier, imported, *_ = w.b.imports[row]
            return list(w.b.names)[specifier] if imported == NONE else None
    return None
