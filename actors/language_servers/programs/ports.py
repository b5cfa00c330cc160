"""The port for processes of language servers: what actors rely on, whoever runs them.

`process.py` beside it is the real one; the tests bring one in virtual time, and one suite runs on both.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping, Set
from typing import Any, Protocol

import msgspec

from actors.language_servers.programs.program import Candidate, Search


class CannotStart(Exception):
    """The program could not be started; the message says why, without a full stop."""


class Launch(msgspec.Struct, frozen=True):
    """What is started."""

    argv: tuple[str, ...]
    """The first is an absolute path. `{state}` in any of them, and in the environment's values, stands for the
    private folder."""
    folder: str
    """Where it runs, absolute, unless it is confined."""
    environment: Mapping[str, str] = {}
    """Variables on top of those that it inherits."""
    confined: Mapping[str, str] | None = None
    """What it inherits, where it may not go by what lies in the repository, so that it runs in its private folder
    too; None: codemap's own."""
    cancellation: str = ""
    """Name of the folder by which its requests can be cancelled; empty: none."""
    state: str = ""
    """Name of its private folder, the same over all its lives; empty: none."""
    files: Mapping[str, bytes] = {}
    """Name -> contents of files that are to stand in the private folder."""


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
        """None where the system does not say, or it has ended."""
        ...

    def request_cancel(self, number: int) -> None:
        """Marks a request as cancelled, where it was started with a folder for that."""
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

    def spawn(self, launch: Launch) -> ServerProcess:
        """A new process. Raises CannotStart."""
        ...

    def ram_bytes(self) -> int | None:
        """Memory of the machine; None where it does not say."""
        ...

    async def aclose(self) -> None:
        """Returns when no process is left."""
        ...


class LanguagePorts(msgspec.Struct, frozen=True):
    """All that live navigation needs from outside."""

    find: Search
    processes: Processes
    version: str
    """Of codemap; sent to servers in `initialize`."""
    mentioning: Callable[[Any, str], Awaitable[Iterable[str]]] | None = None
    """Files of a snapshot that may mention a name; None: nobody knows."""
    definitions: Callable[[Any, str], Iterable[Candidate]] | None = None
    """A few definitions of a snapshot in a file; None: nobody knows."""
    packages: Callable[[Any], Set[str]] = lambda _snapshot: frozenset()
    """Packages outside the repository that a snapshot's files import."""
    trust: Callable[[], object] = lambda: None
    """What changes when the user trusts the repository, or no more; asked before each question."""
    memory_max_mb: int = 0
    """What a server may take, 0: as its record says."""
