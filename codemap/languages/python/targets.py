"""Targets of assignments: where each name, attribute and element of a target gets its value from.

At the top of a module and in class bodies an assigned name is a symbol (variable or property) whose value and type
columns say what it holds; elsewhere it is a local binding. `self.x = e` makes `x` a property of the class, unless the
class body defines it.

Source: the Python Language Reference, 7.2.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from codemap.fact_building.builder import NONE, Scope
from codemap.facts import Op, ScopeKind, SourceKind, SymbolFlag, SymbolKind, UseRole
from codemap.languages.python.special_methods import SET_ITEM
from codemap.languages.python.walk import Deferred, Walk

if TYPE_CHECKING:
    from tree_sitter import Node

    from codemap.fact_building.builder import Builder

_VALUE = int(SourceKind.VALUE)
_OPAQUE = int(SourceKind.OPAQUE)
_BLOCK = int(ScopeKind.BLOCK)
_EXPORTED = int(SymbolFlag.EXPORTED)
SIGNATURE_MAX_BYTES = 800
"""Enough for the longest signature that the builder keeps, whatever its characters."""


def assign(w: Walk, target: Node, value: int, scope: Scope) -> None:
    """Binds what a target names in `scope` to a value, and visits what it reads."""
    kind = target.type
    if kind == "identifier":
        bind_value(w, w.text(target), value, scope)
        return
    match kind:
        case "pattern_list" | "tuple_pattern" | "list_pattern" | "tuple" | "list" | "expression_list":
            for index, child in enumerate(child for child in target.named_children if child.type != "comment"):
                assign(w, child, w.b.wrap(Op.ITEM, value, index), scope)
        case "attribute":
            assign_attribute(w, target, value, NONE)
        case "list_splat_pattern" | "list_splat":
            of = w.b.wrap(Op.ITER, value)
            assign(w, target.children[-1], NONE if of == NONE else w.b.container("list", of), scope)
        case "as_pattern_target" | "parenthesized_expression":
            for child in target.named_children:
                assign(w, child, value, scope)
        case "subscript":
            w.item_methods = SET_ITEM
            w.value(target)
            _store(w, target.children[0], value)
        case _:
            w.value(target)


def _store(w: Walk, of: Node, element: int) -> None:
    """`x[k] = e`: e is one of the values of the container x, where x is a variable or member of this file."""
    b = w.b
    if element == NONE or b.exprs[element][0] == _LITERAL:
        return
    if of.type == "attribute":
        if w.is_receiver(of.children[0]):
            name_node = of.children[-1]
            entry = w.place.members.get(w.text(name_node))
            if entry is not None and len(entry.values) < _STORED_MAX:
                entry.values.append(b.container("dict", element))
    elif of.type == "identifier":
        number = b.names.get(w.text(of), NONE)
        scope: Scope | None = b.scope
        while scope is not None and number not in scope.sources:
            scope = scope.parent
        if scope is None:
            return
        sources = scope.sources[number]
        for kind, symbol, _ in sources:
            if kind == _SYMBOL:
                count = w.stored[symbol] = w.stored.get(symbol, 0) + 1
                if b.kind_of(symbol) in _VARIABLES and count <= _STORED_MAX:
                    b.add_value(symbol, b.container("dict", element))
                return
        if len(sources) < _STORED_MAX and all(kind == _VALUE for kind, _, _ in sources):
            b.bind(w.text(of), _VALUE, b.container("dict", element), scope=scope)


_STORED_MAX = 16
"""More values than this say nothing useful about a container."""
_VARIABLES = (SymbolKind.VARIABLE, SymbolKind.PROPERTY)
_SYMBOL = int(SourceKind.SYMBOL)
_LITERAL = int(Op.LITERAL)


def bind_value(w: Walk, name: str, value: int, scope: Scope) -> None:
    """One more value of a name, and of the same name where an open block narrows it."""
    if not name:
        return
    w.b.bind(name, _OPAQUE if value == NONE else _VALUE, value, scope=scope)
    _bind_narrowed(w, name, value, scope)


def _bind_narrowed(w: Walk, name: str, value: int, scope: Scope | None) -> None:
    """One more value of a name in each open block, up to a scope, that narrows it."""
    b = w.b
    kind = _OPAQUE if value == NONE else _VALUE
    block: Scope | None = b.scope
    while block is not None and block is not scope and block.kind == _BLOCK:
        if b.intern(name) in block.sources:
            b.bind(name, kind, value, scope=block)
        block = block.parent


def rebind(w: Walk, name: str, value: int, scope: Scope) -> bool:
    """Binds a local of the function `scope` anew, for what follows; False where code before may see the value, too.

    In the outermost block of a function, what follows an assignment sees no value from before it.
    """
    if w.place.depth != 1 or not name:
        return False
    b = w.b
    number = b.intern(name)
    sources = scope.sources.get(number)
    if not sources or number in scope.aliases or any(kind not in _REPLACED for kind, _, _ in sources):
        return False
    b.open_scope(_BLOCK, b.scope.owner)
    b.bind(name, _OPAQUE if value == NONE else _VALUE, value)
    return True


def rebind_inside(w: Walk, name: str, value: int, scope: Scope) -> None:
    """Has what follows an assignment in the same block see its value alone; what follows the block sees all of them.

    Where a type is stated, an unknown value is one of that type.
    """
    b = w.b
    number = b.intern(name)
    sources = scope.sources.get(number)
    if w.place.depth < 2 or not name or sources is None or number in scope.aliases:
        return
    kinds = {kind for kind, _, _ in sources}
    if not kinds <= _GIVEN or (value == NONE and _TYPED in kinds):
        return
    if _TYPED in kinds:
        value = b.expr(Op.ELSE, value, b.name(name))
    b.open_scope(_BLOCK, b.scope.owner)
    b.bind(name, _OPAQUE if value == NONE else _VALUE, value)


_TYPED = int(SourceKind.TYPED)
_GIVEN = frozenset((_VALUE, _OPAQUE, int(SourceKind.PARAMETER), _TYPED))
_REPLACED = (_VALUE, _OPAQUE, int(SourceKind.PARAMETER))


def bind_type(w: Walk, name: str, type_: int, scope: Scope) -> None:
    if name:
        w.b.bind_typed(name, type_, scope=scope)


def define_variable(w: Walk, left: Node, name: str, node: Node, kind: SymbolKind | None = None) -> int:
    """The symbol of a name that a module or class assigns; NONE where a definition or an import binds it already."""
    variables = w.place.variables
    symbol = variables.get(name, NONE)
    if symbol != NONE or not name:
        return symbol
    b = w.b
    scope = b.function_scope()
    number = b.intern(name)
    if any(kind in _DEFINING for kind, _, _ in scope.sources.get(number, ())):
        return NONE
    if kind is None:
        kind = SymbolKind.VARIABLE if scope.kind == ScopeKind.MODULE else SymbolKind.PROPERTY
    symbol = variables[name] = _variable(b, name, kind, scope, left.start_byte, node.start_byte, node.end_byte)
    return symbol


_DEFINING = (int(SourceKind.SYMBOL), int(SourceKind.IMPORT))


def _variable(b: Builder, name: str, kind: SymbolKind, scope: Scope, at: int, start: int, end: int) -> int:
    symbol = b.symbol(
        name,
        kind,
        parent=scope.owner,
        at=at,
        start=start,
        end=end,
        flags=exported(name),
        signature=b.text(start, min(end, start + SIGNATURE_MAX_BYTES)),
    )
    b.bind(name, SourceKind.SYMBOL, symbol, scope=scope)
    return symbol


def exported(name: str) -> int:
    """Public by its name: without a leading underscore, or one of the language's own."""
    is_public = not name.startswith("_") or (name.startswith("__") and name.endswith("__"))
    return _EXPORTED if is_public else 0


