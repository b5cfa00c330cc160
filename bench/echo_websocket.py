"""A child process: the bare SDK over trio-websocket, with one tool, `echo`; what any websocket server pays at least.

`python -m bench.echo_websocket` prints its URL and serves until killed. None of our front stands in it: the SDK's own
models are decoded and encoded as its transports do.
"""

from __future__ import annotations

import sys
from functools import partial
from typing import Any

import anyio
import mcp_types as types
import trio
import trio_websocket
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.shared.message import SessionMessage


async def _list_tools(_ctx: ServerRequestContext[Any], _params: object) -> types.ListToolsResult:
    return types.ListToolsResult(tools=[types.Tool(name="echo", input_schema={"type": "object"})])


async def _call_tool(_ctx: ServerRequestContext[Any], params: types.CallToolRequestParams) -> types.CallToolResult:
    text = str((params.arguments or {})["text"])
    return types.CallToolResult(content=[types.TextContent(type="text", text=text)], structured_content={"text": text})


async def _serve_client(server: Server[Any], request: trio_websocket.WebSocketRequest) -> None:
    socket = await request.accept(subprotocol="mcp")
    incoming, read = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    write, outgoing = anyio.create_memory_object_stream[SessionMessage](0)

    async def receive() -> None:
        async with incoming:
            try:
                while True:
                    text = await socket.get_message()
                    await incoming.send(
                        SessionMessage(types.jsonrpc_message_adapter.validate_json(text, by_name=False))
                    )
            except trio_websocket.ConnectionClosed:
                pass

    async def send() -> None:
        async with outgoing:
            async for item in outgoing:
                await socket.send_message(item.message.model_dump_json(by_alias=True, exclude_unset=True))

    async with trio.open_nursery() as nursery:
        nursery.start_soon(receive)
        nursery.start_soon(send)
        await server.run(read, write, server.create_initialization_options())
        nursery.cancel_scope.cancel()


def make_server() -> Server[Any]:
    """With the tool, and nothing around its calls."""
    server: Server[Any] = Server("echo", version="1", on_list_tools=_list_tools, on_call_tool=_call_tool)
    server.middleware.clear()
    return server


async def _main() -> None:
    server = make_server()
    async with trio.open_nursery() as nursery:
        served = await nursery.start(
            trio_websocket.serve_websocket, partial(_serve_client, server), "127.0.0.1", 0, None
        )
        sys.stderr.write(f"event=listening url=ws://127.0.0.1:{served.port}/mcp\n")
        sys.stderr.flush()


if __name__ == "__main__":
    trio.run(_main)
