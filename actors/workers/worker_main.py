"""The main program of a parser process: reads jobs on stdin and answers them until its input or its parent ends.

Rules of the file:
- At the top it imports the standard library only, so that a missing package is reported to the parent.
- Answers go to the descriptor that was stdout, frames only; whatever else is printed goes to stderr.
"""

from __future__ import annotations

import gc
import os
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from types import TracebackType

from actors.processes.frame_stack import call_with_room
from actors.processes.parent_death import die_with, look_for
from actors.processes.resident_memory import private_bytes
from actors.workers.frames import HEADER, Kind, framed

NICENESS = 10
"""Workers have a lower priority than the process that answers calls: beside a process that wants a whole core they get
a tenth of it."""

_CHUNK_BYTES = 1 << 20


def main() -> None:
    """Serves jobs until the input ends."""
    gc.disable()  # for good: what is imported stays, and so does little of a job
    call_with_room(_main)


def _main() -> None:
    sink = begin()
    from actors.workers.extraction import is_spent, run

    serve(sink, run, is_spent)


def begin() -> int:
    """Ties this process to its parent (process ID in the argument); returns the descriptor for answers."""
    parent = int(sys.argv[1])
    if not die_with(parent):
        look_for(parent)
    sink = os.dup(1)
    with suppress(OSError):  # stderr may be closed
        os.dup2(2, 1)
    sys.excepthook = partial(_tell, sink)
    return sink


def serve(sink: int, run: Callable[[bytes], bytes], is_spent: Callable[[], bool]) -> None:
    """Answers jobs by `run` until the input ends, or the process `is_spent`."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent takes care of it
    os.nice(NICENESS)
    gc.collect()
    gc.freeze()  # what is loaded now is never garbage
    gc.disable()
    _write(sink, framed(Kind.READY, b"", private_bytes()))
    while (job := _read_frame()) is not None:
        answer = run(job)
        is_last = is_spent()
        _write(sink, framed(Kind.LAST_ANSWER if is_last else Kind.ANSWER, answer, private_bytes()))
        if is_last:
            return


def _tell(sink: int, kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    with suppress(OSError):
        _write(sink, framed(Kind.BROKEN, f"{kind.__name__}: {error}".encode(errors="replace")))
    sys.__excepthook__(kind, error, trace)


def _read_frame() -> bytes | None:
    """Reads the next job; None at the end of the input."""
    header = _read(HEADER.size)
    return None if header is None else _read(HEADER.unpack(header)[1])


def _read(size: int) -> bytes | None:
    found = bytearray()
    while len(found) < size:
        chunk = os.read(0, min(size - len(found), _CHUNK_BYTES))
        if not chunk:
            return None
        found += chunk
    return bytes(found)


def _write(sink: int, frame: bytes) -> None:
    rest = memoryview(frame)
    while rest:
        rest = rest[os.write(sink, rest) :]
