"""What runs on a worker of a Dask cluster: it takes a batch of files to a parser process of that machine.

Dask's workers import it by name, so that they need codemap; which version they have is compared before anything is
parsed. Bytes come in and go out, so that nothing of codemap's own is ever pickled.

Rules of the file:
- No Trio, and nothing of Dask: it runs on a thread of Dask's worker.
- What it cannot do is left out of the answer, and done where the build runs.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

import msgspec

from actors.cluster.parser_child import ChildEnded, ParserChild
from actors.database.store_location import facts_maker
from actors.database.stored_facts import facts_key
from actors.files.reading import digest_of, read_file
from actors.indexing.sources.batches import BATCH_BYTES
from actors.messaging.messages import Skipped
from actors.workers.extraction import Job
from codemap.cluster.jobs import ClusterAnswer, ClusterFile, ClusterJob, read_job, source_name
from codemap.extract.extract import dialect_of
from codemap.shared_facts.entries import Content, seal

_pack = msgspec.msgpack.Encoder().encode
_packed_facts = msgspec.msgpack.Decoder(tuple[bytes, ...])


def parse(packed: bytes) -> bytes:
    """Runs a packed `ClusterJob`: a packed `ClusterAnswer`. Raises BadAnswer for what is no job."""
    job = read_job(packed)
    maker = facts_maker()
    if job.maker != maker:
        return _pack(ClusterAnswer(maker, why="it has another version"))
    contents = [_content(job, file) for file in job.files]
    there = [(file.path, content) for file, content in zip(job.files, contents, strict=True) if content is not None]
    absent = len(contents) - len(there)
    if not there:
        return _pack(ClusterAnswer(maker, absent=absent))
    try:
        with _child() as child:
            packed = child.ask(_pack(Job(b"", (), job.max_bytes, contents=tuple(there))), _limit_s(job, there))
            found = iter(_packed_facts.decode(packed))
    except (ChildEnded, OSError) as error:
        return _pack(ClusterAnswer(maker, absent=absent, why=str(error)))
    sealed = [
        _sealed(job, file, next(found)) if content is not None else b""
        for file, content in zip(job.files, contents, strict=True)
    ]
    return _pack(ClusterAnswer(maker, tuple(sealed), absent))


def _content(job: ClusterJob, file: ClusterFile) -> bytes | None:
    """The content that was meant; None where the checkout has another or none."""
    content = file.content
    if content is None:
        read = read_file(os.fsdecode(job.checkout), os.fsdecode(file.path), job.max_bytes)
        content = b"" if isinstance(read, Skipped) else read[1]
    return content if digest_of(content) == file.digest else None


def _limit_s(job: ClusterJob, there: list[tuple[bytes, bytes]]) -> float:
    """How long files may take: several batches' time where several were put together."""
    return job.time_limit_s * max(1.0, sum(len(content) for _, content in there) / BATCH_BYTES)


def _sealed(job: ClusterJob, file: ClusterFile, packed: bytes) -> bytes:
    if not packed:
        return b""
    name = source_name(facts_key(job.maker, dialect_of(os.fsdecode(file.path)), file.digest))
    return seal(name, Content.FACTS, packed, job.key)


@cache
def _idle() -> deque[ParserChild]:
    """The parser processes of this worker that have nothing to do; there are never more than it has threads."""
    return deque()


@contextmanager
def _child() -> Iterator[ParserChild]:
    """Reserves a parser process, and starts one where none is idle. Raises ChildEnded."""
    child = None
    idle = _idle()
    while idle and child is None:
        child = idle.pop()
        if not child.is_usable:
            child.close()
            child = None
    child = child or ParserChild()
    try:
        yield child
    finally:
        if child.is_usable:
            idle.append(child)
        else:
            child.close()
