"""Patterns: the locals that one binds, by what it is matched with, and the types, fields and constants that it names.

A name alone binds a local where it begins small, and names a variant or constant where it does not.

Source: the Rust Reference, "Patterns".
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from codemap.fact_building.builder import NONE
from codemap.fact_building.walk import COMMENTS
from codemap.facts import Op, SourceKind, UseRole
from codemap.languages.rust import paths
from codemap.languages.rust.walk import Walk

if TYPE_CHECKING:
    from tree_sitter import Node

_READ = int(UseRole.REFERENCE)
Bound = list[tuple[str, int]]
"""Names and what each holds, NONE where nothing is known of it."""
_WRAPPING = frozenset({"reference_pattern", "ref_pattern", "mut_pattern", "match_pattern", "parenthesized_expression"})


def bind(w: Walk, node: Node | None, value: int) -> None:
    """Visits a pattern and binds its names as locals; of alternatives, either may be what a name holds."""
    merged: dict[str, int] = {}
    for name, held in pattern(w, node, value):
        merged[name] = w.b.union(merged.get(name, NONE), held)
    for name, held in merged.items():
        w.declare(name, SourceKind.OPAQUE if held == NONE else SourceKind.VALUE, held)


def pattern(w: Walk, node: Node | None, value: int) -> Bound:
    """Visits a pattern that is matched with `value`; gives what it binds."""
    if node is None:
        return []
    handler = _PATTERNS.get(node.type)
    if handler is not None:
        return handler(w, node, value)
    if node.type in _WRAPPING:
        return _wrapped(w, node, value)
    if node.type not in COMMENTS:
        w.value(node)
    return []


def _name(w: Walk, node: Node, value: int) -> Bound:
    name = w.text(node)
    if not name[:1].isupper():
        return [(name, value)] if name != "_" else []
    w.b.use(_READ, w.name(name), node.start_byte)
    return []


def _wrapped(w: Walk, node: Node, value: int) -> Bound:
    """`&p`, `ref p`, `mut p`, or the pattern of an arm, whose condition is visited by who binds it."""
    condition = node.child_by_field_name("condition")
    found: Bound = []
    for child in node.named_children:
        if child.type not in ("mutable_specifier", *COMMENTS) and (condition is None or child.id != condition.id):
            found += pattern(w, child, value)
    return found


def _tuple_struct(w: Walk, node: Node, value: int) -> Bound:
    """`Type(p, …)`: of an option or result, what it holds; of others, the fields by their numbers."""
    b = w.b
    type_ = node.child_by_field_name("type")
    if type_ is None:
        return []
    name = paths.last_name(w, type_)
    of = paths.use_path(w, type_, _READ)
    found: Bound = []
    for position, child in enumerate(_listed(node, type_)):
        if name in ("Some", "Ok", "Ready", "Continue"):
            held = b.wrap(Op.ENTER, value)
        elif name in ("Err", "Break"):
            held = b.wrap(Op.INDEX, value)
        else:
            held = b.attribute(of, str(position))
        found += pattern(w, child, held)
    return found


def _listed(node: Node, besides: Node | None) -> list[Node]:
    """The patterns in a list; none behind `..`, whose places are not known."""
    found: list[Node] = []
    for child in node.named_children:
        if besides is not None and child.id == besides.id:
            continue
        if child.type not in COMMENTS:
            found.append(child)
    return found


def _struct(w: Walk, node: Node, value: int) -> Bound:  # noqa: ARG001 - the type says what the fields are
    """`Type { field, field: p, .. }`."""
    b = w.b
    type_ = node.child_by_field_name("type")
    of = NONE if type_ is None else paths.use_path(w, type_, _READ)
    found: Bound = []
    for child in node.named_children:
        if child.type != "field_pattern":
            continue
        name = child.child_by_field_name("name")
        if name is None:
            continue
        field = b.attribute(of, w.text(name))
        b.use(_READ, field, name.start_byte)
        inner = child.child_by_field_name("pattern")
        found += [(w.text(name), field)] if inner is None else pattern(w, inner, field)
    return found


def _tuple(w: Walk, node: Node, value: int) -> Bound:
    found: Bound = []
    is_sure = True
    for position, child in enumerate(_listed(node, None)):
        is_sure = is_sure and child.type != "remaining_field_pattern"
        found += pattern(w, child, w.b.wrap(Op.ITEM, value, position) if is_sure else NONE)
    return found


def _slice(w: Walk, node: Node, value: int) -> Bound:
    found: Bound = []
    for child in node.named_children:
        found += pattern(w, child, w.b.wrap(Op.INDEX, value) if child.type != "captured_pattern" else NONE)
    return found


def _captured(w: Walk, node: Node, value: int) -> Bound:
    """`name @ p`."""
    children = [child for child in node.named_children if child.type != "mutable_specifier"]
    found: Bound = [(w.text(children[0]), value)] if children and children[0].type == "identifier" else []
    for child in children[1:]:
        found += pattern(w, child, value)
    return found


def _either(w: Walk, node: Node, value: int) -> Bound:
    found: Bound = []
    for child in node.named_children:
        found += pattern(w, child, value)
    return found


def _nothing(_w: Walk, _node: Node, _value: int) -> Bound:
    return []


_PATTERNS: dict[str, Callable[[Walk, Node, int], Bound]] = {
    "identifier": _name,
    "shorthand_field_identifier": _name,
    "tuple_struct_pattern": _tuple_struct,
    "struct_pattern": _struct,
    "tuple_pattern": _tuple,
    "slice_pattern": _slice,
    "captured_pattern": _captured,
    "or_pattern": _either,
    "remaining_field_pattern": _nothing,
    "self": _nothing,
}
