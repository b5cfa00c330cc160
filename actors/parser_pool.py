"""The parser pool: batches of files in, their facts out, through worker processes.

No file can take another down. A batch whose worker died or took too long is done again file by file; a file that ends
its worker a second time, or is too slow on its own, is answered as skipped with the digest of its content, and the
resolver does not send that content again.

Rules of the file:
- Time counts from when the job has its worker, not from when it was queued.
- Workers that die without ever having answered are no fault of the files: the pool fails.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import assert_never

import msgspec
import trio

from actors.inbox import Delivery, Inbox
from actors.log import Severity, log
from actors.messages import Extract, Extracted, FileJob, Outcome, Parsed, PoolMessage, Prepare, Skipped
from actors.ports import Ports, WorkerDied, Workers
from actors.reading import digest_of
from actors.turns import Turns
from codemap.extract.skip import SkipReason

DEATHS_MAX = 2
"""Workers that one file may take down."""

FRUITLESS_DEATHS_MAX = 10
"""Deaths with no answer in between, in a life of the pool that never had one, that mean that no worker can work."""


class PoolStatistics(msgspec.Struct, frozen=True, rename="camel"):
    capacity: int
    running: int
    """Batches with a worker now."""
    batches: int
    """Batches answered in this life of the pool, as are the next ones."""
    files: int
    parsed: int
    stored: int
    """Files whose facts were in the store."""
    deaths: int
    timeouts: int


class WorkersBroken(Exception):
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
                case Prepare():
                    await pool.slots.acquire_on_behalf_of(delivery)
                    nursery.start_soon(pool.prepare, delivery)
                case _:
                    assert_never(delivery.message)


class _TimedOut:
    pass


class _Died:
    pass


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
        self._publish()

    async def serve(self, delivery: Delivery[PoolMessage], ask: Extract) -> None:
        """Answers one batch; holds one slot from before until after."""
        try:
            if not delivery.is_abandoned:
                delivery.answer(ask, Extracted(await self._extract(ask.jobs)))
        finally:
            self.slots.release_on_behalf_of(delivery)
            self._publish()

    async def prepare(self, delivery: Delivery[PoolMessage]) -> None:
        """Has a worker started, in a slot held from before until after; one that does not start is met again."""
        try:
            with suppress(WorkerDied), trio.move_on_after(self._time_limit_s):
                await self._workers.extract(())
        finally:
            self.slots.release_on_behalf_of(delivery)

    async def _extract(self, jobs: tuple[FileJob, ...]) -> tuple[Outcome, ...]:
        match await self._attempt(jobs):
            case tuple() as outcomes:
                return outcomes
            case _Died():
                deaths = 1
            case _TimedOut() if len(jobs) == 1:
                return (await self._give_up(jobs[0], SkipReason.TIMEOUT),)
            case _TimedOut():
                deaths = 0
        return tuple([await self._extract_alone(job, deaths) for job in jobs])

    async def _extract_alone(self, job: FileJob, deaths: int) -> Outcome:
        while deaths < DEATHS_MAX:
            match await self._attempt((job,)):
                case tuple() as outcomes:
                    outcome: Outcome = outcomes[0]
                    return outcome
                case _Died():
                    deaths += 1
                case _TimedOut():
                    return await self._give_up(job, SkipReason.TIMEOUT)
        return await self._give_up(job, SkipReason.UNPARSABLE)

    async def _attempt(self, jobs: tuple[FileJob, ...]) -> tuple[Outcome, ...] | _Died | _TimedOut:
        answer = b""
        with trio.move_on_after(self._time_limit_s) as scope:
            try:
                answer = await self._workers.extract(jobs)
            except WorkerDied as error:
                self._deaths += 1
                log("worker-died", Severity.WARNING, files=len(jobs), first=jobs[0].path, detail=error)
                if self._deaths >= FRUITLESS_DEATHS_MAX and not self._batches:
                    raise WorkersBroken(f"{self._deaths} worker processes ended without an answer") from error
                return _Died()
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

    async def _give_up(self, job: FileJob, reason: SkipReason) -> Outcome:
        """Skips the content that did it. A file that has changed since it was listed is to be looked at again."""
        content = (await self._ports.read_files([job.path])).get(job.path)
        if content is None or content.stat != job.stat:
            return Skipped(job.stat, b"", False, reason)
        log("file-given-up", Severity.WARNING, path=job.path, reason=reason)
        return Skipped(content.stat, digest_of(content.content), content.is_settled, reason)

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


_array = msgspec.msgpack.Decoder(tuple[msgspec.Raw, ...])
_outcome = msgspec.msgpack.Decoder(Outcome)

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
