"""A shared folder: one file an entry, in folders by the first two digits of its name.

Rules of the file:
- A file appears whole, by a rename: readers see all of it or none.
- What is no regular file is not opened; no link is followed.
- All calls are made on threads, as a network's file system may hang: who waits for one leaves it behind.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from itertools import count
from typing import TypeVar

import trio

from actors.remote.remote import ENTRY_MAX_BYTES, PARALLEL, Receive, RemoteTrouble

T = TypeVar("T")

_FILE_MODE = 0o664
"""Less the user's umask: others of the team read it."""


class Folder:
    """See `Remote`."""

    def __init__(self, path: str) -> None:
        self.place = path
        self._threads = trio.CapacityLimiter(PARALLEL)
        self._numbers = count()

    async def get_many(self, names: Sequence[str], receive: Receive) -> None:
        for name, value in (await self._run(partial(_read_all, self.place, names))).items():
            receive(name, value)

    async def put_many(self, values: Mapping[str, bytes]) -> None:
        await self._run(partial(self._write_all, values))

    async def having(self, names: Sequence[str]) -> frozenset[str]:
        return frozenset(await self._run(partial(_find_all, self.place, names)))

    async def aclose(self) -> None:
        await trio.lowlevel.checkpoint()

    async def _run(self, work: Callable[[], T]) -> T:
        try:
            return await trio.to_thread.run_sync(work, abandon_on_cancel=True, limiter=self._threads)
        except OSError as error:
            raise RemoteTrouble(f"{error.filename or self.place}: {error.strerror}") from error

    def _write_all(self, values: Mapping[str, bytes]) -> None:
        for name, value in values.items():
            path = _path(self.place, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            begun = f"{path}.{os.uname().nodename}-{os.getpid()}-{next(self._numbers)}"
            try:
                fd = os.open(begun, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW, _FILE_MODE)
                with open(fd, "wb") as file:
                    file.write(value)
                os.replace(begun, path)
            except OSError:
                with suppress(OSError):
                    os.unlink(begun)
                raise


def _path(folder: str, name: str) -> str:
    return os.path.join(folder, name[:2], name)


def _read_all(folder: str, names: Sequence[str]) -> dict[str, bytes]:
    """Reads the entries that are there. Raises OSError where the folder itself is not."""
    os.stat(folder)
    found = {name: _read(_path(folder, name)) for name in names}
    return {name: value for name, value in found.items() if value is not None}


def _read(path: str) -> bytes | None:
    try:
        if not stat.S_ISREG(os.lstat(path).st_mode):
            return None
        fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return None
    with open(fd, "rb") as file:
        return file.read(ENTRY_MAX_BYTES)


def _find_all(folder: str, names: Sequence[str]) -> list[str]:
    os.stat(folder)
    return [name for name in names if os.path.exists(_path(folder, name))]
