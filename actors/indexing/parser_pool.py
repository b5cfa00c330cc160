"""The parser pool: batches of files in, their facts out, through worker processes.

No file can take another down. A batch whose worker died or took too long is done again file by file; a file that ends
its worker a second time, or is too slow on its own, is answered as skipped with the digest of its content, and the
resolver does not send that content again.

Rules of the file:
- A job's time is what its worker computes, from when it has it: on a busy machine that takes longer by the clock. One
  that waits instead, for a disk that hangs, has no longer by the clock either.
- Workers that cannot start, or die without ever having answered, are no fault of the files: the pool fails.

The file is long because every kind of job is answered here, under one account of workers that die.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from typing import TypeVar, assert_never

import msgspec
import trio

from actors.files.reading import digest_of
from actors.indexing.statistics import PoolStatistics
from actors.messaging.inbox import Delivery, Inbox
from actors.messaging.log import Severity, log
from actors.messaging.messages import (
    Extract,
    Extracted,
    FileJob,
    FileStat,
    LookedUp,
    LookUp,
    MeasuresRead,
    Outcome,
    Parsed,
    PoolAsk,
    PoolMessage,
    Prepare,
    ReadMeasures,
    ReadSyntax,
    ReadVersions,
    Scan,
    Scanned,
    Seek,
    Skipped,
    SourceText,
    SyntaxRead,
    Unparsed,
    VersionsRead,
)
from actors.messaging.yielding import Turns
from actors.ports import Ports, Worker, WorkerDied, WorkerOutOfMemory, Workers
from actors.processes.memory_grants import EVERYTHING
from actors.workers.extraction import expected_bytes, least_bytes, most_bytes
from actors.workers.worker_start import StartedWorkers, WorkersBroken
from codemap.changes.version import Version
from codemap.extract.skipped_files import SkipReason
from codemap.mentions.seeking import Sought

T = TypeVar("T")

DEATHS_MAX = 2
"""Workers that one file may end before it is skipped."""
FRUITLESS_DEATHS_MAX = 10
"""Deaths without any answer in a life of the pool after which no worker is expected to work."""
AT_WORK = 0.1
"""Share of the time by the clock that a worker computes at least; one that computes less waits for something."""
SCAN_GRACE_S = 1.0
"""How much longer than its time a search may take: a worker starts, a large file is parsed."""


async def parser_pool(
    inbox: Inbox[PoolMessage], ports: Ports, *, time_limit_s: float, report: Callable[[PoolStatistics], None]
) -> None:
    """Runs until cancelled; running workers are killed then. `time_limit_s` of computing are for one file, and for one
    batch."""
    async with ports.open_workers() as workers, trio.open_nursery() as nursery:
        pool = _Pool(ports, workers, time_limit_s, report)
        while True:
            delivery = await inbox.receive()
            await pool.slots.acquire_on_behalf_of(delivery)
            nursery.start_soon(pool.serve, delivery)


class _TimedOut(msgspec.Struct, frozen=True):
    """The worker did not answer in time."""


class _Died(msgspec.Struct, frozen=True):
    """The worker ended."""

    how: str


class _OutOfMemory(msgspec.Struct, frozen=True):
    """The worker ran out of memory, or could not start for lack of it. Several files are always tried again one by
    one."""

    how: str
    is_final: bool
    """Whether it had all memory that there is."""


_Failure = _TimedOut | _Died | _OutOfMemory


class _Pool:
    """One life of the pool, with its workers and counts."""

    def __init__(
        self, ports: Ports, workers: Workers, time_limit_s: float, report: Callable[[PoolStatistics], None]
    ) -> None:
        self.slots = trio.CapacityLimiter(ports.worker_capacity)
        self._ports = ports
        self._workers = StartedWorkers(workers)
        self._time_limit_s = time_limit_s
        self._report = report
        self._batches = self._files = self._parsed = self._stored = self._deaths = self._timeouts = 0
        self._publish()

    async def serve(self, delivery: Delivery[PoolMessage]) -> None:
        """Handles one message; occupies one slot meanwhile."""
        try:
            if isinstance(delivery.message, Prepare):
                await self._workers.prepare(expected_bytes(()))
            elif not delivery.is_abandoned:
                await self._answer(delivery, delivery.message)
        finally:
            self.slots.release_on_behalf_of(delivery)
            self._publish()

    async def _answer(self, delivery: Delivery[PoolMessage], ask: PoolAsk) -> None:
        match ask:
            case Extract():
                delivery.answer(ask, Extracted(await self._extract(ask.jobs)))
            case LookUp():
                delivery.answer(ask, await self._look_up(ask))
            case Scan():
                delivery.answer(ask, await self._scan(ask))
            case Seek():
                delivery.answer(ask, await self._seek(ask))
            case ReadSyntax():
                delivery.answer(ask, await self._read_syntax(ask))
            case ReadMeasures():
                delivery.answer(ask, await self._measure(ask))
            case ReadVersions():
                delivery.answer(ask, VersionsRead(await self._read_versions(ask.sources)))
            case _:
                assert_never(ask)

    async def _scan(self, ask: Scan) -> Scanned:
        """Searches files for a word. Files that were not reached, for whatever reason, count as unseen: nothing is
        tried again while somebody waits."""
        found = await self._look(ask.files, ask.by, lambda worker, time_s: worker.scan(ask.word, ask.files, time_s))
        return Scanned((), tuple(file.path for file in ask.files)) if found is None else _scanned.decode(found)

    async def _seek(self, ask: Seek) -> Sought:
        """Searches files for many names; otherwise like `_scan`."""
        names, of_each, files = ask.names, ask.names_of_each, ask.files
        found = await self._look(files, ask.by, lambda worker, time_s: worker.seek(names, of_each, files, time_s))
        return Sought((), tuple(file.path for file in files)) if found is None else _sought.decode(found)

    async def _measure(self, ask: ReadMeasures) -> MeasuresRead:
        """Measures files; those that were not reached count as unseen."""
        found = await self._look(ask.files, ask.by, lambda worker, time_s: worker.measure(ask.files, time_s))
        return MeasuresRead((), tuple(file.path for file in ask.files)) if found is None else _measures.decode(found)

    async def _look(
        self, files: Sequence[FileJob], by: float, ask: Callable[[Worker, float], Awaitable[bytes]]
    ) -> bytes | None:
        """Runs a job that goes through files one by one until a deadline; None where the worker did not answer."""
        time_s = by - trio.current_time()
        most = max((file.stat.size for file in files), default=0)
        with trio.move_on_at(by + SCAN_GRACE_S), suppress(WorkerDied):
            if time_s > 0:
                async with self._workers.take(expected_bytes((FileJob("", FileStat(most, 0)),))) as worker:
                    return await ask(worker, time_s)
        return None

    async def _read_syntax(self, ask: ReadSyntax) -> SyntaxRead:
        """Finds the parts of a file's definitions; nothing where the worker dies or is late: nothing is tried again
        while somebody waits."""
        with trio.move_on_at(ask.by), suppress(WorkerDied):
            async with self._workers.take(expected_bytes((ask.file,))) as worker:
                return _syntax_read.decode(await worker.read_syntax(ask.file, ask.wanted))
        return SyntaxRead(None)

    async def _read_versions(self, sources: tuple[SourceText, ...]) -> tuple[Version | None, ...]:
        """Reads versions of files. If the worker dies or is too slow, each is read alone; one that fails again has no
        version."""
        found = await self._try_versions(sources)
        if found is None:
            each = [await self._try_versions((source,)) if len(sources) > 1 else None for source in sources]
            found = tuple(one[0] if one else None for one in each)
        return found

    async def _try_versions(self, sources: tuple[SourceText, ...]) -> tuple[Version | None, ...] | None:
        jobs = [FileJob(source.path, FileStat(len(source.content), 0)) for source in sources]
        with suppress(WorkerDied):
            async with self._workers.take(expected_bytes(jobs)) as worker:
                answer = await self._in_time(worker, worker.read_versions(sources))
                return None if answer is None else _versions.decode(answer)
        return None

    async def _look_up(self, ask: LookUp) -> LookedUp:
        """Reads files without parsing any. If the worker dies or is too slow, none was read: parsing them finds out
        which file it was."""
        with suppress(WorkerDied):
            async with self._workers.take(expected_bytes(())) as worker:
                answer = await self._in_time(worker, worker.look_up(ask.jobs, ask.has_marks))
                if answer is not None:
                    outcomes = await _decode(answer, ask.jobs, _looked_up)
                    self._stored += sum(isinstance(one, Parsed) for one in outcomes)
                    return LookedUp(outcomes)
        return LookedUp((None,) * len(ask.jobs))

    async def _extract(self, jobs: tuple[FileJob, ...]) -> tuple[Outcome, ...]:
        match await self._attempt(jobs, expected_bytes(jobs)):
            case tuple() as outcomes:
                return outcomes
            case _Died():
                deaths = 1
            case _TimedOut() if len(jobs) == 1:
                return (await self._give_up(jobs[0], SkipReason.TIMEOUT, self._late),)
            case _OutOfMemory(how, is_final) if is_final and len(jobs) == 1:
                return (_without_memory(jobs[0], how),)
            case _OutOfMemory() if len(jobs) == 1:
                return (await self._extract_alone(jobs[0], 0, EVERYTHING),)
            case _TimedOut() | _OutOfMemory():
                deaths = 0
        return tuple([await self._extract_alone(job, deaths, expected_bytes((job,))) for job in jobs])

    async def _extract_alone(self, job: FileJob, deaths: int, wanted: float) -> Outcome:
        """Extracts one file alone, with retries. Deaths for lack of memory do not count: the next worker may use all
        there is. How much a worker had when it died is not always seen: where a file may need more than there is, that
        is what it died of."""
        how = ""
        while deaths < DEATHS_MAX:
            match await self._attempt((job,), wanted):
                case tuple() as outcomes:
                    outcome: Outcome = outcomes[0]
                    return outcome
                case _Died(how):
                    deaths += 1
                    wanted = EVERYTHING
                case _OutOfMemory(why, is_final):
                    if is_final:
                        return _without_memory(job, why)
                    wanted = EVERYTHING
                case _TimedOut():
                    return await self._give_up(job, SkipReason.TIMEOUT, self._late)
        why = f"its parser ended: {how}"
        if (most := most_bytes(job)) > self._ports.memory.parsers_max_bytes:
            return _without_memory(job, f"{why}; it may need {most / 1e6:.0f} MB")
        return await self._give_up(job, SkipReason.UNPARSABLE, why)

    @property
    def _late(self) -> str:
        return f"no result in {self._time_limit_s:g} s"

    async def _in_time(self, worker: Worker, asked: Awaitable[bytes]) -> bytes | None:
        """Waits for what the worker was asked for; None where it had its time. Raises WorkerDied."""
        answer: bytes | None = None
        died: WorkerDied | None = None
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._end_late, worker, nursery.cancel_scope)
            try:
                answer = await asked
            except WorkerDied as error:
                died = error
            nursery.cancel_scope.cancel()
        if died is not None:
            raise died
        return answer

    async def _end_late(self, worker: Worker, scope: trio.CancelScope) -> None:
        left_s, computed_s = self._time_limit_s, 0.0
        while left_s > 0:
            await trio.sleep(left_s)
            before_s, computed_s = computed_s, worker.computed_s()
            is_at_work = computed_s - before_s >= AT_WORK * left_s
            left_s = self._time_limit_s - computed_s if is_at_work else 0.0
        scope.cancel()

    async def _attempt(self, jobs: tuple[FileJob, ...], wanted: float) -> tuple[Outcome, ...] | _Failure:
        """Sends jobs to a worker with so much memory: its outcomes, or how it failed. Raises WorkersBroken."""
        if len(jobs) == 1 and least_bytes(jobs[0]) > self._ports.memory.parsers_max_bytes:
            return _OutOfMemory(f"it needs more than {least_bytes(jobs[0]) / 1e6:.0f} MB", True)
        async with self._workers.take(wanted) as worker:
            try:
                answer = await self._in_time(worker, worker.extract(jobs))
            except WorkerDied as error:
                return self._died(jobs, wanted, error)
        if answer is None:
            self._timeouts += 1
            log("worker-slow", Severity.WARNING, files=len(jobs), first=jobs[0].path, limit_s=self._time_limit_s)
            return _TimedOut()
        self._batches += 1
        self._files += len(jobs)
        outcomes = await _decode(answer, jobs, _outcome)
        facts = [outcome.is_stored for outcome in outcomes if isinstance(outcome, Parsed)]
        self._stored += sum(facts)
        self._parsed += len(facts) - sum(facts)
        return outcomes

    def _died(self, jobs: tuple[FileJob, ...], wanted: float, error: WorkerDied) -> _Died | _OutOfMemory:
        self._deaths += 1
        log("worker-died", Severity.WARNING, files=len(jobs), first=jobs[0].path, detail=error)
        if isinstance(error, WorkerOutOfMemory):
            return _OutOfMemory(f"its parser ended: {error}", wanted == EVERYTHING)
        if self._deaths >= FRUITLESS_DEATHS_MAX and not self._batches:
            why = f"{self._deaths} parser processes ended without an answer, the last: {error}"
            raise WorkersBroken(why) from error
        return _Died(str(error))

    async def _give_up(self, job: FileJob, reason: SkipReason, why: str) -> Outcome:
        """Skips a content that ended its workers. A file that has changed since it was listed is tried again."""
        content = (await self._ports.read_files([job.path])).get(job.path)
        if content is None or content.stat != job.stat:
            return Skipped(job.stat, b"", False, reason)
        log("file-given-up", Severity.WARNING, path=job.path, reason=reason, detail=why)
        return Skipped(content.stat, digest_of(content.content), content.is_settled, reason, why)

    def _publish(self) -> None:
        self._report(
            PoolStatistics(
                self._ports.worker_capacity,
                self.slots.borrowed_tokens,
                self._batches,
                self._files,
                self._parsed,
                self._stored,
                self._deaths,
                self._timeouts,
            )
        )


def _without_memory(job: FileJob, why: str) -> Skipped:
    """Makes the outcome of a file that needs more memory than there is, without reading it."""
    log("file-given-up", Severity.WARNING, path=job.path, reason=SkipReason.MEMORY, detail=why)
    return Skipped(job.stat, b"", True, SkipReason.MEMORY, why)


_array = msgspec.msgpack.Decoder(tuple[msgspec.Raw, ...])
_outcome = msgspec.msgpack.Decoder(Outcome)
_looked_up = msgspec.msgpack.Decoder(Outcome | Unparsed)
_scanned = msgspec.msgpack.Decoder(Scanned)
_measures = msgspec.msgpack.Decoder(MeasuresRead)
_sought = msgspec.msgpack.Decoder(Sought)
_syntax_read = msgspec.msgpack.Decoder(SyntaxRead)
_versions = msgspec.msgpack.Decoder(tuple[Version | None, ...])

_DECODE_STEP = 8
"""Outcomes decoded between two checkpoints: about a millisecond."""


async def _decode(answer: bytes, jobs: Sequence[FileJob], decoder: msgspec.msgpack.Decoder[T]) -> tuple[T, ...]:
    parts = _array.decode(answer)
    if len(parts) != len(jobs):
        raise WorkersBroken(f"{len(parts)} outcomes for {len(jobs)} jobs")
    outcomes: list[T] = []
    turns = Turns()
    for count, part in enumerate(parts):
        if count % _DECODE_STEP == _DECODE_STEP - 1:
            await turns.step()
        outcomes.append(decoder.decode(part))
    return tuple(outcomes)
