"""Runs the jobs of a parser process: files in by path, their facts out as msgpack.

The worker reads the files itself, so that contents cross no pipe. Nothing heavy may be imported here, directly or not:
no trio, no numpy, no protocol library; a worker's memory counts once per core.

Rules of the file:
- A file that is wrong in any way is an outcome of its own and leaves the others of its batch alone.
"""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Callable, Collection, Iterable, Sequence
from functools import partial

import msgspec

from actors.database.stored_facts import StoredFacts, stored_facts
from actors.files.reading import digest_of, read_file
from actors.messaging.messages import FileJob, FileStat, Outcome, Parsed, Same, Skipped, Unparsed
from actors.processes.resident_memory import resident_bytes
from actors.workers.measuring import measure_files
from actors.workers.memory_limit import limit_memory
from actors.workers.name_search import seek_names
from actors.workers.per_file_failures import Failure, attempt
from actors.workers.syntax_reading import read_syntax
from actors.workers.versions import read_versions
from actors.workers.word_search import scan_files
from codemap.extract.extract import extract
from codemap.extract.skipped_files import HEAD_BYTES, SkipReason, normalize, skip_reason
from codemap.occurrences.word_marks import marks_of
from codemap.packed.packed_facts import pack_facts
from codemap.syntax import SyntaxWanted

RESIDENT_MAX_BYTES = 400_000_000
"""A worker that uses more is replaced, as freed memory seldom goes back. Ordinary sources need a quarter of it."""

START_BYTES = 40_000_000
"""Memory of a process besides its files: a third when it starts, the rest once it has met some languages."""

BYTES_A_BYTE = 120
"""Memory per source byte: 35 to 80 in Python, TypeScript and Go, 105 in Rust; 450 where each byte is a statement."""

LEAST_BYTES_A_BYTE = 20
MOST_BYTES_A_BYTE = 450

_encoder = msgspec.msgpack.Encoder()

Make = Callable[[str, bytes, FileStat, bytes, bool], "Outcome | Unparsed"]
"""Makes the outcome of a file whose facts are not in the store: path, content, stat, digest, whether it is settled."""


class Job(msgspec.Struct, frozen=True, array_like=True):
    """A batch of files. Paths are bytes: a name need not be UTF-8."""

    root: bytes
    files: tuple[tuple[bytes, bytes], ...]
    """(path, known digest)."""
    max_bytes: int
    """Size limit of one file, in bytes."""
    store: bytes = b""
    """Path of a database to look facts up in; empty: none."""
    maker: bytes = b""
    """Maker whose facts may be used."""
    memory_bytes: int = 0
    """Memory limit of the process for this job; 0: none."""
    word: str = ""
    """What to look for in the files; empty: their facts are wanted."""
    time_s: float = 0.0
    """Seconds for a search, or for measuring."""
    is_search: bool = False
    """Whether to look for names: `names` in every file, or for each file its own."""
    names: tuple[str, ...] = ()
    names_of_each: tuple[tuple[str, ...], ...] = ()
    syntax: SyntaxWanted | None = None
    """What to find of the definitions of one file."""
    is_for_measures: bool = False
    """Whether to measure the complexity of functions."""
    sources: tuple[tuple[bytes, bytes], ...] = ()
    """(path, content) of versions to read instead."""
    is_lookup: bool = False
    """Whether to parse nothing, and report what is not in the store as `Unparsed`."""
    has_marks: bool = False
    """Whether to report the marks of that, too."""
    kept: tuple[SkipReason, ...] = ()
    """Reasons to skip files that the settings lift; see `skip_reason`."""
    contents: tuple[tuple[bytes, bytes], ...] = ()
    """(path, content) of files to extract from what is given instead."""


_job = msgspec.msgpack.Decoder(Job)


def files_of(jobs: Iterable[FileJob]) -> tuple[tuple[bytes, bytes], ...]:
    """Converts files to the form in a `Job`."""
    return tuple((os.fsencode(job.path), job.known) for job in jobs)


def run(body: bytes) -> bytes:
    """Runs a packed job; returns the packed answer."""
    job = _job.decode(body)
    limit_memory(job.memory_bytes)
    if job.sources:
        return read_versions([(os.fsdecode(path), content) for path, content in job.sources], job.max_bytes, job.kept)
    if job.contents:
        return extract_contents((os.fsdecode(path), content) for path, content in job.contents)
    root, paths = os.fsdecode(job.root), [path for path, _ in job.files]
    if job.word:
        return scan_files(root, paths, job.max_bytes, job.word, job.time_s)
    if job.is_for_measures:
        return measure_files(root, paths, job.max_bytes, job.time_s, job.kept)
    if job.is_search:
        return seek_names(root, paths, job.max_bytes, job.names, job.names_of_each, job.time_s)
    if job.syntax is not None:
        return read_syntax(root, os.fsdecode(paths[0]), job.max_bytes, job.syntax)
    files = [(os.fsdecode(path), known) for path, known in job.files]
    make = partial(_unparsed, has_marks=job.has_marks) if job.is_lookup else _parsed
    return extract_files(root, files, job.max_bytes, os.fsdecode(job.store), job.maker, job.kept, make)


