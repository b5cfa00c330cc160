"""The first sentence of a JSDoc comment."""

from __future__ import annotations

import re

_READ_MAX_BYTES = 800
"""A summary is at the beginning; the rest of a long comment is not read."""
_LEADING = re.compile(r"^[ \t]*\*?[ \t]?", re.MULTILINE)
_END = re.compile(r"\n[ \t]*\r?\n|(?:^|\n)[ \t]*@|(?<=[.!?])[ \t\r\n]|\{@(?!link)")


def summary(source: bytes, start: int, end: int) -> str:
    """The first sentence or paragraph of the comment between two offsets; empty unless it is JSDoc."""
    if source[start : start + 3] != b"/**":
        return ""
    text = source[start + 3 : min(end, start + _READ_MAX_BYTES)].decode("utf-8", "replace")
    text = _LEADING.sub("", text.removesuffix("*/")).strip()
    if text.startswith("@"):
        return ""
    match = _END.search(text)
    return (text[: match.start()] if match else text).strip()
