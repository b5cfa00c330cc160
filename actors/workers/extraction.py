"""What a parser process does with a job: files in by path, their facts out as msgpack.

The worker reads the files itself, so that contents cross no pipe. Nothing heavy may be imported here, directly or not:
no trio, no numpy, no protocol library; a worker's memory counts once per core.

Rules of the file:
- A file that is wrong in any way is an outcome of its own and leaves the others of its batch alone.
"""

from __future__ import annotations

import gc
import os
import resource
import sys
from collections.abc import Iterable, Sequence
from contextlib import suppress

import msgspec
from outcome import Error

from actors.database.facts import StoredFacts, stored_facts
from actors.files.reading import digest_of, read_file
from actors.messaging.messages import FileJob, FileStat, Outcome, Parsed, Same, Skipped
from actors.processes.resident import resident_bytes
from actors.workers.attempt import attempt
from actors.workers.measuring import measure_files
from actors.workers.scanning import scan_files
from actors.workers.seeking import seek_names
from actors.workers.syntax_reading import read_syntax
from actors.workers.versions import read_versions
from codemap.extract.extract import extract
from codemap.extract.skip import HEAD_BYTES, SkipReason, normalize, skip_reason

RESIDENT_MAX_BYTES = 400_000_000
"""A worker that holds more is replaced: freed memory seldom goes back. Ordinary sources need a quarter of it."""

START_BYTES = 40_000_000
"""What a process takes besides its files: a third when it starts, the rest once it has met some languages."""

BYTES_A_BYTE = 120
"""Of source: 35 to 80 in Python, TypeScript and Go, 105 in Rust; 450 where each byte is a statement."""

LEAST_BYTES_A_BYTE = 20

_encoder = msgspec.msgpack.Encoder()


class Job(msgspec.Struct, frozen=True, array_like=True):
    """A batch of files. Paths are bytes: a name need not be UTF-8."""

    root: bytes
    files: tuple[tuple[bytes, bytes], ...]
    """(path, known digest)."""
    max_bytes: int
    """Of one file."""
    store: bytes = b""
    """Path of the database in which facts may stand; empty: there is none."""
    maker: bytes = b""
    """Of the facts that count there."""
    memory_bytes: int = 0
    """What the process may take while it works at these; 0: as much as there is."""
    word: str = ""
    """What to look for in the files; empty: their facts are wanted."""
    time_s: float = 0.0
    """For that look, or for measuring."""
    is_search: bool = False
    """Whether names are sought: `names` in every file, or of each file its own."""
    names: tuple[str, ...] = ()
    names_of_each: tuple[tuple[str, ...], ...] = ()
    is_for_syntax: bool = False
    """Whether where the parts of definitions lie is wanted, of one file."""
    is_for_measures: bool = False
    """Whether how complex the functions of the files are is wanted."""
    sources: tuple[tuple[bytes, bytes], ...] = ()
    """(path, content) of versions to read instead."""


_job = msgspec.msgpack.Decoder(Job)


def files_of(jobs: Iterable[FileJob]) -> tuple[tuple[bytes, bytes], ...]:
    """The files as a `Job` has them."""
    return tuple((os.fsencode(job.path), job.known) for job in jobs)


def run(body: bytes) -> bytes:
    """The answer to a job, both packed."""
    job = _job.decode(body)
    _limit_memory(job.memory_bytes)
    if job.sources:
        return read_versions([(os.fsdecode(path), content) for path, content in job.sources], job.max_bytes)
    root, paths = os.fsdecode(job.root), [path for path, _ in job.files]
    if job.word:
        return scan_files(root, paths, job.max_bytes, job.word, job.time_s)
    if job.is_for_measures:
        return measure_files(root, paths, job.max_bytes, job.time_s)
    if job.is_search:
        return seek_names(root, paths, job.max_bytes, job.names, job.names_of_each, job.time_s)
    if job.is_for_syntax:
        return read_syntax(root, os.fsdecode(paths[0]), job.max_bytes)
    files = [(os.fsdecode(path), known) for path, known in job.files]
    return extract_files(root, files, job.max_bytes, os.fsdecode(job.store), job.maker)


def expected_bytes(jobs: Iterable[FileJob]) -> int:
    """What a process is likely to take for some files; few take more, and none of those that are source code."""
    return START_BYTES + BYTES_A_BYTE * sum(max(job.stat.size, 0) for job in jobs)


def least_bytes(job: FileJob) -> int:
    """What it takes for a file at least."""
    return LEAST_BYTES_A_BYTE * max(job.stat.size, 0)


def _limit_memory(most: int) -> None:
    _, hard = resource.getrlimit(resource.RLIMIT_DATA)
    soft = min(most or hard, most if hard == resource.RLIM_INFINITY else hard)
    with suppress(OSError, ValueError):  # not every system has this limit
        resource.setrlimit(resource.RLIMIT_DATA, (soft, hard))


def is_spent() -> bool:
    """Whether the worker has grown so large that a new one should take its place."""
    return resident_bytes() > RESIDENT_MAX_BYTES


def extract_files(
    root: str, jobs: Sequence[tuple[str, bytes]], max_bytes: int, store: str = "", maker: bytes = b""
) -> bytes:
    """Extracts `(path, known digest)` jobs; the answer is a msgpack array of `Outcome`, in the same order.

    Contents whose facts are in the database `store`, by the same `maker`, are not parsed. No path: no store.
    """
    with stored_facts(store, maker) as stored:
        packed = [msgspec.Raw(_packed(_outcome(root, path, known, max_bytes, stored), path)) for path, known in jobs]
    gc.collect()
    gc.freeze()  # what is left is there to stay: tables of the languages met, loaded for the first of their files
    return _encoder.encode(packed)


class _Found(msgspec.Struct, frozen=True, array_like=True, tag=0, gc=False):
    """A `Parsed` whose facts come as they were stored."""

    stat: FileStat
    digest: bytes
    is_settled: bool
    facts: msgspec.Raw
    is_stored: bool = True


def _packed(outcome: Outcome | _Found, path: str) -> bytes:
    result = attempt(_encoder.encode, outcome)
    if isinstance(result, Error):
        return _encoder.encode(_failed(path, outcome.stat, outcome.digest, outcome.is_settled, result.error))
    return result.value


def _outcome(root: str, path: str, known: bytes, max_bytes: int, stored: StoredFacts) -> Outcome | _Found:
    read = read_file(root, path, max_bytes)
    if isinstance(read, Skipped):
        return read
    at, content, settled = read
    digest = digest_of(content)
    if digest == known:
        return Same(at, digest, settled)
    reason = skip_reason(path, content[:HEAD_BYTES], len(content), max_bytes=max_bytes)
    if reason is not None:
        return Skipped(at, digest, settled, reason)
    facts = stored.find(path, digest)
    if facts is not None:
        return _Found(at, digest, settled, msgspec.Raw(facts))
    result = attempt(extract, path, normalize(content))
    if isinstance(result, Error):
        return _failed(path, at, digest, settled, result.error)
    return Parsed(at, digest, settled, result.value)


def _failed(path: str, at: FileStat, digest: bytes, settled: bool, error: BaseException) -> Skipped:
    """A fault of a language plug-in: reported, and kept with the content that caused it."""
    sys.stderr.write(f"event=extract-failed path={path!a} error={type(error).__name__}\n")
    detail = f"{type(error).__name__}: {error}"[:200].encode(errors="replace").decode()
    return Skipped(at, digest, settled, SkipReason.UNPARSABLE, detail)
