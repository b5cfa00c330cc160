"""Ends every language server when codemap is gone, however it went: `python -I -S language_guard.py MARK`.

A process of its own that holds a pipe from codemap. It is told process groups as they come and go (`+123`, `-123`, one
a line); when the pipe ends it kills every group that is left, then every process whose environment holds the mark, as
children that made a session of their own have. Nobody else's processes hold it. Standard library only.

Rules of the file:
- Signals that end codemap when sent to its group or terminal do not end the guard.
- It ends by itself, after the pipe.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from contextlib import suppress

OWNER = "_CODEMAP_OWNER"
"""The variable that marks the processes; not one of codemap's settings, which begin otherwise."""

ROUNDS_MAX = 50
"""Looks for marked processes: one that is just forking shows in the next."""

ROUND_S = 0.02


def main() -> None:
    """Runs until the pipe on stdin ends, and then until nothing is left."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    mark = sys.argv[1]
    groups: set[int] = set()
    for line in sys.stdin.buffer:
        group = int(line[1:])
        if line.startswith(b"+"):
            groups.add(group)
        else:
            groups.discard(group)
    for group in groups:
        with suppress(OSError):
            os.killpg(group, signal.SIGKILL)
    end_marked(mark)


def end_marked(mark: str) -> list[int]:
    """Kills every process that the mark is on, and returns which; none are left, or they cannot be killed."""
    ended: set[int] = set()
    for _ in range(ROUNDS_MAX):
        found = marked(mark)
        if not found:
            break
        for process in found:
            with suppress(OSError):
                os.kill(process, signal.SIGKILL)
        ended.update(found)
        time.sleep(ROUND_S)
    return sorted(ended)


def marked(mark: str) -> list[int]:
    """The processes whose environment holds the mark, or one that begins so and goes on with a dot; zombies have no
    environment. None where the system has no /proc."""
    entry = f"\0{OWNER}={mark}".encode()
    own = os.getpid()
    names: list[str] = []
    with suppress(OSError):
        names = os.listdir("/proc")
    return [int(name) for name in names if name.isdigit() and int(name) != own and _has(name, entry)]


def _has(process: str, entry: bytes) -> bool:
    try:
        with open(f"/proc/{process}/environ", "rb") as file:
            environment = b"\0" + file.read() + b"\0"
    except OSError:
        return False
    return entry + b"\0" in environment or entry + b"." in environment


if __name__ == "__main__":
    main()
