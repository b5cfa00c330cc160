"""Reads the head of an HTTP request within limits, and writes simple answers.

What was read is kept: whoever speaks on, as the websocket library does, reads the connection from its beginning.

Source: RFC 9112, through h11.
"""

from __future__ import annotations

from http import HTTPStatus

import h11
import msgspec
import trio

HEAD_MAX_BYTES = 16 * 1024
"""Size limit: browsers and proxies add a few kilobytes."""
_CHUNK_BYTES = 4096


class Head(msgspec.Struct, frozen=True):
    method: str
    target: str
    """As sent: not decoded, not normalized."""
    headers: tuple[tuple[str, str], ...]
    """Names in lower case, in the order sent."""
    received: bytes
    """All bytes that were read, the head included."""
    size: int = 0
    """Size of the head itself in bytes."""

    def values(self, name: str) -> list[str]:
        """Lists the values of a header, one for each time that it was sent."""
        return [value for key, value in self.headers if key == name]

    def words(self, name: str) -> list[str]:
        """Lists the members of a header that is a comma-separated list."""
        return [word.strip() for value in self.values(name) for word in value.split(",") if word.strip()]


class Malformed(msgspec.Struct, frozen=True):
    """Raised when the bytes are no HTTP request."""

    status: int


async def read_head(stream: trio.abc.ReceiveStream) -> Head | Malformed | None:
    """Reads the head of the first request; None when the peer is gone before it was whole. No time limit.

    Raises trio.BrokenResourceError.
    """
    parser = h11.Connection(h11.SERVER, max_incomplete_event_size=HEAD_MAX_BYTES)
    received = bytearray()
    while True:
        try:
            event = parser.next_event()
        except h11.RemoteProtocolError as error:
            return Malformed(error.error_status_hint)
        if isinstance(event, h11.Request):
            size = len(received) - len(parser.trailing_data[0])
            headers = tuple((name.decode("latin-1"), value.decode("latin-1")) for name, value in event.headers)
            return Head(event.method.decode("latin-1"), event.target.decode("latin-1"), headers, bytes(received), size)
        assert event is h11.NEED_DATA, "a request comes first"
        chunk = await stream.receive_some(_CHUNK_BYTES)
        if not chunk:
            return None
        received += chunk
        parser.receive_data(bytes(chunk))


def response(
    status: int,
    text: str,
    *,
    headers: tuple[tuple[str, str], ...] = (),
    kind: str = "text/plain",
    is_head: bool = False,
) -> bytes:
    """Makes a whole answer of a textual media type, after which the connection is closed."""
    body = text.encode()
    writer = h11.Connection(h11.SERVER)
    described = [
        ("content-type", f"{kind}; charset=utf-8"),
        ("content-length", str(len(body))),
        ("cache-control", "no-store"),
        ("connection", "close"),
        *headers,
    ]
    parts = [writer.send(h11.Response(status_code=status, headers=described, reason=HTTPStatus(status).phrase))]
    if not is_head:
        parts += [writer.send(h11.Data(data=body)), writer.send(h11.EndOfMessage())]
    return b"".join(part for part in parts if part)


class Replayed(trio.abc.Stream):
    """A stream whose beginning was read already, and is read again."""

    def __init__(self, stream: trio.abc.Stream, received: bytes) -> None:
        self._stream = stream
        self._received = received

    async def receive_some(self, max_bytes: int | None = None) -> bytes:
        if not self._received:
            return bytes(await self._stream.receive_some(max_bytes))
        await trio.lowlevel.checkpoint()
        size = len(self._received) if max_bytes is None else max_bytes
        part, self._received = self._received[:size], self._received[size:]
        return part

    async def send_all(self, data: bytes | bytearray | memoryview) -> None:
        await self._stream.send_all(data)

    async def wait_send_all_might_not_block(self) -> None:
        await self._stream.wait_send_all_might_not_block()

    async def aclose(self) -> None:
        await self._stream.aclose()
