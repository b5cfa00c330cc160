"""Calls in a source, found by its characters alone: a name before an opening parenthesis, outside comments and strings.

Rules of the file:
- This knows less than a parser, so that it shares no mistake with one. A definition, a keyword and a cast look like
  calls, too: the answer about them says what they are.
- Calls that are written without parentheses, or inside a string, are left out, and are judged neither right nor wrong.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import NamedTuple

_C_COMMENTS = r"//[^\n]*|/\*.*?\*/"
_QUOTED = r'"(?:\\.|[^"\\\n])*"'
_CHARACTER = r"(?<![0-9a-fA-F])'(?:\\.|[^'\\\n])*'"
_TRIPLE = r'""".*?"""'
_HIDDEN: Mapping[str, re.Pattern[str]] = MappingProxyType(
    {
        name: re.compile("|".join(parts), re.DOTALL)
        for name, parts in {
            "go": (_C_COMMENTS, r"`[^`]*`", _QUOTED, _CHARACTER),
            "java": (_C_COMMENTS, _TRIPLE, _QUOTED, _CHARACTER),
            "c": (_C_COMMENTS, _QUOTED, _CHARACTER),
            "cpp": (_C_COMMENTS, r'R"(\w*)\(.*?\)\1"', _QUOTED, _CHARACTER),
            "cs": (_C_COMMENTS, r"(?m:^[ \t]*#[^\n]*)", r'\$?@\$?"(?:""|[^"])*"', _QUOTED, _CHARACTER),
            "kt": (_C_COMMENTS, _TRIPLE, _QUOTED, _CHARACTER),
            "php": (_C_COMMENTS, r"#(?!\[)[^\n]*", r'"(?:\\.|[^"\\])*"', r"'(?:\\.|[^'\\])*'"),
        }.items()
    }
)
_CALL = re.compile(r"(?<![\w@])([^\W\d]\w*)\s*(?:<[\w\s,.?&:*\[\]<>]*>\s*)?(?=\()")
_NAME = re.compile(r"[^\W\d]\w*")
_NESTED = re.compile(r"<[^<>]*>|\([^()]*\)")


class Word(NamedTuple):
    line: int
    """1-based."""
    col: int
    """1-based, in UTF-16 code units."""
    name: str


class Text:
    """A source whose comments and strings are blank."""

    def __init__(self, source: str, language: str) -> None:
        self.visible = _HIDDEN[language].sub(lambda found: re.sub(r"[^\n]", " ", found[0]), source)
        self._starts = [0, *(found.end() for found in re.finditer("\n", source))]
        self._source = source

    def offset(self, line: int) -> int:
        """Where a line begins; behind the last one, the end."""
        return self._starts[line - 1] if line <= len(self._starts) else len(self._source)

    def position(self, offset: int) -> tuple[int, int]:
        """(line, column in UTF-16 code units), both 1-based."""
        number = bisect_right(self._starts, offset)
        word = self._word(number, offset, "")
        return word.line, word.col

    def is_visible(self, line: int, column: int) -> bool:
        """Whether a place (0-based, UTF-16) is outside comments and strings."""
        start = self._starts[line]
        before = self._source[start : start + column].encode("utf-16-le")[: 2 * column].decode("utf-16-le", "ignore")
        return not self.visible[start + len(before) :][:1].isspace()

    def calls(self) -> Iterator[Word]:
        """Names before an opening parenthesis."""
        for number, start in enumerate(self._starts, 1):
            end = self._starts[number] if number < len(self._starts) else len(self._source)
            for found in _CALL.finditer(self.visible, start, end):
                yield self._word(number, found.start(1), found[1])

    def bases(self, line: int, col: int) -> Iterator[Word]:
        """Names between that of a class, which ends there (1-based, UTF-16), and its body, outside brackets."""
        start = self._starts[line - 1] + col - 1
        end = min(
            place for mark in "{;" if (place := self.visible.find(mark, start)) >= 0 or (place := len(self._source))
        )
        header = self.visible[start:end].partition("permits")[0]
        while (blank := _NESTED.sub(lambda found: " " * len(found[0]), header)) != header:
            header = blank
        for found in _NAME.finditer(header):
            at = start + found.start()
            number = line + self._source.count("\n", start, at)
            yield self._word(number, at, found[0])

    def _word(self, number: int, start: int, name: str) -> Word:
        before = self._source[self._starts[number - 1] : start]
        return Word(number, len(before.encode("utf-16-le")) // 2 + 1, name)
