"""Groups files into batches for the worker processes.

A round trip costs about as much as parsing a small file, so small files travel together; large ones travel alone and
first, so that none is left to run alone at the end.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Set

from actors.messaging.messages import FileJob

BATCH_BYTES = 262_144
"""Source bytes of a batch: a tenth of a second of work, so that a lost batch and its retries cost little."""

BATCH_FILES = 64


class Queue(Iterator[tuple[FileJob, ...]]):
    """A queue of batches; files can be moved to its front."""

    def __init__(self, jobs: Iterable[FileJob]) -> None:
        self._batches = deque(batches(jobs))

    def __next__(self) -> tuple[FileJob, ...]:
        if not self._batches:
            raise StopIteration
        return self._batches.popleft()

    def take_more(self, batch: tuple[FileJob, ...], takers: int, max_bytes: int) -> tuple[FileJob, ...]:
        """Adds the next batches to one, as long as it stays below a size and no taker is left without."""
        size = sum(job.stat.size for job in batch)
        for _ in range(len(self._batches) // takers):
            size += sum(job.stat.size for job in self._batches[0])
            if size > max_bytes:
                break
            batch += self._batches.popleft()
        return batch

    @property
    def paths(self) -> list[str]:
        """Paths that are still queued, in order."""
        return [job.path for batch in self._batches for job in batch]

    def bring_forward(self, paths: Set[str]) -> None:
        """Moves files to the front, as far as they are still queued."""
        first = [job for batch in self._batches for job in batch if job.path in paths]
        others = [tuple(job for job in batch if job.path not in paths) for batch in self._batches]
        self._batches = deque([*batches(first), *filter(None, others)])


def batches(
    jobs: Iterable[FileJob], *, max_bytes: int = BATCH_BYTES, max_files: int = BATCH_FILES
) -> list[tuple[FileJob, ...]]:
    """Groups jobs into batches: the large ones alone, largest first, then the others in the order given."""
    large: list[FileJob] = []
    small: list[tuple[FileJob, ...]] = []
    batch: list[FileJob] = []
    room = max_bytes
    for job in jobs:
        size = job.stat.size
        if size >= max_bytes:
            large.append(job)
            continue
        if batch and (size > room or len(batch) >= max_files):
            small.append(tuple(batch))
            batch, room = [], max_bytes
        batch.append(job)
        room -= size
    if batch:
        small.append(tuple(batch))
    large.sort(key=lambda job: -job.stat.size)
    return [(job,) for job in large] + small
