"""Macros that define something: a name among their arguments."""

from __future__ import annotations

import re

from codemap.languages.c.spelling.arguments import argument
from codemap.languages.c.spelling.brackets import read_argument
from codemap.languages.c.spelling.heads import Unit, clean, split_head
from codemap.languages.c.spelling.text import Mending

_REACH_BYTES = 4_000
"""How far back the beginning of a record is looked for."""
_RECORD = re.compile(rb"\b(?:struct|union)\b[^;{}()]*\Z")


def read_lone_macro(m: Mending, name: int, opened: int, *, is_qualified: bool) -> int:
    """Goes on at or behind the bracket of a macro that begins a statement, a definition or a function's head."""
    tokens = m.tokens
    behind = tokens.text(tokens.past(opened))
    is_outermost = not m.around and m.column(name) == 0
    if behind in (b";", b"=") and (is_qualified or is_outermost or is_field(m, name)):
        return read_defining_macro(m, name, opened, is_qualified=is_qualified and behind == b";")
    return opened


def read_defining_macro(m: Mending, name: int, opened: int, *, is_qualified: bool) -> int:
    """`MACRO(type, name);`, `static MACRO(name, …);` and, in a record, `MACRO(name, size);` define the name."""
    tokens = m.tokens
    close = tokens.past(opened) - 1
    found, end = split_head(tokens, opened + 1)
    stars = end
    while tokens.text(stars) == b"*":
        stars += 1
    is_type = bool(found) and (any(part.unit is Unit.TYPE for part in found) or stars > end)
    if is_type and tokens.text(stars) == b"," and tokens.is_word(stars + 1):
        clean(m, found, end, names=0)
        m.blank(name, opened)
        m.blank(stars, stars)
        if stars + 2 <= close:
            m.blank(stars + 2, close)
        return close + 1
    if len(found) == 1 and tokens.text(end) == b",":
        if is_qualified and m.insert(end + 1, b"{"):
            m.write(end, b"=")
            m.write(close, b"}")
        elif is_qualified or not is_field(m, name):
            return opened
        else:
            m.write(end, b":")
            m.write(close, b" ")
        m.write(opened, b" ")
        m.around.append(b"a")
        at = argument(m, end + 1)
        while at < close:
            at = read_argument(m, at) if tokens.text(at) not in (b"{", b"}", b";") else at + 1
        m.around.pop()
        return close + 1
    return opened


def is_field(m: Mending, at: int) -> bool:
    """Whether the block around a token is a record's."""
    if m.context() != b"{" or m.column(at) == 0:
        return False
    before = bytes(m.text[max(0, m.tokens.starts[at] - _REACH_BYTES) : m.tokens.starts[at]])
    end, depth = len(before), 1
    while depth:
        closing, opening = before.rfind(b"}", 0, end), before.rfind(b"{", 0, end)
        if opening < 0:
            return False
        depth += 1 if closing > opening else -1
        end = max(closing, opening)
    return _RECORD.search(before, max(0, end - 200), end) is not None
