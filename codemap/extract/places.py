"""Byte offsets -> lines and columns, 1-based, columns in UTF-16 code units."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from itertools import accumulate, count
from operator import add


class Places:
    """The lines of one source."""

    def __init__(self, source: bytes) -> None:
        self._source = source
        self._is_ascii = source.isascii()
        lengths = map(len, source.split(b"\n"))
        self._starts = list(map(add, accumulate(lengths, initial=0), count()))
        ending = self._starts.pop()  # where a line after the last one would begin
        self.lines = len(self._starts) - (self._starts[-1] == ending - 1 and len(source) > 0)

    def line(self, offset: int) -> int:
        return bisect_right(self._starts, offset)

    def __call__(self, offset: int) -> tuple[int, int]:
        line = bisect_right(self._starts, offset)
        start = self._starts[line - 1]
        if self._is_ascii:
            return line, offset - start + 1
        prefix = self._source[start:offset]
        if prefix.isascii():
            return line, len(prefix) + 1
        return line, len(prefix.decode("utf-8", "replace").encode("utf-16-le")) // 2 + 1

    def cells(self, offsets: Iterable[int]) -> list[int]:
        """Line, column, line, column, … of many offsets."""
        found: list[int] = []
        if not self._is_ascii:
            for offset in offsets:
                found += self(offset)
            return found
        starts = self._starts
        for offset in offsets:
            line = bisect_right(starts, offset)
            found += (line, offset - starts[line - 1] + 1)
        return found
