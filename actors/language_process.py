"""Processes of language servers on a real system: pipes, process groups, and no way to outlive codemap.

Three things end a server when codemap ends without a word: the kernel kills the process itself, the guard its group
and all that carries its mark, and stdin ends. An ordinary end kills the group, its descendants, then whoever carries
the mark of this one process. The file is long because starting and ending one mirror each other.

Rules of the file:
- Processes are started on the main thread: the kernel kills a child when the thread that forked it ends.
- The group is killed before its leader is reaped: until then nobody else can have its number.

Source: pidfd_open(2), prctl(2), proc(5).
"""

from __future__ import annotations

import os
import secrets
import signal
import subprocess
import sys
import tempfile
from contextlib import suppress
from functools import partial
from itertools import count

import trio

from actors import language_exec, language_guard
from actors.language_cancellation import CancellationFolder, cancellation_folder
from actors.language_ports import CannotStart, Launch, Usage
from actors.language_usage import descendants, processes, usage_of
from actors.log import Severity, log

CHUNK_BYTES = 65_536
"""What a pipe holds."""

POLL_S = 0.01
"""Between two looks whether a process has ended, where nothing tells."""

REAP_S = 1.0
"""How long a killed process may take to be gone."""

_PYTHON = ("-I", "-S")


class SystemProcesses:
    """See `Processes`."""

    def __init__(self, state_folder: str = "") -> None:
        """`state_folder`: where servers get their private folders, absolute; empty: one that ends with this."""
        self._state_folder = state_folder
        self._passing: tempfile.TemporaryDirectory[str] | None = None
        self._mark = secrets.token_hex(8)
        self._numbers = count(1)
        self._guard: subprocess.Popen[bytes] | None = None
        self._groups: set[int] = set()

    def spawn(self, launch: Launch) -> SystemProcess:
        self._watch_over()
        mark = f"{self._mark}.{next(self._numbers)}"
        try:
            state = self._state(launch)
            argv = [word.replace("{state}", state) for word in launch.argv]
            changed = {name: value.replace("{state}", state) for name, value in launch.environment.items()}
            variables = {**os.environ, **changed, language_guard.OWNER: mark}
            process = subprocess.Popen(
                [sys.executable, *_PYTHON, language_exec.__file__, str(os.getpid()), *argv],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=0,
                cwd=launch.folder,
                env=variables,
                start_new_session=True,
            )
        except OSError as error:
            raise CannotStart(f"{error.filename or launch.argv[0]}: {error.strerror}") from error
        self._groups.add(process.pid)
        self._tell(f"+{process.pid}")
        return SystemProcess(process, mark, cancellation_folder(launch.cancellation, variables), self)

    def ram_bytes(self) -> int | None:
        with suppress(OSError, ValueError):
            return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
        return None

    async def aclose(self) -> None:
        guard, self._guard = self._guard, None
        if guard is not None:
            assert guard.stdin is not None
            with suppress(OSError):
                guard.stdin.close()
            with trio.CancelScope(shield=True, deadline=trio.current_time() + REAP_S):
                await _wait_ended(guard)
            if guard.poll() is None:
                log("guard-busy", Severity.WARNING, pid=guard.pid)
        if self._passing is not None:
            self._passing.cleanup()

    def _state(self, launch: Launch) -> str:
        """The private folder, which then holds what it is to hold; empty where none is wanted. Raises OSError."""
        if not launch.state:
            return ""
        if not self._state_folder:
            self._passing = tempfile.TemporaryDirectory(prefix="codemap-", ignore_cleanup_errors=True)
            self._state_folder = self._passing.name
        folder = os.path.join(self._state_folder, launch.state)
        os.makedirs(folder, mode=0o700, exist_ok=True)
        for name, content in launch.files.items():
            _write(os.path.join(folder, name), content)
        return folder

    def forget(self, group: int) -> None:
        """Nothing is left of a group."""
        self._groups.discard(group)
        self._tell(f"-{group}")

    def _watch_over(self) -> None:
        """Starts the guard, again where somebody ended it."""
        if self._guard is not None and self._guard.poll() is None:
            return
        if self._guard is not None:
            log("guard-ended", Severity.WARNING, code=self._guard.returncode)
            assert self._guard.stdin is not None
            with suppress(OSError):
                self._guard.stdin.close()
        try:
            self._guard = subprocess.Popen(
                [sys.executable, *_PYTHON, language_guard.__file__, self._mark],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                bufsize=0,
                cwd="/",
                start_new_session=True,
            )
        except OSError as error:
            raise CannotStart(f"{sys.executable}: {error.strerror}") from error
        for group in self._groups:
            self._tell(f"+{group}")

    def _tell(self, line: str) -> None:
        if self._guard is not None:
            assert self._guard.stdin is not None
            with suppress(OSError):
                self._guard.stdin.write(line.encode() + b"\n")


