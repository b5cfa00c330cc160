"""A plain HTTP cache: GET, HEAD and PUT of `/ac/<name>`, as build systems use them.

Source: Bazel's remote caching, HTTP caching protocol (an entry that is not keyed by its own digest is under `/ac/`).
"""

from __future__ import annotations

import base64
import ssl
from collections import deque
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from urllib.parse import SplitResult

import trio

from actors.remote.http_connection import HttpConnection, Response, Server, connect
from actors.remote.remote import ENTRY_MAX_BYTES, PARALLEL, Receive, RemoteTrouble

PORTS = {"http": 80, "https": 443}

_THERE = frozenset((200,))
_MISSING = frozenset((204, 404, 410))
_WRITTEN = frozenset((200, 201, 202, 204))


class HttpCache:
    """See `Remote`."""

    def __init__(self, url: SplitResult, secret: str) -> None:
        """`secret` is `user:password` or a bearer token; empty: none."""
        host = url.hostname or ""
        self.place = url.geturl()
        self._base = url.path.rstrip("/")
        authorization = [("Authorization", _credentials(secret))] if secret else []
        headers = (("Host", url.netloc), ("User-Agent", "codemap"), *authorization)
        tls = ssl.create_default_context() if url.scheme == "https" else None
        self._server = Server(host, url.port or PORTS[url.scheme], tls, headers)
        self._idle: list[HttpConnection] = []
        self._slots = trio.CapacityLimiter(PARALLEL)

    async def get_many(self, names: Sequence[str], receive: Receive) -> None:
        async def get(name: str) -> None:
            response = await self._request("GET", name)
            if self._is(response, _THERE, _MISSING):
                receive(name, response.body)

        await self._for_each(names, get)

    async def put_many(self, values: Mapping[str, bytes]) -> None:
        async def put(name: str) -> None:
            self._is(await self._request("PUT", name, values[name]), _WRITTEN, frozenset())

        await self._for_each(values, put)

    async def having(self, names: Sequence[str]) -> frozenset[str]:
        found: set[str] = set()

        async def look(name: str) -> None:
            if self._is(await self._request("HEAD", name), _THERE, _MISSING):
                found.add(name)

        await self._for_each(names, look)
        return frozenset(found)

    async def aclose(self) -> None:
        while self._idle:
            await self._idle.pop().aclose()

    async def _for_each(self, names: Iterable[str], do: Callable[[str], Awaitable[None]]) -> None:
        """Calls a function for all names, several at a time. The first trouble ends it."""
        todo = deque(names)
        trouble: RemoteTrouble | None = None

        async def work() -> None:
            nonlocal trouble
            while todo:
                try:
                    await do(todo.popleft())
                except RemoteTrouble as error:
                    trouble = error
                    nursery.cancel_scope.cancel()

        async with trio.open_nursery() as nursery:
            for _ in range(min(PARALLEL, len(todo))):
                nursery.start_soon(work)
        if trouble is not None:
            raise trouble

    async def _request(self, method: str, name: str, body: bytes = b"") -> Response:
        """Makes a request, once more on a new connection where the server has closed an idle one."""
        async with self._slots:
            while self._idle:
                connection = self._idle.pop()
                try:
                    return await self._use(connection, method, name, body)
                except RemoteTrouble:
                    if not connection.is_used:
                        raise
            return await self._use(await connect(self._server), method, name, body)

    async def _use(self, connection: HttpConnection, method: str, name: str, body: bytes) -> Response:
        try:
            return await connection.request(method, f"{self._base}/ac/{name}", body, ENTRY_MAX_BYTES)
        finally:
            if connection.is_reusable:
                self._idle.append(connection)
            else:
                with trio.CancelScope(shield=True):
                    await connection.aclose()

    @staticmethod
    def _is(response: Response, yes: frozenset[int], no: frozenset[int]) -> bool:
        if response.status not in yes | no:
            raise RemoteTrouble(f"it answered with status {response.status}")
        return response.status in yes


def _credentials(secret: str) -> str:
    return f"Basic {base64.b64encode(secret.encode()).decode()}" if ":" in secret else f"Bearer {secret}"
