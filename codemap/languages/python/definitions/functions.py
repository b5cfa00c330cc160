"""Functions, methods and named lambdas: their symbols, namespaces and results.

Source: the Python Language Reference, 8.7; the typing specification, "Overloads".
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from codemap.fact_building.builder import NONE
from codemap.fact_building.walk import visit_children
from codemap.facts import Op, ScopeKind, SourceKind, SymbolFlag
from codemap.languages.python.definitions.docstring import docstring
from codemap.languages.python.definitions.headers import Parts, decorate, flags_of, function_kind, header, marks_of
from codemap.languages.python.definitions.parameters import (
    Parameter,
    bind_parameters,
    open_type_parameters,
    visit_parameters,
)
from codemap.languages.python.errors import broken_header
from codemap.languages.python.targets import SIGNATURE_MAX_BYTES
from codemap.languages.python.walk import Place, Walk

if TYPE_CHECKING:
    from tree_sitter import Node


_RETURNS_MAX = 6
"""Distinct results of one function that are kept: more say little."""
_ACCESSORS = frozenset({"property", "cached_property", "abstractproperty", "classproperty", "lazy_property"})
_ACCESSOR_PARTS = frozenset({"setter", "getter", "deleter"})
_ACCESSOR = int(SymbolFlag.ACCESSOR)
_APPLY = int(Op.APPLY)
_ARG = int(Op.ARG)
_ASYNC = int(SymbolFlag.ASYNC)
_CLASS = int(SourceKind.CLASS)
_CONSTRUCTORS = frozenset({"__init__", "__new__"})
_CLASS_METHOD = int(SymbolFlag.CLASS_METHOD)
_CLASS_SCOPE = int(ScopeKind.CLASS)
_FUNCTION_SCOPE = int(ScopeKind.FUNCTION)
_GENERATOR = int(SymbolFlag.GENERATOR)
_OPAQUE = int(SourceKind.OPAQUE)
_SELF = int(SourceKind.SELF)
_STATIC = int(SymbolFlag.STATIC)
_SYMBOL = int(SourceKind.SYMBOL)


def function(w: Walk, node: Node) -> int:
    define_function(w, node, [], node)
    return NONE


def define_function(w: Walk, node: Node, decorators: list[Node], whole: Node) -> None:
    parts = Parts(node)
    b = w.b
    name = "" if parts.name is None else w.text(parts.name)
    if parts.name is None or not name:
        visit_children(w, node)
        return
    start = head = whole.start_byte
    if parts.errors:
        start = head = broken_header(w, node)
    elif decorators:
        head = node.start_byte
    namespace = b.function_scope()
    is_method = namespace.kind == _CLASS_SCOPE
    marks = marks_of(w, decorators)
    flags = flags_of(name, marks, namespace)
    if node.children[0].type == "async":
        flags |= _ASYNC
    outer = w.place
    symbol = outer.functions.get(name, NONE)
    is_accessor = bool(marks & _ACCESSORS) and is_method
    grows = symbol != NONE and (symbol in outer.overload_types or bool(marks & _ACCESSOR_PARTS))
    if grows:
        b.extend_span(symbol, node.end_byte)
    else:
        symbol = b.symbol(
            name,
            function_kind(namespace, is_accessor=is_accessor),
            parent=namespace.owner,
            at=parts.name.start_byte,
            start=start,
            end=node.end_byte,
            flags=flags | (_ACCESSOR if is_accessor else 0),
            signature=header(w, node, parts.body, start=head),
            doc=docstring(w.source, parts.body),
        )
        if is_accessor or "overload" in marks:
            outer.functions[name] = symbol
        else:
            outer.functions.pop(name, None)
    owner, scope = b.owner, b.scope
    b.owner = symbol
    decorate(w, symbol, decorators)
    if parts.type_parameters is not None:
        open_type_parameters(w, parts.type_parameters)
    parameters = [] if parts.parameters is None else visit_parameters(w, parts.parameters)
    result = NONE if parts.result is None else w.type(parts.result)
    if not grows:
        b.bind(name, _SYMBOL, symbol, scope=namespace)  # its header is read before it is bound
    if is_method and result != NONE and parameters and _is_own_type(w, parameters[0].type, result):
        result = b.literal("Self")
    _state_result(w, outer, symbol, result, marks)
    place = w.place = _function_place(outer)
    b.open_scope(_FUNCTION_SCOPE, symbol)
    receiver = _receiver_kind(flags) if is_method else None
    bind_parameters(w, parameters, symbol, receiver)
    if not grows and (result != NONE or name in _CONSTRUCTORS):
        _state_parameters(w, symbol, parameters[receiver is not None :])
    if parts.body is not None:
        w.block(parts.body)
    if not marks & _ACCESSOR_PARTS:
        _add_results(w, symbol, place)
    w.place = outer
    b.owner, b.scope = owner, scope


def _receiver_kind(flags: int) -> int | None:
    """What the first parameter of a method holds; None when it is a parameter like others."""
    if flags & _STATIC:
        return None
    return _CLASS if flags & _CLASS_METHOD else _SELF


def _is_own_type(w: Walk, receiver: int, result: int) -> bool:
    """Whether a method states the type variable of its receiver (`self: T`, `cls: type[T]`) as its result."""
    if receiver == NONE:
        return False
    if receiver == result:
        return True
    b = w.b
    op, _, arguments = b.exprs[receiver]
    return op == _APPLY and arguments != NONE and b.exprs[arguments] == (_ARG, result, NONE)


def _state_parameters(w: Walk, symbol: int, parameters: list[Parameter]) -> None:
    """Tells the stated types of parameters, up to the last one, where what a call gives may depend on them."""
    typed = [position for position, parameter in enumerate(parameters) if parameter.type != NONE]
    for parameter in parameters[: typed[-1] + 1 if typed else 0]:
        w.b.parameter(symbol, parameter.name or None, parameter.type)


def _function_place(outer: Place) -> Place:
    place = Place()
    place.class_symbol = outer.class_symbol
    place.members = outer.members
    place.receiver = outer.receiver
    return place


def _state_result(w: Walk, outer: Place, symbol: int, result: int, marks: set[str]) -> None:
    """The stated result; overloads state several, and then the implementation's own says nothing more."""
    b = w.b
    if "overload" in marks:
        result = outer.overload_types[symbol] = b.union(outer.overload_types.get(symbol, NONE), result)
    elif outer.overload_types.pop(symbol, NONE) != NONE or marks & _ACCESSOR_PARTS:
        return
    if result != NONE:
        b.set_type(symbol, result)


