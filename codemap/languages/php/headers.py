"""How definitions show in lists: their modifiers, flags, signatures and documentation."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from codemap.extract.comments import summary_above
from codemap.facts import SymbolFlag, UseRole
from codemap.languages.php.walk import Walk

if TYPE_CHECKING:
    from tree_sitter import Node

SIGNATURE_MAX_BYTES = 800
"""Enough for the longest signature that the builder keeps, whatever its characters."""
_INLINE_TAG = re.compile(r"\{@\w+\s*([^{}]*)\}")
_BLOCK_TAG = re.compile(r"(?:^|\s)@[\w-]+(?:\s.*|$)", re.DOTALL)
_ATTRIBUTES = "attribute_list"


def flags_of(node: Node) -> int:
    """What the modifiers of a member say: what says nothing is public."""
    flags = int(SymbolFlag.EXPORTED)
    for child in node.children:
        match child.type:
            case "visibility_modifier" if child.text in (b"private", b"PRIVATE", b"Private"):
                flags &= ~SymbolFlag.EXPORTED
            case "static_modifier":
                flags |= SymbolFlag.STATIC
            case "abstract_modifier":
                flags |= SymbolFlag.ABSTRACT
            case _:
                pass
    return flags


def start_of(node: Node) -> int:
    """Where a definition begins, behind its attributes."""
    for child in node.children:
        if child.type != _ATTRIBUTES:
            return child.start_byte
    return node.start_byte


def signature(w: Walk, node: Node, end: int) -> str:
    """A definition up to an offset, without its attributes."""
    start = start_of(node)
    return w.b.text(start, min(end, start + SIGNATURE_MAX_BYTES)).rstrip(" \t\r\n{;=,")


def doc(w: Walk, start: int) -> str:
    """The first sentence of the comment above an offset, without tags."""
    text = summary_above(w.chars, start, line=("//", "#"), block=("/*", "*/"))
    return _BLOCK_TAG.sub("", _INLINE_TAG.sub(r"\1", text)) if "@" in text else text


def annotate(w: Walk, node: Node) -> None:
    """Visits the attributes of a definition, which is the current owner."""
    for child in node.named_children:
        if child.type == _ATTRIBUTES:
            for group in child.named_children:
                for attribute in group.named_children:
                    _attribute(w, attribute)


def _attribute(w: Walk, node: Node) -> None:
    for child in node.named_children:
        if child.type in ("name", "qualified_name", "relative_name"):
            at = name_at(child)
            w.use(UseRole.REFERENCE, w.class_(w.text(child), at), at)
        else:
            w.value(child)


def name_at(node: Node) -> int:
    """Where the last part of a name begins."""
    return node.named_children[-1].start_byte if node.named_children else node.start_byte
