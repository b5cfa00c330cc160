"""Measures what processes compute.

Source: proc(5), "stat".
"""

from __future__ import annotations

import os

_USER, _SYSTEM = 11, 12
"""Places of the times behind the name of the program, which may hold spaces and parentheses."""


def processor_s(pid: int) -> float | None:
    """Finds the seconds of processor time that all threads of a process have taken, in steps of some 10 ms; None where
    unknown."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            fields = file.read().rpartition(b")")[2].split()
    except OSError:
        return None
    return (int(fields[_USER]) + int(fields[_SYSTEM])) / os.sysconf("SC_CLK_TCK")
