"""Answers tool calls of the handshake era on connections (stdio, websocket, private socket), instead of the SDK.

Its models and tasks would take as long as a search. A connection is read in `speaking` alone, so the SDK never sees
these calls. Over HTTP, where it owns sessions and their streams, it answers all calls (`transports/http_sessions.py`).

Rules of the file:
- A call gets what the SDK would send: a test compares the two in all versions.
- A call that its client cancels is not answered; one that is under way at the very end is answered with an error.

Source: MCP 2024-11-05 to 2025-11-25, "Tools", "Progress", "Cancellation".
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from difflib import get_close_matches
from functools import partial
from typing import Any

import msgspec
import trio

from actors.front.call import Reply
from actors.front.progress import Following, with_progress
from actors.front.transports.connection import Connection
from actors.front.transports.jsonrpc import (
    INVALID_PARAMS,
    INVALID_REQUEST,
    Notification,
    Request,
    RequestId,
    error_of,
)
from codemap.tools import Tool

CONNECTION_CLOSED = -32000
"""Error code of calls that are under way at the end, as the SDK has it."""
LAST_WORD_S = 1.0
"""How long writing such an error may take."""
LATER_ERA = "This connection has agreed upon a version: requests of a later era are not answered on it"

LATER_FIELD = "resultType"

Call = Callable[[Tool, Mapping[str, Any], Following], Awaitable[Reply]]


class _Meta(msgspec.Struct):
    token: RequestId | None = msgspec.field(name="progressToken", default=None)
    later: Any = msgspec.field(name="io.modelcontextprotocol/protocolVersion", default=None)


class _Params(msgspec.Struct):
    """The parameters of `tools/call`; other members mean nothing in this era."""

    name: str
    arguments: dict[str, Any] | None = None
    meta: _Meta | None = msgspec.field(name="_meta", default=None)


class ToolCalls:
    """The tool calls of one connection."""

    def __init__(self, connection: Connection, tools: Mapping[str, Tool], call: Call, nursery: trio.Nursery) -> None:
        """`call` raises nothing but cancellation; calls run in the nursery."""
        self.is_agreed = False
        """Whether client and server have agreed upon a version of this era."""
        self._connection = connection
        self._tools = tools
        self._call = call
        self._nursery = nursery
        self._under_way: dict[RequestId, trio.CancelScope] = {}

    def take(self, request: Request | Notification) -> bool:
        """Answers a request if it is a tool call of this era; False if it is not."""
        if not self.is_agreed or request.method != "tools/call" or isinstance(request, Notification):
            return False
        scope = self._under_way[request.id] = trio.CancelScope()
        self._nursery.start_soon(self._answer, request, scope)
        return True

    def cancel(self, params: Mapping[str, Any] | None) -> None:
        """Cancels the call that a notification names, if it is one of these."""
        named = str((params or {}).get("requestId"))  # clients may write a number as a string
        for request_id, scope in self._under_way.items():
            if str(request_id) == named:
                scope.cancel()

    async def _answer(self, request: Request, scope: trio.CancelScope) -> None:
        try:
            with scope:
                await self._send(await self._reply(request), request.id)
            if scope.cancelled_caught:
                self._connection.settle(request.id)
        except trio.Cancelled:
            with trio.move_on_after(LAST_WORD_S, shield=True):
                await self._send(error_of(request.id, CONNECTION_CLOSED, "Connection closed"), request.id)
            raise
        finally:
            if self._under_way.get(request.id) is scope:  # a client may use the id again as soon as it has the answer
                del self._under_way[request.id]

    async def _reply(self, request: Request) -> dict[str, Any]:
        """Makes the message that answers a call."""
        try:
            params = msgspec.convert(request.params or {}, _Params)
        except msgspec.ValidationError as error:
            return error_of(request.id, INVALID_PARAMS, f"Invalid request parameters: {error}")
        meta = params.meta or _Meta()
        if meta.later is not None:
            return error_of(request.id, INVALID_REQUEST, LATER_ERA)
        tool = self._tools.get(params.name)
        if tool is None:
            return error_of(request.id, INVALID_PARAMS, unknown(params.name, self._tools))
        following = Following()
        answer = partial(self._call, tool, params.arguments or {}, following)
        if meta.token is None:
            reply = await answer()
        else:
            reply = await with_progress(following, partial(self._report, meta.token), answer)
        result = result_of(reply, msgspec.Raw(reply.text.encode()))
        del result[LATER_FIELD]
        return {"jsonrpc": "2.0", "id": request.id, "result": result}

    async def _report(self, token: RequestId, done: float, total: float | None, sentence: str) -> None:
        params = {"progressToken": token, "progress": done, "total": total, "message": sentence}
        known = {name: value for name, value in params.items() if value is not None}
        await self._send({"jsonrpc": "2.0", "method": "notifications/progress", "params": known})

    async def _send(self, message: dict[str, Any], answers: RequestId | None = None) -> None:
        """Sends a message to a peer that may be gone."""
        try:
            await self._connection.send(message, answers)
        except (trio.BrokenResourceError, trio.ClosedResourceError):
            pass


def unknown(name: str, tools: Mapping[str, Tool]) -> str:
    """Says what is wrong with a call of an unknown tool."""
    listed = [tool.name for tool in tools.values() if not tool.is_for_programs]
    nearest = get_close_matches(name, listed, n=1, cutoff=0.4)
    hint = f"; the nearest is {nearest[0]}" if nearest else ""
    return f"Unknown tool {name!r}{hint}. Tools: {', '.join(listed)}."


def result_of(reply: Reply, structured: Any) -> dict[str, Any]:
    """Makes the result of a call, with the fields of all versions."""
    return {
        "content": [{"type": "text", "text": reply.text}],
        "structuredContent": structured,
        "isError": reply.is_error,
        "_meta": {"durationMs": reply.duration_ms, "timings": reply.timings},
        LATER_FIELD: "complete",  # required from 2026-07-28 on; the SDK takes it out for older clients
    }
