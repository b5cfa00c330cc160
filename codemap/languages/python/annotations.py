"""Expressions that state a type: annotations, type arguments, bounds; strings in them are parsed as expressions.

Each handler returns a type expression and reports every use in it to the builder.

Source: the typing specification, "Type annotations" (the grammar of annotation and type expressions).
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

from tree_sitter import Parser, Range
from tree_sitter_language_pack import get_language

from codemap.fact_building.builder import NONE
from codemap.fact_building.walk import children_of
from codemap.facts import Op, UseRole
from codemap.languages.python.walk import Walk

if TYPE_CHECKING:
    from tree_sitter import Node

_DOTTED = re.compile(rb"[^\W\d]\w*(?:\.[^\W\d]\w*)*")
_FORWARD_MAX_BYTES = 1000
"""Longer strings are not forward references."""


def visit_stated(w: Walk, node: Node) -> int:
    """The type that the annotation of a variable states: a qualifier alone states none."""
    value = w.type(node)
    return NONE if w.text(node).rpartition(".")[2] in _QUALIFIERS else value


_QUALIFIERS = frozenset({"Final", "ClassVar"})


def type_(w: Walk, node: Node) -> int:
    result = NONE
    for child in node.named_children:
        result = w.type(child)
    return result


def type_name(w: Walk, node: Node) -> int:
    start = node.start_byte
    name = w.source[start : node.end_byte].decode("utf-8", "replace")
    return _read(w, name, start) if name else NONE


def _read(w: Walk, name: str, start: int) -> int:
    b = w.b
    value = b.name(name)
    b.use(UseRole.REFERENCE, value, start)
    return value


def forward(w: Walk, node: Node) -> int:
    """A string: the expression inside it. Offsets stay those of the file."""
    source = w.source
    content = [child for child in node.named_children if child.type == "string_content"]
    if len(content) != 1 or source[node.start_byte] not in b"\"'rR":
        return NONE
    start, end = content[0].start_byte, content[0].end_byte
    inner = source[start:end]
    if _DOTTED.fullmatch(inner):
        return _dotted(w, inner.decode(), start)
    if len(inner) > _FORWARD_MAX_BYTES or b"\\" in inner:
        return NONE
    place = content[0].range
    parser = _parser()
    parser.included_ranges = [Range(place.start_point, place.end_point, start, end)]
    root = parser.parse(source).root_node
    if root.has_error or root.named_child_count != 1:
        return NONE
    return w.type(root.named_children[0])


def _dotted(w: Walk, text: str, start: int) -> int:
    first, *rest = text.split(".")
    b = w.b
    value = _read(w, first, start)
    at = start + len(first.encode()) + 1
    for name in rest:
        value = b.attribute(value, name)
        b.use(UseRole.REFERENCE, value, at)
        at += len(name.encode()) + 1
    return value


@cache
def _parser() -> Parser:
    return Parser(get_language("python"))


def generic(w: Walk, node: Node) -> int:
    """`Name[arguments]`, in both forms that the grammar gives it."""
    children = children_of(node)
    if not children:
        return NONE
    base, *rest = children
    if len(rest) == 1 and rest[0].type in ("type_parameter", "tuple"):
        rest = [child for child in rest[0].named_children if child.type != "comment"]
    name = w.text(base).rpartition(".")[2]
    of = w.value(base) if base.type != "identifier" else type_name(w, base)
    if name == "Literal":
        return NONE
    if name == "Annotated" and rest:
        first = w.type(rest[0])
        for child in rest[1:]:
            w.value(child.named_children[0] if child.type == "type" and child.named_children else child)
        return w.b.apply(of, [first])
    if name == "Callable" and len(rest) == 2:
        return w.b.expr(Op.FUNCTION, w.b.args(_parameter_types(w, rest[0])), w.type(rest[1]))
    arguments = [w.type(child) for child in rest]
    if name in _TUPLES and len(rest) > 1 and not _is_open(rest[-1]):
        return w.b.tuple_of([w.b.wrap(_INSTANCE, argument) for argument in arguments])
    return w.b.apply(of, arguments)


def _parameter_types(w: Walk, node: Node) -> list[int]:
    """Of a `Callable`: none where they are open, or another's."""
    while node.type == "type" and node.named_children:
        node = node.named_children[0]
    if node.type == "list":
        return [w.type(child) for child in children_of(node)]
    w.type(node)
    return []


def _is_open(node: Node) -> bool:
    """Whether the last argument of a tuple is `...`: a tuple of any length."""
    while node.type == "type" and node.named_children:
        node = node.named_children[0]
    return node.type == "ellipsis"


_TUPLES = frozenset({"tuple", "Tuple"})
_INSTANCE = int(Op.INSTANCE)


def union(w: Walk, node: Node) -> int:
    result = NONE
    for child in node.named_children:
        result = w.b.union(result, w.type(child))
    return result


def visit_parts(w: Walk, node: Node) -> int:
    """A list of parameter types, a splat, a bound: the names in it are types, itself it is none."""
    for child in node.named_children:
        w.type(child)
    return NONE


TYPES = {
    "type": type_,
    "identifier": type_name,
    "string": forward,
    "generic_type": generic,
    "subscript": generic,
    "union_type": union,
    "binary_operator": union,
    "list": visit_parts,
    "tuple": visit_parts,
    "splat_type": visit_parts,
    "list_splat": visit_parts,
    "constrained_type": visit_parts,
    "type_parameter": visit_parts,
    "parenthesized_expression": type_,
}
