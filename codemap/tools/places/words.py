"""Finds the identifiers on a line of text, in any language, and the one that a column means.

An identifier is a run of letters, digits, `_` and `$` that does not begin with a digit. Keywords look the same: where
the names of the file are known, only those count first.
"""

from __future__ import annotations

import re
from collections.abc import Set

import msgspec

from codemap.tools.places.rows import utf16_length

_WORD = re.compile(r"(?:[^\W\d]|\$)[\w$]*")


class Word(msgspec.Struct, frozen=True):
    text: str
    col: int
    """1-based, UTF-16 code units, as are all columns here."""

    @property
    def end(self) -> int:
        """The column after it."""
        return self.col + utf16_length(self.text)


class Chosen(msgspec.Struct, frozen=True):
    word: Word
    is_exact: bool
    """Whether the column is on it."""
    others: tuple[Word, ...] = ()
    """What else may have been meant, the nearest first."""


def words_of(line: str) -> tuple[Word, ...]:
    """The identifiers of a line, from left to right."""
    return tuple(Word(match[0], 1 + utf16_length(line[: match.start()])) for match in _WORD.finditer(line))


def choose(words: tuple[Word, ...], col: int, names: Set[str], defined: Set[int]) -> Chosen | None:
    """The identifier that a column means: the one it is on, else the nearest; None where there is neither.

    `names` are the identifiers known in the file; empty: nothing is known. `defined` are the columns of the names that
    the line defines. A column at or before the first word names the line: what the line defines comes first then.
    """
    known = tuple(word for word in words if word.text in names) if names else words
    under = next((word for word in words if word.col <= col < word.end), None) or next(
        (word for word in words if col == word.end), None
    )
    if under is not None and under in known:
        return Chosen(under, is_exact=True)
    if known and col <= words[0].col:
        ranked = sorted(known, key=lambda word: (word.col not in defined, word.col))
        return Chosen(ranked[0], is_exact=False, others=tuple(ranked[1:]))
    near = tuple(sorted(known, key=lambda word: (_measure_distance(word, col), -word.col)))
    if under is not None:
        return Chosen(under, is_exact=True, others=near)
    return Chosen(near[0], is_exact=False, others=near[1:]) if near else None


def _measure_distance(word: Word, col: int) -> int:
    return max(word.col - col, col - word.end, 0)
