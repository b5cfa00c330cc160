"""How definitions show in lists: their modifiers, flags, signatures and documentation."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from codemap.extract.comments import summary_above
from codemap.facts import SymbolFlag, UseRole
from codemap.languages.java import types
from codemap.languages.jvm.walk import Walk, arguments_name

if TYPE_CHECKING:
    from tree_sitter import Node

SIGNATURE_MAX_BYTES = 800
"""Enough for the longest signature that the builder keeps, whatever its characters."""
_FLAGS = {
    "public": SymbolFlag.EXPORTED,
    "protected": SymbolFlag.EXPORTED,
    "static": SymbolFlag.STATIC,
    "abstract": SymbolFlag.ABSTRACT,
}
_INLINE_TAG = re.compile(r"\{@\w+\s*([^{}]*)\}")
_HTML_TAG = re.compile(r"</?\w+[^<>]*>")
_BLOCK_TAG = re.compile(r"(?:^|\s)@\w+\s.*", re.DOTALL)
_READ = int(UseRole.REFERENCE)
_ANNOTATIONS = ("annotation", "marker_annotation")


def modifiers_of(node: Node) -> Node | None:
    return next((child for child in node.children if child.type == "modifiers"), None)


def flags_of(node: Node) -> int:
    """What the modifiers of a definition say: whether other packages see it, whether it is static or abstract."""
    modifiers = modifiers_of(node)
    flags = 0
    for word in modifiers.children if modifiers is not None else ():
        flags |= _FLAGS.get(word.type, 0)
    return flags


def signature(w: Walk, node: Node, end: int) -> str:
    """A definition up to an offset, without its annotations."""
    modifiers = modifiers_of(node)
    start = node.start_byte if modifiers is None else modifiers.end_byte
    words = [] if modifiers is None else [w.text(word) for word in modifiers.children if word.type not in _ANNOTATIONS]
    while start < end and w.chars[start].isspace():
        start += 1
    return " ".join([*words, w.b.text(start, min(end, start + SIGNATURE_MAX_BYTES)).rstrip(" \t\r\n{;=")])


def doc(w: Walk, start: int) -> str:
    """The first sentence of the comment above an offset, without markup and block tags."""
    text = summary_above(w.chars, start, line=("//",), block=("/*", "*/"))
    if not text:
        return ""
    text = _BLOCK_TAG.sub("", _HTML_TAG.sub("", _INLINE_TAG.sub(r"\1", text)))
    return " ".join(text.split())


def annotate(w: Walk, node: Node, symbol: int) -> None:
    """Visits the annotations of a definition, which is the current owner."""
    modifiers = modifiers_of(node)
    for child in modifiers.named_children if modifiers is not None else ():
        if child.type in _ANNOTATIONS:
            w.b.decorator(symbol, annotation(w, child))


def annotation(w: Walk, node: Node) -> int:
    """An annotation refers to its type and to the elements that it sets; gives the type."""
    b = w.b
    name = node.child_by_field_name("name")
    type_expr = types.used(w, name, _READ) if name is not None else -1
    arguments = node.child_by_field_name("arguments")
    for child in arguments.named_children if arguments is not None else ():
        key = child.child_by_field_name("key")
        if child.type == "element_value_pair" and key is not None:
            b.use(_READ, b.attribute(type_expr, arguments_name(w.text(key), 0)), key.start_byte)
            w.field(child, "value")
        else:
            w.value(child)
    return type_expr
