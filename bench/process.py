"""Child processes with the bill: wall, CPU of all that they started, peak memory of the whole tree."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import msgspec
import psutil  # type: ignore[import-untyped]  # no stubs among the dependencies

from bench.corpora import PROJECT

SAMPLE_S = 0.02
"""How often memory is looked at: a build takes seconds, and its peak is broad."""

INSTALLED = (sys.executable, "-c", "import sys; from actors.entry import main; sys.exit(main())")
"""What the installed command does, for the checkout that this file belongs to."""
CODEMAP = (sys.executable, "-c", "import sys; from actors.command_line.main import main; sys.exit(main())")
"""The same without joining a service that runs."""


class ChildFailed(Exception):
    """A measured process ended with an error; its stderr is the message."""


class Bill(msgspec.Struct, frozen=True):
    wall_s: float
    cpu_s: float
    """User and system time, of the process and of every descendant that was waited for."""
    output: bytes
    """What it wrote to stdout."""


def environment(cache: Path) -> dict[str, str]:
    """That of this process without codemap's settings; what is stored goes under `cache`, so that cold is cold.

    Language servers do not check the map: what they cost is measured where they are asked. Python keeps the bytecode of
    the checkout, as it does of what is installed: compiling codemap itself is no part of its work.
    """
    left_out = ("CODEMAP_", "PYTHONDONTWRITEBYTECODE")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(left_out)}
    return kept | {
        "XDG_CACHE_HOME": str(cache),
        "PYTHONPATH": str(PROJECT),
        "CODEMAP_LOG_LEVEL": "error",
        "CODEMAP_VERIFY": "off",
    }


def run(command: Sequence[str], given: bytes = b"") -> Bill:
    """Runs a command from the checkout to its end, with `given` on stdin. Raises ChildFailed."""
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        stdin = Path(folder) / "stdin"
        stdin.write_bytes(given)
        with stdin.open("rb") as source:
            start = time.perf_counter()
            child = subprocess.Popen(
                command, stdin=source, stdout=out, stderr=err, cwd=PROJECT, env=environment(Path(folder))
            )
            _, status, usage = os.wait4(child.pid, 0)
            wall_s = time.perf_counter() - start
        child.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        err.seek(0)
        if child.returncode:
            raise ChildFailed(f"{' '.join(command)}\n{err.read()[-2000:].decode(errors='replace')}")
        return Bill(wall_s, usage.ru_utime + usage.ru_stime, out.read())


class MemoryWatch:
    """Watches the resident memory of a process and its descendants, in a thread, until the context ends."""

    def __init__(self, pid: int, *, interval_s: float = SAMPLE_S) -> None:
        self.peak_bytes = 0
        self._pid = pid
        self._interval_s = interval_s
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> MemoryWatch:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._is_over.set()
        self._thread.join()

    def _watch(self) -> None:
        while not self._is_over.wait(self._interval_s):
            self.peak_bytes = max(self.peak_bytes, sum(resident_bytes(self._pid).values()))


def cpu_s(pid: int) -> float:
    """User and system time of a process, of its descendants, and of those of them that have ended; in ticks of the
    kernel, mostly 10 ms."""
    total = 0.0
    with suppress(psutil.NoSuchProcess):
        parent = psutil.Process(pid)
        for process in (parent, *parent.children(recursive=True)):
            with suppress(psutil.NoSuchProcess):
                times = process.cpu_times()
                total += times.user + times.system + times.children_user + times.children_system
    return total


def resident_bytes(pid: int) -> dict[int, int]:
    """Resident bytes of a process and of each of its descendants, by process; shared pages count in each."""
    found: dict[int, int] = {}
    with suppress(psutil.NoSuchProcess):
        parent = psutil.Process(pid)
        for process in (parent, *parent.children(recursive=True)):
            with suppress(psutil.NoSuchProcess):
                found[process.pid] = process.memory_info().rss
    return found
