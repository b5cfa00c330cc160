"""Declarations: the words of their heads, and what follows the names."""

from __future__ import annotations

from codemap.languages.c.spelling.heads import Part, Unit, clean, split_head
from codemap.languages.c.spelling.macro_definitions import read_lone_macro
from codemap.languages.c.spelling.text import Mending
from codemap.languages.c.spelling.tokens import DIRECTIVE
from codemap.languages.c.spelling.words import QUALIFIERS, STATEMENTS, is_attribute

_BEHIND = frozenset((b";", b"{", b"=", b",", b":"))


def declared(m: Mending, at: int) -> int:
    """Goes on behind the head of a declaration, or of a statement that looks like one."""
    tokens = m.tokens
    found, end = split_head(tokens, at)
    if found and found[0].unit is Unit.CALLED and is_alone(m, found[0].first, found[0].last):
        return found[0].first + 1
    plain = [part for part in found if part.unit is not Unit.QUALIFIER]
    text = tokens.text(end)
    if len(found) == len(plain) == 1 and text in (DIRECTIVE, b"", b"}") and is_attribute(tokens.text(at)):
        m.insert(end, b";")
        return end
    if not plain or (text == b"{" and plain[-1].unit is Unit.TYPE):
        if plain and text == b"{":
            clean(m, found, end, names=0)
            if tokens.text(plain[-1].first) == b"enum":
                m.listed.add(end)
        return max(end, at + 1)
    if text == b"(" and len(plain) > 1 and is_wrapped(m, plain[-1], end):
        m.blank(plain[-1].first, end)
        m.blank(tokens.past(end) - 1, tokens.past(end) - 1)
        found, end = [part for part in found if part is not plain[-1]], end + 1
        plain.pop()
    if text == b"*":
        return read_pointer(m, found, end)
    if text == b"(" and [part.unit for part in plain] == [Unit.WORD]:
        return read_lone_macro(m, plain[0].first, end, is_qualified=len(plain) < len(found))
    if text == b"(" and tokens.text(end + 1) in (b"*", b"^"):
        clean(m, found, end, names=0)
        return read_function_pointer(m, end)
    if text in (b"(", b"[", b";", b"=", b",", b":", b")", DIRECTIVE, b""):
        clean(m, found, end, names=1)
        return read_behind_name(m, end)
    return max(end, at + 1)


def is_wrapped(m: Mending, last: Part, opened: int) -> bool:
    """Whether a macro is around the parameters, for compilers that know none: `name OF((int n))`."""
    tokens = m.tokens
    return (
        last.unit is Unit.WORD
        and tokens.text(last.first).isupper()
        and tokens.text(opened + 1) == b"("
        and tokens.past(opened + 1) == tokens.past(opened) - 1
    )


def is_alone(m: Mending, first: int, last: int) -> bool:
    """Whether a macro with arguments has lines of its own, and does not look like an attribute of what follows."""
    tokens = m.tokens
    text = tokens.text(first)
    if text[:2] == b"__" and text.islower():
        return False
    is_repeated = tokens.text(last + 1) == text and m.column(first) > 0
    return is_repeated or (m.is_lined(last + 1) and (first == 0 or m.is_lined(first)))


def read_pointer(m: Mending, found: list[Part], end: int) -> int:
    """The stars of a declarator, the words between them, and its name."""
    tokens = m.tokens
    clean(m, found, end, names=0)
    while tokens.text(end) == b"*":
        while tokens.text(end) == b"*":
            end += 1
        more, behind = split_head(tokens, end, found)
        text = tokens.text(behind)
        if text == b"(" and tokens.text(behind + 1) == b"*":
            clean(m, [part for part in more if part.unit is not Unit.TYPE], behind, names=0)
            return read_function_pointer(m, behind)
        words = [part for part in more if part.unit is not Unit.QUALIFIER]
        kept = words[-1:]
        if text == b"*":
            kept = []
        elif text != b"(":
            kept = [part for part in words if not is_attribute(tokens.text(part.first))][-1:] or words[:1]
            if text in (b")", b",") and len(words) == 1 and tokens.text(words[0].first)[:2] == b"__":
                kept = [] if is_attribute(tokens.text(words[0].first)) else kept
        for part in words:
            if part not in kept:
                m.blank(part.first, part.last)
        end = behind
    return read_behind_name(m, end)


def read_function_pointer(m: Mending, at: int) -> int:
    """A pointer to a function: `(*name)(…)`."""
    tokens = m.tokens
    more, behind = split_head(tokens, at + 2)
    words = [part for part in more if part.unit is not Unit.QUALIFIER]
    for part in words[:-1]:
        m.blank(part.first, part.last)
    close = tokens.past(at)
    if tokens.text(close) == b"(":
        m.heads.add(tokens.past(close) - 1)
        m.around.append(b"p")
        return close + 1
    return behind


def read_behind_name(m: Mending, end: int) -> int:
    """What follows the name of a declaration."""
    tokens = m.tokens
    text = tokens.text(end)
    if text == b"(":
        close = tokens.past(end) - 1
        if close < len(tokens) and end in tokens.partner:
            m.heads.add(close)
        m.around.append(b"p")
        return end + 1
    if text == b"[":
        return indexed(m, end)
    return end


def indexed(m: Mending, at: int) -> int:
    """Goes on behind the sizes of an array, and behind its attributes."""
    tokens = m.tokens
    while tokens.text(at) == b"[":
        at = tokens.past(at)
        behind = at
        while tokens.is_word(behind):
            behind = tokens.past(behind + 1) if tokens.text(behind + 1) == b"(" else behind + 1
        if behind > at and tokens.text(behind) in _BEHIND:
            m.blank(at, behind - 1)
            at = behind
    return at


def read_behind_body(m: Mending, at: int) -> int:
    """What follows the body of a struct: one name, and attributes."""
    tokens = m.tokens
    while tokens.text(at) == b"*":
        at += 1
    if not tokens.is_word(at) or tokens.text(at) in STATEMENTS or tokens.text(at) in QUALIFIERS - {b"__attribute__"}:
        return at
    found, end = split_head(tokens, at)
    if any(part.unit is Unit.TYPE for part in found) or m.is_lined(at):
        return at
    behind = tokens.text(end)
    if behind == b"(" and is_attribute(tokens.text(end - 1)) and tokens.text(tokens.past(end)) == b";":
        for part in found[:-1]:
            if part.unit is Unit.CALLED or (is_attribute(tokens.text(part.first)) and len(found) > 2):
                m.blank(part.first, part.last)
        m.blank(end - 1, tokens.past(end) - 1)
        return tokens.past(end)
    if behind in (b";", b"=", b"[", b","):
        named = [part for part in found if part.unit is Unit.WORD]
        plain = [part for part in named if not is_attribute(tokens.text(part.first))] or named[:1]
        for part in found:
            if part.unit is not Unit.QUALIFIER and part not in plain[-1:]:
                m.blank(part.first, part.last)
        return indexed(m, end)
    return at
