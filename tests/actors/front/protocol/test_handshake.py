"""What the front answers of the handshake is what the SDK would answer, and the SDK is loaded for the rest alone."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import msgspec
import pytest
import trio
from mcp.server.lowlevel import Server
from mcp.shared.message import SessionMessage
from mcp_types import JSONRPCNotification, JSONRPCRequest
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS

from actors.front.protocol.handshake import VERSIONS
from actors.front.protocol.listings import APP_TYPE, Listings
from actors.front.protocol.resources_and_prompts import Offers
from actors.front.protocol.sdk import make_server
from actors.front.protocol.speaking import serve
from actors.front.transports.connection import Connection
from codemap.tools import OUTPUTS, PROGRAM_TOOLS, TOOLS
from tests.actors.front.protocol.test_sdk import Frames, echo, modern

LISTINGS = Listings((*TOOLS, *PROGRAM_TOOLS))
LISTS = ("tools/list", "resources/list", "resources/templates/list", "prompts/list")
SHOWS_APPS = {"extensions": {"io.modelcontextprotocol/ui": {"mimeTypes": [APP_TYPE]}}}
INITIALIZED = "notifications/initialized"


def about(version: str, capabilities: dict[str, Any] | None = None) -> dict[str, Any]:
    return {
        "protocolVersion": version,
        "capabilities": capabilities or {},
        "clientInfo": {"name": "t", "version": "1", "title": "T"},
    }


class Client:
    def __init__(self, frames: Frames, opened: list[Server[Any]]) -> None:
        self.frames = frames
        self.opened = opened
        """The SDK's servers that were made."""

    async def ask(self, method: str, params: dict[str, Any] | None = None, number: int = 1) -> Any:
        given = {} if params is None else {"params": params}
        return await self.frames.ask(id=number, method=method, **given)

    async def tell(self, method: str) -> None:
        await self.frames.feed.send(msgspec.json.encode({"jsonrpc": "2.0", "method": method}))


@asynccontextmanager
async def client_of(listings: Listings = LISTINGS) -> AsyncIterator[Client]:
    frames = Frames()
    opened: list[Server[Any]] = []

    def open_server() -> Server[Any]:
        opened.append(server_of(listings))
        return opened[-1]

    with trio.fail_after(100):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(serve, Connection(frames, requests_max=9), listings, echo, open_server)
            yield Client(frames, opened)
            nursery.cancel_scope.cancel()


def server_of(listings: Listings) -> Server[Any]:
    return make_server(listings, echo, Offers(TOOLS, echo, lambda: None))


async def ask_sdk(listings: Listings, begin: dict[str, Any], methods: tuple[str, ...]) -> list[Any]:
    """What the SDK answers to `initialize` and some methods, with nothing between it and the client."""
    to_server, incoming = trio.open_memory_channel[SessionMessage](0)
    outgoing, answers = trio.open_memory_channel[SessionMessage](0)
    server = server_of(listings)
    found: list[Any] = []
    async with trio.open_nursery() as nursery:
        nursery.start_soon(server.run, incoming, outgoing, server.create_initialization_options())
        for method in ("initialize", *methods):
            params = begin if method == "initialize" else None
            await to_server.send(SessionMessage(JSONRPCRequest(jsonrpc="2.0", id=1, method=method, params=params)))
            answer = (await answers.receive()).message
            found.append(answer.model_dump(by_alias=True, exclude_unset=True, mode="json"))
            if method == "initialize":
                await to_server.send(SessionMessage(JSONRPCNotification(jsonrpc="2.0", method=INITIALIZED)))
        nursery.cancel_scope.cancel()
    return found


def test_the_versions_are_those_of_the_sdk() -> None:
    assert tuple(HANDSHAKE_PROTOCOL_VERSIONS) == VERSIONS


