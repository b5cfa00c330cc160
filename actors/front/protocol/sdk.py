"""MCP by its SDK: lists and calls tools in both protocol eras, for any connection.

With `resources_and_prompts` and `http_sessions`, the only file that knows the MCP SDK; its provisional surfaces (stream
protocols, message metadata, middleware) are used here and nowhere else. Importing it costs half a second of CPU: it is
done when a client asks for what only the SDK answers.

Rules of the file:
- A tool's failure is a result that the model can read. Protocol errors are for calls that are no tool's business.
- The SDK sends the text of a handler's exception to legacy clients, so no handler may raise but MCPError.

Source: MCP 2024-11-05 to 2025-11-25 (handshake era) and 2026-07-28.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import Any, Self

import anyio
import mcp_types as types
import msgspec
import trio
from mcp.server.caching import CacheHint
from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError
from mcp.shared.message import ServerMessageMetadata, SessionMessage

from actors.front.progress import Following, with_progress
from actors.front.protocol.handshake_era_calls import Call, ToolCalls, result_of, unknown
from actors.front.protocol.listings import NAME, Listings
from actors.front.protocol.resources_and_prompts import Offers, is_shown_apps
from actors.front.transports.connection import Connection
from actors.front.transports.jsonrpc import Notification, Request, RequestId

LIST_TTL_MS = 3_600_000
"""How long clients may cache the list of tools, which never changes while a server runs."""


def make_server(listings: Listings, call: Call, offers: Offers | None = None) -> Server[Any]:
    """Makes the server for any number of connections. `call` answers a tool call, in the dialect of the listings, and
    raises nothing but cancellation."""
    by_name = listings.tools
    schemas = {tool["name"]: tool["inputSchema"] for tool in listings.described}
    listed = types.ListToolsResult.model_validate(listings.listed)
    drawn = types.ListToolsResult.model_validate(listings.drawn)

    async def list_tools(ctx: ServerRequestContext[Any], _params: object) -> types.ListToolsResult:
        return drawn if is_shown_apps(ctx) else listed

    async def call_tool(ctx: ServerRequestContext[Any], params: types.CallToolRequestParams) -> dict[str, Any]:
        tool = by_name.get(params.name)
        if tool is None:
            raise MCPError(types.INVALID_PARAMS, unknown(params.name, by_name))
        following = Following()
        answer = partial(call, tool, params.arguments or {}, following)
        is_followed = ctx.meta and "progress_token" in ctx.meta
        reply = await (with_progress(following, ctx.session.report_progress, answer) if is_followed else answer())
        if isinstance(ctx.request, _Peer) and ctx.request_id is not None:
            ctx.request.texts[ctx.request_id] = reply.text
            return result_of(reply, {})
        return result_of(reply, reply.envelope)

    server: Server[Any] = Server(
        NAME,
        version=listings.version,
        instructions=listings.instructions,
        cache_hints={"tools/list": CacheHint(ttl_ms=LIST_TTL_MS, scope="private")},
        on_list_tools=list_tools,
        get_tool_input_schema=schemas.get,  # without it, each call over HTTP lists all tools to find one
        on_call_tool=call_tool,  # type: ignore[arg-type]  # a dict costs a third less than the model, and is checked alike
        **({} if offers is None else offers.handlers()),
    )
    server.middleware[:] = [_agree]  # without OpenTelemetry spans, which nobody collects here
    return server


class Session:
    """The SDK's part of one connection."""

    def __init__(self, connection: Connection, calls: ToolCalls, server: Server[Any]) -> None:
        self._peer = _Peer(connection, calls)
        self._server = server
        self._to_sdk, self._incoming = trio.open_memory_channel[SessionMessage](0)

    async def run(self) -> None:
        """Runs until the end was said and all is answered."""
        options = self._server.create_initialization_options()
        await self._server.run(self._incoming, _Outgoing(self._peer), options)

    async def replay(self, begun: Iterable[Request | Notification]) -> None:
        """Has the SDK know what its client was answered before; it is not answered again."""
        for message in begun:
            if isinstance(message, Request):
                self._peer.replayed = message.id, trio.Event()
                await self._give(message)
                await self._peer.replayed[1].wait()
                self._peer.replayed = None
            else:
                await self._give(message)

    async def give(self, message: Request | Notification) -> None:
        """Gives the SDK a message. Raises trio.BrokenResourceError where it has ended."""
        await self._give(message)
        if message.method == "initialize" and isinstance(message, Request):
            await self._peer.connection.wait_settled(message.id)  # until then, nobody knows whose the next call is

    async def _give(self, message: Request | Notification) -> None:
        match message:
            case Request(request_id, method, params):
                request = types.JSONRPCRequest(jsonrpc="2.0", id=request_id, method=method, params=params)
                settle = partial(self._peer.settle, request_id)
                metadata = ServerMessageMetadata(request_context=self._peer, on_request_unanswered=settle)
                wrapped = SessionMessage(request, metadata)
            case Notification(method, params):
                wrapped = SessionMessage(types.JSONRPCNotification(jsonrpc="2.0", method=method, params=params))
        try:
            self._to_sdk.send_nowait(wrapped)  # no round of the loop more where the SDK waits
        except trio.WouldBlock:
            await self._to_sdk.send(wrapped)

    def end(self) -> None:
        """Says that no message will come."""
        self._to_sdk.close()


class _Peer:
    """The client of one connection."""

    def __init__(self, connection: Connection, calls: ToolCalls) -> None:
        self.connection = connection
        self.calls = calls
        self.texts: dict[RequestId, str] = {}
        """The structured content of the SDK's answers on their way, as JSON, by request. The SDK is given an empty one:
        it would check and copy each value, for longer than a search takes."""
        self.replayed: tuple[RequestId, trio.Event] | None = None
        """A request that the client was answered before, and whether the SDK has answered it."""

    async def settle(self, request_id: RequestId) -> None:
        """Notes that a request will never be answered."""
        self.texts.pop(request_id, None)
        self.connection.settle(request_id)


async def _agree(ctx: ServerRequestContext[Any], call_next: CallNext) -> HandlerResult:
    """Middleware that notes the version agreed upon, from which on the front answers tool calls."""
    result = await call_next(ctx)
    if ctx.method == "initialize" and isinstance(ctx.request, _Peer):
        ctx.request.calls.is_agreed = True
    return result


class _Outgoing:
    """The SDK's `WriteStream` over a connection."""

    def __init__(self, peer: _Peer) -> None:
        self._peer = peer

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        pass

    async def aclose(self) -> None:
        pass

    async def send(self, item: SessionMessage) -> None:
        match item.message:
            case types.JSONRPCResponse(id=request_id, result=result):
                text = self._peer.texts.pop(request_id, None)
                if text is not None and "structuredContent" in result:
                    result = {**result, "structuredContent": msgspec.Raw(text.encode())}
                message: dict[str, Any] = {"jsonrpc": "2.0", "id": request_id, "result": result}
                answers: RequestId | None = request_id
            case other:
                message = other.model_dump(by_alias=True, exclude_unset=True, mode="json")
                answers = other.id if isinstance(other, types.JSONRPCError) else None
        replayed = self._peer.replayed
        if replayed is not None and answers == replayed[0]:
            replayed[1].set()
            return
        try:
            await self._peer.connection.send(message, answers)
        except trio.ClosedResourceError:
            raise anyio.ClosedResourceError from None
        except trio.BrokenResourceError:
            raise anyio.BrokenResourceError from None
