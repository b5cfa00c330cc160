"""Calls and member chains: what is called, with what, and what a callback is given."""

from __future__ import annotations

from typing import TYPE_CHECKING

from codemap.fact_building.builder import NONE
from codemap.facts import Op, SymbolKind
from codemap.languages.ecmascript.definitions import functions, objects, prototypes
from codemap.languages.ecmascript.definitions.ownership import PROTOTYPE
from codemap.languages.ecmascript.definitions.parameters import Given
from codemap.languages.ecmascript.imports_exports import commonjs
from codemap.languages.ecmascript.kinds import Kinds
from codemap.languages.ecmascript.operands import OPERATIONS, last_name, operand, operand_called
from codemap.languages.ecmascript.types import arguments_of
from codemap.languages.ecmascript.walk import CALL, EXPORTS_OBJECT, Walk

if TYPE_CHECKING:
    from tree_sitter import Node

_REDUCING = frozenset(("reduce", "reduceRight"))
_COMPARING = frozenset(("sort", "toSorted"))
NOT_READ = frozenset(
    ("this", "super", "exports", "module", "new", "undefined", "null", "true", "false", "import", PROTOTYPE)
)
"""Names that make a chain more than names read one after the other."""
_BORROWING = frozenset(("call", "apply"))
NOT_CALLED = _REDUCING | _COMPARING | _BORROWING | {"then", "bind", "require"} | prototypes.SHAPING
"""Names whose calls are looked at, as names or as members."""
_ARGUMENTS_MAX = 8
"""Later arguments of a call are visited, not kept."""


def member_value(w: Walk, node: Node) -> int:
    """What `a.b` denotes; reports the uses in `a`, not that of `b`."""
    head = node.child(0) if node.child_count else None
    if head is None:
        return NONE
    end = node.end_byte
    name = w.chars[head.end_byte : end].lstrip()[1:]
    at = end - len(name)
    if not name.isidentifier():
        children = node.named_children
        if len(children) < 2:
            for child in children:
                w.value(child)
            return NONE
        head, last = children[0], children[-1]
        name, at = w.text(last), last.start_byte
    kind, k = head.kind_id, w.kinds
    value = _member_of(w, node, head, kind, name, k)
    w.member_name, w.member_at = name, at
    return value


def _member_of(w: Walk, node: Node, head: Node, kind: int, name: str, k: Kinds) -> int:
    w.receiver = NONE
    if kind == k.IDENTIFIER:
        start = head.start_byte
        text = w.source[start : head.end_byte]
        if (text == b"exports" or text == b"module") and (found := commonjs.exported_member(w, node)) is not None:
            return w.b.name(commonjs.ASSIGNED if found == commonjs.ASSIGNED else commonjs.EXPORTS + found)
    elif kind == k.THIS:
        if w.this == EXPORTS_OBJECT:
            return w.b.name(commonjs.EXPORTS + name)
        w.receiver = w.this
        return w.b.attribute(w.this, name)
    elif kind == k.MEMBER and commonjs.exported_member(w, head) == commonjs.ASSIGNED:
        return w.b.name(commonjs.EXPORTS + name)
    of = operand(w, head) if head.type == "non_null_expression" else w.values[kind](w, head)
    w.receiver = of
    return w.b.attribute(of, name)


def statement(w: Walk, node: Node) -> int:
    """A statement that is an expression: what its value is does not matter."""
    k = w.kinds
    for child in node.named_children:
        kind = child.kind_id
        if kind == k.CALL:
            w.is_discarded = True
        w.values[kind](w, child)
    return NONE


def call(w: Walk, node: Node) -> int:
    b, k = w.b, w.kinds
    is_discarded, w.is_discarded = w.is_discarded, False
    if node.child_count == 2:
        arguments_node = node.child(1)
        if arguments_node.kind_id == k.ARGUMENTS:
            plain = b.call_chain(node.start_byte, arguments_node.start_byte)
            if plain is not None:
                values = _argument_values(w, arguments_node, plain, ())
                return NONE if is_discarded and not any(map(_is_known, values)) else b.call(plain, values)
    children = node.named_children
    if not children:
        return NONE
    before = children[0]
    is_awaited = False
    if len(children) > 2 and before.type in OPERATIONS:
        before, is_awaited = operand_called(w, before)
    function = _callee(w, before)
    kind = function.kind_id
    given: tuple[int, ...] = ()
    receiver = NONE
    method = called = ""
    if kind == k.IDENTIFIER:
        text = called = w.text(function)
        if text == "require":
            found = commonjs.match_require(w, node)
            if found is not None:
                return commonjs.module_of(w, *found)
        callee = b.name(text)
        b.use(CALL, callee, function.start_byte)
    elif kind == k.MEMBER and _borrows(w, function, children[-1]):
        return _call_borrowed(w, function, children[-1])
    elif kind == k.MEMBER:
        callee = member_value(w, function)
        if callee != NONE:
            b.use(CALL, callee, w.member_at)
            method = called = w.member_name
            receiver = w.receiver
    elif kind == k.IMPORT:
        found = commonjs.match_require(w, node)
        if found is not None:
            return commonjs.module_of(w, *found)
        callee = NONE
    elif kind == k.SUPER:
        callee = w.super_call
        b.use(CALL, callee, function.start_byte)
        callee = NONE
    else:
        callee = w.value(function)
        if callee != NONE and kind not in k.functions:
            at = last_name(w, function)
            w.called, w.called_at = node.id, at
            b.use(CALL, callee, at)
    if receiver != NONE:
        given = _given(w, method, receiver)
    if called in prototypes.SHAPING and children[-1].kind_id == k.ARGUMENTS:
        shaped = prototypes.shape(w, called, children[-1])
        if shaped is not None:
            return shaped
    types = arguments_of(w, node)
    if types:
        callee = b.apply(callee, types)
    arguments = _arguments(w, children, callee, given)
    if method == "bind":
        return receiver
    if is_discarded and not any(map(_is_known, arguments)):
        return NONE
    value = b.call(callee, arguments)
    is_last = is_awaited and (node.parent is None or node.parent.kind_id != k.MEMBER)  # else what follows is awaited
    return b.wrap(Op.AWAIT, value) if is_last else value


