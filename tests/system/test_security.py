"""What a hostile client or a hostile repository can try against the running server, and that it gets nothing by it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil
import trio
import trio_websocket

from actors.front.transports.listen_addresses import allow_descriptors
from actors.front.transports.network_door import HALF_OPEN_MAX
from actors.front.transports.websocket import MESSAGE_MAX
from codemap.tools import TOOLS, Tool, schema_of
from tests.system.conftest import SECRET
from tests.system.network import HANDSHAKE, Client, Served, client, request, served

SPARE_DESCRIPTORS = 64


def climbs(root: Path) -> list[str]:
    """Ways out of a root, as a path argument could try them."""
    outside = root.parent / "outside" / "secret.py"
    return [
        "../outside/secret.py",
        "../../../../../../../../etc/passwd",
        "a/../../outside/secret.py",
        "./../outside/secret.py",
        str(outside),
        f"file://{outside}",
        "link.py",
        "linked/secret.py",
        "linked/",
        "linked",
        "..",
        "/",
        "~",
        "..%2foutside%2fsecret.py",
        "%2e%2e/outside/secret.py",
        "..%252foutside%252fsecret.py",
        "..\\outside\\secret.py",
        "a.py\0../outside/secret.py",
        "\0",
        "a.py%00",
        "//etc/passwd",
        "/proc/self/environ",
        "/dev/zero",
        "..;/outside/secret.py",
        "\u2025/outside/secret.py",
        "a" * 100_000,
        "../" * 5000,
    ]


def trials(tool: Tool, path: str) -> Iterator[dict[str, Any]]:
    """Arguments of a tool with the path in each place that takes a text; as a node too."""
    schema = schema_of(tool)
    properties: dict[str, Any] = schema["properties"]
    required = {
        name: 1 if properties[name].get("type") == "integer" else "py:a.py#greet" for name in schema.get("required", ())
    }
    for name, prop in properties.items():
        if prop.get("type") == "array" and "enum" not in prop["items"]:
            for text in (path, f"py:{path}", f"py:{path}#{SECRET}"):
                yield required | {name: [text]}
        if prop.get("type") == "string" and "enum" not in prop and name != "cursor":
            for text in (path, f"py:{path}", f"py:{path}#{SECRET}"):
                yield required | {name: text}
                if "line" in properties:
                    yield required | {name: text, "line": 1}


def assert_gives_nothing_away(tool: Tool, arguments: dict[str, Any], envelope: Any) -> None:
    text = json.dumps(envelope)
    said = json.dumps(arguments)
    shows_code = tool.name in ("map_code", "map_context")
    assert shows_code or "return 1" not in text.replace("greet", ""), (tool.name, arguments)
    assert f"def {SECRET}" not in text, (tool.name, arguments)
    assert SECRET in said or SECRET not in text, (tool.name, arguments)
    assert "root:x:" not in text, (tool.name, arguments)
    assert envelope["ok"] or envelope["error"]["code"] != "INTERNAL", (tool.name, arguments, text[:500])


async def test_no_argument_of_any_tool_leads_out_of_the_root(guarded: Path) -> None:
    """What is outside is never in an answer but where the caller said it himself, and nothing breaks."""
    async with served(guarded) as server, client(server.url) as one:
        assert (await one.call("map_rebuild"))["ok"]
        assert (await one.call("map_status"))["data"]["files"] == 1
        for tool in TOOLS:
            for path in climbs(guarded):
                for arguments in trials(tool, path):
                    answer = await one.request("tools/call", name=tool.name, arguments=arguments)
                    assert_gives_nothing_away(tool, arguments, answer["result"]["structuredContent"])
        assert (await one.call("map_search", query=SECRET))["data"]["total"] == 0
        assert "event=incident" not in server.log


async def test_more_half_open_connections_than_there_may_be_leave_room_for_clients(small: Path) -> None:
    allow_descriptors()
    async with served(small, "--handshake-s", "600") as server, client(server.url) as before:
        assert (await before.call("map_rebuild"))["ok"]
        strangers: list[trio.SocketStream] = []
        try:
            for number in range(HALF_OPEN_MAX + 200):
                stream = await trio.open_tcp_stream("127.0.0.1", server.port)
                strangers.append(stream)
                if number % 2:
                    await stream.send_all(b"GET /mcp HTTP/1.1\r\nHost: localh")
            async with client(server.url) as after:
                assert (await after.call("map_search", query="greet"))["data"]["total"] == 1
            assert (await before.call("map_search", query="greet"))["data"]["total"] == 1
            assert (await server.page("/healthz"))[0] == 200
            assert psutil.Process(server.process.pid).num_fds() < HALF_OPEN_MAX + SPARE_DESCRIPTORS
        finally:
            for stream in strangers:
                await trio.aclose_forcefully(stream)


async def test_handshakes_that_take_for_ever_are_cut(small: Path) -> None:
    async with served(small, "--handshake-s", "0.3") as server:
        async with await trio.open_tcp_stream("127.0.0.1", server.port) as stream:
            with trio.fail_after(60):
                try:
                    while True:
                        await stream.send_all(b"G")
                        with trio.move_on_after(0.05):
                            assert await stream.receive_some() == b""
                            break
                except trio.BrokenResourceError:
                    pass
        assert 'codemap_handshakes_failed_total{why="timed out"} 1' in (await server.page("/metrics"))[1]


async def test_pages_of_the_web_reach_nothing(small: Path) -> None:
    """A page that a browser on this machine shows sends its Origin; one that rebinds its name sends that as Host."""
    async with served(small, "--origins", "https://ide.example") as server:
        for origin in ("https://evil.example", "null", "http://localhost:3000"):
            assert (await server.page("/mcp", **HANDSHAKE, Origin=origin))[0] == 403
            assert (await server.page("/metrics", Origin=origin))[0] == 403
        async with await trio.open_tcp_stream("127.0.0.1", server.port) as stream:
            await stream.send_all(request("/mcp", **HANDSHAKE).replace(b"localhost", b"evil.example"))
            assert (await stream.receive_some()).startswith(b"HTTP/1.1 421 ")
        async with await trio.open_tcp_stream("127.0.0.1", server.port) as stream:
            await stream.send_all(request("/mcp", **HANDSHAKE, Origin="https://ide.example"))
            assert (await stream.receive_some()).startswith(b"HTTP/1.1 101 ")


async def test_there_are_no_files_behind_the_door(small: Path) -> None:
    async with served(small) as server:
        for path in ("/mcp/../../etc/passwd", "/etc/passwd", "/mcp/%2e%2e", "/mcp/none", "/mcp%00", "/"):
            status, text = await server.page(path, **HANDSHAKE)
            assert status == 404, path
            assert "root:" not in text, path


async def closed_with(one: Client) -> int:
    try:
        while True:
            await one.socket.get_message()
    except trio_websocket.ConnectionClosed as closed:
        return int(closed.reason.code)


OUT_OF_BOUNDS: tuple[tuple[bytes | str, int], ...] = (
    (b'{"jsonrpc":"2.0","id":1,"method":"ping"}', 1003),
    ("x" * (MESSAGE_MAX + 1), 1009),
)
"""A binary message and one that is too large, and what each is closed with."""


async def test_messages_that_are_out_of_bounds_end_their_sender_only(small: Path) -> None:
    async with served(small) as server, client(server.url) as good:
        for message, code in OUT_OF_BOUNDS:
            async with client(server.url) as bad:
                with suppress(trio_websocket.ConnectionClosed):  # of a large one, before its last byte is sent
                    await bad.socket.send_message(message)
                assert await closed_with(bad) == code
            assert (await good.call("map_status"))["ok"]


async def wait_clients(server: Served, number: int) -> None:
    while f"\ncodemap_clients {number}\n" not in (await server.page("/metrics"))[1]:  # noqa: ASYNC110
        await trio.sleep(0.01)


async def test_a_client_that_never_reads_costs_its_requests_and_is_dropped(small: Path) -> None:
    """What waits for it is bounded, and the others are served meanwhile."""
    async with served(small, "--ping-s", "1") as server, client(server.url) as good:
        assert (await good.call("map_rebuild"))["ok"]
        before = psutil.Process(server.process.pid).memory_info().rss
        async with await trio.open_tcp_stream("127.0.0.1", server.port) as stream:
            stream.socket.setsockopt(trio.socket.SOL_SOCKET, trio.socket.SO_RCVBUF, 4096)
            await stream.send_all(request("/mcp", **HANDSHAKE))
            assert (await stream.receive_some(200)).startswith(b"HTTP/1.1 101")
            await wait_clients(server, 2)
            info = {"name": "deaf", "version": "1"}
            begin = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": info}
            with trio.move_on_after(10):
                try:
                    await stream.send_all(_masked({"id": 0, "method": "initialize", "params": begin}))
                    for number in range(1, 100_000):
                        await stream.send_all(_masked({"id": number, "method": "tools/list"}))
                except trio.BrokenResourceError:
                    pass
            start = trio.current_time()
            assert (await good.call("map_search", query="greet"))["data"]["total"] == 1
            assert trio.current_time() - start < 10
            await wait_clients(server, 1)
        assert psutil.Process(server.process.pid).memory_info().rss - before < 50_000_000
        await server.wait_log("event=client-dropped")


def _masked(message: dict[str, Any]) -> bytes:
    """A text frame of a client. Source: RFC 6455, section 5.2; a mask of zeros changes nothing."""
    text = json.dumps({"jsonrpc": "2.0", **message}).encode()
    length = bytes([0x80 | len(text)]) if len(text) < 126 else b"\xfe" + len(text).to_bytes(2)
    return b"\x81" + length + bytes(4) + text


async def test_a_client_that_answers_no_ping_is_dropped(small: Path) -> None:
    async with served(small, "--ping-s", "0.3") as server:
        async with await trio.open_tcp_stream("127.0.0.1", server.port) as stream:
            await stream.send_all(request("/mcp", **HANDSHAKE))
            assert (await stream.receive_some(200)).startswith(b"HTTP/1.1 101")
            await wait_clients(server, 1)
            with trio.fail_after(60):
                await wait_clients(server, 0)
        assert "gives no sign of life" in server.log


async def test_a_client_that_pings_while_it_is_closed_ends_itself_only(small: Path) -> None:
    """A ping is no answer to the end of a connection, and none of it can be answered any more."""
    mask = b"\0\0\0\0"
    async with served(small) as server, client(server.url) as good:
        async with await trio.open_tcp_stream("127.0.0.1", server.port) as stream:
            await stream.send_all(request("/mcp", **HANDSHAKE))
            received = b""
            while not received.endswith(b"\r\n\r\n"):
                received += bytes(await stream.receive_some(200))
            await stream.send_all(b"\x82\x81" + mask + b"x")  # a binary message
            assert (await stream.receive_some(1)) == b"\x88"  # its end
            await stream.send_all(b"\x89\x80" + mask)  # a ping
            with trio.fail_after(30):
                while await stream.receive_some(200):
                    pass
        assert (await good.call("map_status"))["ok"]
