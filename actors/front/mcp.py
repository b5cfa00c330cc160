"""MCP: tools listed and called, in both protocol eras, for any connection.

With `offers` and `sessions`, the only file that knows the MCP SDK; its provisional surfaces (stream protocols, message
metadata, middleware) are used here and nowhere else. Importing it costs half a second of CPU: the command line does so
only to serve, workers never.

Rules of the file:
- A tool's failure is a result that the model can read. Protocol errors are for calls that are no tool's business.
- The SDK sends the text of a handler's exception to legacy clients, so no handler may raise but MCPError.

Source: MCP 2024-11-05 to 2025-11-25 (handshake era) and 2026-07-28.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from difflib import get_close_matches
from functools import cache, partial
from importlib.metadata import version
from typing import Any, Self

import anyio
import mcp_types as types
import msgspec
import trio
from mcp.server.caching import CacheHint
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError
from mcp.shared.message import ServerMessageMetadata, SessionMessage
from mcp_types import methods

from actors.front.call import Reply
from actors.front.direct import Call, DirectCalls, result_of
from actors.front.offers import Offers
from actors.front.progress import Following, while_told
from actors.front.transports.connection import Connection
from actors.front.transports.jsonrpc import Notification, Request, RequestId
from codemap.envelope.dialects import NATIVE
from codemap.envelope.limits import COMMUNITY, Limits
from codemap.instructions import instructions
from codemap.tools import Tool, schema_of

LIST_TTL_MS = 3_600_000
"""The tools of a server never change while it runs."""

Output = Callable[[Tool], dict[str, Any]]


def make_server(
    tools: Sequence[Tool],
    call: Call,
    offers: Offers | None = None,
    limits: Limits = COMMUNITY,
    output_of: Output | None = None,
    dialect: str = NATIVE,
) -> Server[Any]:
    """The server for any number of connections. `call` answers a tool call, in that dialect, and raises nothing but
    cancellation; `limits` is the profile that it keeps to, `output_of` the schema of its replies, where there is one.
    """
    by_name = {tool.name: tool for tool in tools}
    listed = types.ListToolsResult(tools=[_described(tool, limits, output_of) for tool in tools])
    schemas = {tool.name: tool.input_schema for tool in listed.tools}

    async def list_tools(_ctx: ServerRequestContext[Any], _params: object) -> types.ListToolsResult:
        return listed

    async def call_tool(ctx: ServerRequestContext[Any], params: types.CallToolRequestParams) -> dict[str, Any]:
        tool = by_name.get(params.name)
        if tool is None:
            raise MCPError(types.INVALID_PARAMS, _unknown(params.name, by_name))
        following = Following()
        answer = partial(call, tool, params.arguments or {}, following)
        is_told = ctx.meta and "progress_token" in ctx.meta
        reply = await (while_told(following, ctx.session.report_progress, answer) if is_told else answer())
        if isinstance(ctx.request, _Aside) and ctx.request_id is not None:
            ctx.request.put(ctx.request_id, reply.text)
            return result_of(reply, {})
        return result_of(reply, reply.envelope)

    server: Server[Any] = Server(
        "codemap",
        version=version("codemap"),
        instructions=instructions(dialect),
        cache_hints={"tools/list": CacheHint(ttl_ms=LIST_TTL_MS, scope="public")},
        on_list_tools=list_tools,
        get_tool_input_schema=schemas.get,  # without it, each call over HTTP lists all tools to find one
        on_call_tool=call_tool,  # type: ignore[arg-type]  # a dict costs a third less than the model, and is checked alike
        **({} if offers is None else offers.handlers()),
    )
    server.middleware.clear()  # OpenTelemetry spans, which nobody collects here
    return server


async def serve(connection: Connection, server: Server[Any], tools: Sequence[Tool], call: Call) -> None:
    """Speaks MCP on a connection until its peer is gone; `tools` and `call` are what the server was made with."""
    await connection.run(partial(_serve, server, {tool.name: tool for tool in tools}, call))


async def _serve(server: Server[Any], tools: Mapping[str, Tool], call: Call, connection: Connection) -> None:
    aside = _Aside()
    async with trio.open_nursery() as nursery:
        direct = DirectCalls(connection, tools, call, nursery)
        incoming, outgoing = _Incoming(connection, aside, direct), _Outgoing(connection, aside, direct)
        await server.run(incoming, outgoing, server.create_initialization_options())
        nursery.cancel_scope.cancel()


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
    """What the SDK leaves of a call's result in a version of the protocol."""
    whole = result_of(Reply("", {}, False, "ok", 0.0, {}), {})
    return frozenset(methods.serialize_server_result("tools/call", version, whole))


