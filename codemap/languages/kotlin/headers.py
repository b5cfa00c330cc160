"""How definitions show in lists: their modifiers, flags, signatures and documentation.

Source: the Kotlin documentation, "Visibility modifiers", "Document Kotlin code: KDoc".
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from codemap.extract.comments import summary_above
from codemap.facts import SymbolFlag
from codemap.languages.kotlin.walk import KotlinWalk, first

if TYPE_CHECKING:
    from tree_sitter import Node

SIGNATURE_MAX_BYTES = 800
"""Enough for the longest signature that the builder keeps, whatever its characters."""
_LINK = re.compile(r"\[([^\[\]]+)\](?:\[[^\[\]]*\])?")
_BLOCK_TAG = re.compile(r"(?:^|\s)@\w+\s.*", re.DOTALL)


def modifiers(w: KotlinWalk, node: Node) -> list[str]:
    """The modifiers of a definition, without annotations."""
    holder = first(node, "modifiers")
    return [w.text(child) for child in holder.named_children if child.type != "annotation"] if holder else []


def flags_of(w: KotlinWalk, node: Node) -> int:
    """Whether others see a definition, and whether it is abstract or suspends."""
    words = modifiers(w, node)
    flags = 0 if "private" in words else int(SymbolFlag.EXPORTED)
    return flags | (SymbolFlag.ABSTRACT if "abstract" in words else 0)


def signature(w: KotlinWalk, node: Node, end: int) -> str:
    """A definition up to an offset, without its annotations."""
    holder = first(node, "modifiers")
    start = node.start_byte if holder is None else holder.end_byte
    while start < end and w.chars[start].isspace():
        start += 1
    text = w.b.text(start, min(end, start + SIGNATURE_MAX_BYTES)).rstrip(" \t\r\n{=;")
    return " ".join([*modifiers(w, node), text])


def doc(w: KotlinWalk, start: int) -> str:
    """The first sentence of the comment above an offset, without links and block tags."""
    text = summary_above(w.chars, start, line=("//",), block=("/*", "*/"))
    return " ".join(_BLOCK_TAG.sub("", _LINK.sub(r"\1", text)).split()) if text else ""


def annotate(w: KotlinWalk, node: Node) -> None:
    """Visits the annotations of a definition, which is the current owner."""
    holder = first(node, "modifiers")
    if holder is not None:
        w.value(holder)
