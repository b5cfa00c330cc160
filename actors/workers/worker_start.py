"""Starts the workers of a pool; tries again where the system is out of processes for a moment."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress

import trio

from actors.messaging.log import Severity, log
from actors.messaging.supervise import Outage
from actors.ports import Worker, WorkerCannotStart, Workers

STARTS_MAX = 3
"""Failed starts in a row after which the pool is broken."""
START_PAUSE_S = 0.1
"""Pause before the next try: a system that was out of processes may have one by then."""


class WorkersBroken(Outage):
    """Raised when no worker process can start or answer."""


class StartedWorkers:
    """The workers of one life of the pool."""

    def __init__(self, workers: Workers) -> None:
        self._workers = workers
        self._failed_starts = 0
        """In a row, while there is no worker: a system that is out of processes has some."""
        self._held = 0
        """Workers that jobs have now."""
        self._retrying = trio.Lock()
        """Held by whoever could not have a worker: the others wait for those that there are."""
        self._prepared: trio.Event | None = None
        """Set when the worker that is started ahead is ready; None where there is none, or a job waits for it."""

    async def prepare(self, memory_bytes: float) -> None:
        """Starts a worker for the next job; a failure shows when one is needed."""
        ready = self._prepared = trio.Event()
        try:
            with suppress(WorkerCannotStart):
                async with self._workers.take(memory_bytes):
                    pass
        finally:
            ready.set()

    @asynccontextmanager
    async def take(self, memory_bytes: float) -> AsyncIterator[Worker]:
        """Reserves a ready worker that may use so much memory while the context lasts.

        Entering it raises WorkersBroken.
        """
        async with AsyncExitStack() as stack:
            yield await self._start(stack, memory_bytes)

    async def _start(self, stack: AsyncExitStack, memory_bytes: float) -> Worker:
        with suppress(WorkerCannotStart):
            return await self._enter(stack, memory_bytes)
        async with self._retrying:
            while True:
                try:
                    return await self._enter(stack, memory_bytes)
                except WorkerCannotStart as error:
                    self._failed_starts += not self._held
                    log("worker-cannot-start", Severity.WARNING, workers=self._held, detail=error)
                    if self._failed_starts >= STARTS_MAX:
                        raise WorkersBroken(f"no parser process can be started: {error}") from error
                await trio.sleep(START_PAUSE_S)

    async def _enter(self, stack: AsyncExitStack, memory_bytes: float) -> Worker:
        prepared, self._prepared = self._prepared, None
        if prepared is not None:
            await prepared.wait()  # it is ready sooner than another that starts now
        async with AsyncExitStack() as entered:
            worker = await entered.enter_async_context(self._workers.take(memory_bytes))
            self._held += 1
            self._failed_starts = 0
            stack.callback(self._give_back)
            stack.push_async_exit(entered.pop_all())
        return worker

    def _give_back(self) -> None:
        self._held -= 1
