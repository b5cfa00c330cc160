"""Facts about how complex files are: measured by parser processes, as far as there is time."""

from __future__ import annotations

import trio

from actors.messaging.messages import FileJob, FileStat
from actors.service.service import Service
from codemap.graph.model.snapshot import Snapshot
from codemap.live import Fact, Found, Measured

MEASURE_S = 10.0
"""For all files of a question: twenty megabytes of source code by two processes."""


async def measured_fact(service: Service[Snapshot], snapshot: Snapshot, question: Measured, deadline: float) -> Fact:
    """How complex the functions of indexed files are, by the clock of trio not later than that; those that changed are
    read anew."""
    changed = frozenset(question.changed)
    files = [snapshot.by_path[path] for path in question.files if path in snapshot.by_path]
    jobs = [
        FileJob(file.path, FileStat(file.size, 0), b"" if file.path in changed else file.stamp.digest) for file in files
    ]
    return Found(await service.measures.read(jobs, min(trio.current_time() + MEASURE_S, deadline)))
