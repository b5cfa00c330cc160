"""Parameters and type parameters: their names, stated types and defaults.

Source: the Python Language Reference, 8.7 and 8.10.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from codemap.fact_building.builder import NONE
from codemap.fact_building.walk import children_of
from codemap.facts import BY_NAME, Op, ScopeKind, SourceKind
from codemap.languages.python.walk import Walk

if TYPE_CHECKING:
    from tree_sitter import Node


_BLOCK_SCOPE = int(ScopeKind.BLOCK)
_PARAMETER = int(SourceKind.PARAMETER)
_TYPED = int(SourceKind.TYPED)
_TYPE_PARAMETER = int(SourceKind.TYPE_PARAMETER)
_VALUE = int(SourceKind.VALUE)
_REST = ("list_splat_pattern", "dictionary_splat_pattern")


class Parameter:
    """One parameter: its name, what it is bound to, and its default where that says something."""

    __slots__ = ("default", "is_by_name", "is_rest", "name", "type")

    def __init__(self, name: str, type_: int, default: int, *, is_rest: bool = False) -> None:
        self.name = name
        self.type = type_
        self.default = default
        self.is_rest = is_rest
        """Whether it takes all further arguments."""
        self.is_by_name = False
        """Whether it is given by name alone."""


def visit_parameters(w: Walk, node: Node) -> list[Parameter]:
    """Visits annotations and defaults, in the scope around the definition."""
    listed = w.chars[node.start_byte + 1 : node.end_byte - 1]
    if listed.isascii() and listed.replace(", ", "").isidentifier() and node.kind_id == w.kinds.parameters:
        return [Parameter(name, NONE, NONE) for name in listed.split(", ")]
    found: list[Parameter] = []
    b = w.b
    positional = -1
    for child in node.named_children:
        match child.type:
            case "identifier":
                found.append(Parameter(w.text(child), NONE, NONE))
            case "typed_parameter" | "typed_default_parameter":
                target = child.named_children[0]
                stated = child.child_by_field_name("type")
                type_ = NONE if stated is None else w.type(stated)
                if target.type == "list_splat_pattern":
                    type_ = b.apply(b.expr(Op.GLOBAL, b.intern("tuple")), [type_, NONE]) if type_ != NONE else NONE
                elif target.type == "dictionary_splat_pattern":
                    type_ = b.apply(b.expr(Op.GLOBAL, b.intern("dict")), [NONE, type_]) if type_ != NONE else NONE
                if child.type == "typed_default_parameter":
                    w.value(child.named_children[-1])
                is_rest = target.type in _REST
                found.append(Parameter(_parameter_name(w, target), type_, NONE, is_rest=is_rest))
            case "default_parameter":
                value_node = child.named_children[-1]
                value = w.value(value_node)
                is_plain = value_node.type in ("call", "identifier", "attribute")
                found.append(Parameter(_parameter_name(w, child.children[0]), NONE, value if is_plain else NONE))
            case "list_splat_pattern" | "dictionary_splat_pattern" | "tuple_pattern":
                found.append(Parameter(_parameter_name(w, child), NONE, NONE, is_rest=child.type in _REST))
            case "keyword_separator":
                positional = len(found)
            case "ERROR":
                w.value(child)
            case _:
                pass
        if positional < 0 and found and found[-1].is_rest:
            positional = len(found)
    for parameter in found[positional:] if positional >= 0 else ():
        parameter.is_by_name = True
    return found


def _parameter_name(w: Walk, node: Node) -> str:
    if node.type != "identifier":
        inner = node.named_children
        return w.text(inner[-1]) if inner else ""
    return w.text(node)


def bind_parameters(w: Walk, parameters: list[Parameter], symbol: int, receiver: int | None) -> None:
    b = w.b
    place = w.place
    for position, parameter in enumerate(parameters):
        name = parameter.name
        if not name:
            continue
        if position == 0 and receiver is not None:
            place.receiver = name.encode()
            b.bind(name, receiver, place.class_symbol)
            continue
        if name.encode() == place.receiver:
            place.receiver = b""
        if parameter.type != NONE:
            b.bind(name, _TYPED, parameter.type)
            if parameter.is_rest:
                continue
        given = (position if receiver is None else position - 1) + BY_NAME * parameter.is_by_name
        b.bind(name, _PARAMETER, symbol, ~given if parameter.is_rest else given)
        if parameter.default != NONE:
            b.bind(name, _VALUE, parameter.default)


def open_type_parameters(w: Walk, node: Node) -> None:
    """Opens a block scope with the type parameters of the definition that owns what is visited."""
    b = w.b
    scope = b.open_scope(_BLOCK_SCOPE, b.scope.owner)
    listed = children_of(node)
    for position, child in enumerate(listed):
        inner = child.named_children[0] if child.type == "type" and child.named_children else child
        bound = NONE
        if inner.type == "constrained_type":
            name_node, *bounds = inner.named_children
            for bound_node in bounds:
                bound = w.type(bound_node)
            inner = name_node.named_children[0] if name_node.named_children else name_node
        elif inner.type == "splat_type":
            inner = inner.children[-1]
        if inner.type == "identifier":
            b.bind(w.text(inner), _TYPE_PARAMETER, b.owner, position, scope=scope)
            if bound != NONE:
                b.bind(w.text(inner), _VALUE, bound, scope=scope)
