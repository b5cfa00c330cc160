"""What a hostile client can try over HTTP, and that it gets nothing by it: as `test_security` has it for websockets."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil
import trio

from actors.front.transports.websocket import MESSAGE_MAX
from codemap.tools import TOOLS
from tests.system.conftest import SECRET
from tests.system.network import BEGIN, Served, request, served
from tests.system.test_http import ask, connected, pytestmark  # noqa: F401
from tests.system.test_security import assert_gives_nothing_away, climbs, trials
from tests.system.test_websocket import TOKEN, wait_clients

INITIALIZE = {"id": 0, "method": "initialize", "params": BEGIN}


def posted(message: Mapping[str, Any], path: str = "/mcp", **headers: str) -> bytes:
    """A whole request."""
    body = json.dumps({"jsonrpc": "2.0", **message})
    named = {
        "Content-Type": "application/json",
        "Accept": "application/json, text/event-stream",
        "Content-Length": str(len(body)),
        **headers,
    }
    return request(path, "POST", **named) + body.encode()


async def head_of(stream: trio.SocketStream) -> tuple[int, str]:
    """Status and head of the next answer; its body is read where its length is told."""
    text = b""
    while b"\r\n\r\n" not in text:
        text += await _some(stream)
    head, _, body = text.partition(b"\r\n\r\n")
    length = re.search(rb"content-length: ([0-9]+)", head)
    while length is not None and len(body) < int(length[1]):
        body += await _some(stream)
    return int(head.split()[1]), (head + b"\r\n\r\n" + body).decode()


async def _some(stream: trio.SocketStream) -> bytes:
    chunk = await stream.receive_some()
    if not chunk:
        raise EOFError("the connection ended")
    return bytes(chunk)


async def status(server: Served, words: bytes) -> int:
    async with await trio.open_tcp_stream("127.0.0.1", server.port) as stream:
        await stream.send_all(words)
        return (await head_of(stream))[0]


async def test_no_argument_of_any_tool_leads_out_of_the_root(guarded: Path) -> None:
    """What takes a path; the others are tried over the websocket, and their arguments come the same way."""
    async with (
        served(guarded, front="--http") as server,
        connected(server.url, "legacy") as one,
    ):
        assert (await ask(one, "map_rebuild"))["ok"]
        for tool in (tool for tool in TOOLS if tool.name in ("nav_symbols", "resolve")):
            for path in climbs(guarded):
                for arguments in trials(tool, path):
                    assert_gives_nothing_away(tool, arguments, await ask(one, tool.name, **arguments))
        assert (await ask(one, "map_search", query=SECRET))["data"]["total"] == 0
        assert "event=incident" not in server.log


PATHS = (
    *("/mcp/../../etc/passwd", "/etc/passwd", "/mcp/%2e%2e", "/mcp/none", "/mcp%00", "/", "//mcp", "/mcp/", "/mcp;/x"),
    *("/mcp/..%2f..%2fetc%2fpasswd", "/mcp/%2fetc%2fpasswd", "/mcp/\\..\\etc", "/MCP"),
)


async def test_there_are_no_files_behind_the_door(small: Path) -> None:
    async with served(small, front="--http") as server:
        for path in PATHS:
            assert await status(server, posted(INITIALIZE, path)) == 404
            async with await trio.open_tcp_stream("127.0.0.1", server.port) as stream:
                await stream.send_all(request("/mcp", "DELETE"))
                assert (await head_of(stream))[0] == 400
                await stream.send_all(posted(INITIALIZE, path))
                assert (await head_of(stream))[0] == 404, "nor for a connection that was let in"


async def test_tokens_are_asked_for_each_request(small: Path) -> None:
    async with served(small, front="--http", extra={"CODEMAP_TOKEN": TOKEN}) as server:
        for wrong in ({}, {"Authorization": f"Bearer {TOKEN}x"}, {"Authorization": f"Basic {TOKEN}"}):
            assert await status(server, posted(INITIALIZE, **wrong)) == 401
            async with await trio.open_tcp_stream("127.0.0.1", server.port) as stream:
                await stream.send_all(posted(INITIALIZE, Authorization=f"Bearer {TOKEN}"))
                assert (await head_of(stream))[0] == 200
                await trio.sleep(0.05)
                await stream.send_all(posted({"id": 1, "method": "tools/list"}, **wrong))
                text = b"".join([bytes(chunk) async for chunk in stream])
            _, _, second = text.partition(b"HTTP/1.1 ")  # what was left of the first answer stands before it
            assert second.startswith(b"401 ")
            assert b"map_search" not in second
        assert (await server.page("/healthz"))[0] == 200
        assert (await server.page("/metrics"))[0] == 401
        assert TOKEN not in server.log


async def test_a_token_that_ends_is_worth_nothing(small: Path, tmp_path: Path) -> None:
    place = tmp_path / "tokens"
    place.write_text(f"{TOKEN} until 2001-01-01T00:00:00Z\n")
    place.chmod(0o600)
    async with served(small, "--token-file", str(place), front="--http") as server:
        async with await trio.open_tcp_stream("127.0.0.1", server.port) as stream:
            await stream.send_all(posted(INITIALIZE, Authorization=f"Bearer {TOKEN}"))
            code, head = await head_of(stream)
        assert (code, "The token is expired." in head) == (401, True)
        ends = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + 10))
        place.write_text(f"{TOKEN} until {ends}\n")
        async with connected(server.url, "legacy", TOKEN) as one:
            assert (await ask(one, "map_status"))["ok"]
            code = 0
            with trio.fail_after(60):
                while code != 401:
                    with suppress(EOFError):  # a call that the token ended under is cut
                        code = await status(server, posted(INITIALIZE, Authorization=f"Bearer {TOKEN}"))
                    await trio.sleep(0.1)


async def test_pages_of_the_web_reach_nothing(small: Path) -> None:
    async with served(small, "--origins", "https://ide.example", front="--http") as server:
        for origin in ("https://evil.example", "null", "http://localhost:3000"):
            assert await status(server, posted(INITIALIZE, Origin=origin)) == 403
            assert (await server.page("/metrics", Origin=origin))[0] == 403
        assert await status(server, posted(INITIALIZE, Host="evil.example")) == 421
        assert await status(server, posted(INITIALIZE, Host=f"localhost.evil.example:{server.port}")) == 421
        for origin in ("https://ide.example", f"http://localhost:{server.port}"):
            named = {"Host": f"localhost:{server.port}", "Origin": origin}
            asked = request("/mcp", "OPTIONS", **named, Access_Control_Request_Method="POST")
            async with await trio.open_tcp_stream("127.0.0.1", server.port) as stream:
                await stream.send_all(asked)
                code, head = await head_of(stream)
                assert (code, f"access-control-allow-origin: {origin}\r\n" in head) == (200, True)
            async with await trio.open_tcp_stream("127.0.0.1", server.port) as stream:
                await stream.send_all(posted(INITIALIZE, **named))
                code, head = await head_of(stream)
                assert (code, f"access-control-allow-origin: {origin}\r\n" in head) == (200, True)
                assert "access-control-expose-headers: mcp-session-id\r\n" in head


async def test_a_session_is_guessed_by_nobody(small: Path) -> None:
    async with served(small, front="--http") as server, connected(server.url, "legacy") as one:
        assert (await ask(one, "map_status"))["ok"]
        for guess in ("", "0", "../x", "a" * 10_000, "00000000000000000000000000000000", "*"):
            answered = await status(server, posted({"id": 1, "method": "tools/list"}, Mcp_Session_Id=guess))
            assert answered in (400, 404)
            assert await status(server, request("/mcp", "DELETE", Mcp_Session_Id=guess)) in (400, 404)
        assert (await ask(one, "map_status"))["ok"]


async def test_sessions_that_nobody_closes_lock_nobody_out(small: Path) -> None:
    """A thousand were enough to have all others answered 503 for half an hour."""
    async with (
        served(small, "--sessions-max", "50", front="--http") as server,
        connected(server.url, "legacy") as before,
    ):
        assert (await ask(before, "map_status"))["ok"]
        for _ in range(150):
            assert await status(server, posted(INITIALIZE)) == 200
        async with connected(server.url, "legacy") as after:
            assert (await ask(after, "map_status"))["ok"]
        assert (await ask(before, "map_status"))["ok"]
        _, metrics = await server.page("/metrics")
        (held,) = re.findall(r"^codemap_http_sessions (\d+)$", metrics, re.MULTILINE)
        assert int(held) <= 50
        assert "codemap_http_sessions_refused_total 0" in metrics


async def test_bodies_have_a_limit(small: Path) -> None:
    async with served(small, front="--http") as server, connected(server.url, "auto") as good:
        large = posted({"id": 1, "method": "m", "params": {"a": "x" * MESSAGE_MAX}})
        assert await status(server, large) == 413
        chunked = request("/mcp", "POST", Transfer_Encoding="chunked", Content_Type="application/json")
        chunks = (b"100000\r\n" + b" " * 0x100000 + b"\r\n") * (MESSAGE_MAX // 0x100000 + 1)
        assert await status(server, chunked + chunks + b"0\r\n\r\n") == 413
        twice = posted(INITIALIZE).replace(b"\r\n\r\n", b"\r\nTransfer-Encoding: chunked\r\n\r\n", 1)
        assert await status(server, twice) in (400, 408), "smuggling"
        assert (await ask(good, "map_status"))["ok"]


NO_MESSAGES = (b"nonsense", b"[]", b"{}", b"\xff\xfe", b"[" * 100_000, b'{"jsonrpc":"2.0","id":1}')


async def test_bodies_that_are_no_messages_are_refused(small: Path) -> None:
    async with served(small, front="--http") as server:
        named = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
        for body in NO_MESSAGES:
            for version in ({}, {"MCP-Protocol-Version": "2026-07-28"}, {"MCP-Protocol-Version": "1"}):
                words = request("/mcp", "POST", **named, **version, Content_Length=str(len(body))) + body
                assert await status(server, words) == 400, (body[:20], version)
        assert "level=error" not in server.log
        assert "Traceback" not in server.log


async def test_requests_that_take_for_ever_are_cut(small: Path) -> None:
    """The head, the body, and the next request of a connection that had one answered."""
    async with served(small, "--handshake-s", "0.3", front="--http") as server:
        whole = posted(INITIALIZE)
        for before, words in ((b"", whole[:20]), (b"", whole[:-5]), (whole, whole[:-5])):
            async with await trio.open_tcp_stream("127.0.0.1", server.port) as stream:
                if before:
                    await stream.send_all(before)
                    assert (await head_of(stream))[0] == 200
                await stream.send_all(words)
                with trio.fail_after(60):
                    try:
                        while True:
                            await stream.send_all(b"")
                            with trio.move_on_after(0.05):
                                if not await stream.receive_some():
                                    break
                    except trio.BrokenResourceError:
                        pass
        await wait_clients(server, 0)


async def test_a_client_that_never_reads_costs_its_requests_and_is_dropped(small: Path) -> None:
    """What waits for it is bounded, and the others are served meanwhile."""
    async with served(small, "--ping-s", "1", front="--http") as server, connected(server.url, "auto") as good:
        assert (await ask(good, "map_rebuild"))["ok"]
        before = psutil.Process(server.process.pid).memory_info().rss
        async with await trio.open_tcp_stream("127.0.0.1", server.port) as stream:
            stream.socket.setsockopt(trio.socket.SOL_SOCKET, trio.socket.SO_RCVBUF, 4096)
            await stream.send_all(posted(INITIALIZE))
            code, head = await head_of(stream)
            assert code == 200
            session = head.partition("mcp-session-id: ")[2].partition("\r\n")[0]
            with trio.move_on_after(20):
                try:
                    for number in range(1, 100_000):
                        await stream.send_all(posted({"id": number, "method": "tools/list"}, Mcp_Session_Id=session))
                except trio.BrokenResourceError:
                    pass
            start = trio.current_time()
            assert (await ask(good, "map_search", query="greet"))["data"]["total"] == 1
            assert trio.current_time() - start < 10
        assert psutil.Process(server.process.pid).memory_info().rss - before < 50_000_000
        await server.wait_log("event=client-dropped.*takes no answers")


async def test_nothing_but_http_1_is_spoken(small: Path) -> None:
    async with served(small, front="--http") as server:
        upgrade = {"Connection": "Upgrade, HTTP2-Settings", "Upgrade": "h2c", "HTTP2-Settings": "AAMAAABkAAQAAP__"}
        assert await status(server, request("/mcp", **upgrade)) == 400
        assert await status(server, b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n") in (400, 505)
