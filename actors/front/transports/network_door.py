"""Accepts TCP connections: each becomes a client, gets a page, or is refused.

Rules of the file:
- A stranger holds a connection for the time of a handshake at most, and strangers hold `HALF_OPEN_MAX` together: when
  another comes, the oldest of them goes, so that a thousand of them keep no client out.
- What goes wrong with one connection ends that one.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from functools import partial

import msgspec
import trio
import trio_websocket
import wsproto.utilities

from actors.front.transports.admission import (
    Document,
    Entry,
    Page,
    Preflight,
    Refusal,
    Rules,
    Verdict,
    judge,
)
from actors.front.transports.clients import Clients
from actors.front.transports.request_head import Head, Malformed, read_head, response
from actors.messaging.log import Severity, log
from actors.messaging.supervise import contain

HALF_OPEN_MAX = 1024
"""Most connections that have not sent a request yet. A client needs milliseconds, but hundreds may come at once, as
after a restart."""
_CHUNK_BYTES = 4096
_UNREAD_MAX_BYTES = 1024 * 1024
"""Bytes of a refused request's body that are read, so that the refusal is not lost."""
BUSY_RETRY_S = 5


Speak = Callable[[trio.abc.Stream, Head, Entry, Callable[[], None]], Awaitable[None]]
"""Serves an admitted connection until either side ends; calls back when it has begun."""


class DoorStatistics(msgspec.Struct, frozen=True, rename="camel"):
    half_open: int
    """Connections that have not sent a request yet."""
    crowded_out: int
    """How many of them were closed because there were too many."""
    timed_out: int
    refused: int
    """Requests that were answered with an error."""

    def __add__(self, other: DoorStatistics) -> DoorStatistics:
        return DoorStatistics(
            self.half_open + other.half_open,
            self.crowded_out + other.crowded_out,
            self.timed_out + other.timed_out,
            self.refused + other.refused,
        )


class Door:
    """One door for any number of listeners; see `run`."""

    def __init__(
        self,
        rules: Rules,
        clients: Clients,
        *,
        handshake_s: float,
        speak: Speak,
        show: Callable[[Page], str],
        judge: Callable[[Head, Rules], Verdict] = judge,
    ) -> None:
        """`speak` serves an admitted client; `show` returns the text of a page; `judge` decides who is admitted."""
        self._rules = rules
        self._clients = clients
        self._handshake_s = handshake_s
        self._speak = speak
        self._show = show
        self._judge = judge
        self._half_open: dict[trio.CancelScope, None] = {}
        self._crowded_out = self._timed_out = self._refused = 0
        self._listening = trio.CancelScope()

    async def run(self, listeners: Sequence[trio.abc.Listener[trio.abc.Stream]]) -> None:
        """Accepts clients until closed, and returns when the last one has gone. The listeners are closed in the end."""
        async with trio.open_nursery() as nursery:
            with self._listening:
                await trio.serve_listeners(self._welcome, list(listeners), handler_nursery=nursery)

    def close(self) -> None:
        """Accepts nobody any more."""
        self._listening.cancel()
        for scope in list(self._half_open):
            scope.cancel()

    def statistics(self) -> DoorStatistics:
        return DoorStatistics(len(self._half_open), self._crowded_out, self._timed_out, self._refused)

    async def _welcome(self, stream: trio.abc.Stream) -> None:
        try:
            await contain("client", partial(self._receive, stream))
        finally:
            await trio.aclose_forcefully(stream)

    async def _receive(self, stream: trio.abc.Stream) -> None:
        with trio.CancelScope(deadline=trio.current_time() + self._handshake_s) as opening:
            self._make_room()
            self._half_open[opening] = None
            try:
                await self._hear(stream, opening)
            except* (trio.BrokenResourceError, trio.ClosedResourceError):
                pass  # the peer went, or spoke no TLS
            except* (trio_websocket.ConnectionClosed, trio_websocket.HandshakeError):
                pass
            except* wsproto.utilities.LocalProtocolError:
                pass  # the library would answer a ping that came while it closed
            finally:
                self._half_open.pop(opening, None)
        if opening.cancelled_caught and trio.current_time() >= opening.deadline:
            self._timed_out += 1

    def _make_room(self) -> None:
        if len(self._half_open) >= HALF_OPEN_MAX:
            oldest = next(iter(self._half_open))
            del self._half_open[oldest]
            oldest.cancel()
            self._crowded_out += 1

    async def _hear(self, stream: trio.abc.Stream, opening: trio.CancelScope) -> None:
        head = await read_head(stream)
        match head:
            case None:
                pass
            case Malformed(status):
                await self._refuse(stream, Refusal(status, "This is no HTTP request."), is_head=False)
            case Head():
                await self._answer(stream, head, opening)

    async def _answer(self, stream: trio.abc.Stream, head: Head, opening: trio.CancelScope) -> None:
        is_head = head.method == "HEAD"
        match self._judge(head, self._rules):
            case Refusal() as refusal:
                await self._refuse(stream, refusal, is_head=is_head)
            case Page() as page:
                await stream.send_all(response(200, self._show(page), is_head=is_head))
                await _finish(stream)
            case Document(text, headers):
                await stream.send_all(response(200, text, headers=headers, kind="text/html", is_head=is_head))
                await _finish(stream)
            case Preflight(headers):
                await stream.send_all(response(200, "", headers=headers))
                await _finish(stream)
            case Entry() as entry:
                if not self._clients.is_welcome():
                    headers = (("retry-after", str(BUSY_RETRY_S)),)
                    await self._refuse(stream, Refusal(503, "Server busy: too many clients.", headers), is_head=False)
                    return
                await self._speak(stream, head, entry, partial(self._opened, opening))

    def _opened(self, opening: trio.CancelScope) -> None:
        self._half_open.pop(opening, None)
        opening.deadline = float("inf")

    async def _refuse(self, stream: trio.abc.Stream, refusal: Refusal, *, is_head: bool) -> None:
        self._refused += 1
        log("refused", Severity.DEBUG, status=refusal.status)
        await stream.send_all(response(refusal.status, refusal.text, headers=refusal.headers, is_head=is_head))
        await _finish(stream)


async def _finish(stream: trio.abc.Stream) -> None:
    """Closes our direction and reads what the peer still sends.

    Closed with something unread, TCP would take back our answer.
    """
    if isinstance(stream, trio.abc.HalfCloseableStream):
        await stream.send_eof()
    unread = _UNREAD_MAX_BYTES
    while unread > 0 and (chunk := await stream.receive_some(_CHUNK_BYTES)):
        unread -= len(chunk)