@pytest.mark.parametrize("capabilities", [{}, SHOWS_APPS], ids=["plain", "apps"])
@pytest.mark.parametrize("version", [*VERSIONS, "2023-01-01", "2026-07-28"])
async def test_a_client_gets_what_the_sdk_would_send(version: str, capabilities: dict[str, Any]) -> None:
    begin = about(version, capabilities)
    async with client_of() as client:
        answers = [await client.ask("initialize", begin)]
        await client.tell(INITIALIZED)
        answers += [await client.ask(method) for method in ("ping", *LISTS)]
        assert not client.opened
    assert answers == await ask_sdk(LISTINGS, begin, ("ping", *LISTS))


@pytest.mark.parametrize(
    "listings",
    [
        Listings(TOOLS, dialect="ctxo"),
        Listings(TOOLS[:3], output_of=OUTPUTS["native"]),
        Listings((*TOOLS, *PROGRAM_TOOLS), dialect="scalpel"),
    ],
    ids=["ctxo", "few with schemas", "scalpel"],
)
async def test_whatever_is_listed(listings: Listings) -> None:
    begin = about("2025-11-25", SHOWS_APPS)
    async with client_of(listings) as client:
        answers = [await client.ask("initialize", begin), *[await client.ask(method) for method in LISTS]]
    assert answers == await ask_sdk(listings, begin, LISTS)


async def test_without_offers_only_tools_are_listed() -> None:
    listings = Listings(TOOLS, has_offers=False)
    frames = Frames()
    with trio.fail_after(100):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(
                serve, Connection(frames, requests_max=9), listings, echo, lambda: make_server(listings, echo)
            )
            begun = await frames.ask(id=1, method="initialize", params=about("2025-11-25"))
            assert begun["result"]["capabilities"] == {"tools": {"listChanged": False}}
            assert (await frames.ask(id=2, method="prompts/list"))["error"]["code"] == -32601
            nursery.cancel_scope.cancel()


async def test_the_sdk_takes_over_where_more_is_asked_and_knows_what_was_before() -> None:
    async with client_of() as client:
        begun = await client.ask("initialize", about("2025-06-18", SHOWS_APPS), number=0)
        await client.tell(INITIALIZED)
        await client.tell("notifications/roots/list_changed")
        assert begun["result"]["protocolVersion"] == "2025-06-18"
        assert not client.opened
        prompt = await client.ask("prompts/get", {"name": "orient"}, number=0)
        assert (prompt["id"], len(prompt["result"]["messages"])) == (0, 2)
        watched = await client.ask("resources/subscribe", {"uri": "codemap://overview"}, number=2)
        assert watched["result"] == {}
        assert len(client.opened) == 1
        assert (await client.ask("ping", number=3))["result"] == {}
        page = await client.ask("tools/list", {"cursor": ""}, number=4)
        assert page["result"]["tools"] == LISTINGS.drawn["tools"]
        called = await client.ask("tools/call", {"name": "map_status"}, number=5)
        assert called["result"]["structuredContent"]["ok"] is True
        again = await client.ask("initialize", about("2025-06-18"), number=6)
        assert "error" in again or again["result"]["protocolVersion"] == "2025-06-18"


@pytest.mark.parametrize(
    "params",
    [None, {}, {"protocolVersion": 1}, {"protocolVersion": "2025-11-25"}, modern(about("2025-11-25"))],
)
async def test_what_is_no_plain_handshake_is_left_to_the_sdk(params: dict[str, Any] | None) -> None:
    async with client_of() as client:
        await client.ask("initialize", params)
        assert len(client.opened) == 1


async def test_a_list_before_the_handshake_is_left_to_the_sdk() -> None:
    async with client_of() as client:
        await client.tell(INITIALIZED)
        assert "error" in await client.ask("tools/list")
        assert len(client.opened) == 1
    async with client_of() as client:
        later = await client.ask("tools/list", modern({}))
        assert len(later["result"]["tools"]) == len(TOOLS)
        assert len(client.opened) == 1


def test_a_server_starts_without_the_sdk() -> None:
    script = "import sys, actors.front.serve; print(sorted({'mcp', 'mcp_types', 'pydantic', 'anyio'} & {*sys.modules}))"
    found = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=60)
    assert found.stdout.strip() == "[]"