def assign_attribute(w: Walk, target: Node, value: int, type_: int) -> None:
    """The first `self.x = e` defines a member of the class that states none; any other `a.x = e` uses `a.x`."""
    of = target.children[0]
    place = w.place
    if of.type == "identifier" and (spelling := w.text(target)) in w.b.names:
        _bind_narrowed(w, spelling, value, None)
    if place.receiver and of.type == "identifier" and w.source[of.start_byte : of.end_byte] == place.receiver:
        name_node = target.children[-1]
        name, b = w.text(name_node), w.b
        is_first = name not in place.members
        entry = defer(place.members, name, name_node, target, value, type_)
        of_self = b.attribute(b.name(w.text(of)), name)
        if is_first:
            entry.use = b.owner, of_self
        else:
            b.use(UseRole.REFERENCE, of_self, name_node.start_byte)
        return
    w.value(target)


def defer(deferred: dict[str, Deferred], name: str, at: Node, node: Node, value: int, type_: int) -> Deferred:
    entry = deferred.get(name)
    if entry is None:
        entry = deferred[name] = Deferred(at.start_byte, node.start_byte, node.end_byte)
    if value != NONE:
        entry.values.append(value)
    if type_ != NONE:
        entry.types.append(type_)
    return entry


def define_deferred(w: Walk, deferred: dict[str, Deferred], scope: Scope, kind: SymbolKind) -> None:
    """Defines what functions assigned in a namespace and its own body did not, and adds what they assigned."""
    b = w.b
    place = w.place
    for name, entry in deferred.items():
        symbol = place.variables.get(name, NONE)
        if symbol == NONE:
            sources = scope.sources.get(b.intern(name), ())
            if not any(source_kind in _DEFINING for source_kind, _, _ in sources):
                symbol = place.variables[name] = _variable(b, name, kind, scope, entry.at, entry.start, entry.end)
                entry.use = None
        if entry.use is not None:
            with b.definition(entry.use[0]):
                b.use(UseRole.REFERENCE, entry.use[1], entry.at)
        for value in dict.fromkeys(entry.values):
            if symbol == NONE:
                b.member(scope, name, SourceKind.VALUE, value)
            else:
                b.add_value(symbol, value)
        for type_ in dict.fromkeys(entry.types):
            if symbol == NONE:
                b.member(scope, name, SourceKind.TYPED, type_)
            else:
                b.set_type(symbol, type_)
