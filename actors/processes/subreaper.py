"""Runs a program, and ends with it all that it started: `python -I -S subreaper.py CONTROL PROGRAM ARGUMENT …`.

This process runs between codemap and each program that may not clean up: the kernel gives it every
orphan among the program's descendants, whatever session they made and environment they threw away. It kills them all
when the program has ended, when codemap says so, and when codemap is gone: then `CONTROL`, a socket whose other end
only codemap has, ends. The kernel kills the program itself when this process is killed. Standard library only.

    codemap -> here    `T`                        ask the program's group to end
    here -> codemap    the program's number in decimal, and a line feed

Rules of the file:
- It ends as the program ended, by the same code or signal, and not before all is gone, or cannot be killed.
- It keeps none of the program's pipes, so that their ends are seen.
- Signals to the terminal's group do not end it.

Source: prctl(2) PR_SET_CHILD_SUBREAPER; signal(7): what is ignored stays ignored over an exec.
"""

from __future__ import annotations

import os
import select
import signal
import sys
import time
from contextlib import suppress

NICENESS = 5
"""Language servers have a lower priority than the process that answers calls."""

CANNOT_RUN = 127
"""Exit code of shells for a program that cannot be run."""

END_S = 2.0
"""How long killed processes may take to end: one inside a system call may never do so."""

ROUND_S = 0.005
"""Pause between two looks for remaining processes: one that is just being forked shows in the next."""

TERMINATE = b"T"

_PR_SET_CHILD_SUBREAPER = 36

_IGNORED = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGPIPE)
_AS_ANY_PROGRAM = (*_IGNORED, signal.SIGXFSZ, signal.SIGCHLD)


def main() -> None:
    """Never returns."""
    control, argv = int(sys.argv[1]), sys.argv[2:]
    os.set_inheritable(control, False)
    sys.path.append(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
    from actors.processes.parent_death import die_with

    _adopt_orphans()
    for number in _IGNORED:
        signal.signal(number, signal.SIG_IGN)
    own = os.getpid()
    program = os.fork()
    if not program:
        os.setsid()
        die_with(own)
        _become(argv)
    _let_go_of_pipes()
    os.set_blocking(control, False)
    with suppress(OSError):  # codemap is gone: that shows in a moment
        os.write(control, b"%d\n" % program)
    _end_as(_watch(program, control))


def _become(argv: list[str]) -> None:
    """Never returns."""
    for number in _AS_ANY_PROGRAM:
        signal.signal(number, signal.SIG_DFL)
    os.nice(NICENESS)
    try:
        os.execv(argv[0], argv)
    except OSError as error:
        os.write(2, f"{argv[0]}: {error.strerror}\n".encode("utf-8", "surrogateescape"))
    os._exit(CANNOT_RUN)


def _watch(program: int, control: int) -> int:
    """The wait status of the program when nothing is left of it and of what it started."""
    awake, wake = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(wake)
    while True:
        status = _reap().get(program)
        if status is not None:
            break
        readable, _, _ = select.select([control, awake], [], [])
        if awake in readable:
            os.read(awake, 4096)
        if control in readable:
            said = _said(control)
            if not said:
                break
            if TERMINATE in said:
                _kill(-program, signal.SIGTERM)
    return _end_all(program, status)


def _said(control: int) -> bytes:
    """What codemap says; nothing when it is gone."""
    try:
        return os.read(control, 64)
    except BlockingIOError:
        return b"\n"
    except OSError:
        return b""


def _end_all(program: int, status: int | None) -> int:
    """Kills what is left until nothing is, and returns how the program ended."""
    by = time.monotonic() + END_S
    if status is None:
        _kill(-program, signal.SIGKILL)
    while _has_children() and time.monotonic() < by:
        for process in _below(os.getpid()):
            _kill(process, signal.SIGKILL)
        status = _reap().get(program, status)
        if _has_children():
            time.sleep(ROUND_S)
            status = _reap().get(program, status)
    return signal.SIGKILL if status is None else status


def _reap() -> dict[int, int]:
    """Reaps children that have ended: process ID -> wait status."""
    ended: dict[int, int] = {}
    while True:
        try:
            process, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return ended
        if not process:
            return ended
        ended[process] = status


def _has_children() -> bool:
    """Whether there is a child, be it one that has ended and waits to be reaped."""
    try:
        os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOWAIT | os.WNOHANG)
    except ChildProcessError:
        return False
    return True


def _below(root: int) -> list[int]:
    """Lists the descendants of a process; none where the system has no /proc."""
    children: dict[int, list[int]] = {}
    try:
        names = [name for name in os.listdir("/proc") if name.isdigit()]
    except OSError:
        return []
    for name in names:
        try:
            with open(f"/proc/{name}/stat", "rb") as file:
                parent = int(file.read().rpartition(b")")[2].split()[1])
        except (OSError, IndexError):
            continue
        children.setdefault(parent, []).append(int(name))
    found, pending = [], [root]
    while pending:
        below = children.get(pending.pop(), [])
        found += below
        pending += below
    return found


def _kill(process: int, number: int) -> None:
    with suppress(OSError):  # it is gone
        os.kill(process, number)


def _adopt_orphans() -> None:
    """Where the kernel cannot give us orphans, what the program's children leave is only found while they live."""
    if sys.platform != "linux":
        return
    try:
        import ctypes
    except ImportError:  # a Python without it
        return
    ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1)


def _let_go_of_pipes() -> None:
    nothing = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(nothing, descriptor)
    os.close(nothing)


def _end_as(status: int) -> None:
    """Never returns."""
    if os.WIFSIGNALED(status):
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        number = os.WTERMSIG(status)
        if number != signal.SIGKILL:
            signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)
    os._exit(os.WEXITSTATUS(status))


if __name__ == "__main__":
    main()
