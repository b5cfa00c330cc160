"""Parser processes that do other than parse; as `actors.workers.worker_main:main`, they are started by their name."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Callable

import msgspec

from actors.workers.frames import HEADER, Kind
from actors.workers.worker_main import begin, serve


def named(program: Callable[[], None]) -> str:
    """What starts the program, in place of `actors.workers.worker_processes.PROGRAM`."""
    return f"{program.__module__}:{program.__name__}"


def use(program: str) -> None:
    """Has this process start it for its parsers."""
    from actors.workers import worker_processes

    worker_processes.PROGRAM = program


def _answering(run: Callable[[bytes], bytes]) -> None:
    serve(begin(), run, bool)


def ending() -> None:
    _answering(lambda _job: os._exit(3))


def killed() -> None:
    _answering(lambda _job: os.kill(os.getpid(), signal.SIGKILL) or b"")


def ending_within_the_answer() -> None:
    """Ends as a signal would that comes while it writes."""
    sink = begin()

    def run(_job: bytes) -> bytes:
        os.write(sink, HEADER.pack(Kind.ANSWER, 100, 0) + b"part of it")
        os._exit(3)

    serve(sink, run, bool)


def raising() -> None:
    def run(_job: bytes) -> bytes:
        raise KeyError("a fault")

    _answering(run)


def killed_by_one() -> None:
    """Ends when it is given a file called killer.py, and extracts all others."""
    from actors.workers.extraction import run as extract

    def run(job: bytes) -> bytes:
        if b"killer.py" in job:
            os.kill(os.getpid(), signal.SIGKILL)
        return extract(job)

    _answering(run)


def sleeping() -> None:
    def run(_job: bytes) -> bytes:
        while True:
            time.sleep(60)

    _answering(run)


def silent() -> None:
    time.sleep(60)


def lacking() -> None:
    begin()
    import lacking  # type: ignore[import-not-found]  # noqa: F401  # there is none


def telling_modules() -> None:
    """Extracts `a.py`, and answers with what is loaded then."""
    from actors.workers.extraction import run as extract

    def run(job: bytes) -> bytes:
        extract(job)
        return msgspec.msgpack.encode(sorted(sys.modules))

    _answering(run)
