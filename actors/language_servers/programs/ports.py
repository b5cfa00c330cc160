"""The port for processes of language servers: the interface that actors use.

`process.py` beside it is the real one; the tests bring one in virtual time, and one suite runs on both.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping, Set
from typing import Any, Protocol

import msgspec

from actors.language_servers.programs.program import Candidate, Search


class CannotStart(Exception):
    """Raised when a program could not be started; the message says why, without a full stop."""


class Launch(msgspec.Struct, frozen=True):
    """A program to start, with its environment and folder."""

    argv: tuple[str, ...]
    """Command line; the first word is an absolute path. `{state}` in a word, or in a value of the environment, is
    replaced by the private folder."""
    folder: str
    """Absolute path of its working folder, unless it is confined."""
    environment: Mapping[str, str] = {}
    """Variables besides those that it inherits."""
    confined: Mapping[str, str] | None = None
    """The environment that it inherits, where nothing of the repository may influence it; then it also runs in its
    private folder. None: codemap's own environment."""
    cancellation: str = ""
    """Name of the folder by which requests are cancelled; empty: none."""
    state: str = ""
    """Name of its private folder, the same in all its lives; empty: none."""
    files: Mapping[str, bytes] = {}
    """Name -> contents of files to write into the private folder."""


class Usage(msgspec.Struct, frozen=True):
    """CPU time and memory of a process and all its descendants."""

    resident_bytes: int
    cpu_s: float
    """User and system CPU seconds of the processes that run now."""
    processes: int


class ServerProcess(Protocol):
    """A running server with its pipes. Each pipe is used by one task at a time."""

    @property
    def pid(self) -> int: ...

    async def receive(self) -> bytes:
        """Reads some bytes of its stdout; empty at the end. When cancelled, nothing is lost."""
        ...

    async def receive_errors(self) -> bytes:
        """Reads some bytes of its stderr; empty at the end."""
        ...

    async def send(self, chunk: bytes) -> None:
        """Writes a chunk to stdin. Raises trio.BrokenResourceError when nobody reads it, or it is closed.

        When cancelled, some of it may have been written, so that nothing sensible can follow.
        """
        ...

    def close_input(self) -> None:
        """Closes stdin. Calling twice does nothing."""
        ...

    async def wait(self) -> int:
        """Waits for its end and returns its exit status; negative: the signal that killed it."""
        ...

    def terminate(self) -> None:
        """Asks its process group to end (SIGTERM)."""
        ...

    async def usage(self) -> Usage | None:
        """Measures CPU and memory; None where unknown, or when it has ended."""
        ...

    def request_cancel(self, number: int) -> None:
        """Marks a request as cancelled, where it was started with a folder for that."""
        ...

    def withdraw_cancel(self, number: int) -> None:
        """Removes the mark, once the request is answered."""
        ...

    async def aclose(self) -> None:
        """Kills it and all its descendants, and frees its resources.

        When cancelled, the killing is done all the same; looking for stragglers may not be.
        """
        ...


class Processes(Protocol):
    """Starts language servers, which all end with codemap, however it ends."""

    def spawn(self, launch: Launch) -> ServerProcess:
        """Starts a process. Raises CannotStart."""
        ...

    def ram_bytes(self) -> int | None:
        """Memory of the machine in bytes; None where unknown."""
        ...

    async def aclose(self) -> None:
        """Ends all processes and waits until none is left."""
        ...


class LanguagePorts(msgspec.Struct, frozen=True):
    """Everything that live navigation needs from the outside world."""

    find: Search
    processes: Processes
    version: str
    """Version of codemap, sent to servers in `initialize`."""
    mentioning: Callable[[Any, str], Awaitable[Iterable[str]]] | None = None
    """Finds files of a snapshot that may mention a name; None: unknown."""
    definitions: Callable[[Any, str], Iterable[Candidate]] | None = None
    """Finds a few definitions of a snapshot in a file; None: unknown."""
    packages: Callable[[Any], Set[str]] = lambda _snapshot: frozenset()
    """Packages outside the repository that a snapshot's files import."""
    trust: Callable[[], object] = lambda: None
    """Returns a value that changes when the user trusts the repository, or no more; called before each question."""
    memory_max_mb: int = 0
    """Memory limit of a server in MB; 0: as its record says."""
