"""What a parser process and its parent say to each other: frames of a kind, a few numbers and some bytes.

The process says that it is ready before anything is asked of it, so that one that cannot start is not mistaken for one
that a file ended. Then each job has one answer.

Rules of the file:
- The standard library only: a process that lacks a package says so in a frame.
"""

from __future__ import annotations

import struct
from enum import IntEnum

HEADER = struct.Struct("<BQQ")
"""Kind, bytes of the body, and bytes of memory that its sender has to itself."""


class Kind(IntEnum):
    """What a frame is."""

    READY = 0
    JOB = 1
    ANSWER = 2
    LAST_ANSWER = 3
    """The process has grown too large to be asked again."""
    BROKEN = 4
    """Why the process ends, in UTF-8."""


def framed(kind: Kind, body: bytes, memory_bytes: int = 0) -> bytes:
    """One frame."""
    return HEADER.pack(kind, len(body), memory_bytes) + body
