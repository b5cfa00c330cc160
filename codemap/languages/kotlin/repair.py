"""Spellings that the parser can read of right source that it cannot.

- `class A : I by b {`: the grammar takes `b {` for a call with a block; what follows `by` is left out.
- A constructor on the line below the name of its class is put on the same.
"""

from __future__ import annotations

import re

_DELEGATED = re.compile(
    rb"(?:\b(?:class|object|interface)\b|,|:)[^{}=;]*?\s(?P<by>by\s+[\w.]+(?:\([^(){}]*\))?)(?=\s*\{)"
)
_OTHER = re.compile(rb"\b(?:val|var|fun)\b(?![^()]*\))")
_BELOW = re.compile(
    rb"(?P<name>\bclass\s+\w+(?:<[^<>{}()]*>)?)(?P<gap>\s*\n\s*)"
    rb"(?=(?:@[\w:.]+(?:\([^()]*\))?\s+|(?:private|protected|internal|public)\s+)*constructor\b)"
)


def repair(source: bytes) -> bytes:
    """The source without delegates of classes with bodies and breaks before constructors, of the same length."""
    found = bytearray(source)
    for header in _DELEGATED.finditer(source):
        start, end = header.span("by")
        if _OTHER.search(source, header.start(), start) is None:
            found[start:end] = b" " * (end - start)
    for header in _BELOW.finditer(source):
        start, end = header.span("gap")
        found[start:end] = b" " * (end - start)
    return bytes(found)
