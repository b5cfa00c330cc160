"""Streamable HTTP with the official client, in one process, in both protocol eras: sessions, streams, what is left."""

from __future__ import annotations

import gc
import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from functools import partial
from types import SimpleNamespace
from typing import Any, Literal

import mcp_types as types
import psutil
import pytest
import trio
import trio.testing
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError
from mcp.shared.subscriptions import ResourceUpdated

from actors.front.call import Reply
from actors.front.progress import Following
from actors.front.protocol.listings import Listings
from actors.front.protocol.resources_and_prompts import Offers
from actors.front.protocol.sdk import make_server
from actors.front.transports.admission import Rules, Speech
from actors.front.transports.clients import Clients
from actors.front.transports.http import HttpFront
from actors.front.transports.http_sessions import IDLE_S, Applications
from actors.front.transports.network_door import Door
from actors.front.transports.session_limits import Limits
from actors.indexing.latest_snapshot import Building
from codemap.tools import TOOLS, Tool
from tests.actors.front.protocol.test_resources_and_prompts import echo

pytestmark = [
    pytest.mark.filterwarnings("ignore:Async generator 'http:ResourceWarning"),
    pytest.mark.filterwarnings("ignore:Exception ignored in. <async_generator:pytest.PytestUnraisableExceptionWarning"),
]
"""The client's library leaves generators to the collector."""

Era = Literal["legacy", "auto"]
eras = pytest.mark.parametrize("era", ["legacy", "auto"])
DEADLINE_S = 120
MANY = Limits(100, 100, 100)
MESSAGE = {"jsonrpc": "2.0"}
BEGIN = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}


class House:
    """All of a process but the map: `map_rebuild` never ends and says how far it is, the other tools echo."""

    def __init__(self, idle_s: float = IDLE_S, server: Server[Any] | None = None, limits: Limits = MANY) -> None:
        """`server` serves instead of ours."""
        self.clients = Clients(100, 100)
        self.offers = Offers(TOOLS, echo, lambda: None)
        self.server = make_server(Listings(TOOLS), self._call, self.offers) if server is None else server
        self.applications = Applications(lambda _: self.server, limits, idle_s)
        self.begun = trio.Event()
        self.cancelled = trio.Event()
        self.url = ""

    async def _call(self, tool: Tool, arguments: Mapping[str, Any], following: Following | None = None) -> Reply:
        if tool.name != "map_rebuild":
            return await echo(tool, arguments)
        assert following is not None
        building = Building(stage="extract", files_done=3, files_total=10)
        following.service = SimpleNamespace(latest=SimpleNamespace(building=building))  # type: ignore[assignment]
        self.begun.set()
        try:
            await trio.sleep_forever()
        finally:
            self.cancelled.set()
        raise AssertionError

    async def run(self, *, task_status: trio.TaskStatus[None]) -> None:
        rules = Rules(frozenset(), frozenset(), None, ("app",), Speech.HTTP)
        front = HttpFront(
            rules,
            self.clients,
            self.applications,
            handshake_s=5.0,
            write_s=5.0,
            requests_max=10,
            show=lambda page: page.name,
        )
        door = Door(rules, self.clients, handshake_s=5.0, speak=front.speak, show=lambda page: page.name)
        listeners = await trio.open_tcp_listeners(0, host="127.0.0.1")
        self.url = f"http://127.0.0.1:{listeners[0].socket.getsockname()[1]}/mcp"
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self.applications.run)
            nursery.start_soon(door.run, listeners)
            task_status.started()

    def client(self, era: Era, **options: Any) -> Client:
        return Client(self.url, mode=era, **options)


@asynccontextmanager
async def housed(idle_s: float = IDLE_S, limits: Limits = MANY) -> AsyncIterator[House]:
    with trio.fail_after(DEADLINE_S):
        async with trio.open_nursery() as nursery:
            house = House(idle_s, limits=limits)
            await nursery.start(house.run)
            yield house
            nursery.cancel_scope.cancel()


def tasks() -> int:
    """How many tasks there are, this one included."""

    def count(task: trio.lowlevel.Task) -> int:
        return 1 + sum(count(child) for nursery in task.child_nurseries for child in nursery.child_tasks)

    root = trio.lowlevel.current_root_task()
    assert root is not None
    return count(root)


async def settled(house: House) -> int:
    """How many tasks there are once nobody is there any more, and no session."""
    await house.clients.wait_gone()
    while sessions():  # noqa: ASYNC110
        await trio.sleep(0.01)
    await trio.sleep(0.1)
    return tasks()


@eras
async def test_tools_are_listed_and_called(era: Era) -> None:
    async with housed() as house, house.client(era) as client:
        assert [tool.name for tool in (await client.list_tools()).tools] == [tool.name for tool in TOOLS]
        result = await client.call_tool("map_search", {"query": "greet"})
        assert result.structured_content == {
            "ok": True,
            "data": {"tool": "map_search"},
            "arguments": {"query": "greet"},
        }
        with pytest.raises(MCPError, match="the nearest is map_search"):
            await client.call_tool("map_serch", {})


