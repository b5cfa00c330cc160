"""The first message to the client of a cluster, and the jobs that the client makes of requests."""

from __future__ import annotations

import os
from collections.abc import Iterable
from enum import Enum

import msgspec

from actors.files.reading import digest_of, read_file
from actors.messaging.messages import Skipped
from codemap.cluster.jobs import BadAnswer, ClusterFile, ClusterJob, read_answer

_pack = msgspec.msgpack.Encoder().encode


class Missing(Enum):
    """Which files of a batch workers do not have in their checkout."""

    SOME = "some"
    ALL = "all"


class ClientSetup(msgspec.Struct, frozen=True, array_like=True):
    """The first frame to the client."""

    name: str
    """What its jobs are called: unlike those of any other client."""
    address: str
    """That of the scheduler, as Dask writes it."""
    is_encrypted: bool
    connect_s: float
    root: bytes
    template: ClusterJob
    """What all jobs have in common: they lack files."""

    def job(self, wanted: bytes, template: ClusterJob) -> bytes:
        """Makes the packed job for packed `(path, digest)` pairs: reads the files, unless workers have the checkout.

        A file that has changed since is sent empty: its digest says that it is not what was meant.
        """
        pairs = _wanted.decode(wanted)
        read = self._content if not template.checkout else _leave_out
        files = tuple(ClusterFile(path, digest, read(path, digest)) for path, digest in pairs)
        return _pack(msgspec.structs.replace(template, files=files))

    def missing(self, wanted: bytes, answer: bytes) -> Missing | None:
        """Which of the files of a job the workers did not have; None for an answer that says nothing of it."""
        count = len(_wanted.decode(wanted))
        try:
            absent = read_answer(answer, count, self.template.maker).absent
        except BadAnswer:
            return None
        return (Missing.ALL if absent == count else Missing.SOME) if absent else None

    def _content(self, path: bytes, digest: bytes) -> bytes | None:
        read = read_file(os.fsdecode(self.root), os.fsdecode(path), self.template.max_bytes)
        return b"" if isinstance(read, Skipped) or digest_of(read[1]) != digest else read[1]


def _leave_out(_path: bytes, _digest: bytes) -> None:
    """Reads no file."""


_wanted = msgspec.msgpack.Decoder(tuple[tuple[bytes, bytes], ...])
_setups = msgspec.msgpack.Decoder(ClientSetup)


def pack_setup(setup: ClientSetup) -> bytes:
    """The first frame's body."""
    return _pack(setup)


def unpack_setup(packed: bytes) -> ClientSetup:
    """What was packed."""
    return _setups.decode(packed)


def pack_wanted(pairs: Iterable[tuple[str, bytes]]) -> bytes:
    """The body of a job's frame, from paths and digests."""
    return _pack([(os.fsencode(path), digest) for path, digest in pairs])
