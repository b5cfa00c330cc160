"""The parser pool: batches of files in, their facts out, through worker processes.

No file can take another down. A batch whose worker died or took too long is done again file by file; a file that ends
its worker a second time, or is too slow on its own, is answered as skipped with the digest of its content, and the
resolver does not send that content again.

The file is long because all ways in which a job can fail lead back to the same few attempts.

Rules of the file:
- Time counts from when the job has its worker, not from when it was queued.
- Workers that cannot start, or die without ever having answered, are no fault of the files: the pool fails.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AsyncExitStack, suppress
from typing import assert_never

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
    Outcome,
    Parsed,
    PoolMessage,
    Prepare,
    ReadSyntax,
    ReadVersions,
    Scan,
    Scanned,
    Skipped,
    SourceText,
    SyntaxRead,
    VersionsRead,
)
from actors.messaging.supervise import Outage
from actors.messaging.turns import Turns
from actors.ports import Ports, Worker, WorkerCannotStart, WorkerDied, WorkerOutOfMemory, Workers
from actors.processes.memory import EVERYTHING
from actors.workers.extraction import expected_bytes, least_bytes
from codemap.changes.version import Version
from codemap.extract.skip import SkipReason

DEATHS_MAX = 2
"""Workers that one file may take down."""

FRUITLESS_DEATHS_MAX = 10
"""Deaths with no answer in between, in a life of the pool that never had one, that mean that no worker can work."""


STARTS_MAX = 3
"""Workers that fail to start, with none in between that does, that mean that none will."""

SCAN_GRACE_S = 1.0
"""A look for a word that ends by itself takes so much longer than its time: a worker starts, a large file is parsed."""

START_PAUSE_S = 0.1
"""Before the next try; a system that is out of processes for a moment may have one by then."""


class WorkersBroken(Outage):
    """No worker process comes to an answer."""


async def parser_pool(
    inbox: Inbox[PoolMessage], ports: Ports, *, time_limit_s: float, report: Callable[[PoolStatistics], None]
) -> None:
    """Runs until cancelled; running workers are killed then. `time_limit_s` is for one file, and for one batch."""
    async with ports.open_workers() as workers, trio.open_nursery() as nursery:
        pool = _Pool(ports, workers, time_limit_s, report)
        while True:
            delivery = await inbox.receive()
            match delivery.message:
                case Extract():
                    await pool.slots.acquire_on_behalf_of(delivery)
                    nursery.start_soon(pool.serve, delivery, delivery.message)
                case Scan():
                    await pool.slots.acquire_on_behalf_of(delivery)
                    nursery.start_soon(pool.scan, delivery, delivery.message)
                case ReadSyntax():
                    await pool.slots.acquire_on_behalf_of(delivery)
                    nursery.start_soon(pool.read_syntax, delivery, delivery.message)
                case ReadVersions():
                    await pool.slots.acquire_on_behalf_of(delivery)
                    nursery.start_soon(pool.read_versions, delivery, delivery.message)
                case Prepare():
                    await pool.slots.acquire_on_behalf_of(delivery)
                    nursery.start_soon(pool.prepare, delivery)
                case _:
                    assert_never(delivery.message)


class _TimedOut(msgspec.Struct, frozen=True):
    """No answer in time."""


class _Died(msgspec.Struct, frozen=True):
    """The worker ended."""

    how: str


class _OutOfMemory(msgspec.Struct, frozen=True):
    """It ended as there was no more memory for it, or did not begin; more than one file always has another try."""

    how: str
    is_final: bool
    """Whether it could not have had more."""


_Failure = _TimedOut | _Died | _OutOfMemory


class _Pool:
    """One life of the pool: its workers and its counts."""

    def __init__(
        self, ports: Ports, workers: Workers, time_limit_s: float, report: Callable[[PoolStatistics], None]
    ) -> None:
        self.slots = trio.CapacityLimiter(ports.worker_capacity)
        self._ports = ports
        self._workers = workers
        self._time_limit_s = time_limit_s
        self._report = report
        self._batches = self._files = self._parsed = self._stored = self._deaths = self._timeouts = 0
        self._failed_starts = 0
        """In a row, while there is no worker: a system that is out of processes has some."""
        self._held = 0
        """Workers that batches have now."""
        self._retrying = trio.Lock()
        """Held by whoever could not have a worker: the others wait for those that there are."""
        self._publish()

    async def serve(self, delivery: Delivery[PoolMessage], ask: Extract) -> None:
        """Answers one batch; holds one slot from before until after."""
        try:
            if not delivery.is_abandoned:
                delivery.answer(ask, Extracted(await self._extract(ask.jobs)))
        finally:
            self.slots.release_on_behalf_of(delivery)
            self._publish()

    async def scan(self, delivery: Delivery[PoolMessage], ask: Scan) -> None:
        """Answers a look for a word; holds one slot from before until after.

        Files that it did not come to, for whatever reason, are unseen: nothing is tried again while somebody waits.
        """
        found = Scanned((), tuple(file.path for file in ask.files))
        try:
            if not delivery.is_abandoned:
                time_s = ask.by - trio.current_time()
                most = max((file.stat.size for file in ask.files), default=0)
                wanted = expected_bytes((FileJob("", FileStat(most, 0)),))
                with trio.move_on_at(ask.by + SCAN_GRACE_S), suppress(WorkerDied):
                    async with AsyncExitStack() as stack:
                        if time_s > 0:
                            worker = await self._started(stack, wanted)
                            found = _scanned.decode(await worker.scan(ask.word, ask.files, time_s))
                delivery.answer(ask, found)
        finally:
            self.slots.release_on_behalf_of(delivery)
            self._publish()

    async def read_syntax(self, delivery: Delivery[PoolMessage], ask: ReadSyntax) -> None:
        """Answers where the parts of a file's definitions lie; holds one slot from before until after.

        A worker that dies of it, or is not done in time, has no answer: nothing is tried again while somebody waits.
        """
        found = SyntaxRead(None)
        try:
            if not delivery.is_abandoned:
                with trio.move_on_at(ask.by), suppress(WorkerDied):
                    async with AsyncExitStack() as stack:
                        worker = await self._started(stack, expected_bytes((ask.file,)))
                        found = _syntax_read.decode(await worker.read_syntax(ask.file))
                delivery.answer(ask, found)
        finally:
            self.slots.release_on_behalf_of(delivery)
            self._publish()

    async def read_versions(self, delivery: Delivery[PoolMessage], ask: ReadVersions) -> None:
        """Answers with the versions of some contents; holds one slot from before until after.

        Those whose worker dies or is too slow are read again one by one, and those that it happens to then have none.
        """
        try:
            if not delivery.is_abandoned:
                found = await self._versions(ask.sources)
                if found is None:
                    each = [await self._versions((source,)) if len(ask.sources) > 1 else None for source in ask.sources]
                    found = tuple(one[0] if one else None for one in each)
                delivery.answer(ask, VersionsRead(found))
        finally:
            self.slots.release_on_behalf_of(delivery)
            self._publish()

    async def _versions(self, sources: tuple[SourceText, ...]) -> tuple[Version | None, ...] | None:
        jobs = [FileJob(source.path, FileStat(len(source.content), 0)) for source in sources]
        with trio.move_on_after(self._time_limit_s), suppress(WorkerDied):
            async with AsyncExitStack() as stack:
                worker = await self._started(stack, expected_bytes(jobs))
                return _versions.decode(await worker.read_versions(sources))
        return None

    async def prepare(self, delivery: Delivery[PoolMessage]) -> None:
        """Has a worker started, in a slot held from before until after; one that does not start is met again."""
        try:
            with suppress(WorkerCannotStart):
                async with self._workers.take(expected_bytes(())):
                    pass
        finally:
            self.slots.release_on_behalf_of(delivery)

    async def _extract(self, jobs: tuple[FileJob, ...]) -> tuple[Outcome, ...]:
        match await self._attempt(jobs, expected_bytes(jobs)):
            case tuple() as outcomes:
                return outcomes
            case _Died():
                deaths = 1
            case _TimedOut() if len(jobs) == 1:
                return (await self._give_up(jobs[0], SkipReason.TIMEOUT, self._in_time),)
            case _OutOfMemory(how, is_final) if is_final and len(jobs) == 1:
                return (_without_memory(jobs[0], how),)
            case _OutOfMemory() if len(jobs) == 1:
                return (await self._extract_alone(jobs[0], 0, EVERYTHING),)
            case _TimedOut() | _OutOfMemory():
                deaths = 0
        return tuple([await self._extract_alone(job, deaths, expected_bytes((job,))) for job in jobs])

    async def _extract_alone(self, job: FileJob, deaths: int, wanted: float) -> Outcome:
        """Deaths for want of memory do not count: the next worker may take all there is, and then it is final."""
        how = ""
        while deaths < DEATHS_MAX:
            match await self._attempt((job,), wanted):
                case tuple() as outcomes:
                    outcome: Outcome = outcomes[0]
                    return outcome
                case _Died(how):
                    deaths += 1
                case _OutOfMemory(why, is_final):
                    if is_final:
                        return _without_memory(job, why)
                    wanted = EVERYTHING
                case _TimedOut():
                    return await self._give_up(job, SkipReason.TIMEOUT, self._in_time)
        return await self._give_up(job, SkipReason.UNPARSABLE, f"its parser ended: {how}")

    @property
    def _in_time(self) -> str:
        return f"no result in {self._time_limit_s:g} s"

    async def _attempt(self, jobs: tuple[FileJob, ...], wanted: float) -> tuple[Outcome, ...] | _Failure:
        """What a worker makes of the jobs that may take so much memory. Raises WorkersBroken."""
        if len(jobs) == 1 and least_bytes(jobs[0]) > self._ports.memory.parsers_max_bytes:
            return _OutOfMemory(f"it needs more than {least_bytes(jobs[0]) / 1e6:.0f} MB", True)
        answer = b""
        async with AsyncExitStack() as stack:
            worker = await self._started(stack, wanted)
            with trio.move_on_after(self._time_limit_s) as scope:
                try:
                    answer = await worker.extract(jobs)
                except WorkerDied as error:
                    return self._died(jobs, wanted, error)
        if scope.cancelled_caught:
            self._timeouts += 1
            log("worker-slow", Severity.WARNING, files=len(jobs), first=jobs[0].path, limit_s=self._time_limit_s)
            return _TimedOut()
        self._batches += 1
        self._files += len(jobs)
        outcomes = await _decode(answer, jobs)
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

    async def _started(self, stack: AsyncExitStack, wanted: float) -> Worker:
        """A worker that is ready, the stack's to give back. Raises WorkersBroken."""
        with suppress(WorkerCannotStart):
            return await self._enter(stack, wanted)
        async with self._retrying:
            while True:
                try:
                    return await self._enter(stack, wanted)
                except WorkerCannotStart as error:
                    self._failed_starts += not self._held
                    log("worker-cannot-start", Severity.WARNING, workers=self._held, detail=error)
                    if self._failed_starts >= STARTS_MAX:
                        raise WorkersBroken(f"no parser process can be started: {error}") from error
                await trio.sleep(START_PAUSE_S)

    async def _enter(self, stack: AsyncExitStack, wanted: float) -> Worker:
        async with AsyncExitStack() as entered:
            worker = await entered.enter_async_context(self._workers.take(wanted))
            self._held += 1
            self._failed_starts = 0
            stack.callback(self._give_back)
            stack.push_async_exit(entered.pop_all())
        return worker

    def _give_back(self) -> None:
        self._held -= 1

    async def _give_up(self, job: FileJob, reason: SkipReason, why: str) -> Outcome:
        """Skips the content that did it. A file that has changed since it was listed is to be looked at again."""
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
    """The outcome of a file for which there is no memory. Its content is not read: that would take some, too."""
    log("file-given-up", Severity.WARNING, path=job.path, reason=SkipReason.MEMORY, detail=why)
    return Skipped(job.stat, b"", True, SkipReason.MEMORY, why)


_array = msgspec.msgpack.Decoder(tuple[msgspec.Raw, ...])
_outcome = msgspec.msgpack.Decoder(Outcome)
_scanned = msgspec.msgpack.Decoder(Scanned)
_syntax_read = msgspec.msgpack.Decoder(SyntaxRead)

_versions = msgspec.msgpack.Decoder(tuple[Version | None, ...])

_DECODE_STEP = 8
"""Outcomes decoded between two checkpoints: about a millisecond."""


async def _decode(answer: bytes, jobs: Sequence[FileJob]) -> tuple[Outcome, ...]:
    parts = _array.decode(answer)
    if len(parts) != len(jobs):
        raise WorkersBroken(f"{len(parts)} outcomes for {len(jobs)} jobs")
    outcomes: list[Outcome] = []
    turns = Turns()
    for count, part in enumerate(parts):
        if count % _DECODE_STEP == _DECODE_STEP - 1:
            await turns.step()
        outcomes.append(_outcome.decode(part))
    return tuple(outcomes)
