"""Frames of the base protocol: a header with the length, an empty line, the body.

Servers print on their output what does not belong there, so that lines before a header are skipped. Header lines may
come in any order and case, and may end without a carriage return.

Source: LSP 3.17, base protocol.
"""

from __future__ import annotations

from codemap.lsp.errors import ProtocolViolation

BODY_MAX = 64 * 1024 * 1024
"""Bytes; the largest answers of real servers (all symbols of a large workspace) are some megabytes."""
SKIPPED_MAX = 1024 * 1024
"""Bytes of other text before a frame; whoever prints more speaks no protocol."""


def frame(body: bytes) -> bytes:
    return b"Content-Length: %d\r\n\r\n%b" % (len(body), body)


class FrameReader:
    """Chunks -> bodies, however the chunks are cut."""

    def __init__(self) -> None:
        self._buffer = bytearray()
        self._scanned = 0  # no line ending before this offset
        self._skipped = 0  # bytes of header and other text since the last body
        self._length: int | None = None
        self._is_body = False

    def feed(self, chunk: bytes) -> list[bytes]:
        """The bodies that this chunk completes.

        Raises ProtocolViolation for a length that is none or too large, and for too much text that is no header. The
        bodies before it in the same chunk are lost with it.
        """
        self._buffer += chunk
        bodies: list[bytes] = []
        while True:
            if not self._is_body and not self._read_header():
                return bodies
            assert self._length is not None
            if len(self._buffer) < self._length:
                return bodies
            bodies.append(bytes(memoryview(self._buffer)[: self._length]))
            del self._buffer[: self._length]
            self._length, self._is_body, self._skipped, self._scanned = None, False, 0, 0

    def _read_header(self) -> bool:
        """Whether the header is complete; its lines are taken off the buffer."""
        start = 0
        while (end := self._buffer.find(b"\n", max(start, self._scanned))) >= 0:
            line = bytes(memoryview(self._buffer)[start:end]).strip()
            start = end + 1
            if line:
                self._read_line(line)
            elif self._length is not None:
                self._is_body = True
                break
        del self._buffer[:start]
        self._scanned = 0 if self._is_body else len(self._buffer)
        self._skipped += start
        if self._skipped + self._scanned > SKIPPED_MAX:
            raise ProtocolViolation(f"more than {SKIPPED_MAX} bytes that are no message")
        return self._is_body

    def _read_line(self, line: bytes) -> None:
        name, _, value = line.partition(b":")
        if name.strip().lower() != b"content-length":
            return
        value = value.strip()
        # `int` takes signs and underscores, which a length has not.
        if not value.isdigit() or len(value) > 20:
            raise ProtocolViolation(f"a content length of {value[:40]!r}")
        if (length := int(value)) > BODY_MAX:
            raise ProtocolViolation(f"a message of {length} bytes, more than {BODY_MAX}")
        self._length = length
