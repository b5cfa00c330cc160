"""Assignments: what becomes of the places that get a value.

Source: the Ruby documentation, "Assignment".
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from codemap.fact_building.builder import NONE
from codemap.fact_building.walk import visit_children
from codemap.facts import Op, SourceKind, SymbolFlag, SymbolKind, UseRole
from codemap.languages.ruby import definitions
from codemap.languages.ruby.builtins import ARRAY
from codemap.languages.ruby.operators import operate
from codemap.languages.ruby.walk import CLASS, Class, Walk, local, own_name

if TYPE_CHECKING:
    from tree_sitter import Node

_CALL = UseRole.CALL
_FIELDS = ("instance_variable", "class_variable")
_ASSIGNMENTS = ("assignment", "operator_assignment")


def assignment(w: Walk, node: Node) -> int:
    """`a = b`, `A = b`, `a, b = c`, `a.b = c`."""
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    if left is None or right is None:
        return visit_children(w, node)
    if left.type == "constant":
        return _constant(w, node, left, right)
    if left.type == "identifier" and not w.is_local(w.text(left)):
        w.flow.declare(local(w.text(left)), SourceKind.OPAQUE)  # `a = a` reads the variable
    value = w.value(right)
    assign(w, left, value)
    return value


def assign_operator(w: Walk, node: Node) -> int:
    """`a ||= b`, `a += b`."""
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    operator = node.child_by_field_name("operator")
    if left is None:
        return w.value(right)
    if left.type == "constant":
        return NONE if right is None else _constant(w, node, left, right)
    if left.type == "identifier" and not w.is_local(w.text(left)):
        w.flow.declare(local(w.text(left)), SourceKind.OPAQUE)
    before = w.variable(w.text(left)) if left.type in _FIELDS and _define_field(w, left) else w.value(left)
    value = w.value(right)
    if left.type == "call":
        assign(w, left, value, is_visited=True)
    if operator is None or operator.type not in ("||=", "&&="):
        if operator is not None:
            operate(w, before, operator.type[:-1], operator.start_byte)
        return NONE
    add(w, left, value)
    return w.b.union(before, value)


def assign_several(w: Walk, node: Node) -> int:
    """`a = b, c`."""
    return w.b.tuple_of([w.value(child) for child in node.named_children])


def assign(w: Walk, target: Node, value: int, *, is_visited: bool = False) -> None:
    """Assigns a value to a place; only what runs is reported where it is visited."""
    match target.type:
        case "identifier":
            w.flow.assign(local(w.text(target)), SourceKind.VALUE, value)
        case "instance_variable" | "class_variable":
            if w.classes and not _define_field(w, target):
                w.use(UseRole.REFERENCE, w.variable(w.text(target)), w.word_start(target))
            add(w, target, value)
        case "call":
            _written(w, target, is_visited)
        case "element_reference":
            whole_node = target.child_by_field_name("object")
            whole = w.value(whole_node)
            for child in target.named_children:
                if child != whole_node:
                    w.value(child)
            operate(w, whole, "[]=", target.start_byte if whole_node is None else whole_node.end_byte)
            if whole_node is not None and value != NONE:
                add(w, whole_node, w.b.container(ARRAY, value))
        case "left_assignment_list" | "destructured_left_assignment":
            for position, part in enumerate(target.named_children):
                assign(w, part, w.b.wrap(Op.ITEM, value, position))
        case "rest_assignment":
            for part in target.named_children:
                assign(w, part, NONE)
        case _:
            w.value(target)


def _written(w: Walk, target: Node, is_visited: bool) -> None:
    """`a.b = c` runs `b=`."""
    receiver, name = target.child_by_field_name("receiver"), target.child_by_field_name("method")
    if receiver is None or name is None:
        w.value(target)
        return
    of = _again(w, receiver) if is_visited else w.value(receiver)
    member = f"{w.text(name)}="
    is_own = receiver.type == "constant" or (receiver.type == "self" and w.context == CLASS)
    w.use(_CALL, w.member(of, own_name(member) if is_own else member), name.start_byte)


def _again(w: Walk, receiver: Node) -> int:
    """What a receiver is whose uses have been reported."""
    match receiver.type:
        case "self":
            return w.this()
        case "identifier" if w.is_local(w.text(receiver)):
            return w.b.name(local(w.text(receiver)))
        case "constant":
            return w.constant(w.text(receiver))
        case "instance_variable" | "class_variable":
            return w.variable(w.text(receiver))
        case _:
            return NONE


def add(w: Walk, target: Node, value: int) -> None:
    """A place may hold a value, beside others."""
    if value == NONE:
        return
    if target.type == "identifier" and w.is_local(w.text(target)):
        w.flow.add(local(w.text(target)), value)
    elif target.type in _FIELDS and not w.classes and w.groups:
        own, name = w.groups[-1], w.text(target)
        own[name] = w.b.union(own[name], value) if name in own else value
    elif target.type in _FIELDS and w.classes:
        name, cls = w.variable_name(w.text(target)), w.classes[-1]
        if name in cls.fields:
            w.b.add_value(cls.fields[name], value)
        else:
            w.b.member(cls.members, name, SourceKind.VALUE, value)
            cls.added[name] = w.b.union(cls.added.get(name, NONE), value)


def _define_field(w: Walk, target: Node) -> bool:
    """Makes what is assigned first in the body of a class a property of it; whether it was not one already."""
    if not w.classes:
        return False
    spelled, cls = w.text(target), w.classes[-1]
    name = w.variable_name(spelled)
    if name in cls.fields:
        return False
    is_own = name != spelled or spelled.startswith("@@")
    flags = SymbolFlag.STATIC if is_own else SymbolFlag(0)
    around = target.parent if target.parent is not None and target.parent.type in _ASSIGNMENTS else target
    symbol = cls.fields[name] = w.define(spelled, SymbolKind.PROPERTY, around, target, parent=cls.symbol, flags=flags)
    w.b.bind(name, SourceKind.SYMBOL, symbol, scope=cls.members)
    w.b.add_value(symbol, cls.added.get(name, NONE))
    return True


def _constant(w: Walk, node: Node, left: Node, right: Node) -> int:
    """`A = b`: a constant of the class around, or of the top; or a class."""
    if definitions.make_class(w, node, left, right):
        return NONE
    b = w.b
    cls: Class | None = w.classes[-1] if w.classes else None
    name = w.text(left)
    w.lists[name] = right
    symbol = w.define(
        name,
        SymbolKind.VARIABLE if cls is None else SymbolKind.PROPERTY,
        node,
        left,
        parent=b.file if cls is None else cls.symbol,
        flags=SymbolFlag.EXPORTED if cls is None else SymbolFlag.EXPORTED | SymbolFlag.STATIC,
    )
    b.bind(name, SourceKind.SYMBOL, symbol, scope=b.module if cls is None else cls.members)
    with b.definition(symbol):
        value = w.value(right)
        b.add_value(symbol, value)
    return value
