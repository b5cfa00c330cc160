"""Runs language servers as system processes: pipes, process groups, and no way to outlive codemap.

Each runs under a subreaper, which kills it and all that it started on request, and when codemap ends without a word;
`SystemProcess` is that subreaper, seen from here. Should somebody kill the subreaper, the kernel kills the server, and
whoever carries the mark of this one life is looked for.

Source: pidfd_open(2), proc(5).
"""

from __future__ import annotations

import os
import secrets
import signal
import subprocess
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from functools import partial
from itertools import count

import trio

from actors.language_servers.programs.cancellation import CancellationFolder, cancellation_folder
from actors.language_servers.programs.leftover_processes import OWNER, end_marked
from actors.language_servers.programs.ports import CannotStart, Launch, Usage
from actors.language_servers.programs.resource_usage import descendants, processes, usage_below
from actors.messaging.log import Severity, log
from actors.processes import subreaper
from actors.processes.child_process import REAP_S, Reins, open_descriptor, receive, take_stream, wait_ended

_SAFE: Mapping[str, str] = {"PYTHONSAFEPATH": "1"}
"""Environment by which a Python started by a server imports nothing from the folder that it serves."""


class SystemProcesses:
    """The real `Processes`."""

    def __init__(self, state_folder: str = "") -> None:
        """`state_folder` is the absolute path for private folders of servers; empty: a temporary folder."""
        self._state_folder = state_folder
        self._passing: tempfile.TemporaryDirectory[str] | None = None
        self._mark = secrets.token_hex(8)
        self._numbers = count(1)

    def spawn(self, launch: Launch) -> SystemProcess:
        reins = Reins()
        mark = f"{self._mark}.{next(self._numbers)}"
        try:
            state = self._state(launch)
            argv = [word.replace("{state}", state) for word in launch.argv]
            changed = {name: value.replace("{state}", state) for name, value in launch.environment.items()}
            inherited = os.environ if launch.confined is None else {**launch.confined, **_SAFE}
            variables = {**inherited, **changed, OWNER: mark}
            process = subprocess.Popen(
                reins.command(argv),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=0,
                cwd=launch.folder if launch.confined is None else state,
                env=variables,
                pass_fds=(reins.descriptor,),
                start_new_session=True,
            )
        except OSError as error:
            reins.release()
            raise CannotStart(f"{error.filename or launch.argv[0]}: {error.strerror}") from error
        reins.begin()
        return SystemProcess(process, reins, mark, cancellation_folder(launch.cancellation, variables))

    def ram_bytes(self) -> int | None:
        with suppress(OSError, ValueError):
            return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
        return None

    async def aclose(self) -> None:
        await trio.lowlevel.checkpoint()
        if self._passing is not None:
            self._passing.cleanup()

    def _state(self, launch: Launch) -> str:
        """Prepares the private folder with its files; empty where none is wanted. Raises OSError."""
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


class SystemProcess:
    """The real `ServerProcess`."""

    def __init__(
        self,
        process: subprocess.Popen[bytes],
        reins: Reins,
        mark: str,
        cancellation: CancellationFolder | None,
    ) -> None:
        self._process = process
        self._reins = reins
        self._mark = mark
        self._cancellation = cancellation
        self._stdin, self._stdout, self._stderr = map(take_stream, (process.stdin, process.stdout, process.stderr))
        self._descriptor = open_descriptor(process)
        self._is_closed = False
        if cancellation is not None:
            cancellation.make()

    @property
    def pid(self) -> int:
        return self._reins.program or self._process.pid

    async def receive(self) -> bytes:
        return await receive(self._stdout)

    async def receive_errors(self) -> bytes:
        return await receive(self._stderr)

    async def send(self, chunk: bytes) -> None:
        try:
            await self._stdin.send_all(chunk)
        except trio.ClosedResourceError as error:
            raise trio.BrokenResourceError("stdin is closed") from error

    def close_input(self) -> None:
        self._stdin.close()

    async def wait(self) -> int:
        await wait_ended(self._process, self._descriptor)
        return self._status()

    def terminate(self) -> None:
        self._reins.terminate()

    async def usage(self) -> Usage | None:
        return await trio.to_thread.run_sync(usage_below, self._process.pid, abandon_on_cancel=True)

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
            self._reins.release()
            with trio.CancelScope(shield=True, deadline=trio.current_time() + subreaper.END_S + REAP_S) as scope:
                await self.wait()
            if scope.cancelled_caught:
                log("subreaper-killed", Severity.WARNING, pid=self._process.pid)
                self._kill()
            for stream in (self._stdin, self._stdout, self._stderr):
                stream.close()
            stragglers = await trio.to_thread.run_sync(partial(end_marked, self._mark), abandon_on_cancel=True)
            if stragglers:
                log("stragglers-killed", Severity.WARNING, pids=",".join(map(str, stragglers)))
            for straggler in stragglers:
                _reap(straggler)
        finally:
            self._process.poll()
            if self._descriptor >= 0:
                os.close(self._descriptor)
                self._descriptor = -1
            if self._cancellation is not None:
                self._cancellation.remove()

    def _kill(self) -> None:
        """Kills a subreaper that does not respond, and all its descendants."""
        for process in (*descendants(self._process.pid, processes()), self._process.pid):
            with suppress(OSError):
                os.kill(process, signal.SIGKILL)

    def _status(self) -> int:
        """Reads the status of the ended process without reaping it, where the system can."""
        if self._descriptor < 0:
            return self._process.poll() or 0
        ended = os.waitid(os.P_PIDFD, self._descriptor, os.WEXITED | os.WNOWAIT | os.WNOHANG)
        if ended is None:
            return 0
        return ended.si_status if ended.si_code == os.CLD_EXITED else -ended.si_status


def _write(path: str, content: bytes) -> None:
    """Writes a whole file, or leaves it as it was. Raises OSError."""
    new = f"{path}.{os.getpid()}.new"
    with open(new, "wb") as file:
        file.write(content)
    os.replace(new, path)


def _reap(process: int) -> None:
    """Reaps an orphan that became our child, as it happens to the first process of a container."""
    with suppress(OSError):
        os.waitpid(process, os.WNOHANG)