@eras
async def test_a_call_lists_no_tools(era: Era, monkeypatch: pytest.MonkeyPatch) -> None:
    """The SDK would, to look at the schema of the one that is called; that costs more than the call."""
    listed = 0

    async def list_tools(ctx: Any, params: Any) -> Any:
        nonlocal listed
        listed += 1
        return await was.handler(ctx, params)

    async with housed() as house:
        was = house.server.get_request_handler("tools/list")
        assert was is not None
        house.server.add_request_handler("tools/list", was.params_type, list_tools)
        async with house.client(era) as client:
            await client.list_tools()
            before = listed
            await client.call_tool("map_search", {"query": "greet"})
            assert (listed, before) == (before, 1)


@eras
async def test_nothing_is_left_after_the_last_client(era: Era) -> None:
    """No task, no descriptor, no session; however many there were."""
    async with housed() as house:
        async with house.client(era) as client:
            await client.list_tools()
        before, descriptors = await settled(house), psutil.Process().num_fds()
        for _ in range(4):
            async with house.client(era) as client, trio.open_nursery() as nursery:
                for _ in range(5):
                    nursery.start_soon(client.call_tool, "map_search", {"query": "greet"})
        assert await settled(house) == before
        assert psutil.Process().num_fds() <= descriptors
        assert house.clients.statistics().outstanding == 0


def sessions() -> list[object]:
    """Live sessions, wherever anybody holds them."""
    gc.collect()
    return [one for one in gc.get_objects() if type(one).__name__ == "StreamableHTTPServerTransport"]


@pytest.mark.filterwarnings("ignore::mcp.shared.exceptions.MCPDeprecationWarning")
async def test_a_session_that_nobody_ends_ends_by_itself() -> None:
    async with housed(idle_s=0.2) as house:
        async with house.client("legacy") as client:
            await client.list_tools()
        before = await settled(house)
        for _ in range(3):
            async with Client(streamable_http_client(house.url, terminate_on_close=False), mode="legacy") as client:
                await client.subscribe_resource("codemap://status")
                await trio.sleep(0.4)
                await client.list_tools()  # the stream of its session keeps it
            assert house.offers.watched > 0
        assert await settled(house) == before
        assert house.offers.watched == 0


FEW = Limits(total=20, per_token=20, per_address=20)


async def initialize(house: House) -> tuple[int, str]:
    """Opens a session and forgets it: the status, and its name."""
    stream = await post(house.url, {}, {"id": 0, "method": "initialize", "params": BEGIN})
    said = (await stream.receive_some(4096)).decode()
    await trio.aclose_forcefully(stream)
    return int(said.split()[1]), said.partition("mcp-session-id: ")[2].partition("\r\n")[0]


async def test_sessions_that_nobody_closes_lock_nobody_out() -> None:
    """Those go that were never used; who works keeps his, and who comes finds a place."""
    async with housed(limits=FEW) as house, house.client("legacy") as before, house.client("auto") as modern:
        await before.list_tools()
        for _ in range(100):
            status, name = await initialize(house)
            assert (status, bool(name)) == (200, True)
        async with house.client("legacy") as after:
            for one in (before, after, modern):
                assert (await one.call_tool("map_search", {"query": "a"})).structured_content is not None
        await trio.testing.wait_all_tasks_blocked(0.05)
        assert len(sessions()) <= FEW.total
        statistics = house.applications.places.statistics()
        assert (statistics.open <= FEW.total, statistics.evicted >= 80, statistics.refused) == (True, True, 0)


async def test_a_session_that_had_to_go_is_not_found() -> None:
    """By which its client knows to begin again."""
    async with housed(limits=Limits(1, 1, 1)) as house:
        _, first = await initialize(house)
        await initialize(house)
        await trio.testing.wait_all_tasks_blocked(0.05)
        stream = await post(house.url, {"Mcp-Session-Id": first}, {"id": 1, "method": "tools/list"})
        assert (await stream.receive_some(4096)).startswith(b"HTTP/1.1 404 ")
        await trio.aclose_forcefully(stream)


@pytest.mark.filterwarnings("ignore::mcp.shared.exceptions.MCPDeprecationWarning")
async def test_who_finds_no_place_is_served_without_a_session() -> None:
    """Where in all sessions something is under way, so that none can go."""
    async with housed(limits=Limits(1, 1, 1)) as house, house.client("legacy") as first, trio.open_nursery() as nursery:
        nursery.start_soon(first.call_tool, "map_rebuild", {})
        await house.begun.wait()
        assert await initialize(house) == (200, "")
        async with house.client("legacy") as second:
            assert len((await second.list_tools()).tools) == len(TOOLS)
            assert (await second.call_tool("map_search", {"query": "a"})).structured_content is not None
            with pytest.raises(MCPError, match="Without a session"):
                await second.subscribe_resource("codemap://status")
        assert house.applications.places.statistics().refused == 2
        nursery.cancel_scope.cancel()


