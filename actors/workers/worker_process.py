"""One parser process, from its parent's side: started, asked, killed. What becomes of it once it was ready is the fault
of its job."""

from __future__ import annotations

import math
import subprocess
from collections.abc import Mapping, Sequence

import trio

from actors.processes.processor_time import processor_s
from actors.processes.resident_memory import private_bytes
from actors.workers.framed_process import Answer, FramedProcess, start_framed
from actors.workers.frames import Kind

START_MAX_S = 30.0
"""Time limit of a start: a tenth of a second is usual; dozens at once on a busy machine take seconds."""

WEIGH_S = 0.05
"""Pause between two looks at a process's memory: most answers come sooner, and none allocates half a gigabyte in it."""


class Died(Exception):
    """Raised when the process ended before it answered; the message says how."""


class WorkerProcess(FramedProcess):
    """A process that works on one job at a time; see `start`."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        super().__init__(process)
        self.memory_bytes = 0
        """What it had to itself when it was ready, or answered last."""
        self.peak_bytes = 0
        """The most that it was seen to have since it was asked last; what takes less than a moment is not seen."""
        self._asked_at_s = 0.0
        """Its processor time when it was asked last."""

    @property
    def computed_s(self) -> float:
        """Seconds of processor time since it was asked last; infinite where the system does not tell."""
        now_s = processor_s(self.pid)
        return math.inf if now_s is None else now_s - self._asked_at_s

    async def ask(self, job: bytes) -> Answer:
        """Sends a job and waits for the answer. Raises Died. When cancelled, the process cannot be used again."""
        self.peak_bytes = self.memory_bytes
        self._asked_at_s = processor_s(self.pid) or 0.0
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._watch_memory)
            await self.send(Kind.JOB, job)
            answer = await self.receive()
            nursery.cancel_scope.cancel()
        self.memory_bytes = answer.number
        if answer.kind is Kind.BROKEN:
            raise Died(answer.text)
        return answer

    async def _watch_memory(self) -> None:
        while True:
            await trio.sleep(WEIGH_S)
            self.peak_bytes = max(self.peak_bytes, private_bytes(self.pid))


async def start(command: Sequence[str], environment: Mapping[str, str]) -> WorkerProcess:
    """Starts a process and waits until it is ready. Raises CannotStart. When cancelled, it is killed."""
    worker = start_framed(WorkerProcess, command, environment)
    is_ready = False
    try:
        worker.memory_bytes = (await worker.wait_ready(START_MAX_S)).number
        is_ready = True
    finally:
        if not is_ready:
            await worker.aclose()
    return worker