def _add_results(w: Walk, symbol: int, place: Place) -> None:
    if place.is_generator:
        w.b.add_flags(symbol, _GENERATOR)
    results = dict.fromkeys(place.yields if place.is_generator else place.returns)
    results.pop(NONE, None)
    for value in list(results)[:_RETURNS_MAX]:
        w.b.add_value(symbol, value)


def lambda_(w: Walk, node: Node) -> int:
    """A lambda that no name is given to: what is in it belongs to the definition around it."""
    _lambda_body(w, node, None)
    return NONE


def define_lambda(w: Walk, node: Node, name: str, statement: Node) -> int:
    """A lambda that an assignment names: a function."""
    b = w.b
    namespace = b.function_scope()
    symbol = b.symbol(
        name,
        function_kind(namespace, is_accessor=False),
        parent=namespace.owner,
        at=statement.start_byte,
        start=statement.start_byte,
        end=statement.end_byte,
        flags=flags_of(name, set(), namespace),
        signature=b.text(statement.start_byte, min(statement.end_byte, statement.start_byte + SIGNATURE_MAX_BYTES)),
    )
    b.bind(name, _SYMBOL, symbol, scope=namespace)
    with b.definition(symbol):
        _lambda_body(w, node, symbol)
    return b.expr(Op.SYMBOL, symbol)


def _lambda_body(w: Walk, node: Node, symbol: int | None) -> None:
    b = w.b
    children = node.named_children
    has_parameters = bool(children) and children[0].type == "lambda_parameters"
    parameters = visit_parameters(w, children[0]) if has_parameters else []
    outer, scope = w.place, b.scope
    namespace = b.function_scope()
    place = w.place = _function_place(outer)
    b.open_scope(_FUNCTION_SCOPE, b.owner)
    if symbol is None:
        for parameter in parameters:
            if parameter.name:
                b.bind(parameter.name, _OPAQUE)
    else:
        bind_parameters(w, parameters, symbol, _SELF if namespace.kind == _CLASS_SCOPE else None)
    for child in children[1:] if has_parameters else children:
        value = w.value(child)
        if symbol is not None and child.type != "comment":
            place.returns.append(value)
    if symbol is not None:
        _add_results(w, symbol, place)
    w.place, b.scope = outer, scope
