"""S3 and its kin, Google Cloud Storage and Azure, by the library obstore: one object an entry, named by it.

Credentials are those that the clouds' own tools use: variables such as `AWS_ACCESS_KEY_ID` and `AWS_ENDPOINT_URL`,
`GOOGLE_APPLICATION_CREDENTIALS`, `AZURE_STORAGE_ACCOUNT_NAME`, or the identity of the machine. What is not encrypted
on its way is refused unless `AWS_ALLOW_HTTP` says otherwise.

Rules of the file:
- All calls are made on threads, which are left behind when nobody waits any more; the library ends each in time.

Source: obstore's documentation, which follows the Rust crate object_store.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, TypeVar
from urllib.parse import SplitResult

import trio

from actors.remote.remote import ENTRY_MAX_BYTES, PARALLEL, Receive, RemoteTrouble, optional_package

T = TypeVar("T")

_OPEN_VARIABLE = "AWS_ALLOW_HTTP"

TIMEOUT_S = 30
"""How long one request may take: a piece of a map has megabytes."""

CONNECT_S = 5

AT_ONCE = 4
"""Entries that one thread reads one after another: a few, so that what has come counts when time is up."""


class ObjectStore:
    """See `Remote`."""

    def __init__(self, url: SplitResult) -> None:
        """Raises NotUsable where obstore is not installed, or the address will not do."""
        self.place = url.geturl()
        self._obstore: Any = optional_package("obstore")
        stores: Any = optional_package("obstore.store")
        is_open = os.environ.get(_OPEN_VARIABLE, "").lower() == "true"
        options = {"timeout": f"{TIMEOUT_S}s", "connect_timeout": f"{CONNECT_S}s", "allow_http": is_open}
        self._store: Any = stores.from_url(self.place, client_options=options, retry_config={"max_retries": 1})
        self._base_error: type[Exception] = optional_package("obstore.exceptions").BaseError
        self._threads = trio.CapacityLimiter(PARALLEL)

    async def get_many(self, names: Sequence[str], receive: Receive) -> None:
        def keep(found: Mapping[str, bytes]) -> None:
            for name, value in found.items():
                receive(name, value)

        await self._for_groups(names, self._get, keep)

    async def put_many(self, values: Mapping[str, bytes]) -> None:
        await self._for_groups(list(values), partial(self._put, values), _ignore)

    async def having(self, names: Sequence[str]) -> frozenset[str]:
        found: set[str] = set()
        await self._for_groups(names, self._find, found.update)
        return frozenset(found)

    async def aclose(self) -> None:
        await trio.lowlevel.checkpoint()

    def _get(self, names: Iterable[str]) -> dict[str, bytes]:
        found: dict[str, bytes] = {}
        for name in names:
            try:
                response = self._obstore.get(self._store, name)
                if response.meta["size"] <= ENTRY_MAX_BYTES:
                    found[name] = bytes(response.bytes())
            except FileNotFoundError:
                continue
        return found

    def _put(self, values: Mapping[str, bytes], names: Iterable[str]) -> None:
        for name in names:
            self._obstore.put(self._store, name, values[name])

    def _find(self, names: Iterable[str]) -> list[str]:
        found: list[str] = []
        for name in names:
            try:
                self._obstore.head(self._store, name)
                found.append(name)
            except FileNotFoundError:
                continue
        return found

    async def _for_groups(
        self, names: Sequence[str], work: Callable[[Sequence[str]], T], keep: Callable[[T], object]
    ) -> None:
        """Calls a function on threads for a few names at a time, and another with each result."""
        troubles: list[str] = []

        async def run(some: Sequence[str]) -> None:
            try:
                keep(await trio.to_thread.run_sync(work, some, abandon_on_cancel=True, limiter=self._threads))
            except (self._base_error, OSError) as error:
                troubles.append(_sentence(error))
                nursery.cancel_scope.cancel()

        async with trio.open_nursery() as nursery:
            for at in range(0, len(names), AT_ONCE):
                nursery.start_soon(run, names[at : at + AT_ONCE])
        if troubles:
            raise RemoteTrouble(troubles[0])


def _sentence(error: Exception) -> str:
    """The first line of a message; the rest are details of the library."""
    return str(error).partition("\n")[0][:200] or type(error).__name__


def _ignore(_result: object) -> None:
    """Has no use for a result."""
