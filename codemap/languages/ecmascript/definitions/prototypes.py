"""Prototypes: what gives members and bases to a constructor apart from its definition.

`util.inherits(C, B)`, `C.prototype = Object.create(B.prototype)` and the like make B a base of C. `Object.assign(
C.prototype, {…}, other)` and its namesakes of libraries define members of C, and make `other` a base.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from codemap.fact_building.builder import NONE
from codemap.fact_building.walk import visit_children
from codemap.facts import Op, SourceKind, SymbolKind, UseRole
from codemap.languages.ecmascript import flags as flag
from codemap.languages.ecmascript.definitions import functions, objects
from codemap.languages.ecmascript.definitions.ownership import PROTOTYPE, Owner, constructor_of, owner_of, symbol_at
from codemap.languages.ecmascript.imports_exports import commonjs, module_exports
from codemap.languages.ecmascript.walk import EXPORTS_OBJECT, READ, Heir, Walk, name_of

if TYPE_CHECKING:
    from tree_sitter import Node

_INHERITING = frozenset(("inherits", "_inherits", "_inheritsLoose", "__extends"))
_MIXING = frozenset(("assign", "assignIn", "defaults", "extend", "merge", "mixin"))
SHAPING = _INHERITING | _MIXING | {"setPrototypeOf", "defineProperty"}
"""Names of functions that give members or bases to what they are given first."""
_CREATING = frozenset(("create", "beget"))
_TYPES = (SymbolKind.CLASS, SymbolKind.FUNCTION)


def prototype_of(w: Walk, node: Node) -> int:
    """What `C.prototype` is: as good as an instance."""
    constructor = constructor_of(w, node)
    if constructor is None:
        return visit_children(w, node)
    symbol = symbol_at(w, constructor)
    value = w.value(constructor)
    if symbol != NONE and w.b.kind_of(symbol) in _TYPES:
        return w.instance(symbol)
    itself = w.b.attribute(value, PROTOTYPE)
    w.b.use(READ, itself, node.end_byte - len(PROTOTYPE))
    return w.b.either(w.b.wrap(Op.INSTANCE, value), itself)


def replace(w: Walk, constructor: Node, right: Node) -> int:
    """`C.prototype = …`. Visits the right side, and returns what the prototype is."""
    symbol = symbol_at(w, constructor)
    if symbol == NONE:
        return w.value(right)
    w.value(constructor)
    while right.kind_id == w.kinds.ASSIGNMENT:  # C.prototype = D.prototype = …
        inner = right.child_by_field_name("right")
        if inner is None:
            break
        w.value(right.child_by_field_name("left"))
        right = inner
    owner = Owner(symbol, w.instance(symbol), is_prototype=True)
    _give(w, owner, right, is_base=True)
    return owner.this


def shape(w: Walk, name: str, arguments: Node) -> int | None:
    """Visits the arguments of a call of `name`, if it gives members or bases to a definition of this file.

    Returns what the call gives; None where it does nothing like that, and nothing has been visited.
    """
    given = [child for child in arguments.named_children if child.kind_id != w.kinds.COMMENT]
    if len(given) < 2:
        return None
    if name in _INHERITING:
        return _inherits(w, given)
    if name == "setPrototypeOf":
        heir, base = constructor_of(w, given[0]), constructor_of(w, given[1])
        return None if heir is None or base is None else _inherits(w, [heir, base, *given[2:]])
    return _define_property(w, given) if name == "defineProperty" else _mix(w, given)


def _inherits(w: Walk, given: list[Node]) -> int | None:
    heir, base, *others = given
    if heir.kind_id not in (w.kinds.IDENTIFIER, w.kinds.MEMBER):
        return None
    w.value(heir)
    _inherit(w, w.text(heir), symbol_at(w, heir), base)
    for other in others:
        w.value(other)
    return NONE


def inherit(w: Walk, constructor: Node, right: Node) -> bool:
    """`C.prototype.__proto__ = B.prototype`. False for other bases."""
    base = constructor_of(w, right)
    return base is not None and _inherits(w, [constructor, base]) is not None


def _inherit(w: Walk, name: str, symbol: int, base: Node) -> None:
    """Makes what `base` names a base of a definition of this file, which may follow where `symbol` is NONE."""
    if base.kind_id == w.kinds.IDENTIFIER:
        value, at = w.b.name(w.text(base)), base.start_byte
    elif base.kind_id == w.kinds.MEMBER and len(base.named_children) > 1:
        last = base.named_children[-1]
        value, at = w.b.attribute(w.value(base.named_children[0]), w.text(last)), last.start_byte
    else:
        value, at = w.value(base), base.start_byte
    if value != NONE:
        w.heirs.append(Heir(w.b.scope, name, symbol, value, at, w.b.owner))


def report_heirs(w: Walk) -> None:
    """Tells the bases of functions and classes, when all definitions of the file are known."""
    b = w.b
    scope, owner = b.scope, b.owner
    for heir in w.heirs:
        b.scope = heir.scope
        symbol = w.symbol_of(heir.name) if heir.symbol == NONE else heir.symbol
        if symbol != NONE and b.kind_of(symbol) in _TYPES:
            b.base(symbol, UseRole.EXTENDS, heir.base, heir.at)
        else:
            b.owner = heir.owner
            b.use(READ, heir.base, heir.at)
    b.scope, b.owner = scope, owner


def _mix(w: Walk, given: list[Node]) -> int | None:
    """`Object.assign(C.prototype, {…}, other)`, and the same of a namespace or of what the module exports."""
    target = given[0]
    if _is_exports(w, target):
        for child in given[1:]:
            if child.kind_id == w.kinds.OBJECT:
                module_exports.exports_literal(w, child)
            else:
                module_exports.export_all(w, child)
        return NONE
    owner = owner_of(w, target)
    if owner.symbol == NONE:
        return None
    w.value(target)
    for child in given[1:]:
        _give(w, owner, child, is_base=constructor_of(w, target) is not None)
    return owner.this


def _is_exports(w: Walk, node: Node) -> bool:
    if node.kind_id == w.kinds.IDENTIFIER:
        return node.text == b"exports" and not w.bound("exports")
    return node.kind_id == w.kinds.MEMBER and commonjs.exported_member(w, node) == commonjs.ASSIGNED


def _give(w: Walk, owner: Owner, node: Node, *, is_base: bool) -> None:
    """Gives what an object has to a definition: by its literal, or by the name of it as a base."""
    k = w.kinds
    plain = w.unwrap(node)
    if plain.kind_id == k.OBJECT:
        objects.literal_members(w, plain, owner.symbol, owner.this, 0 if owner.is_prototype else flag.STATIC)
        return
    base = _base_of(w, plain) if is_base else None
    if base is None:
        value = w.value(node)
        if w.b.kind_of(owner.symbol) == SymbolKind.VARIABLE and not owner.is_prototype:
            w.b.add_value(owner.symbol, value)
        return
    _inherit(w, "", owner.symbol, base)
    if plain.kind_id in (k.CALL, k.NEW):
        _visit_rest(w, owner, plain)


def _base_of(w: Walk, node: Node) -> Node | None:
    """`B` of `B`, `B.prototype`, `new B(…)`, `Object.create(B.prototype)` and `Object.assign(Object.create(…), …)`."""
    k = w.kinds
    if node.kind_id in (k.IDENTIFIER, k.MEMBER):
        return constructor_of(w, node) or node
    if node.kind_id == k.NEW:
        constructor = node.child_by_field_name("constructor")
        return constructor if constructor is not None and constructor.kind_id in (k.IDENTIFIER, k.MEMBER) else None
    called, arguments = _called_name(w, node), node.child_by_field_name("arguments")
    first = arguments.named_children[0] if arguments is not None and arguments.named_children else None
    if first is None:
        return None
    if called in _CREATING:
        return constructor_of(w, first)
    return _base_of(w, first) if called in _MIXING and first.kind_id == k.CALL else None


def _called_name(w: Walk, node: Node) -> str:
    function = node.child_by_field_name("function") if node.kind_id == w.kinds.CALL else None
    if function is not None and function.kind_id == w.kinds.MEMBER and function.named_children:
        function = function.named_children[-1]
    return "" if function is None else w.text(function)


def _visit_rest(w: Walk, owner: Owner, node: Node) -> None:
    """The parts of `new B(…)`, `Object.create(B.prototype, …)` and what is around that, but for the base."""
    arguments = node.child_by_field_name("arguments")
    given = [] if arguments is None else arguments.named_children
    if node.kind_id == w.kinds.NEW:
        for child in given:
            w.value(child)
        return
    w.value(node.child_by_field_name("function"))
    is_mixing = _called_name(w, node) in _MIXING
    for child in given[:1] if is_mixing else ():
        _visit_rest(w, owner, child)
    for child in given[1:]:
        if is_mixing:
            _give(w, owner, child, is_base=True)
        else:
            w.value(child)


def _define_property(w: Walk, given: list[Node]) -> int | None:
    """`Object.defineProperty(C.prototype, "name", { get() {…} })`, and the same of what the module exports."""
    k = w.kinds
    target, key, descriptor = given[0], given[1], given[-1]
    name = w.string(key)
    is_exports = _is_exports(w, target)
    owner = Owner() if is_exports else owner_of(w, target)
    if not name or descriptor.kind_id != k.OBJECT or (owner.symbol == NONE and not is_exports):
        return None
    if not is_exports:
        w.value(target)
    for child in descriptor.named_children:
        what = name_of(child) if child.kind_id == k.METHOD else child.child_by_field_name("key")
        value = child if child.kind_id == k.METHOD else child.child_by_field_name("value")
        if value is None:
            w.value(child)
            continue
        role = w.key(what)
        is_function = value.kind_id in k.functions or value.kind_id == k.METHOD
        if is_exports and role in ("get", "value"):
            found = functions.run(w, value, NONE, this=EXPORTS_OBJECT) if is_function else w.value(value)
            commonjs.offer_value(w, name, w.b.call(found) if role == "get" else found, key.start_byte + 1)
        elif role in ("get", "value") and is_function:
            _define_function(w, owner, name, key, value, is_accessor=role == "get")
        elif is_function:
            functions.run(w, value, NONE, this=owner.this)
        elif (found := w.value(value)) != NONE and role == "value":
            w.b.bind(name, SourceKind.VALUE, found, scope=w.space(owner.symbol))
    return owner.this


def _define_function(w: Walk, owner: Owner, name: str, key: Node, function: Node, *, is_accessor: bool) -> None:
    symbol = functions.define(
        w, name, function, w.prefix(key), at=key.start_byte + 1, signature_from=key.start_byte, parent=owner.symbol,
        kind=SymbolKind.PROPERTY if is_accessor else SymbolKind.METHOD,
        flags=(flag.ACCESSOR if is_accessor else 0) | (0 if owner.is_prototype else flag.STATIC),
    )  # fmt: skip
    w.b.bind(name, SourceKind.SYMBOL, symbol, scope=w.space(owner.symbol))
    functions.run(w, function, symbol, this=w.this if function.type == "arrow_function" else owner.this)
