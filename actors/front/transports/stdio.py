"""The stdio transport: one JSON text a line on the process's own stdin and stdout.

`claim` comes before anything else that could write or start a process: it takes descriptors 0 and 1 for the protocol
and leaves /dev/null and stderr in their places, so that a stray print, here or in a child, cannot corrupt it.

Rules of the file:
- The SDK's own stdio transport is not used: under Trio it cannot be cancelled while stdin is open.
- A closed stdout is noticed when it happens, not with the next answer.

Source: MCP, "Transports: stdio".
"""

from __future__ import annotations

import fcntl
import os
import select
import signal
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import msgspec
import trio

from actors.front.transports.line_framing import LineBuffer, TooLong

LINE_MAX_BYTES = 4 * 1024 * 1024
"""Arguments of a tool are far smaller; more than this is a mistake."""

STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM)

_CHUNK_BYTES = 65_536
_FIRST_FREE = 3


class Claimed(msgspec.Struct, frozen=True):
    """The descriptors of the protocol, which nobody else can reach any more."""

    stdin: int
    stdout: int


def claim() -> Claimed:
    """Takes stdin and stdout for the protocol, out of everybody else's reach. Raises OSError when one is not open."""
    claimed = Claimed(
        fcntl.fcntl(0, fcntl.F_DUPFD_CLOEXEC, _FIRST_FREE), fcntl.fcntl(1, fcntl.F_DUPFD_CLOEXEC, _FIRST_FREE)
    )
    nothing = os.open(os.devnull, os.O_RDWR | os.O_CLOEXEC)
    try:
        os.dup2(nothing, 0)
        try:
            os.dup2(2, 1)
        except OSError:
            os.dup2(nothing, 2)
            os.dup2(nothing, 1)
    finally:
        if nothing > 2:
            os.close(nothing)
    return claimed


def exit_on_signals() -> None:
    """Has signals end the process at once until the event loop runs: there is nothing to clean up yet."""
    for number in STOP_SIGNALS:
        signal.signal(number, lambda *_: os._exit(0))


class Stdio:
    """Reads and writes lines; see `actors.front.transports.connection.Frames`."""

    def __init__(self, source: trio.abc.ReceiveStream, sink: trio.abc.SendStream, max_bytes: int) -> None:
        self._source = source
        self._sink = sink
        self._buffer = LineBuffer(max_bytes)
        self._lines: deque[bytes | TooLong] = deque()
        self._is_ended = False

    async def receive(self) -> bytes | TooLong | None:
        while not self._lines:
            if self._is_ended:
                return None
            try:
                chunk = await self._source.receive_some(_CHUNK_BYTES)
            except trio.BrokenResourceError:
                chunk = b""
            self._is_ended = not chunk
            self._lines.extend(self._buffer.feed(bytes(chunk)) if chunk else self._buffer.end())
        return self._lines.popleft()

    async def send(self, frame: bytes) -> None:
        await self._sink.send_all(frame + b"\n")


@asynccontextmanager
async def open_stdio(claimed: Claimed, max_bytes: int = LINE_MAX_BYTES) -> AsyncIterator[Stdio]:
    """Opens the transport; the body is cancelled when the peer closes our stdout."""
    source, sink = trio.lowlevel.FdStream(claimed.stdin), trio.lowlevel.FdStream(claimed.stdout)
    try:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(_cancel_on_hang_up, claimed.stdout, nursery.cancel_scope)
            yield Stdio(source, sink, max_bytes)
            nursery.cancel_scope.cancel()
    finally:
        source.close()
        sink.close()


async def _cancel_on_hang_up(descriptor: int, scope: trio.CancelScope) -> None:
    """Cancels the scope when nobody can read the descriptor any more.

    A pipe's end that is only written to becomes "readable" when its reader closes. What cannot be waited for (a regular
    file) or has something to read (a terminal) shows nothing; then only writing does.
    """
    try:
        await trio.lowlevel.wait_readable(descriptor)
    except OSError:
        return
    poll = select.poll()
    poll.register(descriptor, 0)
    if any(event & (select.POLLERR | select.POLLHUP) for _, event in poll.poll(0)):
        scope.cancel()
