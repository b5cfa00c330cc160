"""One client's connection: reads and writes JSON-RPC messages over the frames of any transport.

Rules of the file:
- One task writes frames. A call that is cancelled while its answer waits to be written is not written at all; a call
  that wrote for itself could leave half a frame.
- Reading goes on when the connection is overloaded: a request over the limit is answered "busy", so that cancellations
  still come through. Only a peer that does not read its answers makes reading wait.
- At the end of input, and when it is stopped, calls under way have `DRAIN_S` to be answered; a peer that is gone gets
  no answers.
- Knows nothing of MCP. Nothing is asked of the peer, so its responses are dropped.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, Protocol

import msgspec
import trio

from actors.front.transports.jsonrpc import (
    INVALID_REQUEST,
    PARSE_ERROR,
    Malformed,
    Notification,
    Request,
    RequestId,
    decode,
    encode,
    error_of,
)
from actors.front.transports.line_framing import TooLong
from actors.front.transports.quota import Quota

DRAIN_S = 5.0
"""How long calls under way may take after the end of input: enough for any answer from the map."""

BUSY = -32000
"""Error code of a busy server: the first of those that MCP leaves to implementations (-32000 to -32019)."""
BUSY_ONE = "Server busy: {} requests wait for their answers; retry when some have come"
BUSY_ALL = "Server busy: {} requests of all clients wait; retry when some are answered"


class Frames(Protocol):
    """A transport that carries one JSON text a frame, both ways."""

    async def receive(self) -> bytes | TooLong | None:
        """Receives the next frame; None at the end of input, after which answers can still be sent.

        Raises trio.BrokenResourceError when the peer is gone.
        """
        ...

    async def send(self, frame: bytes) -> None:
        """Writes a frame. Called by one task only. Raises trio.BrokenResourceError when the peer is gone."""
        ...


class ConnectionStatistics(msgspec.Struct, frozen=True):
    received: int
    """Valid messages that were received."""
    refused: int
    """Frames that were no valid message, and requests over the limit."""
    outstanding: int
    """Requests without an answer yet."""


class Connection:
    """The connection of one client; see `run`."""

    def __init__(
        self, frames: Frames, *, requests_max: int, quota: Quota | None = None, drain_s: float = DRAIN_S
    ) -> None:
        """`quota` has a place for each unanswered request of all connections."""
        self._frames = frames
        self._requests_max = requests_max
        self._quota = Quota(requests_max) if quota is None else quota
        self._drain_s = drain_s
        self._reading: trio.CancelScope | None = None
        self._is_stopped = False
        self._outstanding: set[RequestId] = set()
        self._settled = trio.lowlevel.ParkingLot()
        self._to_write, self._written = trio.open_memory_channel[tuple[bytes, RequestId | None]](0)
        self._received = self._refused = 0
        self.answered = trio.Event()
        """Set when the first answer has been written."""

    async def run(self, serve: Callable[[Connection], Awaitable[None]]) -> None:
        """Serves the connection until `serve` returns or the peer no longer takes answers."""
        try:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(self._write, nursery.cancel_scope)
                await serve(self)
                nursery.cancel_scope.deadline = trio.current_time() + self._drain_s
                self._to_write.close()
        finally:
            self._quota.give(len(self._outstanding))
            self._outstanding.clear()

    def stop(self) -> None:
        """Takes no more requests, as if the input had ended."""
        self._is_stopped = True
        if self._reading is not None:
            self._reading.cancel()

    async def receive(self) -> Request | Notification | None:
        """Receives the next valid message; None at the end of input, once open requests are answered or their time is
        up."""
        while True:
            try:
                frame = await self._next()
            except trio.BrokenResourceError:
                return None
            if frame is None:
                await self._drain()
                return None
            if isinstance(frame, TooLong):
                await self._refuse(None, PARSE_ERROR, f"Parse error: a message exceeds {frame.max_bytes} bytes")
                continue
            if not frame or frame.isspace():
                continue
            match decode(frame):
                case Request() as request:
                    if await self._admit(request):
                        self._received += 1
                        return request
                case Notification() as notification:
                    self._received += 1
                    return notification
                case Malformed(request_id, code, message):
                    await self._refuse(request_id, code, message)
                case None:
                    pass

    async def send(self, message: dict[str, Any], answers: RequestId | None = None) -> None:
        """Sends a message; `answers` is the id of the request that it answers.

        When cancelled, it is not written. Raises trio.ClosedResourceError or BrokenResourceError at the end.
        """
        item = encode(message), answers
        await trio.lowlevel.checkpoint_if_cancelled()
        try:
            self._to_write.send_nowait(item)  # no round of the loop more where the writer waits
        except trio.WouldBlock:
            await self._to_write.send(item)

    def settle(self, request_id: RequestId) -> None:
        """Notes that a request was answered, or was cancelled and will never be."""
        if request_id in self._outstanding:
            self._outstanding.remove(request_id)
            self._quota.give()
            self._settled.unpark_all()

    async def wait_settled(self, request_id: RequestId) -> None:
        """Waits until a request is answered, or will never be."""
        while request_id in self._outstanding:
            await self._settled.park()

    def statistics(self) -> ConnectionStatistics:
        return ConnectionStatistics(self._received, self._refused, len(self._outstanding))

    async def _admit(self, request: Request) -> bool:
        if request.id in self._outstanding:
            await self._refuse(
                request.id, INVALID_REQUEST, "Invalid request: this id is in use by an unanswered request"
            )
            return False
        if len(self._outstanding) >= self._requests_max:
            await self._refuse(request.id, BUSY, BUSY_ONE.format(self._requests_max))
            return False
        if not self._quota.take():
            await self._refuse(request.id, BUSY, BUSY_ALL.format(self._quota.limit))
            return False
        self._outstanding.add(request.id)
        return True

    async def _next(self) -> bytes | TooLong | None:
        if self._is_stopped:
            await trio.lowlevel.checkpoint()
            return None
        with trio.CancelScope() as self._reading:
            return await self._frames.receive()
        return None

    async def _refuse(self, request_id: RequestId | None, code: int, message: str) -> None:
        self._refused += 1
        await self.send(error_of(request_id, code, message))

    async def _drain(self) -> None:
        with trio.move_on_after(self._drain_s):
            while self._outstanding:
                await self._settled.park()

    async def _write(self, scope: trio.CancelScope) -> None:
        try:
            async for frame, answers in self._written:
                await self._frames.send(frame)
                if answers is not None:
                    self.answered.set()
                    self.settle(answers)
        except (trio.BrokenResourceError, trio.ClosedResourceError):
            scope.cancel()
