"""Streamable HTTP: the requests of a connection, one after the other, each judged, answered by the SDK's application.

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
import time
from collections import Counter
from collections.abc import Callable
from functools import partial
from typing import Any

import trio
from hypercorn.app_wrappers import ASGIWrapper
from hypercorn.config import Config
from hypercorn.protocol.h11 import H2CProtocolRequiredError, H2ProtocolAssumedError
from hypercorn.trio.tcp_server import TCPServer
from hypercorn.trio.worker_context import WorkerContext
from hypercorn.typing import ConnectionState

from actors.front.admission import SESSION, Entry, Page, Preflight, Refusal, Rules, judge, shared_with
from actors.front.clients import Clients
from actors.front.connection import (
    BUSY,
    BUSY_ALL,
    BUSY_ONE,
    DRAIN_S,
    ConnectionStatistics,
    Request,
    decode,
    encode,
)
from actors.front.door import BUSY_RETRY_S
from actors.front.head import HEAD_MAX_BYTES, Head, response
from actors.front.http_stream import HttpStream
from actors.front.sessions import Applications, Message, Receive, Send
from actors.front.websocket import CLOSE_S, MESSAGE_MAX
from actors.log import Severity, log
from actors.supervise import contain

KEEP_ALIVE_S = 30.0
"""How long a connection stays without a request: the calls of an agent come in bursts."""
_JSON = ("content-type", "application/json")
_RETRY = ("retry-after", str(BUSY_RETRY_S))


class HttpFront:
    """What all connections share; `speak` serves one of them."""

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
        """`handshake_s` is how long a request may take to come, `requests_max` how many of a session may wait."""
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
        """Serves a connection until either side ends; see `actors.front.door.Speak`."""
        connection = _HttpConnection(self, HttpStream(stream, head.received, self.write_s))
        if not self.clients.admit(connection):
            await stream.send_all(response(503, "Server busy: too many clients.", headers=(_RETRY,)))
            return
        on_open()
        try:
            await connection.run()
        finally:
            self.clients.leave(connection)

    def take(self, session: str) -> str | None:
        """Why there is no place for one more request; None where there is one, which then is to be given back."""
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

    def __init__(self, front: HttpFront, stream: HttpStream) -> None:
        self._front = front
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
            await contain("request", partial(self._answer_request, scope, receive, _Answer(send)))

    async def _answer_request(self, scope: Message, receive: Receive, answer: _Answer) -> None:
        body = await _read_body(receive, self._front.handshake_s)
        if body is None:
            return
        head = _head_of(scope)
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
        self, entry: Entry, head: Head, body: bytes, scope: Message, receive: Receive, answer: _Answer
    ) -> None:
        front, session = self._front, next(iter(head.values(SESSION)), "")
        if self._stopping.is_set():
            await answer.whole(503, b"The server ends.", ("connection", "close"), _RETRY)
            return
        request = decode(body) if head.method == "POST" else None
        if isinstance(request, Request) and (why := front.take(session)):
            self._refused += 1
            error = {"jsonrpc": "2.0", "id": request.id, "error": {"code": BUSY, "message": why}}
            await answer.whole(503, encode(error), _JSON, _RETRY)
            return
        self._received += head.method == "POST"
        self._outstanding += isinstance(request, Request)
        try:
            application = await front.applications.of(entry)
            with _until(entry.until_s) as allowed:
                if head.method == "GET":
                    self._open = allowed
                await application(scope, _Replay(body, receive).receive, answer.send)
        finally:
            if isinstance(request, Request):
                self._outstanding -= 1
                front.give(session)
        await answer.finish()


class _Answer:
    """What of an answer has been sent."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self._is_begun = self._is_over = False
        self.shared: tuple[tuple[str, str], ...] = ()
        """Headers for the browser of a page that may read the answer."""

    async def send(self, message: Message) -> None:
        if not self._is_begun:
            extra = [(name.encode(), value.encode("latin-1")) for name, value in self.shared]
            message = {**message, "headers": [*message.get("headers", ()), *extra]}
        self._is_begun = True
        self._is_over = message["type"] == "http.response.body" and not message.get("more_body", False)
        await self._send(message)

    async def whole(self, status: int, body: bytes, *headers: tuple[str, str]) -> None:
        """A whole answer; plain text unless the headers say something else."""
        plain = ("content-type", "text/plain; charset=utf-8")
        described = dict((plain, ("content-length", str(len(body))), *headers))
        raw = [(name.encode(), value.encode()) for name, value in described.items()]
        await self.send({"type": "http.response.start", "status": status, "headers": raw})
        await self.send({"type": "http.response.body", "body": body, "more_body": False})

    async def finish(self) -> None:
        """Ends in good order what was cut short."""
        if self._is_begun and not self._is_over:
            await self.send({"type": "http.response.body", "body": b"", "more_body": False})


class _Replay:
    """A request whose body was read before."""

    def __init__(self, body: bytes, receive: Receive) -> None:
        self._body: bytes | None = body
        self._receive = receive

    async def receive(self) -> Message:
        if self._body is None:
            return await self._receive()
        body, self._body = self._body, None
        return {"type": "http.request", "body": body, "more_body": False}


class _Http1(TCPServer):
    """hypercorn's connection, without the wrapper by which a request could change over to HTTP/2.

    There, what a client does not read would wait in windows of its own, out of our sight.
    """

    async def _read_data(self) -> None:
        self.protocol = self.protocol.protocol  # type: ignore[assignment]  # has the methods that are used
        await super()._read_data()
        await self.idle_task.stop()  # else a connection that the client has closed would be kept for its next request


def _head_of(scope: Message) -> Head:
    headers = tuple((name.decode("latin-1"), value.decode("latin-1")) for name, value in scope["headers"])
    query = scope["query_string"].decode("latin-1")
    target = scope["raw_path"].decode("latin-1")
    return Head(scope["method"], f"{target}?{query}" if query else target, headers, b"")


def _until(until_s: float | None) -> trio.CancelScope:
    """Ends with the token, whose end is in seconds since the epoch."""
    if until_s is None:
        return trio.CancelScope()
    return trio.CancelScope(deadline=trio.current_time() + max(0.0, until_s - time.time()))


async def _read_body(receive: Receive, within_s: float) -> bytes | Refusal | None:
    """All that came; None when the client went.

    What is too large is read to its end, so that the refusal is not lost.
    """
    parts: list[Any] = []
    size = 0
    with trio.move_on_after(within_s):
        while True:
            message = await receive()
            if message["type"] != "http.request":
                return None
            size += len(message["body"])
            if size <= MESSAGE_MAX:
                parts.append(message["body"])
            if not message["more_body"]:
                is_small = size <= MESSAGE_MAX
                return b"".join(parts) if is_small else Refusal(413, f"A message has {MESSAGE_MAX} bytes at most.")
    return Refusal(408, "The request took too long to come.")
