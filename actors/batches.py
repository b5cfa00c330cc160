"""How files are grouped into jobs for the worker processes.

A round trip costs about as much as parsing a small file, so small files travel together; large ones travel alone and
first, so that none is left to run alone at the end.
"""

from __future__ import annotations

from collections.abc import Iterable

from actors.messages import FileJob

BATCH_BYTES = 262_144
"""A tenth of a second of work: little enough that a lost batch and its retries cost nothing that shows."""

BATCH_FILES = 64


def batches(
    jobs: Iterable[FileJob], *, max_bytes: int = BATCH_BYTES, max_files: int = BATCH_FILES
) -> list[tuple[FileJob, ...]]:
    """The jobs in batches, each job once: the large ones alone, largest first, then the others in the order given."""
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
