"""Adapts a connection for hypercorn: its beginning is read again, writes have a time limit, and only the door closes
it.

Rules of the file:
- Whoever goes or takes no answers, and whatever is to be closed, has a moment to end: then all of it is cancelled.
  hypercorn waits without an end for an application that nobody reads any more, and shields what it writes.
"""

from __future__ import annotations

import socket

import trio

from actors.front.transports.request_head import Replayed
from actors.front.transports.websocket import CLOSE_S
from actors.messaging.log import Severity, log


class _Nowhere:
    """Hides the addresses of both ends."""

    family = socket.AF_UNSPEC

    def getpeername(self) -> None: ...

    def getsockname(self) -> None: ...


class HttpStream:
    """One connection, read from its first byte."""

    socket = _Nowhere()

    def __init__(self, stream: trio.abc.Stream, received: bytes, write_s: float) -> None:
        """`write_s` is how long the client may take to read a part of an answer."""
        self._stream = Replayed(stream, received)
        self._write_s = write_s
        self._reading: trio.CancelScope | None = None
        self._is_closed = False
        self.life = trio.CancelScope()
        """All that belongs to the connection is to run in it."""

    async def receive_some(self, max_bytes: int | None = None) -> bytes:
        """Reads some bytes. Raises trio.ClosedResourceError, BrokenResourceError."""
        if not self._is_closed:
            with trio.CancelScope() as self._reading:
                chunk = await self._stream.receive_some(max_bytes)
                if not chunk:
                    self.end_within(CLOSE_S)
                return chunk
        raise trio.ClosedResourceError

    async def send_all(self, data: bytes) -> None:
        """Writes bytes. Raises trio.BrokenResourceError when the peer is gone or does not read."""
        if self._is_closed:
            raise trio.BrokenResourceError
        try:
            with trio.fail_after(self._write_s):
                await self._stream.send_all(data)
        except trio.TooSlowError:
            log("client-dropped", Severity.WARNING, reason="takes no answers")
            await self.aclose()
            raise trio.BrokenResourceError from None
        except trio.BrokenResourceError:
            await self.aclose()
            raise

    async def aclose(self) -> None:
        """Stops reading and writing."""
        self._is_closed = True
        self.end_within(CLOSE_S)
        if self._reading is not None:
            self._reading.cancel()
        await trio.lowlevel.checkpoint()

    def end_within(self, seconds: float) -> None:
        """Cancels everything that is not done in so many seconds."""
        self.life.deadline = min(self.life.deadline, trio.current_time() + seconds)
