"""Calls of functions, methods, variants, tuple structs and macros.

Source: the Rust Reference, "Call expressions", "Method call expressions", "Macros".
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from codemap.fact_building.builder import NONE
from codemap.facts import EXPANSION, Op, UseRole
from codemap.languages.rust import closures, paths, results, tokens
from codemap.languages.rust.expressions import list_children
from codemap.languages.rust.macros import macro_uses, macro_values, programs
from codemap.languages.rust.walk import Walk
from codemap.mangled_names import mangle_method

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tree_sitter import Node

_CALL = int(UseRole.CALL)
_NOT_USED = ("expression_statement", "source_file", "declaration_list")
"""What holds macros whose value nobody takes."""
_CLOSURE = "closure_expression"
_CONVERSIONS = frozenset({"from", "try_from", "from_iter"})
"""Functions that a type has once for each type that it is made from."""


def call(w: Walk, node: Node) -> int:
    function, arguments = node.child_by_field_name("function"), list_children(node.child_by_field_name("arguments"))
    if function is None:
        return NONE
    kind = function.type
    if kind == "generic_function":
        inner = function.child_by_field_name("function")
        if inner is not None and inner.type == "field_expression":
            given = function.child_by_field_name("type_arguments")
            for child in given.named_children if given is not None else ():
                w.value(child)
            return _method(w, inner, arguments)
    if kind == "field_expression":
        return _method(w, function, arguments)
    if kind in ("identifier", "scoped_identifier", "generic_function"):
        return _path(w, function, arguments)
    callee = w.value(function)
    return w.b.call(callee, _given(w, callee, arguments))


def _given(w: Walk, callee: int, nodes: Sequence[Node]) -> list[int]:
    """Visits arguments; closures among them are called with what the callee wants of them, which the others may say."""
    b = w.b
    found = [NONE if node.type == _CLOSURE else w.value(node) for node in nodes]
    if any(node.type == _CLOSURE for node in nodes):
        wanted = b.overload(callee, found) if any(value != NONE for value in found) else callee
        for position, node in enumerate(nodes):
            if node.type == _CLOSURE:
                found[position] = closures.visit_expected(w, node, b.wrap(Op.SLOT, wanted, position))
    return found


def _method(w: Walk, function: Node, arguments: list[Node]) -> int:
    name_node = function.child_by_field_name("field")
    receiver = w.field(function, "value")
    if name_node is None:
        return NONE
    if receiver == NONE:
        receiver = w.unknown()
    name = w.text(name_node)
    callee = w.b.attribute(receiver, mangle_method(name))
    w.b.use(_CALL, callee, name_node.start_byte)
    return results.of_method(w, receiver, name, callee, _given(w, callee, arguments))


def _path(w: Walk, function: Node, arguments: list[Node]) -> int:
    nodes = paths.split_path(function).names
    names = [w.text(node) for node in nodes]
    is_conversion = len(names) > 1 and names[-1] in _CONVERSIONS
    may_vary = w.has_builds and _is_of_module(names) and not any(node.type == "attribute_item" for node in arguments)
    callee = paths.use_path(w, function, paths.HELD if is_conversion or may_vary else _CALL)
    given = _given(w, callee, arguments)
    programs.start(w, names[-1] if names else "", arguments, function.start_byte)
    if is_conversion:
        callee = w.b.overload(callee, given)
        w.b.use(_CALL, callee, nodes[-1].start_byte)
    elif may_vary:
        w.b.use(_CALL, w.b.overload(callee, given, is_counted=True), nodes[-1].start_byte)
    return results.of_path(w, names, callee, given)


def _is_of_module(names: Sequence[str]) -> bool:
    """Whether a path is one of a function, and not of a member of a type."""
    return bool(names) and not any(name[:1].isupper() for name in names)


def macro(w: Walk, node: Node) -> int:
    """`name!(…)`: a call of the macro; its tokens are read as far as they look like expressions."""
    b = w.b
    name_node = node.child_by_field_name("macro")
    tree = next((child for child in node.named_children if child.type == "token_tree"), None)
    if name_node is None:
        return NONE
    taken = paths.split_path(name_node)
    names = taken.names
    name = w.text(names[-1]) if names else ""
    callee = macro_uses.meaning(w, taken)
    b.use(_CALL, callee, names[-1].start_byte if names else node.start_byte)
    if node.start_byte in w.expanded:
        return NONE
    programs.start(w, name, [] if tree is None else tree.named_children, node.start_byte)
    values = tokens.values(w, tree)
    if name == "vec" and values and values[0] != NONE:
        return b.container("Vec", values[0])
    if name == "ready" and len(values) == 1:
        return b.wrap(Op.ENTER, values[0])
    if name in ("format", "concat", "stringify") and name not in w.macros:
        return b.literal("String")
    if name == "dbg" and len(values) == 1 and callee == NONE:
        return values[0]
    is_used = node.parent is not None and node.parent.type not in _NOT_USED
    return macro_uses.expanded(w, callee, values) if is_used else NONE


def macro_definition(w: Walk, node: Node) -> int:
    """`macro_rules! name { … }`: what its rules call, the macro calls."""
    name_node = node.child_by_field_name("name")
    symbol = NONE if name_node is None else w.macros.get(w.text(name_node), NONE)
    if symbol != NONE:
        b = w.b
        outer, b.owner = b.owner, symbol
        for rule in node.named_children:
            if rule.type == "macro_rule":
                tokens.rule_body(w, rule)
        b.owner = outer
        if arms := macro_values.read_arms(node):
            b.add_value(symbol, b.with_text(b.literal(EXPANSION), msgspec.json.encode(arms).decode()))
    return NONE
