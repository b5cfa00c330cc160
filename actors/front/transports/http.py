"""Streamable HTTP: judges each request of a connection, and has the SDK's application answer it.

hypercorn speaks HTTP/1.1 with the client, once the door has found the first request good. What the SDK sees is whole:
its body was read within the time of a handshake and within the size of a message.

Rules of the file:
- Each request is judged as the first one was: a connection that was let in buys nothing for the next.
- A client that takes no answers is dropped; what it asked is cancelled. One that goes cancels what it asked in the era
  that has no sessions; in the other, it says so.
- At the end, open streams are closed and requests under way have `DRAIN_S` to be answered.

Source: MCP 2025-11-25 and 2026-07-28, "Streamable HTTP"; ASGI 3.0.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable
from functools import partial

import anyio
import trio
from hypercorn.app_wrappers import ASGIWrapper
from hypercorn.config import Config
from hypercorn.protocol.h11 import H2CProtocolRequiredError, H2ProtocolAssumedError
from hypercorn.trio.tcp_server import TCPServer
from hypercorn.trio.worker_context import WorkerContext
from hypercorn.typing import ConnectionState

from actors.front.transports.admission import SESSION, Entry, Page, Preflight, Refusal, Rules, judge, shared_with
from actors.front.transports.clients import Clients
from actors.front.transports.connection import (
    BUSY,
    BUSY_ALL,
    BUSY_ONE,
    DRAIN_S,
    ConnectionStatistics,
)
from actors.front.transports.http_exchange import Answer, Replay, head_of, read_body, until
from actors.front.transports.http_sessions import Applications, Message, Receive, Send
from actors.front.transports.http_stream import HttpStream
from actors.front.transports.jsonrpc import Malformed, Request, decode, encode, error_of, paired
from actors.front.transports.network_door import BUSY_RETRY_S
from actors.front.transports.request_head import HEAD_MAX_BYTES, Head, response
from actors.front.transports.session_limits import FORWARDED, Caller, address_of
from actors.front.transports.websocket import CLOSE_S
from actors.messaging.log import Severity, log
from actors.messaging.supervise import contain

KEEP_ALIVE_S = 30.0
"""How long a connection without a request stays open: the calls of an agent come in bursts."""
_JSON = ("content-type", "application/json")
_RETRY = ("retry-after", str(BUSY_RETRY_S))


class HttpFront:
    """The HTTP front, shared by all connections; `speak` serves one."""

    def __init__(
        self,
        rules: Rules,
        clients: Clients,
        applications: Applications,
        *,
        handshake_s: float,
        write_s: float,
        requests_max: int,
        show: Callable[[Page], str],
    ) -> None:
        """`handshake_s` is how long receiving a request may take, `requests_max` how many of a session may be open."""
        self.rules = rules
        self.clients = clients
        self.applications = applications
        self.handshake_s = handshake_s
        self.write_s = write_s
        self.show = show
        self._requests_max = requests_max
        self._waiting: Counter[str] = Counter()
        """Requests under way by session."""
        self.config = Config()
        self.config.errorlog = logging.getLogger("hypercorn")
        self.config.include_server_header = False
        self.config.h11_max_incomplete_size = HEAD_MAX_BYTES
        self.config.keep_alive_timeout = KEEP_ALIVE_S

    async def speak(self, stream: trio.abc.Stream, head: Head, _entry: Entry, on_open: Callable[[], None]) -> None:
        """Serves a connection until either side ends; see `actors.front.transports.network_door.Speak`."""
        connection = _HttpConnection(self, HttpStream(stream, head.received, self.write_s), _host_of(stream))
        if not self.clients.admit(connection):
            await stream.send_all(response(503, "Server busy: too many clients.", headers=(_RETRY,)))
            return
        on_open()
        try:
            await connection.run()
        finally:
            self.clients.leave(connection)

    def take(self, session: str) -> str | None:
        """Takes a place for one more request, to be given back; else says why there is none."""
        if session and self._waiting[session] >= self._requests_max:
            return BUSY_ONE.format(self._requests_max)
        if not self.clients.requests.take():
            return BUSY_ALL.format(self.clients.requests.limit)
        if session:
            self._waiting[session] += 1
        return None

    def give(self, session: str) -> None:
        self.clients.requests.give()
        self._waiting[session] -= 1
        if self._waiting[session] <= 0:
            del self._waiting[session]


class _HttpConnection:
    """One connection, as `Clients` counts it; see `run`."""

    def __init__(self, front: HttpFront, stream: HttpStream, host: str) -> None:
        """`host` is the address of the peer, empty where it has none."""
        self._front = front
        self._host = host
        self._stream = stream
        self._stopping = trio.Event()
        self._open = trio.CancelScope()
        """Of the latest stream that has no end of its own."""
        self._received = self._refused = self._outstanding = 0

    def stop(self) -> None:
        self._stopping.set()
        self._open.cancel()
        self._stream.end_within(DRAIN_S + CLOSE_S)

    def statistics(self) -> ConnectionStatistics:
        return ConnectionStatistics(self._received, self._refused, self._outstanding)

    async def run(self) -> None:
        """Answers requests until either side ends."""
        context = WorkerContext(None)
        with self._stream.life:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(self._end_when_stopped, context)
                try:
                    await _Http1(
                        ASGIWrapper(self._answer),  # type: ignore[arg-type]  # its messages are plain dictionaries here
                        self._front.config,
                        context,
                        ConnectionState({}),
                        self._stream,  # type: ignore[arg-type]  # what it uses of a stream
                    )
                except* (H2CProtocolRequiredError, H2ProtocolAssumedError):
                    log("refused", Severity.DEBUG, reason="HTTP/2")
                nursery.cancel_scope.cancel()

    async def _end_when_stopped(self, context: WorkerContext) -> None:
        await self._stopping.wait()
        await context.terminated.set()

    async def _answer(self, scope: Message, receive: Receive, send: Send) -> None:
        """The application that hypercorn serves."""
        if scope["type"] == "http":
            await contain("request", partial(self._answer_request, scope, receive, Answer(send)))

    async def _answer_request(self, scope: Message, receive: Receive, answer: Answer) -> None:
        body = await read_body(receive, self._front.handshake_s)
        if body is None:
            return
        head = head_of(scope)
        verdict = body if isinstance(body, Refusal) else judge(head, self._front.rules)
        if not isinstance(verdict, Refusal):
            answer.shared = shared_with(head)
        match verdict:
            case Preflight():
                await answer.whole(200, b"")
            case Refusal(status, text, headers):
                self._refused += 1
                if status == 408:
                    self._stream.end_within(CLOSE_S)
                await answer.whole(status, text.encode(), ("connection", "close"), *headers)
            case Page() as page:
                await answer.whole(200, self._front.show(page).encode(), ("cache-control", "no-store"))
            case Entry() as entry if isinstance(body, bytes):
                await self._exchange(entry, head, body, scope, receive, answer)

    async def _exchange(
        self, entry: Entry, head: Head, body: bytes, scope: Message, receive: Receive, answer: Answer
    ) -> None:
        front, session = self._front, next(iter(head.values(SESSION)), "")
        if self._stopping.is_set():
            await answer.whole(503, b"The server ends.", ("connection", "close"), _RETRY)
            return
        request = decode(body) if head.method == "POST" else None
        if isinstance(request, Malformed):
            self._refused += 1
            await answer.whole(400, encode(error_of(request.id, request.code, request.message)), _JSON)
            return
        if isinstance(request, Request) and (why := front.take(session)):
            self._refused += 1
            await answer.whole(503, encode(error_of(request.id, BUSY, why)), _JSON, _RETRY)
            return
        self._received += head.method == "POST"
        self._outstanding += isinstance(request, Request)
        try:
            is_forwarded = any(head.values(name) for name in FORWARDED)
            caller = Caller(entry.token, address_of(self._host, is_forwarded=is_forwarded))
            method = request.method if isinstance(request, Request) else ""
            answered = partial(front.applications.answer, entry, caller, head, method)
            with until(entry.until_s) as allowed:
                if head.method == "GET":
                    self._open = allowed
                try:
                    await answered(scope, Replay(paired(body), receive).receive, answer.send)
                except* (anyio.ClosedResourceError, anyio.BrokenResourceError):
                    log("refused", Severity.DEBUG, reason="its session ended meanwhile")
        finally:
            if isinstance(request, Request):
                self._outstanding -= 1
                front.give(session)
        await answer.finish()


def _host_of(stream: trio.abc.Stream) -> str:
    """Finds the address of the peer; empty where it has none, or is gone."""
    if isinstance(stream, trio.SSLStream):
        stream = stream.transport_stream
    if not isinstance(stream, trio.SocketStream):
        return ""
    try:
        return str(stream.socket.getpeername()[0])
    except OSError:
        return ""


class _Http1(TCPServer):
    """hypercorn's connection, without the wrapper by which a request could change over to HTTP/2.

    There, what a client does not read would wait in windows of its own, out of our sight.
    """

    async def _read_data(self) -> None:
        self.protocol = self.protocol.protocol  # type: ignore[assignment]  # has the methods that are used
        await super()._read_data()
        await self.idle_task.stop()  # else a connection that the client has closed would be kept for its next request
