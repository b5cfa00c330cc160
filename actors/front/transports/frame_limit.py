"""Detects websocket frames that are too long by their headers. No I/O: chunks in, a verdict out.

The library counts what has come of a message; a header that announces too much is known before.

Source: RFC 6455, section 5.2.
"""

from __future__ import annotations

_SHORT_MAX = 125
_EXTENDED = {126: 2, 127: 8}
"""Octets of an extended length."""
_IS_MASKED, _LENGTH = 0x80, 0x7F
_MASK_BYTES = 4


class FrameLimit:
    """The state of the frame that is being received."""

    def __init__(self, max_bytes: int, before: int) -> None:
        """`before` is the number of octets before the first frame."""
        self._max_bytes = max_bytes
        self._header = bytearray()
        self._to_skip = before
        self._is_exceeded = False

    def is_exceeded_by(self, chunk: bytes) -> bool:
        """Whether a frame that begins in the next chunk is too long."""
        at = 0
        while not self._is_exceeded:
            skipped = min(self._to_skip, len(chunk) - at)
            self._to_skip -= skipped
            at += skipped
            if at == len(chunk):
                break
            at = self._read_header(chunk, at)
        return self._is_exceeded

    def _read_header(self, chunk: bytes, at: int) -> int:
        """Reads the rest of a frame's header; returns where the chunk goes on."""
        header = self._header
        wanted = 2 if len(header) < 2 else 2 + _EXTENDED.get(header[1] & _LENGTH, 0)
        part = chunk[at : at + wanted - len(header)]
        header += part
        if len(header) == wanted and (wanted > 2 or header[1] & _LENGTH <= _SHORT_MAX):
            length = int.from_bytes(header[2:], "big") if wanted > 2 else header[1] & _LENGTH
            self._is_exceeded = length > self._max_bytes
            self._to_skip = length + (_MASK_BYTES if header[1] & _IS_MASKED else 0)
            header.clear()
        return at + len(part)
