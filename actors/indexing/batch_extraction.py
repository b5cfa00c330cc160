"""Has the files of a round read: several batches are with the parser pool at a time, as long as memory lasts.

Results go to the store at once and, in a first build, into partial maps.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence, Set
from contextlib import suppress
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
    FindShared,
    KeepFacts,
    LookUp,
    MayAsk,
    Outcome,
    Parsed,
    PoolMessage,
    Shared,
    ShareFacts,
    SharerMessage,
    Skipped,
    StoreMessage,
    Unavailable,
    Unparsed,
    Willing,
)
from actors.ports import Ports
from codemap.extract.skipped_files import SkipReason

S = TypeVar("S")

SHARED_MIN_FILES = 32
"""Files of a round after the first from which the shared store is asked: fewer are parsed in less time than it takes
to ask, and an edit is nobody else's yet."""

FULL = "the map takes all the memory that it may"

Show = Callable[[Mapping[str, Parsed]], Awaitable[None]]
"""Receives what was parsed so far."""


class BatchExtraction(msgspec.Struct, Generic[S], frozen=True):
    """Sends jobs to the parser pool and passes parsed facts on to the store."""

    pool: Address[PoolMessage]
    store: Address[StoreMessage] | None
    sharer: Address[SharerMessage] | None
    """Shares facts with other machines; None: nobody does."""
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
        is_shared = self.sharer is not None and (show is not None or total >= SHARED_MIN_FILES)
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
                outcomes.update(await (self._read(batch) if is_shared else self._extract(batch)))
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

    async def _extract(self, batch: Sequence[FileJob]) -> dict[str, Outcome]:
        """Has a batch extracted, and offers what was parsed to the stores. Raises ActorDied when the pool fails."""
        answer = await self.pool.ask(Extract(tuple(batch)))
        if isinstance(answer, Unavailable):
            raise ActorDied("parser pool", answer.reason)
        outcomes = {job.path: one for job, one in zip(batch, answer.outcomes, strict=True)}
        self._offer(outcomes)
        return outcomes

    async def _read(self, batch: Sequence[FileJob]) -> dict[str, Outcome]:
        """Reads a batch: facts that are in no store of this machine come from the shared one, and what is in none is
        parsed. Raises ActorDied when the pool fails."""
        willing = await self._ask_whether_willing()
        if willing is None:
            outcomes = await self._extract(batch)
            self._share(outcomes)
            return outcomes
        answer = await self.pool.ask(LookUp(tuple(batch), willing.has_marks))
        if isinstance(answer, Unavailable):
            raise ActorDied("parser pool", answer.reason)
        read = {job.path: one for job, one in zip(batch, answer.outcomes, strict=True)}
        outcomes = {path: one for path, one in read.items() if one is not None and not isinstance(one, Unparsed)}
        wanted = {path: one for path, one in read.items() if isinstance(one, Unparsed)}
        shared = await self._find_shared(wanted) if wanted else {}
        self._offer(shared)
        rest = [job for job in batch if job.path not in outcomes and job.path not in shared]
        parsed = await self._extract(rest) if rest else {}
        self._share(outcomes | parsed)
        return outcomes | shared | parsed

    async def _ask_whether_willing(self) -> Willing | None:
        """Asks whether the shared store is asked now; None: it is not."""
        assert self.sharer is not None
        with suppress(ActorDied):
            answer = await self.sharer.ask(MayAsk())
            return answer if isinstance(answer, Willing) and answer.is_willing else None
        return None

    async def _find_shared(self, wanted: Mapping[str, Unparsed]) -> dict[str, Outcome]:
        assert self.sharer is not None
        with suppress(ActorDied):
            answer = await self.sharer.ask(FindShared(wanted))
            if isinstance(answer, Shared):
                return {
                    path: Parsed(wanted[path].stat, wanted[path].digest, wanted[path].is_settled, facts)
                    for path, facts in answer.found.items()
                }
        return {}

    def _offer(self, outcomes: Mapping[str, Outcome]) -> None:
        """Offers facts to the store; what it has no room for it finds in the next snapshot."""
        if self.store is not None:
            pairs = outcomes.items()
            parsed = tuple((path, one) for path, one in pairs if isinstance(one, Parsed) and not one.is_stored)
            if parsed:
                self.store.offer(KeepFacts(parsed))

    def _share(self, outcomes: Mapping[str, Outcome]) -> None:
        """Offers facts of this machine to the others."""
        assert self.sharer is not None
        parsed = tuple((path, one) for path, one in outcomes.items() if isinstance(one, Parsed))
        if parsed:
            self.sharer.offer(ShareFacts(parsed))
