"""The SDK's application for streamable HTTP: one for each root and shape of replies, begun when somebody wants it.

With `mcp` and `offers`, what knows the SDK. A client of the handshake era has a session, which ends when the client
ends it, or when nothing of it has been under way for a while; one of 2026-07-28 has none.

Source: MCP 2025-11-25 and 2026-07-28, "Streamable HTTP"; ASGI 3.0.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, MutableMapping
from math import inf
from typing import Any

import trio
from mcp.server.lowlevel import Server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

from actors.front.admission import Entry
from actors.front.websocket import MESSAGE_MAX

IDLE_S = 1800.0
"""How long a session lives of which nothing is under way: an agent may think for long, and not every client says that
it is going."""

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Application = Callable[[Message, Receive, Send], Awaitable[None]]


class Applications:
    """The applications of a process; see `run`."""

    def __init__(self, server_of: Callable[[Entry], Server[Any]], *, sessions_max: int, idle_s: float = IDLE_S) -> None:
        """`sessions_max` holds for each application."""
        self._server_of = server_of
        self._sessions_max = sessions_max
        self._idle_s = idle_s
        self._applications: dict[tuple[str, str, str], tuple[Application, trio.Event]] = {}
        self._wanted, self._wanting = trio.open_memory_channel[tuple[StreamableHTTPSessionManager, trio.Event]](inf)

    async def run(self) -> None:
        """Runs those that are wanted until cancelled; all sessions end then."""
        async with trio.open_nursery() as nursery:
            async for manager, running in self._wanting:
                nursery.start_soon(_run, manager, running)

    async def of(self, entry: Entry) -> Application:
        """The application for what a request asks for."""
        key = entry.root, entry.envelope, entry.limits
        if key not in self._applications:
            manager = StreamableHTTPSessionManager(
                self._server_of(entry),
                session_idle_timeout=self._idle_s,
                max_request_body_size=MESSAGE_MAX,
                max_sessions=self._sessions_max,
            )
            running = trio.Event()
            self._applications[key] = manager.handle_request, running
            self._wanted.send_nowait((manager, running))
        application, running = self._applications[key]
        await running.wait()
        return application


async def _run(manager: StreamableHTTPSessionManager, running: trio.Event) -> None:
    async with manager.run():
        running.set()
        await trio.sleep_forever()
