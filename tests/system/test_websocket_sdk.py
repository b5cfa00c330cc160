"""Websocket clients that are not ours: those of the TypeScript SDK and the Python SDK 1.x, and 2.x over a transport."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Literal

import anyio
import mcp_types as types
import pytest
import trio
import trio_websocket
from mcp import Client
from mcp.shared.message import SessionMessage

from codemap.tools import TOOLS
from tests.system.foreign import python_sdk_1
from tests.system.network import served
from tests.system.npm import script

CLIENTS, CALLS = 10, 20
JSONIFY = "py:src/flask/json/__init__.py#jsonify"
PROGRAMS = Path(__file__).parent / "clients"
TOKEN = "a-token-of-enough-length"


async def run(command: list[str]) -> Any:
    """What a program prints, as JSON."""
    done = await trio.run_process(command, capture_stdout=True, capture_stderr=True, check=False)
    assert done.returncode == 0, done.stderr.decode()
    return json.loads(done.stdout)


async def test_typescript_sdk(flask: Path) -> None:
    program = await trio.to_thread.run_sync(script, PROGRAMS / "typescript.mjs")
    async with served(flask) as server:
        seen = await run([*program, server.url, str(CLIENTS), str(CALLS)])
        assert seen["server"] == "codemap"
        assert seen["tools"] == [tool.name for tool in TOOLS]
        assert (seen["answers"], seen["firsts"]) == (CLIENTS * CALLS, [JSONIFY])
        assert (seen["cancelled"], seen["afterCancel"]) == (CLIENTS, CLIENTS)


async def test_python_sdk_1(flask: Path) -> None:
    python = await trio.to_thread.run_sync(python_sdk_1)
    async with served(flask) as server:
        seen = await run([python, str(PROGRAMS / "sdk1.py"), server.url, str(CLIENTS), str(CALLS)])
        assert seen["protocol"] == "2025-11-25"
        assert seen["tools"] == [tool.name for tool in TOOLS]
        assert (seen["answers"], seen["firsts"]) == (CLIENTS * CALLS, [JSONIFY])


@asynccontextmanager
async def transport(url: str) -> AsyncIterator[tuple[Any, Any]]:
    """A transport for the Python SDK 2.x, which has none of its own for websockets."""
    headers = [(b"authorization", b"Bearer " + TOKEN.encode())]
    incoming, read = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    write, outgoing = anyio.create_memory_object_stream[SessionMessage](0)

    async def receive(socket: trio_websocket.WebSocketConnection) -> None:
        async with incoming:
            try:
                while True:
                    text = await socket.get_message()
                    await incoming.send(SessionMessage(types.jsonrpc_message_adapter.validate_json(text)))
            except (trio_websocket.ConnectionClosed, anyio.BrokenResourceError):
                pass

    async def send(socket: trio_websocket.WebSocketConnection) -> None:
        async with outgoing:
            async for item in outgoing:
                await socket.send_message(item.message.model_dump_json(by_alias=True, exclude_unset=True))

    async with (
        trio_websocket.open_websocket_url(url, subprotocols=["mcp"], extra_headers=headers) as socket,
        trio.open_nursery() as nursery,
    ):
        nursery.start_soon(receive, socket)
        nursery.start_soon(send, socket)
        yield read, write
        nursery.cancel_scope.cancel()


@pytest.mark.parametrize("era", ["legacy", "auto"])
async def test_python_sdk_2(flask: Path, era: Literal["legacy", "auto"]) -> None:
    async with (
        served(flask, extra={"CODEMAP_TOKEN": TOKEN}) as server,
        Client(transport(server.url), mode=era) as client,
    ):
        assert [tool.name for tool in (await client.list_tools()).tools] == [tool.name for tool in TOOLS]
        arguments = {"query": "jsonify", "freshWaitMs": 5000}
        await client.call_tool("map_rebuild", {})
        result = await client.call_tool("map_search", arguments)
        assert result.structured_content["data"]["results"][0]["id"] == JSONIFY  # type: ignore[index]
        status = await client.call_tool("map_status", {})
        assert status.structured_content["data"]["files"] == 83  # type: ignore[index]
