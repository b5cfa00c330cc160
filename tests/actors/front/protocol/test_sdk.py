"""The MCP module against a client in the same process, in both protocol eras."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import msgspec
import pytest
import trio
from mcp import Client
from mcp.shared.exceptions import MCPError
from trio.testing import MockClock, wait_all_tasks_blocked

from actors.front.call import Reply
from actors.front.progress import Following
from actors.front.protocol.listings import Listings
from actors.front.protocol.sdk import make_server
from actors.front.protocol.speaking import serve
from actors.front.transports.connection import Connection
from codemap.instructions import instructions
from codemap.tools import TOOLS, Tool, schema_of
from tests.tools.calls import FIRST

Era = Literal["legacy", "auto"]
eras = pytest.mark.parametrize("era", ["legacy", "auto"])

CHARS_PER_TOKEN = 4
LISTINGS = Listings(TOOLS, has_offers=False)


async def echo(tool: Tool, arguments: Mapping[str, Any], _following: Following) -> Reply:
    envelope = {"ok": "fail" not in arguments, "data": {"tool": tool.name, "arguments": dict(arguments)}}
    text = msgspec.json.encode(envelope).decode()
    return Reply(text, envelope, not envelope["ok"], "ok", 1.5, {"answer": 1.25})


@eras
async def test_tools_are_listed_as_they_are_declared(era: Era) -> None:
    async with Client(make_server(LISTINGS, echo), mode=era) as client:
        listed = (await client.list_tools()).tools
    assert [tool.name for tool in listed] == [tool.name for tool in TOOLS]
    for shown, tool in zip(listed, TOOLS, strict=True):
        assert shown.input_schema == schema_of(tool)
        assert (shown.title, shown.description) == (tool.title, tool.description)
        assert shown.annotations is not None
        assert shown.annotations.read_only_hint is tool.is_read_only
        assert shown.annotations.idempotent_hint is True
        assert shown.annotations.destructive_hint is False
        assert shown.annotations.open_world_hint is False


async def test_the_list_of_tools_is_small() -> None:
    async with Client(make_server(LISTINGS, echo)) as client:
        listed = await client.list_tools()
    sizes = {
        tool.name: len(tool.model_dump_json(by_alias=True, exclude_none=True)) / CHARS_PER_TOKEN
        for tool in listed.tools
    }
    assert sum(size for name, size in sizes.items() if name in FIRST) <= 2660
    assert sum(sizes.values()) <= 4500


@eras
async def test_a_call_gives_text_object_and_times(era: Era) -> None:
    async with Client(make_server(LISTINGS, echo), mode=era) as client:
        result = await client.call_tool("map_search", {"query": "x"})
    wanted = {"ok": True, "data": {"tool": "map_search", "arguments": {"query": "x"}}}
    assert result.structured_content == wanted
    assert [msgspec.json.decode(part.text) for part in result.content if part.type == "text"] == [wanted]
    assert result.is_error is False
    assert result.meta is not None
    assert (result.meta["durationMs"], result.meta["timings"]) == (1.5, {"answer": 1.25})


@eras
async def test_a_failure_is_a_result_that_the_model_can_read(era: Era) -> None:
    async with Client(make_server(LISTINGS, echo), mode=era) as client:
        result = await client.call_tool("map_status", {"fail": 1})
    assert result.is_error is True
    assert result.structured_content is not None
    assert result.structured_content["ok"] is False


@eras
async def test_an_unknown_tool_is_a_protocol_error_with_the_nearest(era: Era) -> None:
    async with Client(make_server(LISTINGS, echo), mode=era) as client:
        with pytest.raises(MCPError, match="Unknown tool 'map_serch'; the nearest is map_search") as error:
            await client.call_tool("map_serch", {})
        assert error.value.error.code == -32602


@eras
async def test_a_call_without_arguments_has_none(era: Era) -> None:
    async with Client(make_server(LISTINGS, echo), mode=era) as client:
        result = await client.call_tool("map_status")
    assert result.structured_content == {"ok": True, "data": {"tool": "map_status", "arguments": {}}}


@eras
async def test_the_instructions_are_sent_at_the_start(era: Era) -> None:
    async with Client(make_server(Listings(TOOLS, dialect="ctxo", has_offers=False), echo), mode=era) as client:
        assert client.instructions == instructions("ctxo", {tool.name for tool in TOOLS})


class Frames:
    """What carries one message a frame, in memory."""

    def __init__(self) -> None:
        self.feed, self._incoming = trio.open_memory_channel[bytes](10)
        self._outgoing, self.sent = trio.open_memory_channel[bytes](10)

    async def receive(self) -> bytes:
        return await self._incoming.receive()

    async def send(self, frame: bytes) -> None:
        await self._outgoing.send(frame)

    async def ask(self, **message: Any) -> Any:
        await self.feed.send(msgspec.json.encode({"jsonrpc": "2.0", **message}))
        return msgspec.json.decode(await self.sent.receive())


def modern(params: dict[str, Any]) -> dict[str, Any]:
    meta = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
    }
    return {**params, "_meta": meta}


@pytest.mark.parametrize("is_modern", [False, True])
async def test_a_cancelled_call_ends_without_an_answer_and_frees_its_place(
    autojump_clock: MockClock, is_modern: bool
) -> None:
    ended: list[str] = []

    async def slow(tool: Tool, arguments: Mapping[str, Any], following: Following) -> Reply:
        if tool.name == "map_rebuild":
            try:
                await trio.sleep_forever()
            finally:
                ended.append(tool.name)
        return await echo(tool, arguments, following)

    def params(name: str) -> dict[str, Any]:
        plain = {"name": name, "arguments": {}}
        return modern(plain) if is_modern else plain

    frames = Frames()
    connection = Connection(frames, requests_max=1)
    with trio.fail_after(10):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(serve, connection, LISTINGS, slow, lambda: make_server(LISTINGS, slow))
            if not is_modern:
                info = {
                    "protocolVersion": "2025-11-25",
                    "capabilities": {},
                    "clientInfo": {"name": "t", "version": "1"},
                }
                await frames.ask(id=0, method="initialize", params=info)
            call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params("map_rebuild")}
            await frames.feed.send(msgspec.json.encode(call))
            await wait_all_tasks_blocked()
            busy = await frames.ask(id=2, method="tools/call", params=params("map_status"))
            assert (busy["id"], busy["error"]["code"]) == (2, -32000)
            cancel = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}}
            await frames.feed.send(msgspec.json.encode(cancel))
            await wait_all_tasks_blocked()
            assert ended == ["map_rebuild"]
            served = await frames.ask(id=3, method="tools/call", params=params("map_status"))
            assert (served["id"], served["result"]["isError"]) == (3, False)
            assert served["result"].get("resultType") == ("complete" if is_modern else None)
            nursery.cancel_scope.cancel()
