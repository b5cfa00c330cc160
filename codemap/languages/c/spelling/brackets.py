"""Brackets: what they are around, what may not be in them, and what follows them."""

from __future__ import annotations

import re

from codemap.languages.c.spelling.arguments import argument
from codemap.languages.c.spelling.heads import Unit, clean, split_head
from codemap.languages.c.spelling.text import Mending
from codemap.languages.c.spelling.tokens import DIRECTIVE, Tokens
from codemap.languages.c.spelling.words import QUALIFIERS, STATEMENTS

_NUMBER = re.compile(rb"(?:0[xXbB][\da-fA-F]+|\d+)[uUlLzZ]*\Z|[\d.]+(?:[eE][+-]?\d+)?[fFlL]?\Z|0[xX]")
_NOT_CALLED = frozenset(b"if while switch for".split())


def open_bracket(m: Mending, at: int) -> bytes:
    """What a bracket is around: arguments where a word precedes it, else an expression or a cast."""
    tokens = m.tokens
    before = tokens.text(at - 1)
    if before in _NOT_CALLED:
        return b"e"
    if before == b"offsetof" and any(tokens.text(n) in (b".", b"[") for n in range(at, tokens.past(at))):
        m.text[tokens.starts[at - 1] : tokens.starts[at - 1] + 1] = b"_"  # no keyword, but for `call`
    if tokens.is_word(at - 1) and before not in QUALIFIERS and before not in (b"return", b"case", b"sizeof"):
        return b"a"
    found, end = split_head(tokens, at + 1)
    if len(found) > 1 and tokens.past(at) < len(tokens):
        close = tokens.past(at) - 1
        stars = end
        while tokens.text(stars) == b"*":
            stars += 1
        is_cast = (
            tokens.is_word(close + 1)
            or tokens.text(close + 1)[:1] in (*b"(&*~!-+\"'",)
            or (tokens.text(close + 1)[:1].isdigit() or tokens.text(close + 1)[:1] in b"(&*~!-+\"'")
        )
        if end == close and is_cast:
            clean(m, found, end, names=0)
        elif end < stars:
            clean(m, found, end, names=0)
            more, last = split_head(tokens, stars)
            if last == close and is_cast:
                for part in more:
                    if part.unit is not Unit.QUALIFIER:
                        m.blank(part.first, part.last)
    return b"e"


def read_argument(m: Mending, at: int) -> int:
    """One token among arguments, and what follows it."""
    tokens, text = m.tokens, m.tokens.text(at)
    if text == b"(":
        m.around.append(open_bracket(m, at))
        return argument(m, at + 1) if m.around[-1] == b"a" else at + 1
    if text == b")":
        m.around.pop()
        if tokens.text(at + 1)[:1] == b'"':
            m.insert(at + 1, b"+")
        if m.context() != b"a":
            return end_call(m, at)
        if tokens.is_word(at + 1):
            m.insert(at + 1, b"+")
            return argument(m, at + 1)
        return at + 1
    if text in (b"if", b"while", b"switch") and tokens.text(at + 1) == b"(":
        m.blank(at, at)
        m.insert(tokens.past(at + 1), b",")
        return at + 1
    if text[:1].isdigit() and not _NUMBER.match(text):
        m.text[tokens.starts[at] : tokens.starts[at] + 1] = b"_"
    if text == b",":
        if tokens.text(at + 1) == b")":
            m.write(at, b" ")
        return argument(m, at + 1)
    if text == b":" and tokens.text(at - 1) != b"?":
        return operands(m, at)
    return at + 1


def operands(m: Mending, at: int) -> int:
    """The operands of an assembler statement are separated as arguments."""
    opened = next((n for n in range(at, -1, -1) if m.tokens.text(n) == b"(" and m.tokens.past(n) > at), -1)
    tokens = m.tokens
    if opened < 0 or any(tokens.text(n) == b"?" for n in range(opened, at)):
        return at + 1
    behind = tokens.text(at + 1)
    m.write(at, b" " if behind in (b":", b")") or tokens.text(at - 1) == b"(" else b",")
    if behind == b"[":
        m.blank(at + 1, tokens.past(at + 1) - 1)
        return tokens.past(at + 1)
    return at + 1


def end_call(m: Mending, at: int) -> int:
    """Goes on behind the arguments of a macro; a statement or a block that follows them is one of its own."""
    tokens = m.tokens
    behind = tokens.text(at + 1)
    first = tokens.partner.get(at, 0) - 1
    if m.context() == b"i" and tokens.is_word(at + 1):
        m.insert(at + 1, b",")
    elif m.context() == b"{" and (
        behind in (b"{", b"}", b"", DIRECTIVE)
        or tokens.is_word(at + 1)
        or (behind in (b"+", b"-") and tokens.text(at + 2) == behind)
    ):
        is_statement = first >= 0 and tokens.text(first - 1) in (
            b"",
            b";",
            b"{",
            b"}",
            b")",
            b":",
            DIRECTIVE,
            b"else",
        )
        if is_statement:
            m.insert(at + 1, b";")
    return at + 1


def end_block(m: Mending, at: int) -> int:
    """Goes on behind a block among arguments: it is one of its own."""
    text = m.tokens.text(at)
    if text == b"else":
        m.write(at, b",")
        return at + 1
    if text not in (b",", b")", b";", b""):
        m.insert(at, b",")
    return argument(m, at)


def close_bracket(m: Mending, at: int) -> int:
    """Goes on behind a bracket that closes, and behind the attributes of a function."""
    if at in m.heads and not has_listed_names(m.tokens, at):
        return blank_trailing_words(m, at + 1)
    return at + 1


def has_listed_names(tokens: Tokens, closed: int) -> bool:
    """Whether the brackets of a function hold names alone, whose declarations and a body follow:
    `int f(a, b) int a; char *b; {` (ISO/IEC 9899:2018, 6.9.1 "Function definitions", 6)."""
    names = [tokens.text(at) for at in range(tokens.partner[closed] + 1, closed)]
    if not all(name == b"," or tokens.is_word(tokens.partner[closed] + 1 + at) for at, name in enumerate(names)):
        return False
    at = closed + 1
    while at < len(tokens) and tokens.text(at) not in (b"{", b"}", b"=", DIRECTIVE):
        if tokens.text(at) == b";" and tokens.is_word(at - 1) and tokens.text(at - 1) not in names:
            return False
        at = tokens.past(at) if tokens.text(at) in (b"(", b"[") else at + 1
    return tokens.text(at) in (b"{", b"") and tokens.text(at - 1) == b";"  # or the stretch ends


def blank_trailing_words(m: Mending, at: int) -> int:
    """Blanks the words behind the parameters of a function, which a body or the end follows."""
    tokens = m.tokens
    behind = at
    while tokens.is_word(behind) and tokens.text(behind) not in STATEMENTS - {b"asm", b"__asm__"}:
        behind = tokens.past(behind + 1) if tokens.text(behind + 1) == b"(" else behind + 1
    if behind > at and tokens.text(behind) in (b";", b"{", b",", b"="):
        m.blank(at, behind - 1)
        return behind
    return at
