"""One parser process, from its parent's side: started, asked, killed.

Rules of the file:
- It is started on the main thread: the kernel kills a child when the thread that forked it ends.
- A process that never said that it is ready could not start; what becomes of it later is the fault of its job.
"""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress

import msgspec
import trio

from actors.processes.child_process import REAP_S, open_descriptor, receive, take_stream, wait_ended
from actors.processes.isolation import ELSEWHERE
from actors.processes.resident_memory import private_bytes
from actors.workers.frames import HEADER, Kind, framed

START_MAX_S = 30.0
"""Time limit of a start: a tenth of a second is usual; dozens at once on a busy machine take seconds."""

WEIGH_S = 0.05
"""Pause between two looks at a process's memory: most answers come sooner, and none allocates half a gigabyte in it."""

_CHUNK_BYTES = 1 << 18


class CannotStart(Exception):
    """Raised when the process did not become ready; the message says why, as a clause."""


class Died(Exception):
    """Raised when the process ended before it answered; the message says how."""


class Answer(msgspec.Struct, frozen=True):
    """An answer of the process."""

    kind: Kind
    body: bytes

    @property
    def text(self) -> str:
        return self.body.decode(errors="replace")


class WorkerProcess:
    """A process that works on one job at a time; see `start`."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._process = process
        self._stdin, self._stdout = take_stream(process.stdin), take_stream(process.stdout)
        self._descriptor = open_descriptor(process)
        self.memory_bytes = 0
        """What it had to itself when it was ready, or answered last."""
        self.peak_bytes = 0
        """The most that it was seen to have since it was asked last; what takes less than a moment is not seen."""

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def is_alive(self) -> bool:
        return self._process.poll() is None

    async def ask(self, job: bytes) -> Answer:
        """Sends a job and waits for the answer. Raises Died. When cancelled, the process cannot be used again."""
        self.peak_bytes = self.memory_bytes
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._watch_memory)
            with suppress(trio.BrokenResourceError):  # what it has said, or how it ended, shows why
                await self._stdin.send_all(framed(Kind.JOB, job))
            answer = await self._receive()
            nursery.cancel_scope.cancel()
        if answer.kind is Kind.BROKEN:
            raise Died(answer.text)
        return answer

    async def wait_ready(self) -> None:
        """Waits until the process is ready for jobs. Raises CannotStart."""
        try:
            with trio.fail_after(START_MAX_S):
                answer = await self._receive()
        except trio.TooSlowError:
            raise CannotStart(f"it was not ready after {START_MAX_S:g} s") from None
        if answer.kind is Kind.BROKEN:
            raise CannotStart(f"it ended before it was ready: {answer.text}")

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

    async def _receive(self) -> Answer:
        """Receives the next frame; at the end, one that says how the process ended."""
        header = await self._receive_exactly(HEADER.size)
        kind, size, self.memory_bytes = HEADER.unpack(header) if header is not None else (Kind.BROKEN, 0, 0)
        body = await self._receive_exactly(size) if header is not None else None
        if body is not None:
            return Answer(Kind(kind), body)
        with trio.move_on_after(REAP_S):
            await self._wait()
        return Answer(Kind.BROKEN, _how(self._process.poll()).encode())

    async def _receive_exactly(self, size: int) -> bytes | None:
        found = bytearray()
        while len(found) < size:
            chunk = await receive(self._stdout, min(size - len(found), _CHUNK_BYTES))
            if not chunk:
                return None
            found += chunk
        return bytes(found)

    async def _watch_memory(self) -> None:
        while True:
            await trio.sleep(WEIGH_S)
            self.peak_bytes = max(self.peak_bytes, private_bytes(self.pid))

    async def _wait(self) -> None:
        """Waits until the process has ended."""
        await wait_ended(self._process, self._descriptor)
        self._process.poll()


async def start(command: Sequence[str], environment: Mapping[str, str]) -> WorkerProcess:
    """Starts a process and waits until it is ready. Raises CannotStart. When cancelled, it is killed."""
    try:
        process = subprocess.Popen(  # noqa: ASYNC220 - it takes a millisecond, and has to be on this thread
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
    worker = WorkerProcess(process)
    is_ready = False
    try:
        await worker.wait_ready()
        is_ready = True
    finally:
        if not is_ready:
            await worker.aclose()
    return worker


def _how(code: int | None) -> str:
    if code is None:
        return "it closed its pipe"
    if code >= 0:
        return f"exit code {code}"
    with suppress(ValueError):
        return f"killed by {signal.Signals(-code).name}"
    return f"killed by signal {-code}"
