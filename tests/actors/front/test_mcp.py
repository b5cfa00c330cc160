"""The MCP module against a client in the same process, in both protocol eras."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import msgspec
import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError

from actors.front.call import Reply
from actors.front.mcp import INSTRUCTIONS, make_server
from codemap.tools import TOOLS, Tool, schema_of

Era = Literal["legacy", "auto"]
eras = pytest.mark.parametrize("era", ["legacy", "auto"])

CHARS_PER_TOKEN = 4


async def echo(tool: Tool, arguments: Mapping[str, Any]) -> Reply:
    envelope = {"ok": "fail" not in arguments, "data": {"tool": tool.name, "arguments": dict(arguments)}}
    text = msgspec.json.encode(envelope).decode()
    return Reply(text, envelope, not envelope["ok"], 1.5, {"answer": 1.25})


@eras
async def test_tools_are_listed_as_they_are_declared(era: Era) -> None:
    async with Client(make_server(TOOLS, echo), mode=era) as client:
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
    async with Client(make_server(TOOLS, echo)) as client:
        listed = await client.list_tools()
    text = listed.model_dump_json(by_alias=True, exclude_none=True)
    assert len(text) / CHARS_PER_TOKEN <= 2000


@eras
async def test_a_call_gives_text_object_and_times(era: Era) -> None:
    async with Client(make_server(TOOLS, echo), mode=era) as client:
        result = await client.call_tool("map_search", {"query": "x"})
    wanted = {"ok": True, "data": {"tool": "map_search", "arguments": {"query": "x"}}}
    assert result.structured_content == wanted
    assert [msgspec.json.decode(part.text) for part in result.content if part.type == "text"] == [wanted]
    assert result.is_error is False
    assert result.meta is not None
    assert (result.meta["durationMs"], result.meta["timings"]) == (1.5, {"answer": 1.25})


@eras
async def test_a_failure_is_a_result_that_the_model_can_read(era: Era) -> None:
    async with Client(make_server(TOOLS, echo), mode=era) as client:
        result = await client.call_tool("map_status", {"fail": 1})
    assert result.is_error is True
    assert result.structured_content is not None
    assert result.structured_content["ok"] is False


@eras
async def test_an_unknown_tool_is_a_protocol_error_with_the_nearest(era: Era) -> None:
    async with Client(make_server(TOOLS, echo), mode=era) as client:
        with pytest.raises(MCPError, match="Unknown tool 'map_serch'; the nearest is map_search") as error:
            await client.call_tool("map_serch", {})
        assert error.value.error.code == -32602


@eras
async def test_a_call_without_arguments_has_none(era: Era) -> None:
    async with Client(make_server(TOOLS, echo), mode=era) as client:
        result = await client.call_tool("map_status")
    assert result.structured_content == {"ok": True, "data": {"tool": "map_status", "arguments": {}}}


async def test_the_instructions_name_every_tool_and_are_short() -> None:
    assert len(INSTRUCTIONS.split()) < 200
    assert all(tool.name in INSTRUCTIONS for tool in TOOLS)
    for shared in ("tokenBudget", "cursor", "freshWaitMs"):
        assert shared in INSTRUCTIONS
