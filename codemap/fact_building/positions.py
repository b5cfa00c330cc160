"""Converts byte offsets to lines and columns (1-based, columns in UTF-16 code units), and back."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from itertools import accumulate, chain, count, repeat
from operator import add, sub

_LONG = re.compile(
    rb"[\xc2-\xdf][\x80-\xbf]"
    rb"|\xe0[\xa0-\xbf][\x80-\xbf]?|[\xe1-\xec\xee\xef][\x80-\xbf]{1,2}|\xed[\x80-\x9f][\x80-\xbf]?"
    rb"|\xf0[\x90-\xbf][\x80-\xbf]{0,2}|[\xf1-\xf3][\x80-\xbf]{1,3}|\xf4[\x80-\x8f][\x80-\xbf]{0,2}"
)
"""A character of several bytes, or the longest beginning of one, for which decoding puts U+FFFD (The Unicode Standard,
3.9, "U+FFFD Substitution of Maximal Subparts"); any other byte is a column."""


class Places:
    """The lines of one source."""

    def __init__(self, source: bytes) -> None:
        lines = source.split(b"\n")
        self._starts = list(map(add, accumulate(map(len, lines), initial=0), count()))
        ending = self._starts.pop()  # where a line after the last one would begin
        self.lines = len(self._starts) - (self._starts[-1] == ending - 1 and len(source) > 0)
        self._is_ascii = source.isascii()
        self._long: list[int] = []
        """Where each character of several bytes begins."""
        self._fewer: list[int] = [0]
        """How many columns fewer than bytes there are before each of them, and behind the last."""
        self._is_plain: list[bool] = []
        """By line: whether each of its bytes is a column."""
        if not self._is_ascii:
            self._is_plain = list(map(bytes.isascii, lines))
            spans = [
                (start + match.start(), start + match.end())
                for start, line, is_plain in zip(self._starts, lines, self._is_plain, strict=True)
                if not is_plain
                for match in _LONG.finditer(line)
            ]
            self._long = [start for start, _ in spans]
            # Four bytes are two code units, others one.
            self._fewer += accumulate(min(end - start - 1, 2) for start, end in spans)

    def line(self, offset: int) -> int:
        return bisect_right(self._starts, offset)

    def lines_between(self, start: int, end: int) -> tuple[int, int]:
        """The lines of the first and of the last character between two offsets."""
        return self.line(start), self.line(max(start, end - 1))

    def __call__(self, offset: int) -> tuple[int, int]:
        line = bisect_right(self._starts, offset)
        column = offset - self._starts[line - 1] + 1
        if not self._is_ascii and not self._is_plain[line - 1]:
            column -= self._count_fewer_columns(line, offset)
        return line, column

    def cells(self, offsets: Sequence[int]) -> list[int]:
        """Line, column, line, column, … of many offsets."""
        starts = self._starts
        if self._is_ascii:
            lines = list(map(bisect_right, repeat(starts), offsets))
            before = [0, *map(sub, starts, repeat(1))]  # by line, the offset that a column counts from
            return [*chain.from_iterable(zip(lines, map(sub, offsets, map(before.__getitem__, lines)), strict=True))]
        found: list[int] = []
        is_plain = self._is_plain
        for offset in offsets:
            line = bisect_right(starts, offset)
            column = offset - starts[line - 1] + 1
            found += (line, column if is_plain[line - 1] else column - self._count_fewer_columns(line, offset))
        return found

    def _count_fewer_columns(self, line: int, offset: int) -> int:
        """Counts how many columns fewer than bytes a line has before an offset."""
        known = bisect_left(self._long, offset)
        fewer = self._fewer[known]
        if known:  # the last of them may be cut by the offset
            last = known - 1
            fewer = min(fewer, self._fewer[last] + offset - self._long[last] - 1)
        return fewer - self._fewer[bisect_left(self._long, self._starts[line - 1])]


class Offsets:
    """The other way: where a line and column of one source are, in bytes."""

    def __init__(self, source: bytes) -> None:
        self._source = source
        self.starts = list(accumulate((len(line) + 1 for line in source.split(b"\n")), initial=0))
        """Of each line, and behind the last."""

    def __call__(self, line: int, column: int) -> int:
        start = self.starts[line - 1]
        text = self._source[start : self.starts[line]]
        if text.isascii():
            return start + column - 1
        units = text.decode("utf-8", "replace").encode("utf-16-le")[: 2 * (column - 1)]
        return start + len(units.decode("utf-16-le", "replace").encode())
