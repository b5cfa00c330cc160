"""Calls: their callee and arguments, and the few functions whose calls mean more than a call.

Source: the Python Language Reference, 6.3.4.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from codemap.fact_building.builder import NONE, Scope
from codemap.fact_building.walk import children_of
from codemap.facts import ImportFlag, Op, SourceKind, SymbolKind, UseRole
from codemap.languages.python import special_methods
from codemap.languages.python.builtin_calls import RESULTS, is_builtin
from codemap.languages.python.exports import export_all
from codemap.languages.python.prefixes import beginning
from codemap.languages.python.walk import Walk, token

if TYPE_CHECKING:
    from tree_sitter import Node


_CALL = int(UseRole.CALL)
_READ = int(UseRole.REFERENCE)
_NAMED = int(Op.NAMED)


def call(w: Walk, node: Node) -> int:
    b = w.b
    if node.child_count == 2:
        arguments = node.child(1)
        start = node.start_byte
        plain = b.call_chain(start, arguments.start_byte)
        if plain is not None:
            return b.call(plain, _arguments(w, arguments))
    children = node.children
    callee, arguments = children[0], children[-1]
    kind = callee.kind_id
    start = callee.start_byte
    if kind == w.kinds.identifier:
        name = w.source[start : callee.end_byte].decode("utf-8", "replace")
        if name in _SPECIAL_CALLS:
            special = _SPECIAL_CALLS[name](w, node, arguments)
            if special is not None:
                return special
        function = b.name(name)
        if name in _BUILTIN_CALLS and is_builtin(b, name):
            given = _arguments(w, arguments)
            if name in special_methods.FUNCTIONS:
                special_methods.call(b, name, given, arguments.start_byte)
            if name in RESULTS:
                return RESULTS[name](b, given) if given else NONE
            b.use(_CALL, function, start)
            return b.call(function, given)
    elif kind == w.kinds.attribute:
        parts = callee.children
        of, last = parts[0], parts[-1]
        function = w.values[of.kind_id](w, of)
        start = last.start_byte
        if function != NONE:
            name = w.source[start : last.end_byte].decode("utf-8", "replace")
            if name in _SPECIAL_METHODS:
                _SPECIAL_METHODS[name](w, of, arguments)
            function = b.attribute(function, name)
            if name == "TypeVar":
                b.use(_CALL, function, start)
                return b.call(function, [_stands_for(w, arguments)])
    else:
        function = w.values[kind](w, callee)
        start = _last_name(w, callee)
        w.called, w.called_at = node.id, start
    b.use(_CALL, function, start)
    return b.call(function, _arguments(w, arguments))


def statement(w: Walk, node: Node) -> int:
    """A call whose value nobody takes."""
    call(w, node)
    return NONE


def _arguments(w: Walk, node: Node) -> Sequence[int]:
    """Visits the arguments and returns the values of the positional ones, then those passed by name; literals are not
    worth keeping."""
    start = node.start_byte
    if node.end_byte == start + 2:
        return ()
    kinds = w.kinds
    if node.kind_id != kinds.argument_list:  # f(x for x in y)
        return (w.value(node),)
    parts: list[int] = []
    named: list[int] = []
    values = w.values
    string, keyword = kinds.string, kinds.keyword_argument
    chars = w.chars
    for child in (node.child(1),) if node.child_count == 3 else node.named_children:
        kind = child.kind_id
        handle = values[kind]
        if handle is token:
            continue
        if kind == string:
            if chars[child.start_byte] not in "\"'":
                handle(w, child)
            parts.append(NONE)
        elif kind == keyword:
            value_node = child.child(2) if child.child_count == 3 else child.children[-1]
            kind = value_node.kind_id
            value = values[kind](w, value_node)
            if value != NONE and kind not in kinds.literals:
                first = child.child(0)
                named.append(w.b.expr(_NAMED, value, w.b.intern(chars[first.start_byte : first.end_byte])))
        else:
            value = handle(w, child)
            if kind not in kinds.not_positional:
                parts.append(NONE if kind in kinds.literals else value)
    return parts + named if named else parts


def keyword_argument(w: Walk, node: Node) -> int:
    value = node.child(2) if node.child_count == 3 else node.children[-1]
    return w.values[value.kind_id](w, value)


def _last_name(w: Walk, callee: Node) -> int:
    """Offset of the name nearest to the call's parenthesis, where the callee is no plain chain.

    In a chain of calls, the one that was visited last is what the next begins with.
    """
    node = callee
    while node.type in ("call", "subscript", "parenthesized_expression", "await"):
        if node.id == w.called:
            return w.called_at
        inner = node.named_children
        if not inner:
            break
        node = inner[-1] if node.type == "await" else inner[0]
    return node.children[-1].start_byte if node.type == "attribute" else node.start_byte


def _super(w: Walk, _node: Node, arguments: Node) -> int | None:
    """`super()` begins behind the class around, `super(X, self)` behind X, which this file must define."""
    cls = w.place.class_symbol
    if cls == NONE:
        return None
    _arguments(w, arguments)
    stated = arguments.named_children[0] if arguments.named_children else None
    if stated is not None and stated.type == "identifier":
        cls = _class_named(w, w.text(stated))
    return NONE if cls == NONE else w.b.expr(Op.SUPER, cls)


def _class_named(w: Walk, name: str) -> int:
    """The class that a name is bound to around here, of those seen so far, or NONE."""
    number = w.b.names.get(name, NONE)
    scope: Scope | None = w.b.scope
    while scope is not None and number not in scope.sources:
        scope = scope.parent
    for kind, symbol, _ in () if scope is None else scope.sources[number]:
        if kind == SourceKind.SYMBOL and w.b.kind_of(symbol) in (SymbolKind.CLASS, SymbolKind.ENUM):
            return symbol
    return NONE


def _cast(w: Walk, node: Node, arguments: Node) -> int | None:
    """`cast(T, x)`: the first argument states a type, as a string or not."""
    parts = children_of(arguments)
    if len(parts) != 2 or parts[0].type == "keyword_argument":
        return None
    function = w.b.name("cast")
    w.b.use(_CALL, function, node.start_byte)
    return w.b.call(function, [w.type(parts[0]), w.value(parts[1])])


def _type_variable(w: Walk, node: Node, arguments: Node) -> int | None:
    """`TypeVar("T", bound="C")`: the bound and the constraints are types, which T stands for."""
    b = w.b
    function = b.name("TypeVar")
    b.use(_CALL, function, node.start_byte)
    return b.call(function, [_stands_for(w, arguments)])


def _stands_for(w: Walk, arguments: Node) -> int:
    """Visits the arguments of a type variable; returns its bound, or the union of its constraints."""
    b = w.b
    stands_for = NONE
    for index, child in enumerate(arguments.named_children):
        if child.type == "keyword_argument":
            stated = w.type(child.children[-1])
            if w.text(child.children[0]) == "bound":
                stands_for = stated
        elif index and child.type != "comment":
            stands_for = b.union(stands_for, w.type(child))
    return stands_for


def _getattr(w: Walk, _node: Node, arguments: Node) -> int | None:
    """`getattr(x, "name")` reads `x.name`; `getattr(x, f"name_{y}")` reads some `x.name_…`."""
    parts = children_of(arguments)
    if len(parts) < 2 or not is_builtin(w.b, "getattr"):
        return None
    b = w.b
    name = w.text(parts[1])[1:-1] if parts[1].type == "string" else ""
    if name.isidentifier():
        value = b.attribute(w.value(parts[0]), name)
        b.use(_READ, value, parts[1].start_byte + 1)
    else:
        prefix = beginning(w, parts[1])
        if not prefix.strip("_"):
            return None
        value = b.wrap(Op.PREFIX, w.value(parts[0]), b.literal(prefix))
        w.value(parts[1])
    for child in parts[2:]:
        value = b.union(value, w.value(child))
    return value


def _type(w: Walk, _node: Node, arguments: Node) -> int | None:
    """`type(x)` is the class of x."""
    parts = arguments.named_children
    if len(parts) != 1 or parts[0].type in _UNNAMED or not is_builtin(w.b, "type"):
        return None
    if w.is_receiver(parts[0]):
        return w.b.expr(Op.SYMBOL, w.place.class_symbol)
    return w.b.attribute(w.value(parts[0]), "__class__")


_UNNAMED = frozenset({"keyword_argument", "list_splat", "dictionary_splat", "generator_expression"})


def _import_builtin(w: Walk, _node: Node, arguments: Node) -> int | None:
    _dynamic_import(w, arguments)
    return None


def _import_module(w: Walk, of: Node, arguments: Node) -> None:
    if w.text(of) == "importlib":
        _dynamic_import(w, arguments)


def _import_module_name(w: Walk, _node: Node, arguments: Node) -> int | None:
    _dynamic_import(w, arguments)
    return None


def _dynamic_import(w: Walk, arguments: Node) -> None:
    parts = arguments.named_children
    if parts and parts[0].type == "string":
        text = w.text(parts[0])
        if text[:1] in "\"'" and text.strip("\"'").replace(".", "_").isidentifier():
            flags = ImportFlag.DYNAMIC | ImportFlag.SIDE_EFFECT | w.import_flags
            w.b.import_(text.strip("\"'"), NONE, parts[0].start_byte + 1, flags)


def _all_method(w: Walk, of: Node, arguments: Node) -> None:
    """`__all__.extend([…])`, `__all__.append(…)`, outside functions."""
    if w.b.scope is w.b.module and w.text(of) == "__all__":
        for child in arguments.named_children:
            export_all(w, child)


_SPECIAL_CALLS = {
    "super": _super,
    "cast": _cast,
    "getattr": _getattr,
    "type": _type,
    "TypeVar": _type_variable,
    "__import__": _import_builtin,
    "import_module": _import_module_name,
}
_SPECIAL_METHODS = {"import_module": _import_module, "extend": _all_method, "append": _all_method}
_BUILTIN_CALLS = special_methods.FUNCTIONS | RESULTS.keys()
NOT_CALLED = frozenset((*_SPECIAL_CALLS, *_SPECIAL_METHODS, *_BUILTIN_CALLS))
"""Names whose calls are looked at, as names or as attributes."""
