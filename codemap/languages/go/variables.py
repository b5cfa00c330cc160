"""Variables and constants: what declares them, and what they hold by their type or their value.

A variable keeps the type of its declaration, so later assignments say nothing of it. One that is declared as a function
is a function of that name, and owns what is in it.

Source: The Go Programming Language Specification, "Variable declarations", "Short variable declarations", "Constant
declarations", "Assignment statements".
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from codemap.fact_building.builder import NONE
from codemap.fact_building.walk import children_of, visit_children
from codemap.facts import Op, SourceKind, SymbolKind, UseRole
from codemap.languages.go import types
from codemap.languages.go.definitions import body
from codemap.languages.go.walk import Walk, exported

if TYPE_CHECKING:
    from tree_sitter import Node

_COMMA_OK = frozenset({"index_expression", "type_assertion_expression", "unary_expression"})
"""Expressions with a second value that says whether there is a first."""


def values_of(w: Walk, nodes: list[Node], count: int, owners: Sequence[int] = ()) -> list[int]:
    """Visits the right side of a declaration of `count` names; gives what each gets. `owners`: symbols of the names, to
    which what is visited belongs."""
    found = []
    for at, node in enumerate(nodes):
        found.append(_within(w, owners[at if len(owners) == len(nodes) else 0] if owners else NONE, node))
    if len(found) == count:
        return found
    if len(found) == 1 and count > 1:
        if nodes[0].type in _COMMA_OK:
            return [found[0], *[NONE] * (count - 1)]
        return [w.b.wrap(Op.ITEM, found[0], position) for position in range(count)]
    return [NONE] * count


def _within(w: Walk, symbol: int, node: Node | None) -> int:
    """Visits what belongs to a symbol, where there is one."""
    with w.b.definition(w.b.owner if symbol == NONE else symbol):
        return w.value(node)


def list_expressions(node: Node | None) -> list[Node]:
    """The expressions of a list, or the one that is none: what `case v := <-ch` receives."""
    if node is None or node.type != "expression_list":
        return [] if node is None else [node]
    return children_of(node)


def variables(w: Walk, node: Node) -> int:
    """`var …`, or a group of them."""
    for child in node.named_children:
        if child.type == "var_spec":
            _spec(w, child, node.start_byte)
        elif child.type == "var_spec_list":
            for each in child.named_children:
                if each.type == "var_spec":
                    _spec(w, each, each.start_byte)
                else:
                    w.value(each)
        else:
            w.value(child)
    return NONE


def _spec(w: Walk, node: Node, start: int) -> None:
    names = [name for name in node.children_by_field_name("name") if name.type == "identifier"]
    given = list_expressions(node.child_by_field_name("value"))
    if len(names) == 1 and len(given) == 1 and given[0].type == "func_literal" and w.text(names[0]) != "_":
        w.field(node, "type")
        named_function(w, names[0], given[0], start, node.end_byte)
        return
    if _asserts(w, node, names, given):
        return
    symbols = _symbols(w, node, names, start)
    type_expr = _within(w, symbols[0], node.child_by_field_name("type")) if symbols else NONE
    values = values_of(w, given, len(names), symbols)
    for name_node, symbol, value in zip(names, symbols, values, strict=True):
        _declare(w, name_node, symbol, type_expr, value)


def _asserts(w: Walk, node: Node, names: list[Node], given: list[Node]) -> bool:
    """Visits `var _ I = (*T)(nil)`, `T{}`, `&T{}` or `new(T)`: T, a type of this file, is one that implements I."""
    stated = node.child_by_field_name("type")
    if stated is None or not w.is_top() or len(names) != 1 or len(given) != 1 or w.text(names[0]) != "_":
        return False
    known = w.types.get(_find_type_name(w, given[0])) if stated.type in types.NAMED else None
    if known is None:
        return False
    with w.b.definition(known.symbol):
        interface = types.visit_embedded(w, stated)
        w.b.use(UseRole.IMPLEMENTS, interface, types.last_name(stated).start_byte)
    w.value(given[0])
    return True


_AROUND_TYPE = ("unary_expression", "parenthesized_expression", "parenthesized_type", "pointer_type", "argument_list")


def _find_type_name(w: Walk, value: Node) -> str:
    """The name of the type that a plain value is stated to be of; empty for others."""
    node: Node | None = value
    while node is not None and node.type not in ("identifier", "type_identifier"):
        match node.type:
            case "composite_literal" | "type_conversion_expression" | "type_instantiation_expression" | "generic_type":
                node = node.child_by_field_name("type")
            case "index_expression":
                node = node.child_by_field_name("operand")
            case "call_expression":
                function, arguments = node.child_by_field_name("function"), node.child_by_field_name("arguments")
                is_new = function is not None and w.text(function) == "new" and arguments is not None
                node = arguments if is_new else function
            case kind if kind in _AROUND_TYPE:
                node = node.named_children[0] if node.named_children else None
            case _:
                return ""
    return "" if node is None else w.text(node)


def constants(w: Walk, node: Node) -> int:
    """A group of constants: a line without a value repeats the type and the value of the one before."""
    type_expr = NONE
    is_group = any(child.type == "(" for child in node.children)
    for child in node.named_children:
        if child.type != "const_spec":
            w.value(child)
            continue
        names = [name for name in child.children_by_field_name("name") if name.type == "identifier"]
        given = list_expressions(child.child_by_field_name("value"))
        symbols = _symbols(w, child, names, child.start_byte if is_group else node.start_byte)
        values = values_of(w, given, len(names), symbols)
        if given and symbols:
            type_expr = _within(w, symbols[0], child.child_by_field_name("type"))
        for name_node, symbol, value in zip(names, symbols, values, strict=True):
            _declare(w, name_node, symbol, type_expr, value)
    return NONE


def _symbols(w: Walk, node: Node, names: list[Node], start: int) -> list[int]:
    """A symbol for each name at the top level; NONE for those without one."""
    return [_symbol(w, node, name, start) if w.is_top() and w.text(name) != "_" else NONE for name in names]


def _symbol(w: Walk, node: Node, name_node: Node, start: int) -> int:
    name = w.text(name_node)
    return w.b.symbol(
        name,
        SymbolKind.VARIABLE,
        parent=w.b.file,
        at=name_node.start_byte,
        start=start,
        end=node.end_byte,
        flags=exported(name),
        signature=w.header(start, node.end_byte),
        doc=w.doc(start),
    )


def _declare(w: Walk, name_node: Node, symbol: int, type_expr: int, value: int) -> None:
    name, b = w.text(name_node), w.b
    if symbol == NONE:
        if not w.is_top():
            _bind(w, name, type_expr, value)
        return
    if type_expr != NONE:
        b.set_type(symbol, type_expr)
    elif value != NONE:
        b.add_value(symbol, value)
    b.bind(name, SourceKind.SYMBOL, symbol, scope=b.module)


def _bind(w: Walk, name: str, type_expr: int, value: int) -> None:
    if name == "_":
        return
    if type_expr != NONE:
        w.declare(name, SourceKind.TYPED, type_expr)
    elif value != NONE:
        w.declare(name, SourceKind.VALUE, value)
    else:
        w.declare(name, SourceKind.OPAQUE)


def named_function(w: Walk, name_node: Node, literal: Node, start: int, end: int) -> None:
    """`f := func(…) {…}` is a function of that name."""
    b = w.b
    name = w.text(name_node)
    block = literal.child_by_field_name("body")
    symbol = b.symbol(
        name,
        SymbolKind.FUNCTION,
        parent=b.owner,
        at=name_node.start_byte,
        start=start,
        end=end,
        flags=exported(name) if w.is_top() else 0,
        signature=w.header(start, end if block is None else block.start_byte),
        doc=w.doc(start) if w.is_top() else "",
    )
    w.declare(name, SourceKind.SYMBOL, symbol)
    body(w, literal, symbol, None)


def declare_short(w: Walk, node: Node) -> int:
    """`a, b := …`: declares those names that the block does not have yet."""
    left, right = (
        list_expressions(node.child_by_field_name("left")),
        list_expressions(node.child_by_field_name("right")),
    )
    if len(left) == 1 and len(right) == 1 and right[0].type == "func_literal" and left[0].type == "identifier":
        named_function(w, left[0], right[0], node.start_byte, node.end_byte)
        return NONE
    values = values_of(w, right, len(left))
    for target, value in zip(left, values, strict=True):
        if target.type == "identifier":
            _bind(w, w.text(target), NONE, value)
        else:
            w.value(target)
    return NONE


def declare_received(w: Walk, node: Node) -> int:
    """`case v, ok := <-ch`."""
    if any(child.type == ":=" for child in node.children):
        return declare_short(w, node)
    return visit_children(w, node)


def declare_range(w: Walk, node: Node) -> int:
    """`for k, v := range x`: one variable gets what iterating gives, the second what indexing does."""
    b = w.b
    whole = w.field(node, "right")
    left = list_expressions(node.child_by_field_name("left"))
    values = [b.wrap(Op.ITER, whole), b.wrap(Op.INDEX, whole)]
    is_new = any(child.type == ":=" for child in node.children)
    for target, value in zip(left, values, strict=False):
        if is_new and target.type == "identifier":
            _bind(w, w.text(target), NONE, value)
        else:
            w.value(target)
    return NONE
