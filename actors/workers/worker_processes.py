"""The parser processes of one root: started on demand, reused, and ended when idle.

Source of the numbers: a worker holds some 25 MB when it starts, and takes a tenth of a second to be there.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

import msgspec
import trio

from actors.messaging.messages import FileJob, SourceText
from actors.ports import Worker, WorkerCannotStart, WorkerDied, WorkerOutOfMemory
from actors.processes.environment import outside
from actors.processes.isolation import python_function, without_python
from actors.processes.memory_grants import Memory
from actors.workers.extraction import Job, files_of
from actors.workers.framed_process import CannotStart
from actors.workers.frames import Kind
from actors.workers.worker_process import Died, WorkerProcess, start
from codemap.extract.skipped_files import SkipReason
from codemap.syntax import SyntaxWanted

PROGRAM = "actors.workers.worker_main:main"

IDLE_S = 300.0
"""An idle worker ends after this: it holds tens of megabytes, and a new one starts quickly."""

LOOKS = 5
"""Checks for idle workers in that time."""

MEMORY_SHARE = 0.3
"""Share of its limit from which a dead worker may have run out of memory. The next one, without limit, shows whether it
had."""

_pack = msgspec.msgpack.Encoder().encode


class Idle(msgspec.Struct, frozen=True):
    """An idle process."""

    process: WorkerProcess
    kept_bytes: int
    """Bytes that it keeps of the memory that was granted."""
    since: float


class WorkerProcesses:
    """See `actors.ports.Workers`."""

    def __init__(
        self,
        root: str,
        max_file_bytes: int,
        memory: Memory,
        capacity: int,
        store: str = "",
        maker: bytes = b"",
        *,
        kept: tuple[SkipReason, ...] = (),
    ) -> None:
        """`capacity` is how many may work at a time, `store` the path of a database with facts by `maker`; empty:
        none."""
        self._job = Job(os.fsencode(root), (), max_file_bytes, os.fsencode(store), maker, kept=kept)
        self._command = python_function(PROGRAM)
        self._environment = without_python(outside(root, os.environ))
        self._memory = memory
        self._capacity = capacity
        self._idle: deque[Idle] = deque()
        """The one that worked last is last, and is taken first."""

    @asynccontextmanager
    async def take(self, memory_bytes: float) -> AsyncIterator[Worker]:
        granted = await self._memory.take(memory_bytes, self._memory.parsers_max_bytes / self._capacity)
        kept = 0
        try:
            idle = await self._ready()
            granted += idle.kept_bytes
            taken = _Taken(idle.process, self._job, int(granted))
            try:
                yield taken
            finally:
                if taken.is_usable:
                    kept = taken.process.memory_bytes
                    self._idle.append(Idle(taken.process, kept, trio.current_time()))
                else:
                    await taken.process.aclose()
        finally:
            self._memory.keep(granted, kept)

    async def _ready(self) -> Idle:
        """Finds an idle process or starts one. Raises WorkerCannotStart."""
        while self._idle:
            idle = self._idle.pop()
            if idle.process.is_alive:
                return idle
            await self._end(idle)
        try:
            return Idle(await start(self._command, self._environment), 0, trio.current_time())
        except CannotStart as error:
            raise WorkerCannotStart(str(error)) from error

    async def _end(self, idle: Idle) -> None:
        await idle.process.aclose()
        self._memory.drop(idle.kept_bytes)

    async def end_one(self) -> bool:
        """Ends the process that has been idle longest; False where none is idle."""
        if self._idle:
            await self._end(self._idle.popleft())
            return True
        return False

    async def end_idle(self) -> None:
        """Ends processes that have been idle for a while; runs for ever."""
        while True:
            await trio.sleep(IDLE_S / LOOKS)
            while self._idle and self._idle[0].since <= trio.current_time() - IDLE_S:
                await self.end_one()


class _Taken:
    """See `actors.ports.Worker`."""

    def __init__(self, process: WorkerProcess, job: Job, memory_bytes: int) -> None:
        self.process = process
        self.is_usable = True
        self._job = job
        self._memory_bytes = memory_bytes

    def computed_s(self) -> float:
        return self.process.computed_s

    async def extract(self, jobs: Sequence[FileJob]) -> bytes:
        return await self._ask(msgspec.structs.replace(self._job, files=files_of(jobs)))

    async def look_up(self, jobs: Sequence[FileJob], has_marks: bool) -> bytes:
        job = msgspec.structs.replace(self._job, files=files_of(jobs), is_lookup=True, has_marks=has_marks)
        return await self._ask(job)

    async def scan(self, word: str, files: Sequence[FileJob], time_s: float) -> bytes:
        return await self._ask(msgspec.structs.replace(self._job, files=files_of(files), word=word, time_s=time_s))

    async def seek(
        self,
        names: tuple[str, ...],
        names_of_each: tuple[tuple[str, ...], ...],
        files: Sequence[FileJob],
        time_s: float,
    ) -> bytes:
        sought = msgspec.structs.replace(self._job, files=files_of(files), names=names, names_of_each=names_of_each)
        return await self._ask(msgspec.structs.replace(sought, is_search=True, time_s=time_s))

    async def read_syntax(self, file: FileJob, wanted: SyntaxWanted) -> bytes:
        return await self._ask(msgspec.structs.replace(self._job, files=files_of((file,)), syntax=wanted))

    async def measure(self, files: Sequence[FileJob], time_s: float) -> bytes:
        return await self._ask(
            msgspec.structs.replace(self._job, files=files_of(files), is_for_measures=True, time_s=time_s)
        )

    async def read_versions(self, sources: Sequence[SourceText]) -> bytes:
        packed = tuple((os.fsencode(source.path), source.content) for source in sources)
        return await self._ask(msgspec.structs.replace(self._job, sources=packed))

    async def _ask(self, job: Job) -> bytes:
        self.is_usable = False
        job = msgspec.structs.replace(job, memory_bytes=self._memory_bytes)
        try:
            answer = await self.process.ask(_pack(job))
        except Died as error:
            peak, most = self.process.peak_bytes, self._memory_bytes
            if peak >= MEMORY_SHARE * most or str(error).startswith("MemoryError"):
                had = f"{peak / 1e6:.0f} of the {most / 1e6:.0f} MB that it might take"
                raise WorkerOutOfMemory(f"{error}, with {had}") from error
            raise WorkerDied(str(error)) from error
        self.is_usable = answer.kind is Kind.ANSWER
        return answer.body


@asynccontextmanager
async def open_processes(
    root: str,
    max_file_bytes: int,
    memory: Memory,
    capacity: int,
    store: str = "",
    maker: bytes = b"",
    *,
    kept: tuple[SkipReason, ...] = (),
) -> AsyncIterator[WorkerProcesses]:
    """Opens the processes of a root; they end with the context. `kept` are reasons to skip files that do not hold."""
    processes = WorkerProcesses(root, max_file_bytes, memory, capacity, store, maker, kept=kept)
    memory.enders.add(processes.end_one)
    try:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(processes.end_idle)
            yield processes
            nursery.cancel_scope.cancel()
    finally:
        memory.enders.discard(processes.end_one)
        while await processes.end_one():
            pass
