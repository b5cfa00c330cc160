"""Frames between a parser process and its parent: a kind, a few numbers and some bytes.

The process says that it is ready before anything is asked of it, so that one that cannot start is not mistaken for one
that a file ended. Then each job has one answer.

Rules of the file:
- The standard library only: a process that lacks a package says so in a frame.
"""

from __future__ import annotations

import struct
from enum import IntEnum

HEADER = struct.Struct("<BQQ")
"""Kind, length of the body in bytes, and private memory of the sender in bytes."""


class Kind(IntEnum):
    """The kind of a frame."""

    READY = 0
    JOB = 1
    ANSWER = 2
    LAST_ANSWER = 3
    """An answer of a process that has grown too large for another job."""
    BROKEN = 4
    """The reason why the process ends, in UTF-8."""


def framed(kind: Kind, body: bytes, memory_bytes: int = 0) -> bytes:
    """Encodes a frame."""
    return HEADER.pack(kind, len(body), memory_bytes) + body
