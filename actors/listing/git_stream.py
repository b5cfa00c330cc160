"""The output of a git that prints much, read while it prints, and the environment in which it takes the least time.

Source: git(1), "Environment Variables"; mallopt(3); pipe(7).
"""

from __future__ import annotations

import fcntl
from collections.abc import Mapping
from contextlib import suppress
from types import MappingProxyType
from typing import IO

import trio

PIPE_BYTES = 1 << 20
"""Of a pipe that git prints into: as much as the kernel gives anyone."""
STREAM_BYTES = 262_144
"""Size of one read: a few milliseconds of work."""
GATHER_S = 0.03
"""How long git prints before more of a long output is read, where less than one read was there: it writes some 4 kB at
a time, and a read costs more than what is done with so little. Within that time it fills half of the pipe."""
ERRORS_MAX_BYTES = 65_536

STREAMED: Mapping[str, str] = MappingProxyType(
    {
        "GIT_FLUSH": "0",  # it writes when its buffer is full, not after each commit
        "MALLOC_TOP_PAD_": str(16 << 20),
        "MALLOC_TRIM_THRESHOLD_": str(64 << 20),
        "MALLOC_MMAP_THRESHOLD_": str(32 << 20),
    }
)
"""Environment of a git that prints much. It frees what it has read of each file: kept for the next one, this is a tenth
of the time of a log with patches."""


class Stream:
    """See `actors.ports.GitStream`."""

    def __init__(self, process: trio.Process, errors: IO[bytes]) -> None:
        self._process = process
        self._errors = errors
        self._read_bytes = 0
        self._is_ahead = False
        """Whether there was as much as one read takes, or more."""
        if isinstance(process.stdout, trio.lowlevel.FdStream):
            with suppress(OSError):  # a user of many pipes gets no larger ones
                fcntl.fcntl(process.stdout.fileno(), fcntl.F_SETPIPE_SZ, PIPE_BYTES)

    async def read(self) -> bytes:
        assert self._process.stdout is not None, "it is a pipe"
        if self._read_bytes > STREAM_BYTES and not self._is_ahead:
            await trio.sleep(GATHER_S)
        read = bytes(await self._process.stdout.receive_some(STREAM_BYTES))
        self._read_bytes += len(read)
        self._is_ahead = len(read) == STREAM_BYTES
        return read

    async def failure(self) -> str:
        if await self._process.wait() == 0:
            return ""
        self._errors.seek(0)
        said = self._errors.read(ERRORS_MAX_BYTES).decode("utf-8", "replace").strip().split("\n")
        fatal = [line for line in said if line.startswith(("fatal:", "error:"))]
        return (fatal or said)[-1]
