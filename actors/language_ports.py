"""The port for processes of language servers: what actors rely on, whoever runs them.

`actors/language_process.py` is the real one; the tests bring one in virtual time, and one suite runs on both.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

import msgspec


class CannotStart(Exception):
    """The program could not be started; the message says why, without a full stop."""


class Usage(msgspec.Struct, frozen=True):
    """What a process takes, together with all that it started."""

    resident_bytes: int
    cpu_s: float
    """Since it began, user and system, of those that run now."""
    processes: int


class ServerProcess(Protocol):
    """A running server with its pipes. One task at a time uses each of them."""

    @property
    def pid(self) -> int: ...

    async def receive(self) -> bytes:
        """Some of what it wrote on stdout; empty at the end. When cancelled, nothing is lost."""
        ...

    async def receive_errors(self) -> bytes:
        """Some of what it wrote on stderr; empty at the end."""
        ...

    async def send(self, chunk: bytes) -> None:
        """Writes all of it to stdin. Raises trio.BrokenResourceError when nobody reads it, or it is closed.

        When cancelled, some of it may have been written, so that nothing sensible can follow.
        """
        ...

    def close_input(self) -> None:
        """Closes stdin; twice does nothing."""
        ...

    async def wait(self) -> int:
        """Its exit status when it has ended; negative: the signal that killed it."""
        ...

    def terminate(self) -> None:
        """Asks its process group to end."""
        ...

    async def usage(self) -> Usage | None:
        """None where the system does not tell, or it has ended."""
        ...

    def request_cancel(self, number: int) -> None:
        """Marks a request as cancelled, where it was started with a folder for that; see `Processes.spawn`."""
        ...

    def withdraw_cancel(self, number: int) -> None:
        """Takes the mark away, once the request is answered."""
        ...

    async def aclose(self) -> None:
        """Kills whatever is left of it and of all that it started, and frees what belongs to it.

        When cancelled, the killing is done all the same; looking for stragglers may not be.
        """
        ...


class Processes(Protocol):
    """Starts language servers, and ends them all when codemap ends, however it does."""

    def spawn(
        self, argv: Sequence[str], folder: str, environment: Mapping[str, str], cancellation: str = ""
    ) -> ServerProcess:
        """A new process in an absolute folder, with these variables on top of codemap's own. Raises CannotStart.

        `cancellation` names the folder by which its requests can be cancelled; empty: none.
        """
        ...

    async def aclose(self) -> None:
        """Returns when no process is left."""
        ...
