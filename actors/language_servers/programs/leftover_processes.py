"""Finds and kills leftover processes of a language server, by a mark in their environment.

What a server starts ends with it: see `actors/processes/subreaper.py`. This is for the case that somebody killed that
process, and for systems that give it no orphans. Nobody else's processes hold the mark.
"""

from __future__ import annotations

import os
import signal
import time
from contextlib import suppress

OWNER = "_CODEMAP_OWNER"
"""The variable that marks the processes; not one of codemap's settings, which begin otherwise."""

ROUNDS_MAX = 50
"""Looks for marked processes: one that is just forking shows in the next."""

ROUND_S = 0.02


def end_marked(mark: str) -> list[int]:
    """Kills every process with the mark, and returns which; those that are left cannot be killed."""
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
    """Lists the processes whose environment has the mark, or the mark followed by a dot; zombies have no environment.
    Empty where the system has no /proc."""
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
