"""Expressions that C does not have, and names that may be members.

Source: ISO/IEC 14882:2020, 7 "Expressions", 8 "Statements".
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from codemap.fact_building.builder import NONE
from codemap.fact_building.walk import children_of, visit_children
from codemap.facts import Op, SourceKind, SymbolKind, UseRole
from codemap.languages.c import declarators, expressions
from codemap.languages.c.keywords import MACRO_NAME
from codemap.languages.c.standard import GIVE_BACK, HOLDERS_GIVE
from codemap.languages.c.walk import Walk
from codemap.languages.cpp import names, operators
from codemap.languages.cpp.walk import CppWalk

if TYPE_CHECKING:
    from tree_sitter import Node

_CALL = int(UseRole.CALL)
_READ = int(UseRole.REFERENCE)
_CASTS = frozenset({"static_cast", "dynamic_cast", "reinterpret_cast", "const_cast"})
_MACRO = re.compile(MACRO_NAME)
_MAKERS = frozenset({"make_unique", "make_shared"})
_POINTER_CASTS = frozenset({"dynamic_pointer_cast", "static_pointer_cast"})


def identifier(w: Walk, node: Node) -> int:
    assert isinstance(w, CppWalk)
    meant = w.bare(w.text(node))
    w.b.use(_READ, meant, node.start_byte)
    return meant


def this(w: Walk, _node: Node) -> int:
    assert isinstance(w, CppWalk)
    return w.this()


def call(w: Walk, node: Node) -> int:
    assert isinstance(w, CppWalk)
    function, arguments = node.child_by_field_name("function"), node.child_by_field_name("arguments")
    if function is None or arguments is None:
        return visit_children(w, node)
    b = w.b
    match function.type:
        case "identifier":
            listed = children_of(arguments)
            called = w.text(function)
            given = (
                _macro_arguments(w, listed)
                if _MACRO.fullmatch(called)
                else [operators.operand(w, child) for child in listed]
            )
            return _called(w, function, w.bare(called), given)
        case "template_function":
            called = w.text(names.strip_arguments(function))
            stated = names.arguments(w, function)
            if called in _CASTS or called in _POINTER_CASTS or called in _MAKERS:
                return _made(w, function, stated, arguments)
            given = _all_given(w, arguments)
            callee = w.choose(b.apply_known(w.bare(called), stated), given)
            b.use(_CALL, callee, function.start_byte)
            return b.call(callee, given)
        case "qualified_identifier":
            last = names.split_name(function)[-1]
            if w.text(names.strip_arguments(last)) in _MAKERS | _POINTER_CASTS:
                return _made(w, last, names.arguments(w, last), arguments)
            given = _all_given(w, arguments)
            callee = names.use_name(w, function, _CALL, given)
            is_same = len(given) == 1 and w.text(function).partition("<")[0] in GIVE_BACK
            return given[0] if is_same else b.call(callee, given)
        case "field_expression" if (found := _field(w, function)) is not None:
            name, stated = found
            value = w.field(function, "argument")
            operators.arrow(w, function, value)
            given = _all_given(w, arguments)
            if value == NONE:
                return NONE
            callee = w.choose(b.apply_known(b.attribute(value, w.text(name)), stated), given)
            b.use(_CALL, callee, name.start_byte)
            result = b.call(callee, given)
            return b.either(result, value) if not given and w.text(name) in HOLDERS_GIVE else result
        case "primitive_type":
            _all_given(w, arguments)
            return w.value(function)
        case _:
            return expressions.call(w, node)


def _made(w: CppWalk, function: Node, stated: list[int], arguments: Node) -> int:
    """A value of the type that a cast states, or that a function is stated to make."""
    if stated and w.text(names.strip_arguments(function)) in _MAKERS:
        w.make(names.first_type(function), stated[0])
    visit_children(w, arguments)
    return w.b.wrap(Op.INSTANCE, stated[0]) if stated else NONE


def _all_given(w: CppWalk, arguments: Node) -> list[int]:
    return [operators.operand(w, child) for child in children_of(arguments)]


def _called(w: CppWalk, function: Node, callee: int, given: list[int], receiver: int = NONE) -> int:
    """A call by a plain name, which may be one of a member of `receiver` where nothing binds it."""
    callee = w.choose(callee, given)
    if receiver != NONE:
        callee = w.b.either(callee, w.b.attribute(receiver, w.text(function)))
    w.b.use(_CALL, callee, function.start_byte)
    return w.b.call(callee, given)


def _macro_arguments(w: CppWalk, nodes: list[Node]) -> list[int]:
    """Visits what a macro is called with: it may call what is named behind a value on that (`EXPECT_CALL(x, f())`)."""
    given: list[int] = []
    for node in nodes:
        function, arguments = node.child_by_field_name("function"), node.child_by_field_name("arguments")
        is_plain = node.type == "call_expression" and function is not None and function.type == "identifier"
        if given and given[0] != NONE and is_plain and function is not None and arguments is not None:
            listed = _all_given(w, arguments)
            given.append(_called(w, function, w.bare(w.text(function)), listed, given[0]))
        else:
            given.append(operators.operand(w, node))
    return given


def _field(w: CppWalk, node: Node) -> tuple[Node, list[int]] | None:
    """The plain name of a member, and the arguments of one that is a template (`x.f<T>`, `x.template f<T>`)."""
    name = node.child_by_field_name("field")
    if name is not None and name.type == "dependent_name" and name.named_children:
        name = name.named_children[-1]
    stated: list[int] = []
    if name is not None and name.type == "template_method":
        stated = names.arguments(w, name)
        name = name.child_by_field_name("name")
    return (name, stated) if name is not None and name.type == "field_identifier" else None


def field(w: Walk, node: Node) -> int:
    """`x.a`, `x->a`."""
    assert isinstance(w, CppWalk)
    name = node.child_by_field_name("field")
    value = w.field(node, "argument")
    operators.arrow(w, node, value)
    if name is None or value == NONE:
        return NONE
    value = w.b.attribute(value, w.text(name))
    w.b.use(_READ, value, name.start_byte)
    return value


def new(w: Walk, node: Node) -> int:
    """`new T(…)` calls the class; `new (where) T`, `new T[count]`."""
    assert isinstance(w, CppWalk)
    for field in ("placement", "declarator"):
        if (child := node.child_by_field_name(field)) is not None:
            visit_children(w, child)
    type_node = node.child_by_field_name("type")
    value = w.value(type_node)
    if type_node is not None:
        last = names.strip_arguments(names.split_name(type_node)[-1])
        w.b.use(_CALL, value, last.start_byte)
    arguments = node.child_by_field_name("arguments")
    return w.b.wrap(Op.ADDRESS, w.b.call(value, [] if arguments is None else _all_given(w, arguments)))


def lambda_(w: Walk, node: Node) -> int:
    """A function without a name: what it uses belongs to the definition around it."""
    with w.function(w.b.owner):
        declarator = node.child_by_field_name("declarator")
        parameters = declarator.child_by_field_name("parameters") if declarator is not None else None
        _bind(w, parameters)
        w.visit_behind(parameters)
        for field in ("captures", "body"):
            w.field(node, field)
    return NONE


def _bind(w: Walk, node: Node | None) -> None:
    for name, type_expr in declarators.parameters(w, node):
        if name is not None:
            w.b.bind_typed(w.text(name), type_expr)


def catch(w: Walk, node: Node) -> int:
    with w.block():
        for name, type_expr in declarators.parameters(w, node.child_by_field_name("parameters")):
            if name is not None:
                declarators.bind(w, w.text(name), type_expr, NONE)
        w.field(node, "body")
    return NONE


def for_range(w: Walk, node: Node) -> int:
    """`for (T x : xs)`: without a stated type, x is what iterating gives."""
    assert isinstance(w, CppWalk)
    with w.block():
        stated = w.field(node, "type")
        value = w.b.wrap(Op.ITER, operators.iterated(w, node))
        declared = declarators.read(w, node.child_by_field_name("declarator"))
        if declared.name is not None:
            declarators.bind(w, w.text(declared.name), stated, value)
        elif declared.parts is not None:
            declarators.bind_parts(w, declared.parts, value)
        w.field(node, "body")
    return NONE


def alias(w: Walk, node: Node) -> int:
    """`using T = …`."""
    name_node = node.child_by_field_name("name")
    if name_node is None:
        return w.field(node, "type")
    name = w.text(name_node)
    symbol = w.define(name, SymbolKind.TYPE_ALIAS, node, name_node, flags=w.shared())
    w.own_parameters(symbol)
    with w.b.definition(symbol):
        type_expr = w.field(node, "type")
    w.declare(name, SourceKind.SYMBOL, symbol)
    if type_expr != NONE:
        w.b.set_type(symbol, type_expr)
    return NONE


def concept(w: Walk, node: Node) -> int:
    """`concept Big = …`, whose parameters are those of the template around."""
    name_node = node.child_by_field_name("name")
    if name_node is None:
        return visit_children(w, node)
    name = w.text(name_node)
    symbol = w.define(name, SymbolKind.TYPE_ALIAS, node, name_node, flags=w.shared())
    w.own_parameters(symbol)
    w.declare(name, SourceKind.SYMBOL, symbol)
    with w.b.definition(symbol):
        for child in node.named_children:
            if child != name_node:
                w.value(child)
    return NONE


def placeholder(w: Walk, node: Node) -> int:
    """`Big auto`: a type that is not stated."""
    w.field(node, "constraint")
    return NONE