async def test_a_call_needs_no_session() -> None:
    async with housed() as house:
        call = {"name": "map_search", "arguments": {"query": "a"}}
        stream = await post(house.url, {}, {"id": 7, "method": "tools/call", "params": call})
        said = b""
        while b"\r\n0\r\n" not in said:
            said += await stream.receive_some(4096)
        await trio.aclose_forcefully(stream)
        assert said.startswith(b"HTTP/1.1 200 ")
        assert b'"id":7' in said
        assert b"mcp-session-id" not in said
        assert house.applications.places.statistics().open == 0


@eras
async def test_a_call_that_is_cancelled_ends(era: Era) -> None:
    async with housed() as house, house.client(era) as client:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(client.call_tool, "map_rebuild", {})
            await house.begun.wait()
            nursery.cancel_scope.cancel()
        await house.cancelled.wait()
        assert (await client.call_tool("map_search", {"query": "a"})).structured_content is not None
        while house.clients.statistics().outstanding:  # noqa: ASYNC110
            await trio.sleep(0.01)


@eras
async def test_a_client_that_is_cut_off_leaves_nothing(era: Era) -> None:
    """In the era without sessions its call ends with it; in the other it may come back for the answer."""
    async with housed(idle_s=0.2) as house:
        async with house.client(era) as client:
            await client.list_tools()
        before = await settled(house)
        headers = {"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": "map_rebuild"}
        meta = {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {},
        }
        params = {"name": "map_rebuild", "arguments": {}, "_meta": meta}
        if era == "auto":
            stream = await post(house.url, headers, {"id": 1, "method": "tools/call", "params": params})
            await house.begun.wait()
            assert house.clients.statistics().outstanding == 1
            await trio.aclose_forcefully(stream)
            await house.cancelled.wait()
        else:
            _, session = await initialize(house)
            stream = await post(house.url, {"Mcp-Session-Id": session}, {"method": "notifications/initialized"})
            await trio.aclose_forcefully(stream)
            call = {"id": 1, "method": "tools/call", "params": {"name": "map_rebuild", "arguments": {}}}
            stream = await post(house.url, {"Mcp-Session-Id": session}, call)
            await house.begun.wait()
            await trio.aclose_forcefully(stream)
        await house.cancelled.wait()
        assert await settled(house) == before


async def post(url: str, headers: Mapping[str, str], message: Mapping[str, Any]) -> trio.SocketStream:
    """The connection on which a message was sent, with its answer still to come."""
    body = json.dumps(MESSAGE | message)
    described = {
        "Host": "localhost",
        "Content-Type": "application/json",
        "Accept": "application/json, text/event-stream",
        "Content-Length": str(len(body)),
        **headers,
    }
    lines = ["POST /mcp HTTP/1.1", *(f"{name}: {value}" for name, value in described.items()), "", body]
    stream = await trio.open_tcp_stream("127.0.0.1", int(url.rpartition(":")[2].partition("/")[0]))
    await stream.send_all("\r\n".join(lines).encode())
    return stream


@eras
async def test_a_call_reports_how_far_it_is(era: Era) -> None:
    told: list[tuple[float, float | None, str | None]] = []
    came = trio.Event()

    async def note(progress: float, total: float | None, message: str | None) -> None:
        told.append((progress, total, message))
        came.set()

    async with housed() as house, house.client(era) as client:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(partial(client.call_tool, "map_rebuild", {}, progress_callback=note))
            await came.wait()
            nursery.cancel_scope.cancel()
        assert told == [(15.0, 100.0, "Parsed 3 of 10 files")]


@pytest.mark.filterwarnings("ignore::mcp.shared.exceptions.MCPDeprecationWarning")
async def test_those_who_watch_are_notified_over_the_stream_of_their_session() -> None:
    told: list[str] = []
    came = trio.Event()

    async def note(message: Any) -> None:
        if isinstance(message, types.ResourceUpdatedNotification):
            told.append(str(message.params.uri))
            came.set()

    async with housed() as house:
        async with house.client("legacy", message_handler=note) as client, house.client("legacy") as other:
            await client.subscribe_resource("codemap://overview")
            await other.subscribe_resource("codemap://status")
            assert house.offers.watched == 2
            await client.subscribe_resource("codemap://status")
            await client.unsubscribe_resource("codemap://status")
            assert house.offers.watched == 2
            while not came.is_set():  # the client opens that stream when it likes
                await house.offers.announce()
                await trio.sleep(0.05)
            assert set(told) == {"codemap://overview"}
        await house.clients.wait_gone()
        while house.offers.watched:  # noqa: ASYNC110
            await trio.sleep(0.01)


async def test_those_who_listen_are_notified_of_changes_and_of_the_end() -> None:
    async with housed() as house, house.client("auto") as client:
        async with client.listen(resource_subscriptions=["codemap://status"]) as events:
            assert house.offers.watched == 1
            await house.offers.announce()
            coming = aiter(events)
            assert await anext(coming) == ResourceUpdated(uri="codemap://status")
            house.offers.end()
            with pytest.raises(StopAsyncIteration):
                await anext(coming)
        assert house.offers.watched == 0
