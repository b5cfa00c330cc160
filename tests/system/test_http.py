"""`codemap serve --http` as a process: official clients, several roots, tokens, TLS, and how it ends."""

from __future__ import annotations

import signal
import ssl
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Literal

import httpx2
import pytest
import trio
import trio.lowlevel
import trio.testing
import trustme
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from codemap.tools import TOOLS
from tests.system.network import BEGIN, Served, client, served
from tests.system.npm import script
from tests.system.process import DEADLINE_S, environment, wait_gone
from tests.system.test_websocket import TOKEN, Taken, certified, refuse, wait_clients, wait_end, wait_no_more
from tests.system.test_websocket_sdk import JSONIFY, PROGRAMS, run

Era = Literal["legacy", "auto"]
eras = pytest.mark.parametrize("era", ["legacy", "auto"])
pytestmark = [
    pytest.mark.filterwarnings("ignore:Async generator 'http:ResourceWarning"),
    pytest.mark.filterwarnings("ignore:Exception ignored in. <async_generator:pytest.PytestUnraisableExceptionWarning"),
]
"""The client's library leaves generators to the collector."""

CLIENTS, CALLS = 6, 10
FILES = 2000
"""What no machine reads before it says so."""


@asynccontextmanager
async def connected(
    url: str, era: Era, token: str = "", tls: ssl.SSLContext | bool = True, **options: Any
) -> AsyncIterator[Client]:
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    async with (
        httpx2.AsyncClient(headers=headers, verify=tls, timeout=httpx2.Timeout(30, read=300)) as http,
        Client(streamable_http_client(url, http_client=http), mode=era, **options) as one,
    ):
        yield one


async def ask(one: Client, tool: str, **arguments: Any) -> Any:
    """The envelope of a tool's reply."""
    return (await one.call_tool(tool, arguments)).structured_content


@eras
async def test_python_sdk(flask: Path, era: Era) -> None:
    async with (
        served(flask, front="--http", extra={"CODEMAP_TOKEN": TOKEN}) as server,
        connected(server.url, era, TOKEN) as one,
    ):
        assert [tool.name for tool in (await one.list_tools()).tools] == [tool.name for tool in TOOLS]
        assert (await ask(one, "map_rebuild"))["ok"]
        found = await ask(one, "map_search", query="jsonify")
        assert found["data"]["results"][0]["id"] == JSONIFY
        async with trio.open_nursery() as nursery:
            for _ in range(50):
                nursery.start_soon(one.call_tool, "map_search", {"query": "jsonify"})
        assert (await one.read_resource("codemap://status")).contents


@eras
async def test_a_build_reports_how_far_it_is(small: Path, era: Era) -> None:
    told: list[str] = []

    async def note(_progress: float, _total: float | None, message: str | None) -> None:
        told.append(message or "")

    async with served(small, front="--http") as server, connected(server.url, era) as one:
        assert (await ask(one, "map_rebuild"))["ok"]
        for number in range(FILES):
            (small / f"file{number}.py").write_text(f"def function{number}():\n    return 1\n")
        result = await one.call_tool("map_rebuild", {}, progress_callback=note)
        assert result.structured_content is not None
        assert any("files" in message for message in told), told


async def test_typescript_sdk(flask: Path) -> None:
    program = await trio.to_thread.run_sync(script, PROGRAMS / "typescript_http.mjs")
    async with served(flask, front="--http", extra={"CODEMAP_TOKEN": TOKEN}) as server:
        seen = await run([*program, server.url, TOKEN, str(CLIENTS), str(CALLS)])
        assert seen["server"] == "codemap"
        assert seen["tools"] == [tool.name for tool in TOOLS]
        assert (seen["answers"], seen["firsts"]) == (CLIENTS * CALLS, [JSONIFY])
        assert (seen["cancelled"], seen["afterCancel"]) == (CLIENTS, CLIENTS)
        assert seen["sessions"] == CLIENTS
        assert not server.crashes


async def test_each_root_has_its_path_and_each_client_its_dialect(small: Path, tmp_path_factory: Any) -> None:
    other = tmp_path_factory.mktemp("other")
    (other / "c.py").write_text("def leave():\n    return 1\n")
    async with served(small, "--root", f"lib={other}", front="--http") as server:
        for url, query in (
            (server.url, "greet"),
            (f"{server.url}/{small.name}", "greet"),
            (f"{server.url}/lib", "leave"),
        ):
            async with connected(url, "legacy") as one:
                assert (await ask(one, "map_search", query=query, freshWaitMs=5000))["data"]["total"] == 1
        async with connected(f"{server.url}?envelope=scalpel", "auto") as one:
            assert "ok" not in await ask(one, "map_search", query="greet")
        async with connected(server.url, "legacy") as one, httpx2.AsyncClient() as http:
            begun = await http.post(server.url, headers=HEADERS, json=INITIALIZE)
            session = begun.headers["mcp-session-id"]
            for path, wanted in (("", 200), ("/lib", 404)):
                said = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
                answer = await http.post(server.url + path, headers=HEADERS | {"mcp-session-id": session}, json=said)
                assert answer.status_code == wanted, "a session is that of one root"
            assert (await ask(one, "map_status"))["ok"]


