"""The pipes of one language server: reads and writes bytes, keeps the end of stderr, and notices how it ends.

Rules of the file:
- Whoever reads never writes: a server that waits for us to read must not wait for us to write.
- One task writes, whole frames in order; what is being written is never broken off, but by the end of the process.
- A process has ended when it says so or when its stdout ends, whichever comes first.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from enum import Enum

import msgspec
import trio

from actors.language_servers.programs.ports import ServerProcess

CHUNK_BYTES = 32_768
"""Bytes written at a time: half a pipe."""

TAIL_BYTES = 65_536
"""Bytes of stderr that are kept."""

LAST_WORDS_S = 0.2
"""How long output is still read after the process ended."""


class Why(Enum):
    """The reason for the end of a life."""

    STOPPED = "stopped"
    """It was not needed any more."""
    REPLACED = "replaced"
    """It is restarted; nothing failed."""
    CANNOT_START = "cannotStart"
    REFUSED = "refused"
    """It did not accept `initialize`, or not in time."""
    EXITED = "exited"
    VIOLATED = "violated"
    """It violated the protocol."""
    WEDGED = "wedged"
    MEMORY = "memory"
    UNSOUND = "unsound"
    """It no longer finds what it found before."""


class End(msgspec.Struct, frozen=True):
    """How a life ended."""

    why: Why
    message: str
    """The reason as a clause, for people."""

    @property
    def is_death(self) -> bool:
        return self.why not in (Why.STOPPED, Why.REPLACED)


class Tail:
    """The last bytes of a stream."""

    def __init__(self, max_bytes: int = TAIL_BYTES) -> None:
        self._chunks: deque[bytes] = deque()
        self._bytes = 0
        self._max_bytes = max_bytes

    def add(self, chunk: bytes) -> None:
        chunk = chunk[-self._max_bytes :]
        self._chunks.append(chunk)
        self._bytes += len(chunk)
        while self._bytes - len(self._chunks[0]) >= self._max_bytes:
            self._bytes -= len(self._chunks.popleft())

    def text(self, max_chars: int) -> str:
        """The last characters, from the beginning of a line where possible."""
        text = b"".join(self._chunks).decode("utf-8", "replace").strip()
        if len(text) <= max_chars:
            return text
        cut = text[-max_chars:]
        return cut.partition("\n")[2] or cut


class Pipes:
    """The pipes of one process; run the tasks `read`, `write`, `read_errors` and `watch`."""

    def __init__(
        self,
        process: ServerProcess,
        receive: Callable[[bytes], None],
        take: Callable[[], bytes],
        end: Callable[[End], None],
    ) -> None:
        """`receive` gets bytes that came, `take` returns bytes to write, `end` is called at the end, maybe twice."""
        self._process = process
        self._receive = receive
        self._take = take
        self._end = end
        self._wake = trio.Event()
        self._is_written = trio.Event()
        self._is_read = trio.Event()
        self._has_ended = trio.Event()
        self.errors = Tail()
        self.heard_at = trio.current_time()
        """When it last wrote something."""
        self.blocked_since: float | None = None
        """Since when it has not read what is being written."""

    def wake(self) -> None:
        """Wakes the writer: there may be bytes to write."""
        self._is_written = trio.Event()
        self._wake.set()

    async def read(self) -> None:
        while chunk := await self._process.receive():
            self.heard_at = trio.current_time()
            self._receive(chunk)
        self._is_read.set()
        await self._end_unless_watched("it closed its output")

    async def write(self) -> None:
        try:
            while True:
                data = self._take()
                for start in range(0, len(data), CHUNK_BYTES):
                    self.blocked_since = trio.current_time()
                    await self._process.send(data[start : start + CHUNK_BYTES])
                self.blocked_since = None
                if not data:
                    self._is_written.set()
                    await self._wake.wait()
                    self._wake = trio.Event()
        except trio.BrokenResourceError:
            self.blocked_since = None
            await self._end_unless_watched("it closed its input")

    async def read_errors(self) -> None:
        while chunk := await self._process.receive_errors():
            self.errors.add(chunk)

    async def watch(self) -> None:
        status = await self._process.wait()
        self._has_ended.set()
        with trio.move_on_after(LAST_WORDS_S):
            await self._is_read.wait()
        how = f"it was killed by signal {-status}" if status < 0 else f"it ended with exit code {status}"
        self._end(End(Why.EXITED, how))

    async def wait_ended(self) -> None:
        """Waits until the process has ended."""
        await self._has_ended.wait()

    async def wait_ended_or(self, event: trio.Event) -> None:
        """Waits until the process has ended, or the event is set."""
        async with trio.open_nursery() as nursery:

            async def wait(other: trio.Event) -> None:
                await other.wait()
                nursery.cancel_scope.cancel()

            nursery.start_soon(wait, event)
            nursery.start_soon(wait, self._has_ended)

    async def wait_written(self) -> None:
        """Waits until everything is written, or nobody reads it any more."""
        await self.wait_ended_or(self._is_written)

    async def _end_unless_watched(self, what: str) -> None:
        """Reports that it ended, where its exit does not say more."""
        with trio.move_on_after(LAST_WORDS_S):
            await self._has_ended.wait()
        if not self._has_ended.is_set():
            self._end(End(Why.EXITED, what))
