"""What a worker process runs: files in by path, their facts out as msgpack.

The worker reads the files itself, so that contents cross no pipe. Nothing heavy may be imported here, directly or not:
no trio, no numpy, no protocol library; a worker's memory counts once per core.

Rules of the file:
- A file that is wrong in any way is an outcome of its own and leaves the others of its batch alone.
"""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Sequence

import msgspec
from outcome import Error, capture

from actors.messages import FileStat, Outcome, Parsed, Same, Skipped
from actors.reading import digest_of, read_file
from actors.resident import resident_bytes
from actors.stored_facts import StoredFacts, stored_facts
from codemap.extract.extract import extract
from codemap.extract.skip import HEAD_BYTES, SkipReason, normalize, skip_reason

RESIDENT_MAX_BYTES = 400_000_000
"""A worker that holds more is replaced: freed memory seldom goes back. Ordinary sources need a quarter of it."""

_encoder = msgspec.msgpack.Encoder()


NICENESS = 10
"""Workers step back behind whoever answers calls, where there are fewer cores than work: a tenth of a core is left to
them beside a process that wants all of it."""


def start() -> None:
    """Prepares a fresh worker: it is polite, and what is loaded now is never garbage."""
    os.nice(NICENESS)
    gc.collect()
    gc.freeze()
    gc.disable()


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
    result = capture(_encoder.encode, outcome)
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
    result = capture(extract, path, normalize(content))
    if isinstance(result, Error):
        return _failed(path, at, digest, settled, result.error)
    return Parsed(at, digest, settled, result.value)


def _failed(path: str, at: FileStat, digest: bytes, settled: bool, error: BaseException) -> Skipped:
    """A fault of a language plug-in: told, and kept with the content that caused it."""
    sys.stderr.write(f"event=extract-failed path={path!a} error={type(error).__name__}\n")
    detail = f"{type(error).__name__}: {error}"[:200].encode(errors="replace").decode()
    return Skipped(at, digest, settled, SkipReason.UNPARSABLE, detail)
