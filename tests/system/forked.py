"""Starts `codemap` as a process forked from one that has imported all of it.

A start takes two seconds of CPU, nine tenths of them for imports, and the tests have hundreds. Everything else is as it
is in a process that `exec` starts: its streams, variables and current folder, its signals, and what it starts itself.

Not for tests of what only a new interpreter shows: its flags and `PYTHON…` variables, its locale, what is imported, and
how the process looks from outside (its memory, command line and environment). They start `CODEMAP`.
"""

from __future__ import annotations

import io
import multiprocessing
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from multiprocessing import forkserver
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import NoReturn

import trio

CODEMAP = str(Path(sys.executable).with_name("codemap"))
ROOT = str(Path(__file__).parents[2])
CLOSED = -1
"""In place of a descriptor: the process begins with that stream closed."""

_FOR_INTERPRETERS = ("PYTHON", "LC_", "LANG")
"""Beginnings of names of variables that an interpreter reads when it starts."""


def context() -> multiprocessing.context.ForkServerContext:
    """Where processes are forked; one for all tests of this process, or of all (`begin`)."""
    found = multiprocessing.get_context("forkserver")
    found.set_forkserver_preload(["tests.system.preloaded"])
    return found


def begin() -> None:
    """Starts the process that forks, for this process and all that are forked from it.

    What it says itself, and what is said before a process has its streams, no test looks at.
    """
    context()
    server = forkserver._forkserver  # type: ignore[attr-defined]
    kept = os.dup(2)
    with open(os.devnull, "wb") as nowhere:
        os.dup2(nowhere.fileno(), 2)
    try:
        server.ensure_running()
    finally:
        os.dup2(kept, 2)
        os.close(kept)
    server.ensure_running = lambda: None  # which is for the process that started it: it waits for its child


def start(
    words: Sequence[str],
    *,
    env: Mapping[str, str],
    cwd: str | os.PathLike[str] | None = None,
    stdin: int = CLOSED,
    stdout: int = CLOSED,
    stderr: int = CLOSED,
    before: Callable[[], None] | None = None,
) -> BaseProcess:
    """Runs `codemap` with these words. The streams are descriptors, of which it gets copies; `before` is called in the
    new process first.
    """
    differing = [
        name
        for name in {*env, *os.environ}
        if name.startswith(_FOR_INTERPRETERS) and env.get(name) != os.environ.get(name)
    ]
    if differing:
        raise ValueError(f"only a new interpreter reads {', '.join(differing)}")
    ends = [None if stream == CLOSED else Connection(os.dup(stream)) for stream in (stdin, stdout, stderr)]
    given = (list(words), dict(env), os.fspath(cwd or os.getcwd()), ends, before)
    process = context().Process(target=become, args=given, daemon=True)
    process.start()
    for end in ends:
        if end is not None:
            end.close()
    return process


