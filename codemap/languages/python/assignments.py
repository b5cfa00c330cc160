"""Assignment statements: symbols at the top of modules and in class bodies, local bindings in functions.

The value of a variable belongs to the variable: a call in it is made by the variable's definition.

Source: the Python Language Reference, 7.2, and PEP 526, 613, 695.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from codemap.fact_building.builder import NONE, Scope
from codemap.fact_building.walk import visit_children
from codemap.facts import Op, ScopeKind, SourceKind, SymbolKind
from codemap.languages.python import special_methods as special
from codemap.languages.python.annotations import visit_stated
from codemap.languages.python.definitions.functions import define_lambda
from codemap.languages.python.definitions.parameters import open_type_parameters
from codemap.languages.python.exports import export_all
from codemap.languages.python.targets import (
    assign,
    assign_attribute,
    bind_type,
    bind_value,
    defer,
    define_variable,
    exported,
    rebind,
    rebind_inside,
)
from codemap.languages.python.walk import Walk

if TYPE_CHECKING:
    from tree_sitter import Node

_BLOCK, _CLASS, _FUNCTION = int(ScopeKind.BLOCK), int(ScopeKind.CLASS), int(ScopeKind.FUNCTION)
_TOLD_BY_TYPE = (int(Op.LITERAL), int(Op.CONTAINER), int(Op.TUPLE))
"""Values of which a stated type says all that there is to know."""


def assignment(w: Walk, node: Node) -> int:
    """`target = … = value`, `target: type = value`; returns the value, for the target to the left."""
    left, *rest = node.children
    right = type_node = None
    for child in rest:
        if not child.is_named:
            continue
        kind = child.kind_id
        if kind == w.kinds.type:
            type_node = child
        elif kind != w.kinds.comment:
            right = child
    b = w.b
    scope = b.function_scope()
    if left.type == "identifier":
        name = w.text(left)
        if right is not None and right.type == "lambda":
            return define_lambda(w, right, name, node)
        if scope.kind != _FUNCTION:
            return _define(w, left, name, node, right, type_node)
        type_ = NONE if type_node is None else visit_stated(w, type_node)
        value = NONE if right is None else w.value(right)
        if name in w.place.globals:
            defer(w.global_names, name, left, node, value, type_)
        if type_node is None or (type_ == NONE and value != NONE):
            if not rebind(w, name, value, scope):
                bind_value(w, name, value, scope)
                rebind_inside(w, name, value, scope)
        else:
            bind_type(w, name, type_, scope)
            if value != NONE and b.exprs[value][0] not in _TOLD_BY_TYPE:
                bind_value(w, name, value, scope)
        return value
    value = NONE if right is None else w.value(right)
    if left.type == "attribute":
        assign_attribute(w, left, value, NONE if type_node is None else visit_stated(w, type_node))
    elif scope.kind != _FUNCTION:
        _define_each(w, left, value, node)
    else:
        assign(w, left, value, scope)
    return value


def augmented(w: Walk, node: Node) -> int:
    """`x += e` reads x and may bind it; its type stays."""
    left, operator, *_, right = node.children
    target = w.value(left)
    value = w.value(right)
    methods = special.AUGMENTED.get(operator.type)
    if methods is not None:
        w.b.operate(target, methods, operator.start_byte)
    if left.type == "identifier":
        if w.b.scope is w.b.module and w.text(left) == "__all__":
            export_all(w, right)
        elif w.b.function_scope().kind == _FUNCTION:
            bind_value(w, w.text(left), value, w.b.function_scope())
    return NONE


def _define(w: Walk, left: Node, name: str, node: Node, right: Node | None, type_node: Node | None) -> int:
    """Defines a variable of the module or a property of the class, and visits its value as its own."""
    b = w.b
    is_alias = type_node is not None and w.text(type_node).rpartition(".")[2] == "TypeAlias"
    around = _around(w, name, right)
    symbol = define_variable(w, left, name, node, SymbolKind.TYPE_ALIAS if is_alias else None)
    if symbol == NONE:
        type_ = NONE if type_node is None else visit_stated(w, type_node)
        value = NONE if right is None else w.value(right)
        bind_type(w, name, type_, b.function_scope())
        bind_value(w, name, value, b.function_scope())
        return value
    owner = b.owner
    b.owner = symbol
    type_ = NONE if type_node is None else visit_stated(w, type_node)
    if is_alias:
        value = NONE
        b.set_type(symbol, NONE if right is None else w.type(right))
    else:
        scope = b.scope
        if around is not None:
            b.open_scope(_BLOCK, scope.owner).aliases = {b.intern(name): around}
        value = NONE if right is None else w.value(right)
        b.scope = scope
        if type_ != NONE:
            b.set_type(symbol, type_)
    b.add_value(symbol, value)
    b.owner = owner
    if name == "__all__" and b.scope is b.module and right is not None:
        export_all(w, right)
    return value


def _around(w: Walk, name: str, right: Node | None) -> Scope | None:
    """Where the name that the first assignment of a class body gives is looked up in its own value (`Node = Node`)."""
    scope = w.b.scope
    number = w.b.intern(name)
    if scope.kind != _CLASS or right is None or number in scope.sources or name not in w.text(right):
        return None
    outer = scope.parent
    while outer is not None and (outer.kind == _CLASS or number not in outer.sources):
        outer = outer.parent
    return outer or w.b.module


def _define_each(w: Walk, left: Node, value: int, node: Node) -> None:
    """Defines the names of a destructuring assignment at the top of a module or class."""
    b = w.b
    match left.type:
        case "identifier":
            symbol = define_variable(w, left, w.text(left), node)
            if symbol == NONE:
                bind_value(w, w.text(left), value, b.function_scope())
            else:
                b.add_value(symbol, value)
        case "pattern_list" | "tuple_pattern" | "list_pattern":
            for index, child in enumerate(child for child in left.named_children if child.type != "comment"):
                _define_each(w, child, b.wrap(Op.ITEM, value, index), node)
        case _:
            assign(w, left, value, b.function_scope())


def type_alias(w: Walk, node: Node) -> int:
    """`type X[T] = value`; the value is an expression that states a type."""
    sides = [child for child in node.named_children if child.type == "type"]
    head = sides[0].named_children[0] if len(sides) == 2 and sides[0].named_children else None
    if head is None:
        return visit_children(w, node)
    b = w.b
    name_node = head if head.type == "identifier" else head.children[0]
    name = w.text(name_node)
    scope = b.function_scope()
    symbol = b.symbol(
        name,
        SymbolKind.TYPE_ALIAS,
        parent=scope.owner if scope.kind != _FUNCTION else b.owner,
        at=name_node.start_byte,
        start=node.start_byte,
        end=node.end_byte,
        flags=exported(name),
        signature=w.text(node),
    )
    b.bind(name, SourceKind.SYMBOL, symbol, scope=scope)
    with b.definition(symbol):
        if head.type == "generic_type":
            open_type_parameters(w, head.children[-1])
        b.set_type(symbol, w.type(sides[1]))
    return NONE
