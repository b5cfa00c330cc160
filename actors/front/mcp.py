"""MCP: lists and calls tools in both protocol eras, for any connection.

With `resources_and_prompts` and `http_sessions`, the only file that knows the MCP SDK; its provisional surfaces (stream
protocols, message metadata, middleware) are used here and nowhere else. Importing it costs half a second of CPU: the
command line does so only to serve, workers never.

Rules of the file:
- A tool's failure is a result that the model can read. Protocol errors are for calls that are no tool's business.
- The SDK sends the text of a handler's exception to legacy clients, so no handler may raise but MCPError.

Source: MCP 2024-11-05 to 2025-11-25 (handshake era) and 2026-07-28.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from importlib.metadata import version
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
from mcp_types import methods

from actors.front.call import Reply
from actors.front.handshake_era_calls import Call, ToolCalls, result_of, unknown
from actors.front.progress import Following, with_progress
from actors.front.resources_and_prompts import Offers, shows_apps, with_app
from actors.front.transports.connection import Connection
from actors.front.transports.jsonrpc import Notification, Request, RequestId
from codemap.envelope.dialects import NATIVE
from codemap.envelope.limits import COMMUNITY, Limits
from codemap.instructions import instructions
from codemap.tools import Tool, schema_of

LIST_TTL_MS = 3_600_000
"""How long clients may cache the list of tools, which never changes while a server runs."""

Output = Callable[[Tool], dict[str, Any]]


def make_server(
    tools: Sequence[Tool],
    call: Call,
    offers: Offers | None = None,
    limits: Limits = COMMUNITY,
    output_of: Output | None = None,
    dialect: str = NATIVE,
) -> Server[Any]:
    """Makes the server for any number of connections. `call` answers a tool call, in that dialect, and raises nothing
    but cancellation; `limits` is the profile that it keeps to, `output_of` the schema of its replies, where there is
    one.
    """
    by_name = {tool.name: tool for tool in tools}
    described = [_described(tool, limits, output_of) for tool in tools]
    schemas = {tool.name: tool.input_schema for tool in described}
    listed = types.ListToolsResult(tools=[tool for tool in described if not by_name[tool.name].is_for_programs])
    drawn = types.ListToolsResult(tools=[with_app(tool) for tool in described]) if dialect == NATIVE else listed

    async def list_tools(ctx: ServerRequestContext[Any], _params: object) -> types.ListToolsResult:
        return drawn if shows_apps(ctx) else listed

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
        "codemap",
        version=version("codemap"),
        instructions=instructions(dialect, by_name),
        cache_hints={"tools/list": CacheHint(ttl_ms=LIST_TTL_MS, scope="private")},
        on_list_tools=list_tools,
        get_tool_input_schema=schemas.get,  # without it, each call over HTTP lists all tools to find one
        on_call_tool=call_tool,  # type: ignore[arg-type]  # a dict costs a third less than the model, and is checked alike
        **({} if offers is None else offers.handlers()),
    )
    server.middleware[:] = [_agree]  # without OpenTelemetry spans, which nobody collects here
    return server


async def serve(connection: Connection, server: Server[Any], tools: Sequence[Tool], call: Call) -> None:
    """Speaks MCP on a connection until its peer is gone; `tools` and `call` are what the server was made with."""
    await connection.run(partial(_serve, server, {tool.name: tool for tool in tools}, call))


async def _serve(server: Server[Any], tools: Mapping[str, Tool], call: Call, connection: Connection) -> None:
    async with trio.open_nursery() as nursery:
        peer = _Peer(connection, ToolCalls(connection, tools, call, nursery))
        to_sdk, incoming = trio.open_memory_channel[SessionMessage](0)
        nursery.start_soon(_read, peer, to_sdk)
        await server.run(incoming, _Outgoing(peer), server.create_initialization_options())
        nursery.cancel_scope.cancel()


class _Peer:
    """The client of one connection."""

    def __init__(self, connection: Connection, calls: ToolCalls) -> None:
        self.connection = connection
        self.calls = calls
        self.texts: dict[RequestId, str] = {}
        """The structured content of the SDK's answers on their way, as JSON, by request. The SDK is given an empty one:
        it would check and copy each value, for longer than a search takes."""

    async def settle(self, request_id: RequestId) -> None:
        """Notes that a request will never be answered."""
        self.texts.pop(request_id, None)
        self.connection.settle(request_id)


async def _read(peer: _Peer, to_sdk: trio.MemorySendChannel[SessionMessage]) -> None:
    """Reads a connection: answers tool calls of the handshake era, and passes all else to the SDK."""
    connection = peer.connection
    async with to_sdk:
        try:
            while (message := await connection.receive()) is not None:
                match message:
                    case Request(request_id, method, params):
                        if peer.calls.take(message):
                            continue
                        request = types.JSONRPCRequest(jsonrpc="2.0", id=request_id, method=method, params=params)
                        settle = partial(peer.settle, request_id)
                        metadata = ServerMessageMetadata(request_context=peer, on_request_unanswered=settle)
                        await _give(to_sdk, SessionMessage(request, metadata))
                        if method == "initialize":  # until then, nobody knows whose the next call is
                            await connection.wait_settled(request_id)
                    case Notification(method, params):
                        if method == "notifications/cancelled":
                            peer.calls.cancel(params)
                        notification = types.JSONRPCNotification(jsonrpc="2.0", method=method, params=params)
                        await _give(to_sdk, SessionMessage(notification))
        except (trio.ClosedResourceError, trio.BrokenResourceError):
            pass  # the client is gone, or the SDK has ended


async def _give(to_sdk: trio.MemorySendChannel[SessionMessage], message: SessionMessage) -> None:
    try:
        to_sdk.send_nowait(message)  # no round of the loop more where the SDK waits
    except trio.WouldBlock:
        await to_sdk.send(message)


async def _agree(ctx: ServerRequestContext[Any], call_next: CallNext) -> HandlerResult:
    """Middleware that notes the version agreed upon, from which on the front answers tool calls."""
    result = await call_next(ctx)
    if ctx.method == "initialize" and isinstance(ctx.request, _Peer) and isinstance(result, dict):
        ctx.request.calls.fields = _fields(result["protocolVersion"])
    return result


def _described(tool: Tool, limits: Limits, output_of: Output | None) -> types.Tool:
    return types.Tool(
        name=tool.name,
        title=tool.title,
        description=tool.description,
        input_schema=schema_of(tool, limits),
        output_schema=None if output_of is None else output_of(tool),
        annotations=types.ToolAnnotations(
            read_only_hint=tool.is_read_only, destructive_hint=False, idempotent_hint=True, open_world_hint=False
        ),
    )


@cache
def _fields(version: str) -> frozenset[str]:
    """Finds the fields that a call's result has in a version of the protocol."""
    whole = result_of(Reply("", {}, False, "ok", 0.0, {}), {})
    return frozenset(methods.serialize_server_result("tools/call", version, whole))


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
        try:
            await self._peer.connection.send(message, answers)
        except trio.ClosedResourceError:
            raise anyio.ClosedResourceError from None
        except trio.BrokenResourceError:
            raise anyio.BrokenResourceError from None
