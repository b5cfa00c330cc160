"""Docstrings: the first sentence of the first paragraph, on one line.

Source: PEP 257.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from codemap.fact_building.comments import first_sentence

if TYPE_CHECKING:
    from tree_sitter import Node

_DOC_MAX_BYTES = 800
"""Enough for the longest summary that the builder keeps, whatever its characters."""
_FIRST = frozenset(source.encode() for source in ("", *"\"'rRuU#\\ \t\f\r\n"))
"""What a body with a docstring begins with: its quote or prefix, a comment or blanks before it."""
_BLANK_LINE = re.compile(r"\n[ \t\r]*\n")


def docstring(source: bytes, body: Node | None) -> str:
    """The summary of the docstring that a body (or a module) begins with; empty when it has none."""
    if body is None or source[body.start_byte : body.start_byte + 1] not in _FIRST:
        return ""
    for statement in body.named_children:
        kind = statement.type
        if kind == "comment":
            continue
        if kind == "concatenated_string" and statement.named_children:
            statement = statement.named_children[0]
            kind = statement.type
        if kind != "string" or source[statement.start_byte] not in b"\"'rRuU":
            return ""
        return _summary(source, statement.start_byte, statement.end_byte)
    return ""


def _summary(source: bytes, start: int, end: int) -> str:
    text = source[start : min(end, start + _DOC_MAX_BYTES)].decode("utf-8", "replace").lstrip("rRuU")
    quote = text[:3] if text[:3] in ('"""', "'''") else text[:1]
    text = text.removeprefix(quote).removesuffix(quote).strip()
    return first_sentence(_BLANK_LINE.split(text, maxsplit=1)[0] if "\n" in text else text)
