"""Redis, and what speaks its protocol, by the library redis: one key an entry, `codemap:` and its name.

Rules of the file:
- All calls are made on threads, which are left behind when nobody waits any more; the library ends each in time.
- Entries never expire: a server for them evicts by itself (`maxmemory-policy allkeys-lru`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, TypeVar
from urllib.parse import SplitResult

import trio

from actors.remote.remote import ENTRY_MAX_BYTES, PARALLEL, Receive, RemoteTrouble, optional_package

T = TypeVar("T")

TIMEOUT_S = 30.0
"""How long one command may take: a piece of a map has megabytes."""

CONNECT_S = 5.0

AT_ONCE = 16
"""Entries of one command."""

PREFIX = "codemap:"


class RedisServer:
    """See `Remote`."""

    def __init__(self, url: SplitResult, secret: str) -> None:
        """`secret` is `user:password` or a password; empty: none. Raises NotUsable where redis is not installed."""
        self.place = url.geturl()
        redis: Any = optional_package("redis")
        user, colon, password = secret.partition(":")
        login = {"username": user, "password": password} if colon else {"password": secret or None}
        self._client: Any = redis.Redis.from_url(
            self.place, socket_timeout=TIMEOUT_S, socket_connect_timeout=CONNECT_S, max_connections=PARALLEL, **login
        )
        self._error: type[Exception] = redis.RedisError
        self._threads = trio.CapacityLimiter(PARALLEL)

    async def get_many(self, names: Sequence[str], receive: Receive) -> None:
        for some in _groups(names):
            for name, value in zip(some, await self._run(partial(self._get, some)), strict=True):
                if value is not None:
                    receive(name, value)

    async def put_many(self, values: Mapping[str, bytes]) -> None:
        for some in _groups(list(values)):
            await self._run(partial(self._put, values, some))

    async def having(self, names: Sequence[str]) -> frozenset[str]:
        found: set[str] = set()
        for some in _groups(names):
            lengths = await self._run(partial(self._lengths, some))
            found.update(name for name, length in zip(some, lengths, strict=True) if length)
        return frozenset(found)

    async def aclose(self) -> None:
        await trio.to_thread.run_sync(self._client.close, abandon_on_cancel=True)

    def _get(self, names: Sequence[str]) -> list[bytes | None]:
        """Reads some values; None for one that is not there, or too long."""
        found: list[bytes | None] = self._client.mget([PREFIX + name for name in names])
        return [value if value is None or len(value) <= ENTRY_MAX_BYTES else None for value in found]

    def _put(self, values: Mapping[str, bytes], names: Sequence[str]) -> None:
        self._client.mset({PREFIX + name: values[name] for name in names})

    def _lengths(self, names: Sequence[str]) -> list[int]:
        asked = self._client.pipeline(transaction=False)
        for name in names:
            asked.strlen(PREFIX + name)
        found: list[int] = asked.execute()
        return found

    async def _run(self, work: Callable[[], T]) -> T:
        try:
            return await trio.to_thread.run_sync(work, abandon_on_cancel=True, limiter=self._threads)
        except (self._error, OSError) as error:
            raise RemoteTrouble(str(error).partition("\n")[0][:200] or type(error).__name__) from error


def _groups(names: Sequence[str]) -> list[Sequence[str]]:
    return [names[at : at + AT_ONCE] for at in range(0, len(names), AT_ONCE)]