HEADERS = {"accept": "application/json, text/event-stream", "content-type": "application/json"}
INITIALIZE = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": BEGIN}


async def test_websocket_and_http_are_served_by_one_process(small: Path) -> None:
    """To those who bring the token: at the second address it was not asked for."""
    async with served(small, "--http", "127.0.0.1:0", extra={"CODEMAP_TOKEN": TOKEN}) as server:
        await server.wait_log("event=listening.* url=http:")
        websocket, http = sorted(server.urls, key=lambda url: url.startswith("http"))
        async with httpx2.AsyncClient() as stranger:
            for url in (websocket.replace("ws:", "http:"), http):
                assert (await stranger.post(url, headers=HEADERS, json=INITIALIZE)).status_code == 401, url
        async with client(websocket, TOKEN) as first, connected(http, "auto", TOKEN) as second:
            for answer in (
                await first.call("map_search", query="greet", freshWaitMs=5000),
                await ask(second, "map_search", query="greet", freshWaitMs=5000),
            ):
                assert answer["data"]["total"] == 1
        _, metrics = await server.page("/metrics", Authorization=f"Bearer {TOKEN}")
        assert 'tool="map_search",code="ok"} 2' in metrics


async def test_tls(small: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    authority = trustme.CA()
    words = certified(authority, tmp_path_factory.mktemp("tls"))
    trusting = ssl.create_default_context()
    authority.configure_trust(trusting)
    async with served(small, *words, front="--http", extra={"CODEMAP_TOKEN": TOKEN}) as server:
        assert server.url.startswith("https://")
        async with connected(server.url, "auto", TOKEN, trusting) as one:
            assert (await ask(one, "map_status"))["ok"]
        async with connected(server.url, "legacy", TOKEN, trusting) as one:
            assert (await ask(one, "map_status"))["ok"]


async def outstanding(server: Served) -> str:
    """The requests that have no answer yet, as the server counts them."""
    _, text = await server.page("/metrics")
    return next(line for line in text.splitlines() if line.startswith("codemap_requests_outstanding"))


async def test_it_ends_in_good_order(small: Path) -> None:
    """Calls under way are answered, streams end, nobody is let in any more, nothing is left."""
    async with (
        served(small, front="--http") as server,
        connected(server.url, "legacy") as waiting,
        connected(server.url, "auto") as listening,
    ):
        await ask(waiting, "map_rebuild")
        family = server.family()
        answers: list[bool] = []

        async def call() -> None:
            (small / "a.py").write_text("def greet():\n    return 2\n")
            answers.append((await ask(waiting, "map_rebuild"))["ok"])

        async with listening.listen(resource_subscriptions=["codemap://status"]) as events:
            usual = await outstanding(server)
            async with trio.open_nursery() as nursery:
                nursery.start_soon(call)
                while not answers and await outstanding(server) == usual:
                    await trio.lowlevel.checkpoint()
                server.process.send_signal(signal.SIGTERM)
            assert [event async for event in events if "status" not in str(event)] == []
        assert answers == [True]
        await wait_end(server)
        await wait_gone(family)
        with pytest.raises(OSError):
            await trio.open_tcp_stream("127.0.0.1", server.port)


async def test_the_last_client_leaves_nothing_behind(small: Path) -> None:
    async with served(small, front="--http") as server:
        async with connected(server.url, "legacy") as one:
            await ask(one, "map_rebuild")
        await wait_clients(server, 0)
        before = Taken.of(server)
        for era in ("legacy", "auto") * 10:
            async with connected(server.url, era) as one:
                await ask(one, "map_status")
        await wait_clients(server, 0)
        await wait_no_more(server, before)
        assert not server.crashes


async def test_a_stdio_client_is_served_beside_it(small: Path) -> None:
    """Covered whole for the websocket; here, that the address does not take stdin away."""
    async with served(small, "--stdio", "off", front="--http") as server, connected(server.url, "auto") as one:
        assert (await ask(one, "map_status"))["ok"]


def test_without_its_extra_it_says_what_to_install(small: Path) -> None:
    code = "import sys; sys.modules['hypercorn'] = None; from actors.entry import main; sys.exit(main())"
    done = subprocess.run(
        [sys.executable, "-c", code, "serve", "--root", str(small), "--http", "127.0.0.1:0"],
        capture_output=True,
        text=True,
        timeout=DEADLINE_S,
        check=False,
        stdin=subprocess.DEVNULL,
        env=environment(),
    )
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1] == (
        "codemap: For http an extra is needed, which this installs: pip install 'codemap[http]'."
    )


@pytest.mark.parametrize("at", ["0.0.0.0:0", "[::]:0"])
def test_strangers_are_not_served_without_a_token(small: Path, at: str) -> None:
    code, said = refuse(small, "--http", at)
    assert code == 2
    assert "without a token nothing is served there" in said


def test_an_address_must_be_one(small: Path) -> None:
    wanted = "http is '8765': it must be HOST:PORT, such as 127.0.0.1:8765 or [::1]:8765."
    assert refuse(small, "--http", "8765") == (2, f"codemap: {wanted}\n")
