"""`codemap serve` with an address, as a process, and clients of it that do little."""

from __future__ import annotations

import itertools
import json
import re
import ssl
import subprocess
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import psutil
import trio
import trio_websocket

from tests.system.forked import Forked, open_forked
from tests.system.process import DEADLINE_S, as_listed, environment

HANDSHAKE = {
    "Connection": "Upgrade",
    "Upgrade": "websocket",
    "Sec-WebSocket-Version": "13",
    "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
    "Sec-WebSocket-Protocol": "mcp",
}
"""Source: RFC 6455, section 1.3."""


BEGIN = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
"""Params of `initialize`."""


def request(path: str, method: str = "GET", **headers: str) -> bytes:
    """The head of an HTTP request."""
    named = {"Host": "localhost"} | headers
    lines = [f"{method} {path} HTTP/1.1", *(f"{name.replace('_', '-')}: {value}" for name, value in named.items())]
    return "\r\n".join([*lines, "", ""]).encode()


class Served:
    """A server process and where it listens."""

    def __init__(self, process: Forked) -> None:
        self.process = process
        self.log = ""
        """All of stderr so far."""
        self.urls: list[str] = []
        self.is_ended = False
        self._came = trio.lowlevel.ParkingLot()

    @property
    def url(self) -> str:
        return self.urls[0]

    @property
    def port(self) -> int:
        return int(self.url.rpartition(":")[2].partition("/")[0])

    async def read(self) -> None:
        assert self.process.stderr is not None
        async for chunk in self.process.stderr:
            self.log += chunk.decode()
            self.urls = re.findall(r"event=listening .*url=(\S+)", self.log)
            self._came.unpark_all()
        self.is_ended = True
        self._came.unpark_all()

    @property
    def crashes(self) -> list[str]:
        """Lines of the log: the crashes."""
        return [line for line in self.log.splitlines() if "event=crash" in line]

    async def wait_log(self, pattern: str) -> None:
        """Returns when a line of the log matches."""
        while not re.search(pattern, self.log):
            assert not self.is_ended, self.log
            await self._came.park()

    def family(self) -> list[psutil.Process]:
        """The process and all that it started."""
        top = psutil.Process(self.process.pid)
        return [top, *top.children(recursive=True)]

    async def page(self, path: str, **headers: str) -> tuple[int, str]:
        """Status and body of an HTTP answer."""
        return await self.answer(request(path, **headers))

    async def answer(self, words: bytes) -> tuple[int, str]:
        """Status and body of what is answered, up to the end of the connection."""
        async with await trio.open_tcp_stream("127.0.0.1", self.port) as stream:
            await stream.send_all(words)
            text = b""
            async for chunk in stream:
                text += chunk
        head, _, body = text.decode().partition("\r\n\r\n")
        return int(head.split()[1]), body


class Client:
    """One MCP client in the handshake era, which asks one thing after the other."""

    def __init__(self, socket: trio_websocket.WebSocketConnection) -> None:
        self.socket = socket
        self._numbers = itertools.count(1)

    async def request(self, method: str, **params: Any) -> Any:
        """The result of a request. Raises trio_websocket.ConnectionClosed."""
        number = next(self._numbers)
        await self.socket.send_message(json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}))
        while True:
            answer = json.loads(await self.socket.get_message())
            if answer.get("id") == number:
                return answer

    async def initialize(self) -> Any:
        info = {"name": "test", "version": "1"}
        answer = await self.request("initialize", protocolVersion="2025-11-25", capabilities={}, clientInfo=info)
        await self.socket.send_message('{"jsonrpc":"2.0","method":"notifications/initialized"}')
        return answer

    async def call(self, tool: str, **arguments: Any) -> Any:
        """The envelope of a tool's reply."""
        answer = await self.request("tools/call", name=tool, arguments=arguments)
        return as_listed(tool, answer["result"]["structuredContent"])


@asynccontextmanager
async def client(
    url: str, token: str | None = None, tls: ssl.SSLContext | None = None, *, is_greeting: bool = True
) -> AsyncIterator[Client]:
    """A client that has initialized, if it is greeting."""
    headers = [] if token is None else [(b"authorization", b"Bearer " + token.encode())]
    async with trio_websocket.open_websocket_url(
        url, ssl_context=tls, subprotocols=["mcp"], extra_headers=headers
    ) as socket:
        one = Client(socket)
        try:
            if is_greeting:
                await one.initialize()
            yield one
        finally:
            if socket.closed:  # then the library leaves the connection open
                await trio.aclose_forcefully(socket._stream)


@asynccontextmanager
async def served(
    root: Path,
    *words: str,
    extra: Mapping[str, str] = {},
    at: str = "127.0.0.1:0",
    front: str = "--websocket",
    deadline_s: float = DEADLINE_S,
) -> AsyncIterator[Served]:
    """A server for a folder that listens on a free port, killed in the end where the test has not ended it."""
    with trio.fail_after(deadline_s):
        async with trio.open_nursery() as nursery:
            process = open_forked(
                ["serve", "--root", str(root), front, at, *words],
                stdin=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                env=environment(**extra),
            )
            server = Served(process)
            nursery.start_soon(server.read)
            try:
                await server.wait_log("event=listening")
                yield server
            finally:
                process.kill()
                with trio.CancelScope(shield=True):
                    await process.wait()
                nursery.cancel_scope.cancel()
