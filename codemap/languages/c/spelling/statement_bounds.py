"""Finds where the statements and declarations with syntax errors begin and end."""

from __future__ import annotations

import re
from collections.abc import Sequence

_REACH_BYTES = 4_000
"""How far around an error its statement is looked for."""
_END = re.compile(rb"[;{}][^\n;{}]*\n|\n[ \t]*\n")
_OPEN = ord("{")
_LISTING = re.compile(rb"(?:\benum\b[^;{}()]*|=\s*)\Z")

_LONE = re.compile(rb"^[A-Z_][A-Z0-9_]{2,}[ \t]*\r?\n\s*\Z", re.MULTILINE)
"""A macro on a line of its own, perhaps above blank lines."""


def stretches(source: bytes, errors: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """The statements and declarations that contain errors, as spans of bytes that do not overlap."""
    found: list[tuple[int, int]] = []
    for error, error_end in errors:
        low = max(0, error - _REACH_BYTES)
        begin = low
        for at in _END.finditer(source, low, error):
            if source[at.start()] == _OPEN and _LISTING.search(source, max(low, at.start() - 200), at.start()):
                continue
            begin = at.end() if source[at.start()] != 10 else at.start() + 1
        begin = source.rfind(b"\n", 0, begin) + 1 if begin else 0
        if (lone := _LONE.search(source, low, begin)) is not None:
            begin = lone.start()
        comment = source.rfind(b"/*", low, begin)
        if comment > source.rfind(b"*/", low, begin):
            begin = comment
        end = _end(source, begin, error_end)
        if source.rfind(b"/*", error_end, end) > source.rfind(b"*/", error_end, end):
            end = source.find(b"*/", end) + 2 or end
        if found and begin <= found[-1][1]:
            found[-1] = (found[-1][0], max(end, found[-1][1]))
        else:
            found.append((begin, end))
    return found


def _end(source: bytes, begin: int, error_end: int) -> int:
    """Where the statement ends that begins and has an error at offsets: as many brackets are closed as opened."""
    last = end = error_end
    while end < error_end + _REACH_BYTES:
        behind = _END.search(source, end, error_end + _REACH_BYTES)
        if behind is None:
            return min(len(source), error_end + _REACH_BYTES) if last == error_end else last
        end = behind.end()
        if last == error_end:
            last = end
        if source.count(b"(", begin, end) <= source.count(b")", begin, end):
            return end
    return last
