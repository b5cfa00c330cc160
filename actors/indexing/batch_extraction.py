"""Has the files of a round read: several batches are under way at a time, as long as memory lasts.

Results go to the store at once and, in a first build, into partial maps.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Set
from typing import Generic, TypeVar

import msgspec
import trio

from actors.indexing.latest_snapshot import Building, Publisher
from actors.indexing.partial_maps import files_with, show_growing
from actors.indexing.sources.batches import Queue
from actors.indexing.sources.fact_sources import ClusterOffer, FactSources
from actors.messaging.inbox import Address
from actors.messaging.log import Severity, log
from actors.messaging.messages import FileJob, Outcome, Parsed, PoolMessage, SharerMessage, Skipped, StoreMessage
from actors.ports import Ports
from codemap.extract.skipped_files import SkipReason

S = TypeVar("S")

SHARED_MIN_FILES = 32
"""Files of a round after the first from which the shared store is asked: fewer are parsed in less time than it takes
to ask, and an edit is nobody else's yet."""

FULL = "the map takes all the memory that it may"

CLUSTER_BATCH_BYTES = 1_048_576
"""Source bytes that travel together: a second of work."""

AHEAD = 2
"""Batches that are on their way to the cluster or back, or wait there, for each that it works on."""

Show = Callable[[Mapping[str, Parsed]], Awaitable[None]]
"""Receives what was parsed so far."""


class BatchExtraction(msgspec.Struct, Generic[S], frozen=True):
    """Sends jobs to the parser pool and passes parsed facts on to the store."""

    pool: Address[PoolMessage]
    store: Address[StoreMessage] | None
    sharer: Address[SharerMessage] | None
    """Shares facts with other machines; None: nobody does."""
    cluster: ClusterOffer | None
    """Parses files of large rounds; None: nobody but the pool does."""
    ports: Ports
    publisher: Publisher[S]
    parallel: int
    """Number of batches that the pool works on at the same time."""

    async def outcomes(self, jobs: list[FileJob], show: Show | None) -> dict[str, Outcome]:
        """Runs all jobs: the outcome of each, by path. Raises ActorDied when the pool fails."""
        reading = _Reading(self, jobs, self._sources(jobs, show))
        todo = reading.todo

        async def bring_forward(text: str) -> Set[str]:
            found = set(await files_with(text, todo.paths, self.ports.read_files))
            todo.bring_forward(found)
            return found

        async with trio.open_nursery() as showing:
            if show is not None:
                wanted = self.publisher.take_wanted
                showing.start_soon(show_growing, reading.outcomes, len(jobs), show, wanted, bring_forward)
            async with trio.open_nursery() as nursery:
                reading.grow(nursery, self.parallel)
            showing.cancel_scope.cancel()
        return reading.outcomes

    def _sources(self, jobs: list[FileJob], show: Show | None) -> FactSources:
        """Finds what is asked in this round."""
        is_shared = show is not None or len(jobs) >= SHARED_MIN_FILES
        size = sum(max(job.stat.size, 0) for job in jobs)
        cluster = self.cluster if self.cluster is not None and size >= self.cluster.round_min_bytes else None
        return FactSources(
            self.pool,
            self.store,
            self.sharer if is_shared else None,
            None if cluster is None else cluster.address,
        )


class _Reading(Generic[S]):
    """The reading of the files of one round.

    Nothing in it refers to itself: it holds all that was read, which would stay until a full collection.
    """

    def __init__(self, extraction: BatchExtraction[S], jobs: list[FileJob], sources: FactSources) -> None:
        self.todo = Queue(jobs)
        self.outcomes: dict[str, Outcome] = {}
        self._total = len(jobs)
        self._sources = sources
        self._memory = extraction.ports.memory
        self._own_before = self._memory.own()
        self._publisher = extraction.publisher
        self._at_work = 0
        self._is_full = False
        self._publisher.report(Building("extract", 0, self._total))

    def grow(self, nursery: trio.Nursery, most: int) -> None:
        """Has up to so many batches under way."""
        for _ in range(self._at_work, min(most, self._total)):
            self._at_work += 1
            nursery.start_soon(self._read_batches, nursery)

    async def _read_batches(self, nursery: trio.Nursery) -> None:
        room = await self._sources.room()
        for batch in self.todo:
            if self._is_out_of_memory():
                self.outcomes.update((job.path, Skipped(job.stat, b"", True, SkipReason.MEMORY, FULL)) for job in batch)
                continue
            self.grow(nursery, AHEAD * room)
            if room:
                batch = self.todo.take_more(batch, AHEAD * room, CLUSTER_BATCH_BYTES)
            self.outcomes.update(await self._sources.read(batch, room))
            self._publisher.report(Building("extract", len(self.outcomes), self._total))
            room = await self._sources.room()

    def _is_out_of_memory(self) -> bool:
        """Once it is, it stays so for the round."""
        if not self._is_full and not self._memory.has_room_for_facts(self._own_before):
            self._is_full = True
            own_mb = self._memory.own() // 1_000_000
            log("map-full", Severity.WARNING, files=len(self.outcomes), of=self._total, own_mb=own_mb)
        return self._is_full
