"""The head of a declaration that has more words than the grammar reads: of those, macros that expand to attributes.

In C two names stand side by side only as a type and what it declares. So the words in front of a name tell by their
number which of them are macros; which ones of several, their spelling decides.

Source: ISO/IEC 9899:2018, 6.7 "Declarations".
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum
from typing import NamedTuple

from codemap.languages.c.spelling.text import Spelling
from codemap.languages.c.spelling.tokens import Tokens
from codemap.languages.c.spelling.words import (
    BUILTIN,
    QUALIFIERS,
    STATEMENTS,
    TAGS,
    TYPEOF,
    is_attribute,
    is_sized,
)

WORDS_MAX = 64
"""Of a head. Tables of macros have hundreds side by side, each of which begins a head."""


class Unit(IntEnum):
    QUALIFIER = 0
    TYPE = 1
    """What can be nothing else: `struct x`, `unsigned long`, `typeof(…)`."""
    CALLED = 2
    """A word with arguments, and a word behind them."""
    WORD = 3


_TYPED = (Unit.TYPE, Unit.WORD)


class Part(NamedTuple):
    """Tokens from the first to the last, both included."""

    unit: Unit
    first: int
    last: int


def split_head(tokens: Tokens, at: int, before: Sequence[Part] = ()) -> tuple[list[Part], int]:
    """The words that stand side by side from a token on, behind others of the same head, and the number of the token
    behind them."""
    found: list[Part] = []
    is_typed = any(part.unit in _TYPED for part in before)
    while tokens.is_word(at) and len(found) < WORDS_MAX:
        text = tokens.text(at)
        last = at
        if text in STATEMENTS:
            break
        if text in QUALIFIERS:
            unit = Unit.QUALIFIER
            if text == b"__attribute__" and tokens.text(at + 1) == b"(":
                last = tokens.past(at + 1) - 1
        elif text in TAGS and tokens.is_word(at + 1):
            unit, last = Unit.TYPE, _tag(tokens, at + 1)
        elif text in BUILTIN or text in TAGS:
            unit = Unit.TYPE
            while tokens.text(last + 1) in BUILTIN:
                last += 1
        elif text in TYPEOF and tokens.text(at + 1) == b"(":
            unit, last = Unit.TYPE, tokens.past(at + 1) - 1
        elif tokens.text(at + 1) == b"(" and _is_called(tokens, at, is_typed=is_typed):
            unit, last = Unit.CALLED, tokens.past(at + 1) - 1
        else:
            unit = Unit.WORD
        found.append(Part(unit, at, last))
        is_typed = is_typed or unit in _TYPED
        at = last + 1
    return found, at


def _tag(tokens: Tokens, at: int) -> int:
    """The last token that belongs to `struct`: its tag, behind words that are none."""
    words, behind = at, at
    while tokens.is_word(behind) or _is_behind_attribute(tokens, behind):
        behind = tokens.past(behind) if tokens.text(behind) == b"(" else behind + 1
        if tokens.is_word(behind - 1):
            words = behind - 1
    if tokens.text(behind) == b"{":
        return words
    return at + 1 if is_attribute(tokens.text(at)) and tokens.is_word(at + 1) and tokens.is_word(at + 2) else at


def _is_behind_attribute(tokens: Tokens, opened: int) -> bool:
    """Whether a bracket is around the arguments of an attribute."""
    return (
        tokens.text(opened) == b"("
        and (is_attribute(tokens.text(opened - 1)) or tokens.text(opened - 1) == b"__attribute__")
        and not has_parameters(tokens, opened)
    )


def _is_called(tokens: Tokens, at: int, *, is_typed: bool) -> bool:
    """Whether a word and its arguments are in front of something, not a function's name and parameters; `is_typed`
    where a type or name is in front of it."""
    behind = tokens.past(at + 1)
    if not tokens.is_word(behind) or tokens.text(behind) in STATEMENTS:
        return False
    return not is_typed or (is_attribute(tokens.text(at)) and not has_parameters(tokens, at + 1))


def clean(spelling: Spelling, found: list[Part], end: int, *, names: int) -> int:
    """Blanks the words that are neither the type nor one of so many names behind it; the number of the name's token,
    -1 where none is left."""
    tokens = spelling.tokens
    types = [part for part in found if part.unit is Unit.TYPE]
    words = [part for part in found if part.unit is Unit.WORD]
    for part in found:
        if part.unit is Unit.CALLED:
            spelling.blank(part.first, part.last)
        elif part.unit is Unit.TYPE and tokens.text(part.first) in TAGS and part.last > part.first + 1:
            spelling.blank(part.first + 1, part.last - 1)
    kept: list[Part] = []
    name = -1
    if names and words and (not types or words[-1].first > types[0].first):
        chosen = _name(tokens, words, types, end)
        kept.append(chosen)
        name = chosen.first
    if not types:
        left = [part for part in words if part not in kept and (not kept or part.first < name)]
        if left:
            kept.append(min(left, key=lambda part: (is_attribute(tokens.text(part.first)), not _sized(tokens, part))))
    for part in words:
        if part not in kept:
            spelling.blank(part.first, part.last)
    return name


def _sized(tokens: Tokens, part: Part) -> bool:
    return is_sized(tokens.text(part.first))


def _name(tokens: Tokens, words: list[Part], types: list[Part], end: int) -> Part:
    """The word that is declared: the last one, but for attributes behind a variable's name."""
    if tokens.text(end) == b"(" and not _is_argued(tokens, words, end):
        return words[-1]
    least = 0 if types else 1
    for part in reversed(words[least:]):
        if not is_attribute(tokens.text(part.first)) and (not types or part.first > types[0].first):
            return part
    behind = [part for part in words[least:] if not types or part.first > types[0].first]
    return behind[0] if behind else words[-1]


def _is_argued(tokens: Tokens, words: list[Part], end: int) -> bool:
    """Whether the last word is an attribute with arguments behind a variable's name, not a function with parameters."""
    behind = tokens.text(tokens.past(end))
    if len(words) < 2 or not is_attribute(tokens.text(words[-1].first)) or behind not in (b";", b"=", b","):
        return False
    return tokens.past(end) - end > 2 and not has_parameters(tokens, end)


def has_parameters(tokens: Tokens, opened: int) -> bool:
    """Whether parameters are in brackets, and not values."""
    return any(
        tokens.text(at) in BUILTIN or (tokens.is_word(at) and tokens.is_word(at + 1))
        for at in range(opened + 1, tokens.past(opened) - 1)
    )
