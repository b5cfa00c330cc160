"""Measures how complex the functions of files are, in a parser process.

Rules of the file:
- It ends by itself when its time is up, so that a process need not be killed for it.
- A file that cannot be read or parsed, or that is not to be indexed, has no measures.
"""

from __future__ import annotations

import os
import time
from collections.abc import Collection, Sequence

import msgspec

from actors.files.reading import digest_of, read_file
from actors.messaging.messages import MeasuredFile, MeasuresRead, Skipped
from actors.workers.per_file_failures import Failure, attempt
from codemap.extract.complexity import measure
from codemap.extract.skipped_files import HEAD_BYTES, SkipReason, normalize, skip_reason

_pack = msgspec.msgpack.Encoder().encode


def measure_files(
    root: str, paths: Sequence[bytes], max_bytes: int, time_s: float, kept: Collection[SkipReason]
) -> bytes:
    """Measures files in order until the time is up: a packed `MeasuresRead`."""
    until = time.monotonic() + time_s
    found: list[MeasuredFile] = []
    for place, path in enumerate(map(os.fsdecode, paths)):
        if time.monotonic() > until:
            return _pack(MeasuresRead(tuple(found), tuple(map(os.fsdecode, paths[place:]))))
        measured = _measured(root, path, max_bytes, kept)
        found += [measured] if measured is not None else []
    return _pack(MeasuresRead(tuple(found), ()))


def _measured(root: str, path: str, max_bytes: int, kept: Collection[SkipReason]) -> MeasuredFile | None:
    read = read_file(root, path, max_bytes)
    if isinstance(read, Skipped):
        return None
    _, content, _ = read
    if skip_reason(path, content[:HEAD_BYTES], len(content), max_bytes=max_bytes, kept=kept) is not None:
        return None
    result = attempt(measure, path, normalize(content))
    return None if isinstance(result, Failure) else MeasuredFile(path, digest_of(content), result.value)
