"""Leaves out most of a long documentation: what a definition does says more, in the same room.

It is found in the lines, as the comment above a definition is: parsing each file takes longer than all the rest.

Source: PEP 257, "What is a Docstring?".
"""

from __future__ import annotations

import re
from collections.abc import Sequence

LINES_MAX = 8
"""Longer documentation is shown by its beginning."""
_BEGINNING_MAX = 3
_DOCSTRING = re.compile(r"\s*[rRuU]?(\"{3}|'{3})")
_HEADER_END = re.compile(r":\s*(?:#.*)?$")
_WORD = re.compile(r"\w")


def parts_without_long_docs(
    lines: Sequence[str], comment: int, first: int, last: int, *, has_docstrings: bool
) -> list[tuple[int, int]]:
    """First and last lines, from 1, of what is shown of a definition from `first` to `last` and the comment from line
    `comment` up to it, where there is one."""
    docs = [(comment, first - 1)]
    if has_docstrings:
        docs.append(find_docstring(lines, first, last))
    parts, at = [], comment
    for begin, end in docs:
        if end - begin + 1 > LINES_MAX:
            parts.append((at, _end_of_beginning(lines, begin)))
            at = end + 1
    return [*parts, (at, last)] if at <= last else parts


def find_docstring(lines: Sequence[str], first: int, last: int) -> tuple[int, int]:
    """The lines of the docstring of the definition from `first` to `last`; none: its last line is before its first."""
    at = first
    while at <= last and not _HEADER_END.search(lines[at - 1]):
        at += 1
    at += 1
    while at <= last and not lines[at - 1].strip():
        at += 1
    begins = _DOCSTRING.match(lines[at - 1]) if at <= last else None
    if begins is None:
        return first, first - 1
    quotes = begins[1]
    if quotes in lines[at - 1][begins.end() :]:
        return at, at
    end = next((line for line in range(at + 1, last + 1) if quotes in lines[line - 1]), last)
    return at, end


def _end_of_beginning(lines: Sequence[str], first: int) -> int:
    """The last line of the first paragraph, if that is short; marks of comments alone on their line are no text."""
    at = first
    while at < first + _BEGINNING_MAX - 1 and not (_WORD.search(lines[at - 1]) and not _WORD.search(lines[at])):
        at += 1
    return at
