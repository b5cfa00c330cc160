"""Parameters: what they are called, what they hold, and what a function's place says that it will be given."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from codemap.fact_building.builder import NONE
from codemap.facts import Op, SourceKind
from codemap.languages.ecmascript.definitions import properties
from codemap.languages.ecmascript.definitions.patterns import destructure, local
from codemap.languages.ecmascript.walk import Walk

if TYPE_CHECKING:
    from tree_sitter import Node

_ARGUMENT = "arguments[{}]"
"""Hidden name of a parameter that is a pattern; no identifier has brackets."""


class Given(NamedTuple):
    """What the place of a function expression says about its arguments."""

    values: tuple[int, ...] = ()
    """Values by position, NONE where one is not known."""
    wanted: int = NONE
    """A function of the type that the place asks for."""


NOTHING_GIVEN = Given()


def parameters(w: Walk, node: Node, symbol: int, given: Given) -> None:
    """Binds the parameters of a function in the current scope."""
    found = node.child_by_field_name("parameters")
    if found is not None:
        bind_parameters(w, found, symbol, given)
        return
    single = node.child_by_field_name("parameter")
    if single is not None:
        _parameter(w, single, symbol, 0, given)


def bind_parameters(w: Walk, node: Node, symbol: int, given: Given = NOTHING_GIVEN) -> None:
    """Binds the parameters in parentheses. Of overloads, the first signature's types are the function's."""
    comment, decorator = w.kinds.COMMENT, w.kinds.DECORATOR
    owner = NONE if symbol in w.parametrized else symbol
    position = 0
    for child in node.named_children:
        kind = child.kind_id
        if kind == decorator:
            w.value(child)
        elif kind != comment:
            name, type_ = _parameter(w, child, symbol, position, given)
            if name != "this":
                position += 1
                if owner != NONE:
                    w.b.parameter(owner, name or None, type_)
    if position:
        w.parametrized.add(symbol)


def _parameter(w: Walk, node: Node, symbol: int, position: int, given: Given) -> tuple[str, int]:
    """Binds one parameter; returns its name, empty for a pattern, and its stated type."""
    b, k = w.b, w.kinds
    pattern, default, type_ = node, NONE, NONE
    if node.type in ("required_parameter", "optional_parameter"):
        found = node.child_by_field_name("pattern")
        if found is None:
            w.value(node)
            return "", NONE
        pattern = found
        children = node.named_children
        if len(children) > 1:
            for child in children:
                if child.kind_id == k.DECORATOR:
                    w.value(child)
            type_node = node.child_by_field_name("type")
            type_ = NONE if type_node is None else w.value(type_node)
            default = w.field(node, "value")
        if symbol != NONE and pattern.kind_id == k.IDENTIFIER and _is_property(node):
            properties.of_parameter(w, node, pattern, b.parent_of(symbol), type_)
    elif node.kind_id == k.ASSIGNMENT_PATTERN:
        default = w.field(node, "right")
        pattern = node.child_by_field_name("left") or node
    kind = pattern.kind_id
    if kind == k.THIS:
        w.this = b.wrap(Op.INSTANCE, type_)
        return "this", type_
    if kind == k.IDENTIFIER:
        name = stated_name = w.text(pattern)
        if type_ == NONE and symbol in w.tags:
            type_ = w.documented_type(w.tags[symbol].parameters.get(name, NONE))
    elif kind == k.REST_PATTERN and pattern.named_children:
        name = stated_name = w.text(pattern.named_children[0])
        position = ~position
    else:
        name, stated_name = _ARGUMENT.format(position), ""
        destructure(w, pattern, b.name(name), local(w, b.scope))
    _bind(w, name, symbol, position, given, type_)
    if default != NONE:
        b.bind(name, SourceKind.VALUE, default)
    return stated_name, type_


def _bind(w: Walk, name: str, symbol: int, position: int, given: Given, type_: int) -> None:
    b = w.b
    values, wanted = given
    if type_ != NONE:
        b.bind(name, SourceKind.TYPED, type_)
    elif 0 <= position < len(values) and values[position] != NONE:
        b.bind(name, SourceKind.VALUE, values[position])
    elif wanted != NONE and position >= 0:
        b.bind(name, SourceKind.VALUE, b.expr(Op.PARAM, wanted, position))
    elif symbol == NONE:
        b.bind(name, SourceKind.OPAQUE)
    if symbol != NONE:
        b.bind(name, SourceKind.PARAMETER, symbol, position)


def _is_property(node: Node) -> bool:
    """Whether a parameter has a modifier (`private`, `readonly`, …) that makes it a field."""
    for child in node.children:
        kind = child.type
        if kind in ("accessibility_modifier", "override_modifier", "readonly"):
            return True
        if kind != "decorator":
            return False
    return False
