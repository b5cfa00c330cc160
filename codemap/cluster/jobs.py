"""What a cluster is sent and answers: batches of files there, their facts back, as entries of a shared store.

Each build has a key of its own, which travels with its jobs. It seals facts together with the name of their source,
which holds the digest of the content and the code that extracts: facts of another file, batch, build or version are
not accepted, whoever mixed them up. It proves nothing against a worker that lies: the user chose whom to ask.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeVar

import msgspec

from codemap.facts import FileFacts
from codemap.packed.unpacking import unpack
from codemap.shared_facts.acceptance import accept_facts
from codemap.shared_facts.entries import Content, Refusal, entry_name

T = TypeVar("T")

KEY_BYTES = 32


class ClusterFile(msgspec.Struct, frozen=True, array_like=True, gc=False):
    path: bytes
    digest: bytes
    content: bytes | None = None
    """None: whoever reads it finds it by its path in a checkout."""


class ClusterJob(msgspec.Struct, frozen=True, array_like=True):
    """To a worker of a cluster: parse one batch of files."""

    maker: bytes
    """Identifies the code that must extract."""
    key: bytes
    files: tuple[ClusterFile, ...]
    checkout: bytes
    """Folder of files that come without content."""
    max_bytes: int
    """Size limit of one file, in bytes."""
    time_limit_s: float
    """Of the batch."""


class ClusterAnswer(msgspec.Struct, frozen=True, array_like=True):
    maker: bytes
    """Identifies the code that did extract, or would have."""
    sealed: tuple[bytes, ...] = ()
    """Sealed facts in the order of the files, empty for one that was not parsed; none where none was."""
    absent: int = 0
    """Files that are not in the checkout with the content that was meant."""
    why: str = ""
    """Why files were not parsed, as a clause."""


class BadAnswer(ValueError):
    """The bytes are no answer to the job; the message says why, as a clause."""


_jobs = msgspec.msgpack.Decoder(ClusterJob)
_answers = msgspec.msgpack.Decoder(ClusterAnswer)


def read_job(packed: bytes) -> ClusterJob:
    """Unpacks a job. Raises BadAnswer."""
    return _read(_jobs, packed)


def read_answer(packed: bytes, count: int, maker: bytes) -> ClusterAnswer:
    """Unpacks the answer to a job of `count` files. Raises BadAnswer, also for one of another version."""
    answer = _read(_answers, packed)
    if answer.maker != maker:
        raise BadAnswer("its workers have another version of codemap or of its parsers")
    if len(answer.sealed) not in (0, count):
        raise BadAnswer(f"it answered {len(answer.sealed)} files for {count}")
    return answer


def accept_each(names: Sequence[str], answer: ClusterAnswer, key: bytes) -> Iterator[FileFacts | Refusal | None]:
    """The facts of each file by the name of its source, or why they do not count; None: it was not parsed. Each is
    unpacked when it is taken."""
    for name, one in zip(names, answer.sealed or (b"",) * len(names), strict=True):
        yield accept_facts(name, Content.FACTS, one, key) if one else None


def source_name(key: bytes) -> str:
    """The name under which facts are sealed; `key` identifies source and maker, see `facts_key`."""
    return entry_name(Content.FACTS, key)


def _read(decoder: msgspec.msgpack.Decoder[T], packed: bytes) -> T:
    try:
        return unpack(decoder, packed)
    except ValueError as error:
        raise BadAnswer(f"it answered something else ({error})") from error
