"""Splits a byte stream into lines within a size limit. No I/O: chunks in, lines out.

A line that is too long gives one `TooLong`, as soon as that is known; the rest of it is dropped, and the lines after it
are read as usual. A carriage return before the line feed, and blank lines, are left to the reader of the line.
"""

from __future__ import annotations

import msgspec


class TooLong(msgspec.Struct, frozen=True):
    """A line that exceeded the limit."""

    max_bytes: int


class LineBuffer:
    """Buffers the incomplete last line, at most `max_bytes` of it."""

    def __init__(self, max_bytes: int) -> None:
        self._max_bytes = max_bytes
        self._parts: list[bytes] = []
        self._held = 0
        self._is_dropping = False

    def feed(self, chunk: bytes) -> list[bytes | TooLong]:
        """Adds a chunk; returns the lines that it completes, without line feeds."""
        *complete, rest = chunk.split(b"\n")
        found: list[bytes | TooLong] = []
        for part in complete:
            self._hold(part, found)
            if not self._is_dropping:
                found.append(b"".join(self._parts))
            self._forget()
        self._hold(rest, found)
        return found

    def end(self) -> list[bytes | TooLong]:
        """Returns the last line, if the stream ended without a line feed; nothing if it was empty."""
        found: list[bytes | TooLong] = [b"".join(self._parts)] if self._held and not self._is_dropping else []
        self._forget()
        return found

    def _hold(self, part: bytes, found: list[bytes | TooLong]) -> None:
        if self._is_dropping or not part:
            return
        self._held += len(part)
        if self._held > self._max_bytes:
            self._parts.clear()
            self._is_dropping = True
            found.append(TooLong(self._max_bytes))
        else:
            self._parts.append(part)

    def _forget(self) -> None:
        self._parts.clear()
        self._held = 0
        self._is_dropping = False
