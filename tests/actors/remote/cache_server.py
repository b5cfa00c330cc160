"""An HTTP cache on the loopback interface: entries in a dictionary, and faults on demand."""

from __future__ import annotations

import socket
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

STALL_MAX_S = 120.0


class CacheServer(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 128

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.entries: dict[str, bytes] = {}
        self.answer: Callable[[bytes], bytes] = lambda value: value
        """Makes what is answered of what is stored."""
        self.status = 0
        """Status of every answer; 0: the right one."""
        self.authorization: set[str | None] = set()
        """What requests said of who they are."""
        self.requests: list[str] = []
        self.connections = 0
        self.is_stalled = False
        self.goes_on = threading.Event()
        """Set when what stalled may end."""

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Says what failed, unless that is only that the client did not wait."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/cache"


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: CacheServer

    def setup(self) -> None:
        super().setup()
        self.server.connections += 1
        self.connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def do(self) -> None:
        server, name = self.server, self.path.removeprefix("/cache/ac/")
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        server.requests.append(f"{self.command} {self.path}")
        server.authorization.add(self.headers.get("Authorization"))
        if server.is_stalled:
            server.goes_on.wait(STALL_MAX_S)
        if server.status:
            return self.say(server.status, b"")
        if self.command == "PUT":
            server.entries[name] = body
            return self.say(201, b"")
        value = server.entries.get(name)
        return self.say(404, b"none") if value is None else self.say(200, server.answer(value))

    def __getattr__(self, name: str) -> Callable[[], None]:
        if name in ("do_GET", "do_HEAD", "do_PUT"):
            return self.do
        raise AttributeError(name)

    def say(self, status: int, body: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Says nothing."""


@contextmanager
def cache_server() -> Iterator[CacheServer]:
    server = CacheServer()
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.goes_on.set()
        server.shutdown()
        server.server_close()
        thread.join()
