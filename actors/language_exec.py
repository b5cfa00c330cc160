"""Becomes a language server that cannot outlive its parent: `python -I -S language_exec.py PARENT PROGRAM ARGUMENT …`.

A program of its own, as what it does belongs between fork and exec, where no Python of a process with threads may run.
The kernel ties the death signal to the thread that forked, so the parent forks on its main thread. Standard library
only.

Source: prctl(2) PR_SET_PDEATHSIG; signal(7): what is ignored stays ignored over an exec.
"""

from __future__ import annotations

import os
import signal
import sys

NICENESS = 5
"""A server steps back behind whoever answers calls."""

CANNOT_RUN = 127
"""The exit code that shells have for a program that cannot be run."""

_PR_SET_PDEATHSIG = 1


def main() -> None:
    """Never returns."""
    parent, argv = int(sys.argv[1]), sys.argv[2:]
    if sys.platform == "linux":
        _die_with_parent()
        if os.getppid() != parent:
            os._exit(CANNOT_RUN)
    for number in (signal.SIGPIPE, signal.SIGXFSZ):
        signal.signal(number, signal.SIG_DFL)
    os.nice(NICENESS)
    try:
        os.execv(argv[0], argv)
    except OSError as error:
        sys.stderr.write(f"{argv[0]}: {error.strerror}\n")
        sys.stderr.flush()
        os._exit(CANNOT_RUN)


def _die_with_parent() -> None:
    try:
        import ctypes
    except ImportError:  # a Python without it; the guard is there as well
        return
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


if __name__ == "__main__":
    main()
