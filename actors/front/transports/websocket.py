"""The websocket transport: one JSON text a text message, for one client that was admitted.

Rules of the file:
- A client that gives no sign of life, or takes no answers, is dropped: what it has asked is cancelled.
- A message that is binary or too large closes the connection with the code of RFC 6455, section 7.4.1; one too large
  as soon as a header announces it.
- There is no compression: a small message must not become a large one.

Source: RFC 6455, through trio-websocket; MCP, "Transports: custom transports".
"""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from enum import IntEnum

import trio
import trio_websocket

from actors.front.transports.admission import SUBPROTOCOL, Entry
from actors.front.transports.frame_limit import FrameLimit
from actors.front.transports.request_head import Head, Replayed
from actors.front.transports.stdio import LINE_MAX_BYTES
from actors.messaging.log import Severity, log

MESSAGE_MAX = LINE_MAX_BYTES
"""Most characters of a message; as for a line of stdio."""
CLOSE_S = 2.0
"""How long a client may take to answer our close."""
LINGER_S = 0.2
"""A client that announced too much has read why it is closed after so long without a byte."""
_CLOSE_FRAME = b"\x88"
_CHUNK_BYTES = 65_536
_QUEUE = 1
"""Messages queued between the library and us; more would only hide that a client is too fast."""


class Close(IntEnum):
    """Why we close: status codes of RFC 6455."""

    NORMAL = 1000
    GOING_AWAY = 1001
    UNSUPPORTED = 1003
    POLICY = 1008
    TOO_LARGE = 1009
    BUSY = 1013


class WebsocketFrames:
    """Reads and writes text messages; see `actors.front.transports.connection.Frames`."""

    def __init__(self, socket: trio_websocket.WebSocketConnection, write_s: float) -> None:
        """`write_s` is how long the client may take to read a message."""
        self._socket = socket
        self._write_s = write_s

    async def receive(self) -> bytes | None:
        try:
            message = await self._socket.get_message()
        except trio_websocket.ConnectionClosed:
            raise trio.BrokenResourceError from None
        if isinstance(message, bytes):
            await close(self._socket, Close.UNSUPPORTED, "text messages only")
            raise trio.BrokenResourceError
        return message.encode()

    async def send(self, frame: bytes) -> None:
        try:
            with trio.CancelScope(deadline=trio.current_time() + self._write_s) as patience:
                await self._socket.send_message(frame.decode())
        except trio_websocket.ConnectionClosed:
            raise trio.BrokenResourceError from None
        if patience.cancelled_caught:
            log("client-dropped", Severity.WARNING, reason="takes no answers")
            raise trio.BrokenResourceError


async def run_websocket(
    stream: trio.abc.Stream,
    head: Head,
    entry: Entry,
    on_open: Callable[[], None],
    *,
    ping_s: float,
    serve: Callable[[Entry, WebsocketFrames], Awaitable[Close]],
) -> None:
    """Finishes the handshake and serves the client until either side ends; see
    `actors.front.transports.network_door.Speak`.

    `serve` serves a client and returns why it ends. When its token ends, the client is closed. The stream is left to
    the caller.
    """
    allowed = trio.CancelScope()
    limited = _Limited(stream, head, allowed.cancel)
    async with trio.open_nursery() as nursery:
        request = await trio_websocket.wrap_server_stream(nursery, limited, _QUEUE, MESSAGE_MAX, _CHUNK_BYTES)
        socket = await request.accept(subprotocol=SUBPROTOCOL)
        on_open()
        nursery.start_soon(_keep_alive, socket, ping_s, nursery.cancel_scope)
        code, reason = Close.POLICY, "the token has expired"
        with allowed:
            if entry.until_s is not None:
                allowed.deadline = trio.current_time() + max(0.0, entry.until_s - time.time())
            code = await serve(entry, WebsocketFrames(socket, ping_s))
            reason = code.name.lower().replace("_", " ")
        if limited.is_exceeded:
            code, reason = Close.TOO_LARGE, f"a message has {MESSAGE_MAX} bytes at most"
        await close(socket, code, reason)
        if limited.is_exceeded:
            await limited.linger()
        nursery.cancel_scope.cancel()


class _Limited(Replayed):
    """A stream that passes on nothing from a frame that is too long."""

    def __init__(self, stream: trio.abc.Stream, head: Head, on_exceeded: Callable[[], None]) -> None:
        super().__init__(stream, head.received)
        self._limit = FrameLimit(MESSAGE_MAX, head.size)
        self._on_exceeded = on_exceeded
        self._dropping = trio.CancelScope()
        self.is_exceeded = False

    async def receive_some(self, max_bytes: int | None = None) -> bytes:
        chunk = await super().receive_some(max_bytes)
        if not self._limit.is_exceeded_by(chunk):
            return chunk
        self.is_exceeded = True
        self._on_exceeded()
        with self._dropping:
            while await super().receive_some(max_bytes):
                pass
        return b""

    async def send_all(self, data: bytes | bytearray | memoryview) -> None:
        await super().send_all(data)
        if self.is_exceeded and bytes(data[:1]) == _CLOSE_FRAME:
            self._dropping.cancel()  # the client's own closing may come after all that it announced

    async def linger(self) -> None:
        """Closes our direction and drops what still comes, for `CLOSE_S` at most.

        Closed with something unread, TCP would take back why we close.
        """
        with trio.move_on_after(CLOSE_S):
            if isinstance(self._stream, trio.abc.HalfCloseableStream):
                await self._stream.send_eof()
            chunk = b"more"
            while chunk:
                with trio.move_on_after(LINGER_S) as quiet:
                    chunk = await super().receive_some(_CHUNK_BYTES)
                if quiet.cancelled_caught:
                    return


async def close(socket: trio_websocket.WebSocketConnection, code: Close, reason: str) -> None:
    """Sends the reason and closes; does nothing on a closed socket."""
    with trio.move_on_after(CLOSE_S):
        await socket.aclose(code, reason)


async def _keep_alive(socket: trio_websocket.WebSocketConnection, ping_s: float, scope: trio.CancelScope) -> None:
    """Pings the client, and cancels the scope when it does not answer."""
    try:
        while True:
            await trio.sleep(ping_s)
            with trio.fail_after(ping_s):
                await socket.ping()
    except trio.TooSlowError:
        log("client-dropped", Severity.WARNING, reason="gives no sign of life")
        scope.cancel()
    except trio_websocket.ConnectionClosed:
        pass
