"""Frames between a process and its parent: a kind, a few numbers and some bytes.

Parser processes speak in them, and the client of a cluster.

The process says that it is ready before anything is asked of it, so that one that cannot start is not mistaken for one
that a file ended. Then each job has one answer.

Rules of the file:
- The standard library only: a process that lacks a package says so in a frame.
"""

from __future__ import annotations

import struct
from enum import IntEnum

HEADER = struct.Struct("<BQQ")
"""Kind, length of the body in bytes, and a number: of a parser process its private memory in bytes, of the client of a
cluster the job that it is about."""


class Kind(IntEnum):
    """The kind of a frame."""

    READY = 0
    JOB = 1
    ANSWER = 2
    LAST_ANSWER = 3
    """An answer of a process that has grown too large for another job."""
    BROKEN = 4
    """The reason why the process ends, in UTF-8."""
    FAILED = 5
    """The reason why a job has no answer, in UTF-8; of the client of a cluster, as the following are."""
    CANCEL = 6
    """The answer to a job is not wanted any more."""
    WORKERS = 7
    """The number of jobs that the cluster works on at the same time has changed."""


def framed(kind: Kind, body: bytes, number: int = 0) -> bytes:
    """Encodes a frame."""
    return HEADER.pack(kind, len(body), number) + body