def _is_known(value: int) -> bool:
    return value != NONE


_THIS_NAMES = frozenset(("self", "that", "_this", "me"))
_NO_THIS = frozenset(("this", "null", "undefined"))


def _borrows(w: Walk, function: Node, arguments: Node) -> bool:
    """Whether `f.call(…)` or `f.apply(…)` calls f, not a method of that name: `this` or nothing comes first, or f is
    a function of this file."""
    parts = function.named_children
    if len(parts) < 2 or w.text(parts[-1]) not in _BORROWING or arguments.kind_id != w.kinds.ARGUMENTS:
        return False
    of, given = parts[0], arguments.named_children
    if of.kind_id == w.kinds.IDENTIFIER:
        symbol = w.symbol_of(w.text(of))
        if symbol != NONE and w.b.kind_of(symbol) == SymbolKind.FUNCTION and symbol not in w.spaces:
            return True
    elif of.kind_id != w.kinds.MEMBER or commonjs.exported_member(w, of) is not None:
        return False
    return bool(given) and (given[0].type in _NO_THIS or w.text(given[0]) in _THIS_NAMES)


def _call_borrowed(w: Walk, function: Node, arguments: Node) -> int:
    of, last = function.named_children[0], function.named_children[-1]
    name = w.text(last)
    if of.kind_id == w.kinds.IDENTIFIER:
        callee, at = w.b.name(w.text(of)), of.start_byte
    else:
        callee = member_value(w, of)
        at = w.member_at
    w.b.use(CALL, callee, at)
    w.b.use(CALL, w.b.attribute(callee, name), last.start_byte)
    values = [w.value(child) for child in arguments.named_children if child.kind_id != w.kinds.COMMENT]
    return w.b.call(callee, values[1:_ARGUMENTS_MAX] if name == "call" else ())


def _callee(w: Walk, node: Node) -> Node:
    """What is called, without parentheses and `!` around it; `(0, m.f)()` calls `m.f`."""
    if node.kind_id not in w.kinds.wrappers:
        return node
    plain = w.unwrap(node)
    if plain.type == "sequence_expression" and plain.named_children:
        for child in plain.named_children[:-1]:
            w.value(child)
        return plain.named_children[-1]
    return plain


def new(w: Walk, node: Node) -> int:
    b = w.b
    constructor = node.child_by_field_name("constructor")
    if constructor is None:
        for child in node.named_children:
            w.value(child)
        return NONE
    kind, k = constructor.kind_id, w.kinds
    if kind == k.IDENTIFIER:
        callee = b.name(w.text(constructor))
        b.use(CALL, callee, constructor.start_byte)
    elif kind == k.MEMBER:
        callee = member_value(w, constructor)
        if callee != NONE:
            b.use(CALL, callee, w.member_at)
    else:
        callee = w.value(constructor)
    types = arguments_of(w, node)
    if types:
        callee = b.apply(callee, types)
    arguments = node.child_by_field_name("arguments")
    given = [] if arguments is None else _argument_values(w, arguments, callee, ())
    return b.wrap(Op.INSTANCE, callee) if types else b.call(callee, given)


def _arguments(w: Walk, children: list[Node], callee: int, given: tuple[int, ...]) -> list[int]:
    """Visits what follows the callee and its type arguments: arguments or a template."""
    k = w.kinds
    values: list[int] = []
    for child in children[1:]:
        if child.kind_id == k.ARGUMENTS:
            values = _argument_values(w, child, callee, given)
        elif child.type != "type_arguments":
            w.value(child)
    return values


def _argument_values(w: Walk, node: Node, callee: int, given: tuple[int, ...]) -> list[int]:
    if node.end_byte == node.start_byte + 2:
        return []
    k = w.kinds
    comment, literals = k.COMMENT, k.literals
    table = w.values
    values: list[int] = []
    for child in node.named_children:
        kind = child.kind_id
        if kind in literals:
            values.append(NONE)
        elif kind == comment:
            continue
        elif kind in k.functions:
            wanted = w.b.wrap(Op.SLOT, _told(w, callee, values), len(values))
            values.append(functions.contextual(w, child, Given(given, wanted)))
        elif kind == k.OBJECT:
            wanted = w.b.wrap(Op.SLOT, _told(w, callee, values), len(values))
            values.append(objects.object_value(w, child, wanted))
        else:
            values.append(table[kind](w, child))
    return values[:_ARGUMENTS_MAX]


def _told(w: Walk, callee: int, before: list[int]) -> int:
    """A callee, with the arguments before one that depends on it."""
    if callee == NONE or not any(value != NONE for value in before):
        return callee
    return w.b.expr(Op.OVERLOAD, callee, w.b.args(before))


def _given(w: Walk, method: str, of: int) -> tuple[int, ...]:
    """What a method of an array, or of a module about to be loaded, gives to its callback."""
    if method == "then" and of in w.modules:
        return (of,)
    if method in _REDUCING:
        return (NONE, w.b.wrap(Op.ITER, of))
    if method in _COMPARING:
        element = w.b.wrap(Op.ITER, of)
        return (element, element)
    return ()
