"""Finds how complex files are: measured by parser processes, as far as there is time."""

from __future__ import annotations

import trio

from actors.messaging.messages import FileJob, FileStat
from actors.service.service import Service
from codemap.graph.model.snapshot import Snapshot
from codemap.live_queries import Fact, Found, Measured

MEASURE_S = 10.0
"""Time limit for all files of a question: twenty megabytes of source code by two processes."""


async def measured_fact(service: Service[Snapshot], snapshot: Snapshot, question: Measured, deadline: float) -> Fact:
    """Measures the functions of indexed files until a deadline by Trio's clock; changed files are read again."""
    changed = frozenset(question.changed)
    files = [snapshot.by_path[path] for path in question.files if path in snapshot.by_path]
    jobs = [
        FileJob(file.path, FileStat(file.size, 0), b"" if file.path in changed else file.stamp.digest) for file in files
    ]
    return Found(await service.measures.read(jobs, min(trio.current_time() + MEASURE_S, deadline)))
