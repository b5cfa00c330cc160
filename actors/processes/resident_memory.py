"""Measures the memory of processes.

Source: proc(5), "statm".
"""

from __future__ import annotations

import os
import resource
import sys

_PEAK_UNIT_BYTES = 1 if sys.platform == "darwin" else 1024  # of ru_maxrss, getrusage(2)


_RESIDENT, _DATA = 1, 5


def resident_bytes() -> int:
    """Resident memory of this process now, in bytes; its peak on systems that report no more.

    The peak that Linux reports is no substitute: a process inherits that of the one it was started by.
    """
    return _statm("self", _RESIDENT) or resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * _PEAK_UNIT_BYTES


def private_bytes(pid: int | str = "self") -> int:
    """Private memory of a process in bytes, as `RLIMIT_DATA` counts it; 0 where unknown."""
    return _statm(pid, _DATA)


def _statm(pid: int | str, place: int) -> int:
    try:
        with open(f"/proc/{pid}/statm", encoding="ascii") as file:
            return int(file.read().split()[place]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        return 0
