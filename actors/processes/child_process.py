"""Pipes of child processes, waiting for their end, and the control of a program that runs under a subreaper.

`trio.run_process` forks on a thread of its own; a child that asks to die with its parent would die with that thread.
"""

from __future__ import annotations

import os
import socket
import subprocess
from collections.abc import Sequence
from contextlib import suppress
from typing import IO

import trio

from actors.processes import subreaper
from actors.processes.isolation import python

CHUNK_BYTES = 65_536
"""Capacity of a pipe."""

POLL_S = 0.01
"""Between two checks whether a process has ended, where no event says so."""

REAP_S = 1.0
"""How long a killed process may take to be gone."""


class Reins:
    """Our end of a subreaper's control socket: see `actors/processes/subreaper.py`."""

    def __init__(self) -> None:
        self._own, self._theirs = socket.socketpair()
        self._own.setblocking(False)
        self._said = b""

    def command(self, argv: Sequence[str]) -> list[str]:
        """The command line that runs a program under a subreaper, which inherits `descriptor`."""
        return python(subreaper.__file__, str(self.descriptor), *argv)

    @property
    def descriptor(self) -> int:
        return self._theirs.fileno()

    def begin(self) -> None:
        """Closes our copy of the subreaper's end: call once it was started."""
        self._theirs.close()

    @property
    def program(self) -> int:
        """Process ID of the program; 0 while unknown."""
        if not self._said.endswith(b"\n"):
            with suppress(OSError):
                self._said += self._own.recv(64)
        return int(self._said) if self._said.endswith(b"\n") else 0

    def terminate(self) -> None:
        """Sends the program's process group a request to end (SIGTERM)."""
        with suppress(OSError):
            self._own.send(subreaper.TERMINATE)

    def release(self) -> None:
        """Has the program killed with everything that it started. Calling twice does nothing."""
        self._theirs.close()
        self._own.close()


def take_stream(pipe: IO[bytes] | None) -> trio.lowlevel.FdStream:
    """Converts a pipe into a stream, which owns the descriptor; the pipe object is closed."""
    assert pipe is not None, "it was asked for"
    stream = trio.lowlevel.FdStream(os.dup(pipe.fileno()))
    pipe.close()
    return stream


async def receive(stream: trio.lowlevel.FdStream, max_bytes: int = CHUNK_BYTES) -> bytes:
    """Reads some bytes; empty at the end. When cancelled, nothing is lost."""
    try:
        return bytes(await stream.receive_some(max_bytes))
    except (trio.BrokenResourceError, trio.ClosedResourceError):
        return b""


def open_descriptor(process: subprocess.Popen[bytes]) -> int:
    """Opens a descriptor that is readable when the process has ended (pidfd); -1 where the system has none."""
    return os.pidfd_open(process.pid) if hasattr(os, "pidfd_open") else -1


async def wait_ended(process: subprocess.Popen[bytes], descriptor: int = -1) -> None:
    """Waits until the process has ended; without a descriptor, until it is reaped."""
    if descriptor >= 0:
        await trio.lowlevel.wait_readable(descriptor)
        return
    while process.poll() is None:  # noqa: ASYNC110 - there is no event
        await trio.sleep(POLL_S)