class SystemProcess:
    """See `ServerProcess`."""

    def __init__(
        self,
        process: subprocess.Popen[bytes],
        mark: str,
        cancellation: CancellationFolder | None,
        owner: SystemProcesses,
    ) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        self.pid = process.pid
        self._process = process
        self._mark = mark
        self._cancellation = cancellation
        self._owner = owner
        self._stdin, self._stdout, self._stderr = (
            _stream_of(pipe.fileno()) for pipe in (process.stdin, process.stdout, process.stderr)
        )
        for pipe in (process.stdin, process.stdout, process.stderr):
            pipe.close()
        self._descriptor = os.pidfd_open(process.pid) if hasattr(os, "pidfd_open") else -1
        self._is_killed = self._is_closed = False
        if cancellation is not None:
            cancellation.make()

    async def receive(self) -> bytes:
        return await _some(self._stdout)

    async def receive_errors(self) -> bytes:
        return await _some(self._stderr)

    async def send(self, chunk: bytes) -> None:
        try:
            await self._stdin.send_all(chunk)
        except trio.ClosedResourceError as error:
            raise trio.BrokenResourceError("stdin is closed") from error

    def close_input(self) -> None:
        self._stdin.close()

    async def wait(self) -> int:
        if self._descriptor >= 0:
            await trio.lowlevel.wait_readable(self._descriptor)
        else:
            await _wait_ended(self._process)
        return self._status()

    def terminate(self) -> None:
        self._signal(signal.SIGTERM)

    async def usage(self) -> Usage | None:
        return await trio.to_thread.run_sync(usage_of, self.pid, abandon_on_cancel=True)

    def request_cancel(self, number: int) -> None:
        if self._cancellation is not None:
            self._cancellation.mark(number)

    def withdraw_cancel(self, number: int) -> None:
        if self._cancellation is not None:
            self._cancellation.unmark(number)

    async def aclose(self) -> None:
        if self._is_closed:
            return
        self._is_closed = True
        try:
            self._kill()
            with trio.CancelScope(shield=True, deadline=trio.current_time() + REAP_S):
                await self.wait()
            for stream in (self._stdin, self._stdout, self._stderr):
                stream.close()
            stragglers = await trio.to_thread.run_sync(
                partial(language_guard.end_marked, self._mark), abandon_on_cancel=True
            )
            if stragglers:
                log("stragglers-killed", Severity.WARNING, pids=",".join(map(str, stragglers)))
            for straggler in stragglers:
                _reap(straggler)
        finally:
            self._process.poll()
            self._owner.forget(self.pid)
            if self._descriptor >= 0:
                os.close(self._descriptor)
                self._descriptor = -1
            if self._cancellation is not None:
                self._cancellation.remove()

    def _kill(self) -> None:
        """Kills the group and every descendant that made a group of its own."""
        if self._is_killed:
            return
        self._is_killed = True
        below = descendants(self.pid, processes())
        self._signal(signal.SIGKILL)
        for process in below:
            with suppress(OSError):
                os.kill(process, signal.SIGKILL)

    def _signal(self, number: signal.Signals) -> None:
        # Until the leader is reaped, by `poll`, its number is its group's and nobody else's.
        if self._process.returncode is None:
            with suppress(OSError):
                os.killpg(self.pid, number)

    def _status(self) -> int:
        """The status of the ended process, which is left to be reaped later where the system can."""
        if self._descriptor < 0:
            return self._process.poll() or 0
        ended = os.waitid(os.P_PIDFD, self._descriptor, os.WEXITED | os.WNOWAIT | os.WNOHANG)
        if ended is None:
            return 0
        return ended.si_status if ended.si_code == os.CLD_EXITED else -ended.si_status


def _stream_of(descriptor: int) -> trio.lowlevel.FdStream:
    """A stream over a descriptor of our own."""
    return trio.lowlevel.FdStream(os.dup(descriptor))


async def _some(stream: trio.lowlevel.FdStream) -> bytes:
    try:
        return bytes(await stream.receive_some(CHUNK_BYTES))
    except (trio.BrokenResourceError, trio.ClosedResourceError):
        return b""


async def _wait_ended(process: subprocess.Popen[bytes]) -> None:
    """Returns when the process has ended and is reaped."""
    while process.poll() is None:  # noqa: ASYNC110 - nothing tells
        await trio.sleep(POLL_S)


def _write(path: str, content: bytes) -> None:
    """A file as a whole, or as it was before. Raises OSError."""
    new = f"{path}.{os.getpid()}.new"
    with open(new, "wb") as file:
        file.write(content)
    os.replace(new, path)


def _reap(process: int) -> None:
    """Takes the exit status of an orphan that was given to us, as the first process of a container gets them."""
    with suppress(OSError):
        os.waitpid(process, os.WNOHANG)
