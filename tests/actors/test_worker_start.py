"""How many workers start: no job starts a second one while the first, started ahead, is on its way."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import cast

import trio
from trio.testing import MockClock

from actors.ports import Worker, WorkerCannotStart
from actors.workers.worker_start import StartedWorkers


class Starting:
    """Workers that take a second to start, and are taken again when they are idle."""

    def __init__(self, *, failures: int = 0) -> None:
        self.began: list[float] = []
        self._failures = failures
        self._idle: list[Worker] = []

    @asynccontextmanager
    async def take(self, memory_bytes: float) -> AsyncIterator[Worker]:
        if self._idle:
            worker = self._idle.pop()
        else:
            self.began.append(trio.current_time())
            await trio.sleep(1)
            if self._failures:
                self._failures -= 1
                raise WorkerCannotStart("not now")
            worker = cast(Worker, object())
        yield worker
        self._idle.append(worker)


async def taken_at(workers: Starting, *jobs_at: float) -> list[float]:
    """When jobs that come at some times have their workers, each of which works for ten seconds; one is started ahead
    at 0."""
    began, started, taken = trio.current_time(), StartedWorkers(workers), list[float]()

    async def work(at: float) -> None:
        await trio.sleep(at)
        async with started.take(1):
            taken.append(trio.current_time() - began)
            await trio.sleep(10)

    async with trio.open_nursery() as nursery:
        nursery.start_soon(started.prepare, 1)
        for at in jobs_at:
            nursery.start_soon(work, at)
    workers.began = [at - began for at in workers.began]
    return taken


async def test_the_first_job_waits_for_the_worker_that_was_started_ahead(autojump_clock: MockClock) -> None:
    workers = Starting()
    assert await taken_at(workers, 0.5) == [1.0]
    assert workers.began == [0.0]


async def test_the_second_job_starts_another(autojump_clock: MockClock) -> None:
    workers = Starting()
    assert await taken_at(workers, 0.5, 0.625) == [1.0, 1.625]
    assert workers.began == [0.0, 0.625]


async def test_where_that_could_not_start_the_job_starts_one_itself(autojump_clock: MockClock) -> None:
    workers = Starting(failures=1)
    assert await taken_at(workers, 0.5) == [2.0]
    assert workers.began == [0.0, 1.0]