def _unknown(name: str, known: Mapping[str, Tool]) -> str:
    nearest = get_close_matches(name, known, n=1, cutoff=0.4)
    hint = f"; the nearest is {nearest[0]}" if nearest else ""
    return f"Unknown tool {name!r}{hint}. Tools: {', '.join(known)}."


class _Aside:
    """What one client's incoming and outgoing messages share.

    Most of it is the structured content of answers on their way, as JSON, by request: the SDK would check and copy each
    of its values, for longer than a search takes, and is shown an empty one.
    """

    def __init__(self) -> None:
        self._texts: dict[RequestId, str] = {}
        self.initializing: RequestId | None = None
        """The unanswered request to agree upon a version."""

    def put(self, request_id: RequestId, text: str) -> None:
        self._texts[request_id] = text

    def take(self, request_id: RequestId) -> str | None:
        return self._texts.pop(request_id, None)

    def ends_initializing(self, request_id: RequestId | None) -> bool:
        """Whether what has come to its end is that request."""
        is_it = request_id is not None and request_id == self.initializing
        if is_it:
            self.initializing = None
        return is_it


class _Incoming:
    """The SDK's `ReadStream` over a connection."""

    def __init__(self, connection: Connection, aside: _Aside, direct: DirectCalls) -> None:
        self._connection = connection
        self._aside = aside
        self._direct = direct

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        pass

    async def aclose(self) -> None:
        pass

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> SessionMessage | Exception:
        try:
            return await self.receive()
        except anyio.EndOfStream:
            raise StopAsyncIteration from None

    async def receive(self) -> SessionMessage | Exception:
        try:
            message = await self._connection.receive()
            while isinstance(message, Request) and self._direct.take(message):
                message = await self._connection.receive()
        except trio.ClosedResourceError:
            raise anyio.ClosedResourceError from None
        except trio.BrokenResourceError:
            raise anyio.BrokenResourceError from None
        match message:
            case None:
                raise anyio.EndOfStream
            case Request(request_id, method, params):
                request = types.JSONRPCRequest(jsonrpc="2.0", id=request_id, method=method, params=params)
                if method == "initialize":
                    self._aside.initializing = request_id
                settle = partial(self._settle, request_id)
                metadata = ServerMessageMetadata(request_context=self._aside, on_request_unanswered=settle)
                return SessionMessage(request, metadata)
            case Notification(method, params):
                if method == "notifications/cancelled":
                    self._direct.cancel(params)
                return SessionMessage(types.JSONRPCNotification(jsonrpc="2.0", method=method, params=params))

    async def _settle(self, request_id: RequestId) -> None:
        self._aside.take(request_id)
        self._aside.ends_initializing(request_id)
        self._connection.settle(request_id)


class _Outgoing:
    """The SDK's `WriteStream` over a connection."""

    def __init__(self, connection: Connection, aside: _Aside, direct: DirectCalls) -> None:
        self._connection = connection
        self._aside = aside
        self._direct = direct

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        pass

    async def aclose(self) -> None:
        pass

    async def send(self, item: SessionMessage) -> None:
        match item.message:
            case types.JSONRPCResponse(id=request_id, result=result):
                if self._aside.ends_initializing(request_id):
                    self._direct.fields = _fields(result["protocolVersion"])
                structured = self._aside.take(request_id)
                if structured is not None and "structuredContent" in result:
                    result = {**result, "structuredContent": msgspec.Raw(structured.encode())}
                message: dict[str, Any] = {"jsonrpc": "2.0", "id": request_id, "result": result}
                answers: RequestId | None = request_id
            case other:
                message = other.model_dump(by_alias=True, exclude_unset=True, mode="json")
                answers = other.id if isinstance(other, types.JSONRPCError) else None
                self._aside.ends_initializing(answers)
        try:
            await self._connection.send(message, answers)
        except trio.ClosedResourceError:
            raise anyio.ClosedResourceError from None
        except trio.BrokenResourceError:
            raise anyio.BrokenResourceError from None
