"""Tool calls of the handshake era: all are answered by the front, as the SDK would answer them."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

import msgspec
import pytest
import trio
from mcp.shared.message import SessionMessage
from mcp_types import JSONRPCRequest
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS
from trio.testing import MockClock, wait_all_tasks_blocked

from actors.front.call import Reply
from actors.front.progress import Following
from actors.front.protocol.handshake_era_calls import CONNECTION_CLOSED, LATER_ERA, ToolCalls
from actors.front.protocol.sdk import make_server
from actors.front.protocol.speaking import serve
from actors.front.transports.connection import DRAIN_S, Connection
from codemap.tools import Tool
from tests.actors.front.protocol.test_sdk import LISTINGS, Frames, echo, modern

ABOUT = {"capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}


class Client:
    def __init__(self, frames: Frames, connection: Connection, taken: list[bool]) -> None:
        self.frames = frames
        self.connection = connection
        self.taken = taken
        """Of each request, whether the front answered it."""

    async def initialize(self, version: str = "2025-11-25", number: int = 0) -> Any:
        return await self.frames.ask(id=number, method="initialize", params={"protocolVersion": version, **ABOUT})

    async def call(self, number: int | str = 1, **params: Any) -> Any:
        return await self.frames.ask(id=number, method="tools/call", params=params)

    async def tell(self, **message: Any) -> None:
        await self.frames.feed.send(msgspec.json.encode({"jsonrpc": "2.0", **message}))


@pytest.fixture
def taken(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    seen: list[bool] = []
    take = ToolCalls.take

    def seeing(self: ToolCalls, request: Any) -> bool:
        seen.append(take(self, request))
        return seen[-1]

    monkeypatch.setattr(ToolCalls, "take", seeing)
    return seen


@asynccontextmanager
async def client_of(taken: list[bool], call: Any = echo, sdk_call: Any = None) -> AsyncIterator[Client]:
    """`call` answers what the front answers, `sdk_call` (by default the same) what the SDK does."""
    frames = Frames()
    connection = Connection(frames, requests_max=9)  # type: ignore[arg-type]
    with trio.fail_after(100):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(serve, connection, LISTINGS, call, lambda: make_server(LISTINGS, sdk_call or call))
            yield Client(frames, connection, taken)
            nursery.cancel_scope.cancel()


async def until_cancelled(tool: Tool, arguments: Mapping[str, Any], following: Following) -> Reply:
    if tool.name == "map_rebuild":
        await trio.sleep_forever()
    return await echo(tool, arguments, following)


async def ask_sdk(version: str, params: dict[str, Any]) -> dict[str, Any]:
    """What the SDK sends to a call, with nothing between it and the client."""
    to_server, incoming = trio.open_memory_channel[SessionMessage](0)
    outgoing, answers = trio.open_memory_channel[SessionMessage](0)
    server = make_server(LISTINGS, echo)
    requests = [("initialize", {"protocolVersion": version, **ABOUT}), ("tools/call", params)]
    async with trio.open_nursery() as nursery:
        nursery.start_soon(server.run, incoming, outgoing, server.create_initialization_options())
        for method, given in requests:
            request = JSONRPCRequest(jsonrpc="2.0", id=7, method=method, params=given)
            await to_server.send(SessionMessage(request))
            answer: dict[str, Any] = (await answers.receive()).message.model_dump(
                by_alias=True, exclude_unset=True, mode="json"
            )
        nursery.cancel_scope.cancel()
    return answer


@pytest.mark.parametrize("version", HANDSHAKE_PROTOCOL_VERSIONS)
@pytest.mark.parametrize(
    "params",
    [
        {"arguments": {"query": "é\n"}},
        {"arguments": {"fail": 1}},
        {},
        {"arguments": None, "other": [1], "_meta": {"other": {}}},
        {"_meta": {"progressToken": 1}},
    ],
)
async def test_a_call_gets_what_the_sdk_would_send(version: str, params: dict[str, Any], taken: list[bool]) -> None:
    params = {"name": "map_search", **params}
    async with client_of(taken) as client:
        await client.initialize(version)
        answer = await client.call(7, **params)
    assert taken == [True]
    assert answer == await ask_sdk(version, params)
    assert answer["result"]["structuredContent"]["data"]["arguments"] == (params.get("arguments") or {})


@pytest.mark.parametrize(
    "params",
    [
        {"name": "map_serch"},
        {"name": 7},
        {},
        {"name": "map_search", "arguments": [1]},
        {"name": "map_search", "_meta": 1},
        {"name": "map_search", "_meta": {"progressToken": [1]}},
        modern({"name": "map_search"}),
    ],
)
async def test_a_bad_call_gets_the_error_that_the_sdk_would_send(params: dict[str, Any], taken: list[bool]) -> None:
    async with client_of(taken) as client:
        await client.initialize()
        error = (await client.call(7, **params))["error"]
    assert taken == [True]
    assert error["code"] == (await ask_sdk("2025-11-25", params))["error"]["code"]


async def test_a_bad_call_gets_what_is_wrong(taken: list[bool]) -> None:
    async with client_of(taken) as client:
        await client.initialize()
        assert "the nearest is map_search" in (await client.call(name="map_serch"))["error"]["message"]
        assert "`$.arguments`" in (await client.call(name="map_search", arguments=[1]))["error"]["message"]
        assert (await client.call(**modern({"name": "map_search"})))["error"]["message"] == LATER_ERA


async def test_a_call_that_follows_at_once_waits_for_the_version(taken: list[bool]) -> None:
    async with client_of(taken) as client:
        await client.tell(id=1, method="initialize", params={"protocolVersion": "2025-11-25", **ABOUT})
        await client.tell(id=2, method="tools/call", params={"name": "map_search"})
        answers = [msgspec.json.decode(await client.frames.sent.receive()) for _ in range(2)]
    assert taken == [True]
    assert [answer["id"] for answer in answers] == [1, 2]
    assert "result" in answers[1]


async def test_no_call_is_taken_before_a_version_is_agreed_upon(taken: list[bool]) -> None:
    async with client_of(taken) as client:
        assert (await client.call(name="map_search"))["error"]["code"] == -32602
        assert "error" in await client.frames.ask(id=2, method="initialize", params={"protocolVersion": 1})
        assert "error" in await client.call(2, name="map_search")
        await client.initialize()
        assert "result" in await client.call(2, name="map_search")
    assert taken == [False, False, False, False, True]


async def test_the_sdk_is_not_asked_what_the_front_answers() -> None:
    asked: list[str] = []

    async def note(tool: Tool, arguments: Mapping[str, Any], following: Following) -> Reply:
        asked.append(tool.name)
        return await echo(tool, arguments, following)

    async with client_of([], echo, sdk_call=note) as client:
        await client.initialize()
        assert "result" in await client.call(1, name="map_search")
        assert "result" in await client.call(2, name="map_status")
        assert not asked
    async with client_of([], until_cancelled, sdk_call=note) as client:
        assert "result" in await client.call(1, **modern({"name": "map_search"}))
        assert asked == ["map_search"]


async def test_a_client_of_the_later_era_is_served_by_the_sdk(taken: list[bool]) -> None:
    async with client_of(taken) as client:
        first = await client.call(1, **modern({"name": "map_search"}))
        assert "error" in await client.initialize(number=2)
        again = await client.call(2, **modern({"name": "map_search"}))
        assert "result" in first
        assert first["result"] == again["result"]
    assert taken == [False, False, False]


@pytest.mark.parametrize(("number", "named"), [(5, 5), (5, "5"), ("5", 5), ("x", "x")])
async def test_a_call_is_cancelled_by_its_id(
    number: int | str, named: int | str, taken: list[bool], autojump_clock: MockClock
) -> None:
    async with client_of(taken, until_cancelled) as client:
        await client.initialize()
        await client.tell(id=number, method="tools/call", params={"name": "map_rebuild"})
        await wait_all_tasks_blocked()
        await client.tell(method="notifications/cancelled", params={"requestId": "another"})
        await client.tell(method="notifications/cancelled")
        await wait_all_tasks_blocked()
        assert client.connection.statistics().outstanding == 1
        await client.tell(method="notifications/cancelled", params={"requestId": named})
        await wait_all_tasks_blocked()
        assert client.connection.statistics().outstanding == 0
        assert (await client.call(number, name="map_status"))["id"] == number, "the next that is sent"


async def test_what_is_under_way_at_the_end_gets_an_error(taken: list[bool], autojump_clock: MockClock) -> None:
    async with client_of(taken, until_cancelled) as client:
        await client.initialize()
        ended: list[Any] = []
        for number in (1, 2):
            await client.tell(id=number, method="tools/call", params={"name": "map_rebuild"})
        await wait_all_tasks_blocked()
        begun = trio.current_time()
        client.connection.stop()
        ended = sorted(
            [msgspec.json.decode(await client.frames.sent.receive()) for _ in range(2)], key=lambda one: int(one["id"])
        )
        assert trio.current_time() - begun == pytest.approx(DRAIN_S, abs=0.5)
    assert [one["id"] for one in ended] == [1, 2]
    assert [one["error"]["code"] for one in ended] == [CONNECTION_CLOSED] * 2
