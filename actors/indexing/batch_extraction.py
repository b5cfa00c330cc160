"""Has the files of a round parsed: several batches are with the parser pool at a time, as long as memory lasts.

Results go to the store at once and, in a first build, into partial maps.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping, Set
from typing import Generic, TypeVar

import msgspec
import trio

from actors.indexing.batches import Queue
from actors.indexing.latest_snapshot import Building, Publisher
from actors.indexing.partial_maps import files_with, show_growing
from actors.messaging.inbox import ActorDied, Address
from actors.messaging.log import Severity, log
from actors.messaging.messages import (
    Extract,
    FileJob,
    KeepFacts,
    Outcome,
    Parsed,
    PoolMessage,
    Skipped,
    StoreMessage,
    Unavailable,
)
from actors.ports import Ports
from codemap.extract.skipped_files import SkipReason

S = TypeVar("S")

FULL = "the map takes all the memory that it may"

Show = Callable[[Mapping[str, Parsed]], Awaitable[None]]
"""Receives what was parsed so far."""


class BatchExtraction(msgspec.Struct, Generic[S], frozen=True):
    """Sends jobs to the parser pool and passes parsed facts on to the store."""

    pool: Address[PoolMessage]
    store: Address[StoreMessage] | None
    ports: Ports
    publisher: Publisher[S]
    parallel: int
    """Number of batches that the pool works on at the same time."""

    async def outcomes(self, jobs: list[FileJob], show: Show | None) -> dict[str, Outcome]:
        """Runs all jobs: the outcome of each, by path. Raises ActorDied when the pool fails."""
        outcomes: dict[str, Outcome] = {}
        total = len(jobs)
        memory = self.ports.memory
        own_before, is_full = memory.own(), False
        todo = Queue(jobs)
        self.publisher.report(Building("extract", 0, total))

        async def ask_for_batches() -> None:
            nonlocal is_full
            for batch in todo:
                if not is_full and not memory.has_room_for_facts(own_before):
                    is_full = True
                    log("map-full", Severity.WARNING, files=len(outcomes), of=total, own_mb=memory.own() // 1_000_000)
                if is_full:
                    outcomes.update((job.path, Skipped(job.stat, b"", True, SkipReason.MEMORY, FULL)) for job in batch)
                    continue
                answer = await self.pool.ask(Extract(batch))
                if isinstance(answer, Unavailable):
                    raise ActorDied("parser pool", answer.reason)
                paths = [job.path for job in batch]
                outcomes.update(zip(paths, answer.outcomes, strict=True))
                self._offer(paths, answer.outcomes)
                self.publisher.report(Building("extract", len(outcomes), total))

        async def bring_forward(text: str) -> Set[str]:
            found = set(await files_with(text, todo.paths, self.ports.read_files))
            todo.bring_forward(found)
            return found

        async with trio.open_nursery() as showing:
            if show is not None:
                showing.start_soon(show_growing, outcomes, total, show, self.publisher.take_wanted, bring_forward)
            async with trio.open_nursery() as nursery:
                for _ in range(min(self.parallel, total)):
                    nursery.start_soon(ask_for_batches)
            showing.cancel_scope.cancel()
        return outcomes

    def _offer(self, paths: Iterable[str], outcomes: Iterable[Outcome]) -> None:
        """Offers parsed facts to the store; what it has no room for it finds in the next snapshot."""
        if self.store is not None:
            pairs = zip(paths, outcomes, strict=True)
            parsed = tuple((path, one) for path, one in pairs if isinstance(one, Parsed) and not one.is_stored)
            if parsed:
                self.store.offer(KeepFacts(parsed))
