"""Caches the measures of files by content: most calls ask for the same again."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable

import trio

from actors.messaging.inbox import ActorDied
from actors.messaging.messages import FileJob, MeasuresRead, ReadMeasures, Unavailable
from codemap.extract.extract import dialect_of
from codemap.measures import FileMeasures, Measuring

REMEMBERED_MAX = 400_000
"""Functions whose measures are cached: a hundred bytes each."""
BATCH_BYTES = 2_000_000
"""Source bytes that one parser process measures at a time: half a second of work."""

Ask = Callable[[ReadMeasures], Awaitable[MeasuresRead | Unavailable]]


class Measures:
    """A cache of measures by dialect and content."""

    def __init__(self, ask: Ask) -> None:
        """`ask` asks the parser pool, and raises ActorDied."""
        self._ask = ask
        self._known: dict[tuple[str, bytes], FileMeasures] = {}
        self._functions = 0

    async def read(self, jobs: Iterable[FileJob], by: float) -> Measuring:
        """Measures files until a deadline. A job with a `known` digest is not read where that content was measured
        before. When cancelled, what is measured already stays in the cache."""
        found: dict[str, tuple[bytes, FileMeasures]] = {}
        batches: list[list[FileJob]] = []
        room = 0
        for job in jobs:
            known = self._known.get((dialect_of(job.path), job.known)) if job.known else None
            if known is not None:
                found[job.path] = (job.known, known)
                continue
            if not batches or room <= 0:
                batches.append([])
                room = BATCH_BYTES
            batches[-1].append(job)
            room -= max(job.stat.size, 0)
        unseen = 0

        async def ask(batch: list[FileJob]) -> None:
            nonlocal unseen
            try:
                answer = await self._ask(ReadMeasures(tuple(batch), by))
            except ActorDied:
                answer = MeasuresRead((), tuple(job.path for job in batch))
            if not isinstance(answer, MeasuresRead):
                unseen += len(batch)
                return
            unseen += len(answer.unseen)
            for one in answer.files:
                found[one.path] = (one.digest, one.measures)
                self._remember((dialect_of(one.path), one.digest), one.measures)

        async with trio.open_nursery() as nursery:
            for batch in batches:
                nursery.start_soon(ask, batch)
        return Measuring(found, unseen)

    def _remember(self, key: tuple[str, bytes], measures: FileMeasures) -> None:
        if key not in self._known:
            self._functions += 1 + len(measures.functions)
        self._known[key] = measures
        while self._functions > REMEMBERED_MAX and len(self._known) > 1:
            self._functions -= 1 + len(self._known.pop(next(iter(self._known))).functions)
