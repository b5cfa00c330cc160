"""What this process holds in memory."""

from __future__ import annotations

import os
import resource
import sys

_PEAK_UNIT_BYTES = 1 if sys.platform == "darwin" else 1024  # of ru_maxrss, getrusage(2)


def resident_bytes() -> int:
    """What is resident now, in bytes; the most that ever was, on systems that do not tell.

    The peak that Linux tells is no substitute: a process inherits that of the one it was started by.
    """
    try:
        with open("/proc/self/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * _PEAK_UNIT_BYTES
