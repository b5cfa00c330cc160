"""Another spelling, of the same length, of what surrounds syntax errors: macros are read by their shape,
as nobody says what they expand to.

- Words in a declaration beyond its type and its name go, and so do those behind its parameters, brackets or braces.
- A call that a block or a statement follows is a statement; one behind `static` declares its first argument.
- Types, declarations and operators among arguments become expressions of the same names.
- `args...`, `case A ... B`, the operands of `asm goto`, and comments in a directive are spelt as ISO C has them.

Source: ISO/IEC 9899:2018, 6.7 "Declarations", 6.10 "Preprocessing directives";
GCC manual, "Extensions to the C Language".
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from codemap.languages.c.spelling.arguments import argument
from codemap.languages.c.spelling.brackets import close_bracket, end_block, open_bracket, read_argument
from codemap.languages.c.spelling.declarations import declared, read_behind_body
from codemap.languages.c.spelling.statement_bounds import stretches
from codemap.languages.c.spelling.text import Mending
from codemap.languages.c.spelling.tokens import DIRECTIVE, Tokens
from codemap.languages.c.spelling.words import STATEMENTS

_NAMED_REST = re.compile(rb"(?<=\w)[ \t]*(\.\.\.)(?=[ \t]*\))")
_COMMENT = re.compile(rb"/\*.*?\*/", re.DOTALL)
_CONDITIONAL = re.compile(rb"[ \t]*#[ \t]*(?:if|el|end)")
_SLASHED = re.compile(rb"/(?=\\\r?\n)")
_BLANK = re.compile(rb"[^\n\\]")


def mend(source: bytes, errors: Sequence[tuple[int, int]]) -> bytes:
    """The source with another spelling around spans of bytes, in order, where the grammar met what it cannot read."""
    text = bytearray(source)
    for start, end in stretches(source, errors):
        _run(Mending(text, Tokens(source, start, end)))
    return bytes(text)


def _run(m: Mending) -> None:
    tokens = m.tokens
    at = 0
    is_fresh = True
    while at < len(tokens):
        text = tokens.text(at)
        if text == DIRECTIVE:
            directive(m, at)
            is_fresh, at = m.context() != b"i", at + 1
        elif text in (b"{", b"}", b";"):
            at = ended(m, at)
            is_fresh = m.context() not in (b"i", b"a")
        elif text == b":" and m.context() == b"{" and tokens.text(at - 1) != b")":
            if tokens.is_word(at - 1) and tokens.text(at + 1) in (DIRECTIVE, b"}"):
                m.insert(at + 1, b";")
            is_fresh, at = True, at + 1
        elif text == b"goto" and tokens.text(at + 1) == b"*":
            m.blank(at, at)
            at += 1
        elif text == b"&&" and tokens.text(at - 1) in (b"=", b",", b"{", b"("):
            m.write(at, b"&")
            at += 1
        elif m.context() == b"a":
            at = read_argument(m, at)
            is_fresh = m.context() == b"{" and tokens.text(at - 1) == b")" and tokens.is_word(at)
        elif text == b"(":
            m.around.append(open_bracket(m, at))
            is_fresh = m.around[-1] == b"p"
            at = argument(m, at + 1) if m.around[-1] == b"a" else at + 1
        elif text == b")":
            if m.around and m.around[-1] not in (b"{", b"i"):
                m.around.pop()
            at = close_bracket(m, at)
            is_fresh = tokens.text(at - 1) == b")" and tokens.is_word(at) and m.context() == b"{"
        elif text == b"," and m.context() == b"p":
            is_fresh, at = True, at + 1
        elif text == b"case":
            read_range(m, at)
            at += 1
        elif is_fresh and tokens.is_word(at) and (text not in STATEMENTS or text == b"asm"):
            at = declared(m, at)
            is_fresh = tokens.text(at - 1) == b"(" and m.context() == b"p"
        else:
            is_fresh = text in (b"else", b"do")
            at += 1


def ended(m: Mending, at: int) -> int:
    """Goes on behind the end of a statement, or behind a brace and what is there of a struct's attributes."""
    text = m.tokens.text(at)
    if text == b"{":
        is_list = at in m.listed or m.context() == b"i" or m.tokens.text(at - 1) == b"="
        m.around.append(b"i" if is_list else b"{")
    elif text == b"}":
        while m.around and m.around.pop() not in (b"{", b"i"):
            pass
        if m.context() == b"a":
            return end_block(m, at + 1)
        return at + 1 if m.context() == b"i" else read_behind_body(m, at + 1)
    elif m.context() == b"a":
        m.write(at, b" " if m.tokens.text(at + 1) == b")" else b",")
        return argument(m, at + 1)
    return at + 1


def read_range(m: Mending, at: int) -> None:
    """`case A ... B:`."""
    tokens = m.tokens
    behind = at + 1
    while behind < len(tokens) and tokens.text(behind) not in (b":", b";", b"{", DIRECTIVE):
        if tokens.text(behind) == b"...":
            m.write(behind, b"-")
        behind += 1


def directive(m: Mending, at: int) -> None:
    start, end = m.tokens.starts[at], m.tokens.ends[at]
    line = bytes(m.text[start:end])
    if m.context() == b"i" and not _CONDITIONAL.match(line):
        m.blank(at, at)
        return
    line = _COMMENT.sub(lambda found: _BLANK.sub(b" ", found[0]), line)
    line = _SLASHED.sub(b"*", line)
    opened = line.find(b"(")
    rest = _NAMED_REST.search(line, opened, line.find(b")") + 1) if opened > 0 else None
    if rest is not None:
        line = line[: rest.start(1)] + b"   " + line[rest.end(1) :]
    m.text[start:end] = line
