"""A parser process of a machine in a cluster, asked from a thread of Dask's worker.

It is the same process as on a user's own machine, isolated in the same way, so that a file that hangs or ends its
parser takes neither Dask's worker nor what else runs there with it.

Rules of the file:
- No Trio: Dask's worker has an event loop of its own, and runs this on a thread.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from threading import Timer

from actors.processes.isolation import ELSEWHERE, python_function, without_python
from actors.workers.frames import HEADER, Kind, framed

PROGRAM = "actors.workers.worker_main:main"

START_MAX_S = 30.0


class ChildEnded(Exception):
    """Raised when the process ended, or was ended, before it answered; the message says how."""


class ParserChild:
    """A process that parses one batch at a time. Used by one thread at a time."""

    def __init__(self) -> None:
        """Starts the process and waits until it is ready. Raises ChildEnded."""
        self._process = subprocess.Popen(
            [*python_function(PROGRAM), str(os.getpid())],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            bufsize=0,
            cwd=ELSEWHERE,
            env=without_python(os.environ),
            start_new_session=True,
        )
        self.is_spent = False
        """Whether it can have no other job."""
        with self._killed_after(START_MAX_S):
            self._receive()

    @property
    def is_usable(self) -> bool:
        return not self.is_spent and self._process.poll() is None

    def ask(self, job: bytes, most_s: float) -> bytes:
        """Sends a packed `Job`; returns the packed answer. Raises ChildEnded, and ends the process after `most_s`."""
        self.is_spent = True
        assert self._process.stdin is not None, "it was asked for"
        with self._killed_after(most_s):
            with suppress(BrokenPipeError):  # what it has said, or how it ended, shows why
                rest = memoryview(framed(Kind.JOB, job))
                while rest:
                    rest = rest[os.write(self._process.stdin.fileno(), rest) :]
            kind, body = self._receive()
        self.is_spent = kind is not Kind.ANSWER
        return body

    def close(self) -> None:
        """Ends the process."""
        self._process.kill()
        for pipe in (self._process.stdin, self._process.stdout):
            assert pipe is not None, "it was asked for"
            pipe.close()
        self._process.wait()

    @contextmanager
    def _killed_after(self, most_s: float) -> Iterator[None]:
        timer = Timer(most_s, self._process.kill)
        timer.daemon = True
        timer.start()
        try:
            yield
        finally:
            timer.cancel()

    def _receive(self) -> tuple[Kind, bytes]:
        header = self._read(HEADER.size)
        kind, size, _ = HEADER.unpack(header)
        body = self._read(size)
        if kind == Kind.BROKEN:
            raise ChildEnded(body.decode(errors="replace"))
        return Kind(kind), body

    def _read(self, size: int) -> bytes:
        assert self._process.stdout is not None, "it was asked for"
        found = bytearray()
        while len(found) < size:
            chunk = os.read(self._process.stdout.fileno(), size - len(found))
            if not chunk:
                raise ChildEnded(f"its parser process ended ({self._process.wait()})")
            found += chunk
        return bytes(found)