def run(
    *words: str,
    env: Mapping[str, str],
    timeout_s: float,
    cwd: str | os.PathLike[str] | None = None,
    stdout: int | None = None,
    stderr: int | None = None,
    before: Callable[[], None] | None = None,
) -> subprocess.CompletedProcess[str]:
    """Runs a command to its end, without input, and returns what it wrote where no descriptor is given for that."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err, open(os.devnull, "rb") as nothing:
        process = start(
            words,
            env=env,
            cwd=cwd,
            stdin=nothing.fileno(),
            stdout=out.fileno() if stdout is None else stdout,
            stderr=err.fileno() if stderr is None else stderr,
            before=before,
        )
        try:
            code = wait(process, timeout_s)
        finally:
            process.kill()
            process.join()
        said = [_content(file) for file in (out, err)]
    return subprocess.CompletedProcess(["codemap", *words], code, *said)


def wait(process: BaseProcess, timeout_s: float) -> int:
    """The exit code of a process. Raises subprocess.TimeoutExpired."""
    process.join(timeout_s)
    if process.exitcode is None:
        raise subprocess.TimeoutExpired(process.name, timeout_s)
    return process.exitcode


class Forked:
    """A process with the streams of ours that lead to it, for Trio: as much of `trio.Process` as tests use."""

    def __init__(
        self,
        process: BaseProcess,
        stdin: trio.lowlevel.FdStream | None,
        stdout: trio.lowlevel.FdStream | None,
        stderr: trio.lowlevel.FdStream | None,
    ) -> None:
        self._process = process
        self.stdin, self.stdout, self.stderr = stdin, stdout, stderr
        assert process.pid is not None
        self.pid: int = process.pid

    @property
    def returncode(self) -> int | None:
        return self._process.exitcode

    def send_signal(self, number: int) -> None:
        if self.returncode is None:
            os.kill(self.pid, number)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)

    def terminate(self) -> None:
        self.send_signal(signal.SIGTERM)

    async def wait(self) -> int:
        if self.returncode is None:
            await trio.lowlevel.wait_readable(self._process.sentinel)
        self._process.join()
        assert self.returncode is not None
        return self.returncode


def open_forked(
    words: Sequence[str],
    *,
    env: Mapping[str, str],
    cwd: str | os.PathLike[str] | None = None,
    stdin: int | None = None,
    stdout: int | None = None,
    stderr: int | None = None,
) -> Forked:
    """Like `trio.lowlevel.open_process`: a stream is PIPE, DEVNULL, a descriptor, or None for ours."""
    ours: list[trio.lowlevel.FdStream | None] = []
    theirs: list[int] = []
    closing: list[int] = []
    for number, wanted in enumerate((stdin, stdout, stderr)):
        stream = None
        if wanted == subprocess.PIPE:
            reader, writer = os.pipe()
            end, kept = (reader, writer) if number == 0 else (writer, reader)
            stream = trio.lowlevel.FdStream(kept)
            closing.append(end)
        elif wanted == subprocess.DEVNULL:
            end = os.open(os.devnull, os.O_RDWR | os.O_CLOEXEC)
            closing.append(end)
        else:
            end = number if wanted is None else wanted
        ours.append(stream)
        theirs.append(end)
    process = start(words, env=env, cwd=cwd, stdin=theirs[0], stdout=theirs[1], stderr=theirs[2])
    for end in closing:
        os.close(end)
    return Forked(process, *ours)


def become(
    words: Sequence[str],
    env: Mapping[str, str],
    folder: str,
    ends: Sequence[Connection | None],
    before: Callable[[], None] | None = None,
) -> NoReturn:
    """Takes the place of an interpreter that has just begun with the script `codemap`, in a process of its own.

    `ends` are its stdin, stdout and stderr. Raises SystemExit.
    """
    for number, end in enumerate(ends):
        if end is None:
            os.close(number)
        else:
            os.dup2(end.fileno(), number)
            end.close()
    sys.stdin = None if ends[0] is None else _stream(0, "strict")  # type: ignore[assignment]
    sys.stdout = None if ends[1] is None else _stream(1, "strict")  # type: ignore[assignment]
    sys.stderr = None if ends[2] is None else _stream(2, "backslashreplace")  # type: ignore[assignment]
    os.environ.clear()
    os.environ.update(env)
    os.chdir(folder)
    sys.argv = [CODEMAP, *words]
    sys.path[:] = [os.path.dirname(CODEMAP), *(part for part in sys.path if part not in ("", ROOT)), ROOT]
    from actors.entry import main

    if before is not None:
        before()
    sys.exit(main())


def _stream(number: int, errors: str) -> io.TextIOWrapper:
    file = open(number, "rb" if number == 0 else "wb", closefd=False)  # noqa: SIM115
    return io.TextIOWrapper(file, "utf-8", errors, line_buffering=number == 2 or os.isatty(number))


def _content(file: io.IOBase) -> str:
    file.seek(0)
    text: bytes = file.read()
    return text.decode()
