"""Runs the SDK's applications for Streamable HTTP, and chooses the one that answers a request.

With `sdk` and `resources_and_prompts`, what knows the SDK. There are two for each root and shape of replies, begun when
somebody wants them. A client of the handshake era has a session, which ends when the client ends it, when nothing of it
has been under way for a while, or when another needs its place (`session_limits`). Whoever finds no place, or asks
without a session, is answered all the same, one request at a time, as MCP leaves it to the server to have sessions;
only streams and subscriptions need one. A client of 2026-07-28 has none.

Source: MCP 2025-11-25 and 2026-07-28, "Streamable HTTP"; ASGI 3.0.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, MutableMapping
from functools import partial
from math import inf
from typing import Any

import msgspec
import trio
from mcp.server.lowlevel import Server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS

from actors.front.transports.admission import PATH, SESSION, Entry
from actors.front.transports.request_head import Head
from actors.front.transports.session_limits import Caller, Limits, SessionPlaces
from actors.front.transports.websocket import MESSAGE_MAX
from actors.messaging.log import Severity, log
from actors.messaging.supervise import contain

IDLE_S = 1800.0
"""How long an idle session lives: an agent may think for long, and not every client closes its session."""
VERSION = "mcp-protocol-version"
_NOT_FOUND, _NOT_ALLOWED, _UNAVAILABLE = 404, 405, 503
SERVED_MAX = 256
"""Most applications at a time: clients may choose among more lists of tools than there can be servers for."""

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Application = Callable[[Message, Receive, Send], Awaitable[None]]


class _Served(msgspec.Struct, frozen=True):
    """The applications for one root, dialect, limits profile and list of tools."""

    key: tuple[str, ...]
    with_sessions: Application
    """Answers clients with sessions, and those of the later era, which have none."""
    without: Application
    running: trio.Event


class Applications:
    """The applications of a process; see `run`."""

    def __init__(self, server_of: Callable[[Entry], Server[Any]], limits: Limits, idle_s: float = IDLE_S) -> None:
        """`limits` hold for the sessions of all applications together."""
        self.places = SessionPlaces(limits, idle_s)
        self._server_of = server_of
        self._idle_s = idle_s
        self._served: dict[tuple[str, ...], _Served] = {}
        self._begin, self._jobs = trio.open_memory_channel[Callable[[], Awaitable[None]]](inf)

    async def run(self) -> None:
        """Runs the applications that are needed until cancelled; all sessions end then."""
        async with trio.open_nursery() as nursery:
            async for job in self._jobs:
                nursery.start_soon(job)

    async def answer(
        self, entry: Entry, caller: Caller, head: Head, method: str, scope: Message, receive: Receive, send: Send
    ) -> None:
        """Answers an HTTP request; `method` is the method of its JSON-RPC request, empty where it has none."""
        if _key(entry) not in self._served and len(self._served) >= SERVED_MAX:
            log("no-application", Severity.WARNING, reason="clients want too many different lists of tools")
            await _refuse(send, _UNAVAILABLE)
            return
        served = await self._of(entry)
        is_later = any(version not in HANDSHAKE_PROTOCOL_VERSIONS for version in head.values(VERSION))
        if is_later or head.method == "DELETE" or head.values(SESSION):
            await self._in_session(served, head, scope, receive, send)
        elif head.method != "POST":
            await _refuse(send, _NOT_ALLOWED, (b"allow", b"POST"))
        elif method == "initialize":
            await self._open(served, caller, scope, receive, send)
        else:
            await served.without(scope, receive, send)

    async def _open(self, served: _Served, caller: Caller, scope: Message, receive: Receive, send: Send) -> None:
        """Opens a session if there is a place for it; else answers without one."""
        session = self.places.take(caller, trio.current_time())
        if session is None:
            log("no-session", Severity.WARNING, reason="all that there may be are at work")
            await served.without(scope, receive, send)
            return

        async def sending(message: Message) -> None:
            if message["type"] == "http.response.start" and (name := dict(message["headers"]).get(SESSION.encode())):
                end = partial(_end, served.with_sessions, name)
                self.places.opened(session, _place_of(served, name.decode()), partial(self._evict, end))
            await send(message)

        try:
            await served.with_sessions(scope, receive, sending)
        finally:
            self.places.finish(session, trio.current_time())

    async def _in_session(self, served: _Served, head: Head, scope: Message, receive: Receive, send: Send) -> None:
        session = self.places.begin(_place_of(served, next(iter(head.values(SESSION)), "")))
        if session is None:
            await served.with_sessions(scope, receive, send)
            return

        async def sending(message: Message) -> None:
            if message["type"] == "http.response.start" and (
                message["status"] == _NOT_FOUND or (head.method == "DELETE" and message["status"] < 400)
            ):
                self.places.end(session)
            await send(message)

        try:
            await served.with_sessions(scope, receive, sending)
        finally:
            self.places.finish(session, trio.current_time())

    def _evict(self, end: Callable[[], Awaitable[None]]) -> None:
        log("session-evicted", Severity.DEBUG)
        self._begin.send_nowait(partial(contain, "session", end))

    async def _of(self, entry: Entry) -> _Served:
        key = _key(entry)
        if key not in self._served:
            server, running = self._server_of(entry), trio.Event()
            with_sessions, without = (
                StreamableHTTPSessionManager(
                    server,
                    stateless=is_stateless,
                    session_idle_timeout=self._idle_s,
                    max_request_body_size=MESSAGE_MAX,
                    max_sessions=None,
                )
                for is_stateless in (False, True)
            )
            self._served[key] = _Served(key, with_sessions.handle_request, without.handle_request, running)
            self._begin.send_nowait(partial(_run, with_sessions, without, running))
        served = self._served[key]
        await served.running.wait()
        return served


async def _run(
    with_sessions: StreamableHTTPSessionManager, without: StreamableHTTPSessionManager, running: trio.Event
) -> None:
    async with with_sessions.run(), without.run():
        running.set()
        await trio.sleep_forever()


async def _refuse(send: Send, status: int, *headers: tuple[bytes, bytes]) -> None:
    """Answers with a status and no body."""
    await send({"type": "http.response.start", "status": status, "headers": [*headers, (b"content-length", b"0")]})
    await send({"type": "http.response.body", "body": b"", "more_body": False})


def _key(entry: Entry) -> tuple[str, ...]:
    return entry.root, entry.envelope, entry.limits, entry.tools, entry.schemas


def _place_of(served: _Served, name: str) -> str:
    """Makes the name of a session among those of all applications."""
    return "/".join((*served.key, name))


async def _end(application: Application, name: bytes) -> None:
    """Ends a session as its client would."""
    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "scheme": "http",
        "method": "DELETE",
        "path": PATH,
        "raw_path": PATH.encode(),
        "root_path": "",
        "query_string": b"",
        "headers": [(SESSION.encode(), name)],
        "client": None,
        "server": None,
    }

    async def receive() -> Message:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(_message: Message) -> None:
        pass

    await application(scope, receive, send)
