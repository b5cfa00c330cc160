"""How definitions show in lists: signatures and documentation."""

from __future__ import annotations

from typing import TYPE_CHECKING

from codemap.extract.comments import summary_above
from codemap.languages.ruby.walk import Walk

if TYPE_CHECKING:
    from tree_sitter import Node

SIGNATURE_MAX_BYTES = 800
"""Enough for the longest signature that the builder keeps, whatever its characters."""
_DIRECTIVES = ("rubocop:", "frozen_string_literal:", "encoding:", "-*-", ":nodoc:", "@", "typed:", "--", "==")


def signature(w: Walk, start: int, end: int) -> str:
    """A definition up to an offset."""
    return w.b.text(start, min(end, start + SIGNATURE_MAX_BYTES)).rstrip(" \t\r\n;=")


def doc(w: Walk, node: Node) -> str:
    """The first sentence of the comment above a definition; directives to tools are none."""
    text = summary_above(w.chars, node.start_byte, line=("#",), block=None)
    for mark in _DIRECTIVES:
        if text.startswith(mark):
            return ""
        text = text.partition(f" {mark}")[0] if mark == "@" else text
    return text
