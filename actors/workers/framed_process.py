"""A process that speaks in frames, from its parent's side: started, sent to, received from, killed.

Rules of the file:
- It is started on the main thread: the kernel kills a child when the thread that forked it ends.
- A process that never said that it is ready could not start; what becomes of it later is another matter.
"""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import TypeVar

import msgspec
import trio

from actors.processes.child_process import REAP_S, open_descriptor, receive, take_stream, wait_ended
from actors.processes.isolation import ELSEWHERE
from actors.workers.frames import HEADER, Kind, framed

_CHUNK_BYTES = 1 << 18


class CannotStart(Exception):
    """Raised when the process did not become ready; the message says why, as a clause."""


class Answer(msgspec.Struct, frozen=True):
    """A frame of the process."""

    kind: Kind
    body: bytes
    number: int
    """The third number of the frame."""

    @property
    def text(self) -> str:
        return self.body.decode(errors="replace")


class FramedProcess:
    """See `start_framed`."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._process = process
        self._stdin, self._stdout = take_stream(process.stdin), take_stream(process.stdout)
        self._descriptor = open_descriptor(process)

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def is_alive(self) -> bool:
        return self._process.poll() is None

    async def send(self, kind: Kind, body: bytes, number: int = 0) -> None:
        """Sends a frame; used by one task at a time. Where the process has ended, `receive` shows why."""
        with suppress(trio.BrokenResourceError, trio.ClosedResourceError):
            await self._stdin.send_all(framed(kind, body, number))

    async def receive(self) -> Answer:
        """Receives the next frame; at the end, one that says how the process ended. When cancelled, the process cannot
        be used again."""
        header = await self._receive_exactly(HEADER.size)
        kind, size, number = HEADER.unpack(header) if header is not None else (Kind.BROKEN, 0, 0)
        body = await self._receive_exactly(size) if header is not None else None
        if body is not None:
            return Answer(Kind(kind), body, number)
        with trio.move_on_after(REAP_S):
            await self._wait()
        return Answer(Kind.BROKEN, _how(self._process.poll()).encode(), 0)

    async def wait_ready(self, most_s: float) -> Answer:
        """Waits until the process is ready: its frame. Raises CannotStart."""
        try:
            with trio.fail_after(most_s):
                answer = await self.receive()
        except trio.TooSlowError:
            raise CannotStart(f"it was not ready after {most_s:g} s") from None
        if answer.kind is Kind.BROKEN:
            raise CannotStart(f"it ended before it was ready: {answer.text}")
        return answer

    async def aclose(self) -> None:
        """Kills the process, even when cancelled."""
        with suppress(OSError):
            self._process.kill()
        self._stdin.close()
        self._stdout.close()
        with trio.CancelScope(shield=True, deadline=trio.current_time() + REAP_S):
            await self._wait()
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1

    async def _receive_exactly(self, size: int) -> bytes | None:
        found = bytearray()
        while len(found) < size:
            chunk = await receive(self._stdout, min(size - len(found), _CHUNK_BYTES))
            if not chunk:
                return None
            found += chunk
        return bytes(found)

    async def _wait(self) -> None:
        """Waits until the process has ended."""
        await wait_ended(self._process, self._descriptor)
        self._process.poll()


P = TypeVar("P", bound=FramedProcess)


def start_framed(
    make: Callable[[subprocess.Popen[bytes]], P], command: Sequence[str], environment: Mapping[str, str]
) -> P:
    """Starts a process, which is given our process ID as its last argument. Raises CannotStart."""
    try:
        process = subprocess.Popen(
            [*command, str(os.getpid())],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            bufsize=0,
            cwd=ELSEWHERE,
            env=environment,
            start_new_session=True,  # a signal from the terminal is for the parent
        )
    except OSError as error:
        raise CannotStart(f"{error.filename or command[0]}: {error.strerror}") from error
    return make(process)


def _how(code: int | None) -> str:
    if code is None:
        return "it closed its pipe"
    if code >= 0:
        return f"exit code {code}"
    with suppress(ValueError):
        return f"killed by {signal.Signals(-code).name}"
    return f"killed by signal {-code}"
