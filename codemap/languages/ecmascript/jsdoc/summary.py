"""The first sentence of a JSDoc comment.

Source: JSDoc 3 (use.jsdoc.app), block tags; the TypeScript Handbook, "JSDoc Reference".
"""

from __future__ import annotations

import re

_READ_MAX_BYTES = 800
"""A summary is at the beginning; the rest of a long comment is not read."""
_TAG = re.compile(rb"[\n*][ \t]*@(\w+)")
_OF_ANOTHER = frozenset(
    (b"typedef", b"callback", b"import", b"file", b"fileoverview", b"overview", b"module", b"license", b"copyright")
)
"""Tags of comments that describe a type, or the file, and not what comes after them."""
_BESIDE = frozenset((b"template", b"public", b"private", b"internal", b"since", b"version", b"deprecated", b"see"))
"""Tags that any comment has, and that may come before those."""
_LEADING = re.compile(r"^[ \t]*\*?[ \t]?", re.MULTILINE)
_END = re.compile(r"\n[ \t]*\r?\n|(?:^|\n)[ \t]*@|(?<=[.!?])[ \t\r\n]|\{@(?!link)")


def summary(source: bytes, start: int, end: int) -> str:
    """The first sentence or paragraph of the comment between two offsets; empty unless it is JSDoc that describes what
    comes after it."""
    if source[start : start + 3] != b"/**":
        return ""
    tags = map(_named, _TAG.finditer(source, start, end))
    if next((tag for tag in tags if tag not in _BESIDE), b"") in _OF_ANOTHER:
        return ""
    text = source[start + 3 : min(end, start + _READ_MAX_BYTES)].decode("utf-8", "replace")
    text = _LEADING.sub("", text.removesuffix("*/")).strip()
    if text.startswith("@"):
        return ""
    match = _END.search(text)
    return (text[: match.start()] if match else text).strip()


def _named(tag: re.Match[bytes]) -> bytes:
    return tag[1]
