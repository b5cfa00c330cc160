"""Edits of texts: checked, applied, and shown as a unified diff.

Rules of the file:
- Lines and columns are 1-based, columns in UTF-16 code units; lines end with `\\n`, `\\r\\n` or `\\r`, which stay.
- A byte order mark stays, and counts for no column.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from difflib import unified_diff
from itertools import pairwise

import msgspec

from codemap.live_queries import At, Edit, Found, Source, SourceNow
from codemap.tools.places.rows import utf16_length
from codemap.tools.tool import Asking

READ_MAX = 40
"""Files that are read at once."""
_LINE_END = re.compile(r"\r\n|\n|\r")
_MARK = "\ufeff"
_DOT = re.compile(r"\.\s*\Z")


class Span(msgspec.Struct, frozen=True):
    """A stretch of a text, in characters, and what replaces it."""

    start: int
    end: int
    text: str


def spans_of(text: str, edits: Sequence[Edit]) -> list[Span] | None:
    """In order; None where they overlap or lie outside."""
    begins = [0, *(match.end() for match in _LINE_END.finditer(text))]
    ends = [*(match.start() for match in _LINE_END.finditer(text)), len(text)]
    head = len(_MARK) if text.startswith(_MARK) else 0

    def offset(line: int, col: int) -> int | None:
        if not 1 <= line <= len(begins):
            return None
        start = begins[line - 1] + (head if line == 1 else 0)
        units = 0
        for at in range(start, ends[line - 1]):
            if units >= col - 1:
                return at if units == col - 1 else None
            units += utf16_length(text[at])
        return ends[line - 1] if units == col - 1 else None

    found: list[Span] = []
    for edit in edits:
        start, end = offset(edit.place.line, edit.place.col), offset(edit.place.end_line, edit.place.end_col)
        if start is None or end is None or end < start:
            return None
        found.append(Span(start, end, edit.text))
    found.sort(key=lambda span: (span.start, span.end))
    return None if any(one.end > other.start for one, other in pairwise(found)) else found


def split_lines(text: str) -> list[str]:
    """Without their ends, and without a byte order mark."""
    return _LINE_END.split(text.removeprefix(_MARK))


def split_line(lines: Sequence[str], at: At) -> tuple[str, str]:
    """What a line has before a place, and from there on; two empty texts where there is no such line."""
    if not 1 <= at.line <= len(lines):
        return "", ""
    line = lines[at.line - 1].encode("utf-16-le")
    units = 2 * (at.col - 1)
    return line[:units].decode("utf-16-le", "replace"), line[units:].decode("utf-16-le", "replace")


def is_after_dot(lines: Sequence[str], at: At) -> bool:
    """Whether what is at a place is asked of something: `load` of `store.load`."""
    return _DOT.search(split_line(lines, at)[0]) is not None


def read_lines(paths: Iterable[str]) -> Asking[dict[str, list[str]]]:
    """The lines of some files as they are now, of `READ_MAX` at most; those that cannot be read are left out."""
    wanted = list(dict.fromkeys(paths))[:READ_MAX]
    facts = (yield tuple(map(Source, wanted))) if wanted else ()
    return {
        path: split_lines(fact.value.content.decode("utf-8", "replace"))
        for path, fact in zip(wanted, facts, strict=True)
        if isinstance(fact, Found) and isinstance(fact.value, SourceNow)
    }


def replaced(text: str, spans: Sequence[Span]) -> str:
    parts: list[str] = []
    at = 0
    for span in spans:
        parts += (text[at : span.start], span.text)
        at = span.end
    return "".join((*parts, text[at:]))


def diff_of(before: Mapping[str, str], after: Mapping[str, str]) -> str:
    """As `diff -u` and git write it; what has no line feed at its end says so."""
    parts: list[str] = []
    for path, text in before.items():
        found = unified_diff(_lines(text), _lines(after[path]), f"a/{path}", f"b/{path}")
        parts += (line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in found)
    return "".join(parts)


def _lines(text: str) -> list[str]:
    """With their line feeds; git counts no other line ends."""
    return [line for line in re.split(r"(?<=\n)", text) if line]