def expected_bytes(jobs: Iterable[FileJob]) -> int:
    """Estimates the memory that a process needs for some files; few need more, and none that are source code."""
    return START_BYTES + BYTES_A_BYTE * sum(max(job.stat.size, 0) for job in jobs)


def least_bytes(job: FileJob) -> int:
    """Estimates the least memory that a process needs for a file."""
    return LEAST_BYTES_A_BYTE * max(job.stat.size, 0)


def most_bytes(job: FileJob) -> int:
    """Estimates the most memory that a process needs for a file."""
    return START_BYTES + MOST_BYTES_A_BYTE * max(job.stat.size, 0)


def is_spent() -> bool:
    """Whether the worker has grown so large that a new one should take its place."""
    return resident_bytes() > RESIDENT_MAX_BYTES


def extract_files(
    root: str,
    jobs: Sequence[tuple[str, bytes]],
    max_bytes: int,
    store: str = "",
    maker: bytes = b"",
    kept: Collection[SkipReason] = (),
    make: Make | None = None,
) -> bytes:
    """Extracts `(path, known digest)` jobs; the answer is a msgpack array of `Outcome`, in the same order.

    Contents whose facts are in the database `store`, by the same `maker`, are not parsed. No path: no store. `make`
    makes the outcome of the other ones; None: they are parsed.
    """
    with stored_facts(store, maker) as stored:
        outcomes = (
            (path, _outcome(root, path, known, max_bytes, stored, kept, make or _parsed)) for path, known in jobs
        )
        packed = [msgspec.Raw(_packed(outcome, path)) for path, outcome in outcomes]
    _forget_garbage()
    return _encoder.encode(packed)


def extract_contents(files: Iterable[tuple[str, bytes]]) -> bytes:
    """Extracts `(path, content)` files: a msgpack array of packed facts, empty for a file that a language plug-in
    fails over."""
    packed = [_packed_facts(path, content) for path, content in files]
    _forget_garbage()
    return _encoder.encode(packed)


def _packed_facts(path: str, content: bytes) -> bytes:
    result = attempt(lambda: pack_facts(extract(path, normalize(content))))
    if isinstance(result, Failure):
        _log_failure(path, result.error)
        return b""
    return result.value


def _forget_garbage() -> None:
    gc.collect()
    gc.freeze()  # what is left is there to stay: tables of the languages met, loaded for the first of their files


def _packed(outcome: Outcome | Unparsed, path: str) -> bytes:
    result = attempt(_encoder.encode, outcome)
    if isinstance(result, Failure):
        return _encoder.encode(_failed(path, outcome.stat, outcome.digest, outcome.is_settled, result.error))
    return result.value


def _outcome(
    root: str, path: str, known: bytes, max_bytes: int, stored: StoredFacts, kept: Collection[SkipReason], make: Make
) -> Outcome | Unparsed:
    read = read_file(root, path, max_bytes)
    if isinstance(read, Skipped):
        return read
    at, content, settled = read
    digest = digest_of(content)
    if digest == known:
        return Same(at, digest, settled)
    reason = skip_reason(path, content[:HEAD_BYTES], len(content), max_bytes=max_bytes, kept=kept)
    if reason is not None:
        return Skipped(at, digest, settled, reason)
    facts = stored.find(path, digest)
    if facts is not None:
        return Parsed(at, digest, settled, facts, is_stored=True)
    return make(path, content, at, digest, settled)


def _unparsed(_path: str, content: bytes, at: FileStat, digest: bytes, settled: bool, *, has_marks: bool) -> Unparsed:
    return Unparsed(at, digest, settled, marks_of(normalize(content)) if has_marks else b"")


def _parsed(path: str, content: bytes, at: FileStat, digest: bytes, settled: bool) -> Outcome:
    result = attempt(lambda: pack_facts(extract(path, normalize(content))))
    if isinstance(result, Failure):
        return _failed(path, at, digest, settled, result.error)
    return Parsed(at, digest, settled, result.value)


def _failed(path: str, at: FileStat, digest: bytes, settled: bool, error: BaseException) -> Skipped:
    """Reports a failure of a language plug-in, with the content that caused it."""
    _log_failure(path, error)
    detail = f"{type(error).__name__}: {error}"[:200].encode(errors="replace").decode()
    return Skipped(at, digest, settled, SkipReason.UNPARSABLE, detail)


def _log_failure(path: str, error: BaseException) -> None:
    sys.stderr.write(f"event=extract-failed path={path!a} error={type(error).__name__}\n")
