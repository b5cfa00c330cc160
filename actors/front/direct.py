"""Tool calls of the handshake era, answered beside the SDK, whose models and tasks take as long as a search.

Rules of the file:
- A call gets what the SDK would send: a test holds one against the other, in all versions.
- What is not plainly a known tool's name and arguments is left to the SDK, which says what is wrong with it.
- A call that its client cancels is not answered; one that is under way at the very end is told that it is over.

Source: MCP 2024-11-05 to 2025-11-25, "Tools", "Progress", "Cancellation".
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import Any

import msgspec
import trio

from actors.front.call import Reply
from actors.front.progress import Following, while_told
from actors.front.transports.connection import Connection
from actors.front.transports.jsonrpc import Request, RequestId
from codemap.tools import Tool

CONNECTION_CLOSED = -32000
"""As the SDK answers what is under way at the end."""
LAST_WORD_S = 1.0
"""How long such an answer may take to be written."""
MODERN_KEY = "io.modelcontextprotocol/protocolVersion"
"""In `_meta`, the mark of a later era."""
PARAMS = frozenset({"name", "arguments", "_meta"})

Call = Callable[[Tool, Mapping[str, Any], Following], Awaitable[Reply]]


class DirectCalls:
    """Those of one connection."""

    def __init__(self, connection: Connection, tools: Mapping[str, Tool], call: Call, nursery: trio.Nursery) -> None:
        """`call` raises nothing but cancellation; calls run in the nursery."""
        self.fields: frozenset[str] = frozenset()
        """Of a result, in the version that was agreed upon; empty before, when no call is taken."""
        self._connection = connection
        self._tools = tools
        self._call = call
        self._nursery = nursery
        self._under_way: dict[RequestId, trio.CancelScope] = {}

    def take(self, request: Request) -> bool:
        """Whether a request will be answered here."""
        params = request.params
        if not self.fields or request.method != "tools/call" or params is None or not params.keys() <= PARAMS:
            return False
        tool, arguments, meta = self._tools.get(str(params.get("name"))), params.get("arguments"), params.get("_meta")
        if tool is None or not isinstance(arguments, dict | None) or not isinstance(meta, dict | None):
            return False
        token = None
        if meta:
            token = meta.get("progressToken")
            if MODERN_KEY in meta or not isinstance(token, str | int | None) or isinstance(token, bool):
                return False
        scope = self._under_way[request.id] = trio.CancelScope()
        self._nursery.start_soon(self._answer, request.id, scope, tool, arguments or {}, token)
        return True

    def cancel(self, params: Mapping[str, Any] | None) -> None:
        """Cancels the call that a notification names, where it is one of these."""
        named = str((params or {}).get("requestId"))  # clients may write a number as a string
        for request_id, scope in self._under_way.items():
            if str(request_id) == named:
                scope.cancel()

    async def _answer(
        self,
        request_id: RequestId,
        scope: trio.CancelScope,
        tool: Tool,
        arguments: dict[str, Any],
        token: RequestId | None,
    ) -> None:
        try:
            with scope:
                following = Following()
                answer = partial(self._call, tool, arguments, following)
                reply = await (answer() if token is None else while_told(following, partial(self._tell, token), answer))
                result = result_of(reply, msgspec.Raw(reply.text.encode()))
                shown = {name: value for name, value in result.items() if name in self.fields}
                await self._send({"jsonrpc": "2.0", "id": request_id, "result": shown}, request_id)
            if scope.cancelled_caught:
                self._connection.settle(request_id)
        except trio.Cancelled:
            error = {"code": CONNECTION_CLOSED, "message": "Connection closed"}
            with trio.move_on_after(LAST_WORD_S, shield=True):
                await self._send({"jsonrpc": "2.0", "id": request_id, "error": error}, request_id)
            raise
        finally:
            if self._under_way.get(request_id) is scope:  # a client may use the id again as soon as it has the answer
                del self._under_way[request_id]

    async def _tell(self, token: RequestId, done: float, total: float | None, sentence: str) -> None:
        params = {"progressToken": token, "progress": done, "total": total, "message": sentence}
        told = {name: value for name, value in params.items() if value is not None}
        await self._send({"jsonrpc": "2.0", "method": "notifications/progress", "params": told})

    async def _send(self, message: dict[str, Any], answers: RequestId | None = None) -> None:
        """Sends to a peer that may be gone."""
        try:
            await self._connection.send(message, answers)
        except (trio.BrokenResourceError, trio.ClosedResourceError):
            pass


def result_of(reply: Reply, structured: Any) -> dict[str, Any]:
    """The result of a call, with the fields of all versions."""
    return {
        "content": [{"type": "text", "text": reply.text}],
        "structuredContent": structured,
        "isError": reply.is_error,
        "_meta": {"durationMs": reply.duration_ms, "timings": reply.timings},
        "resultType": "complete",  # required from 2026-07-28 on; the SDK takes it out for older clients
    }
