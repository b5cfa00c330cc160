"""Limits how much memory a parser process may allocate (`RLIMIT_DATA`), job by job."""

from __future__ import annotations

import resource
from contextlib import suppress


def limit_memory(most: int) -> None:
    """Limits this process to so many bytes from now on; 0 lifts the limit. No effect where the system has no such
    limit."""
    _, hard = resource.getrlimit(resource.RLIMIT_DATA)
    soft = min(most or hard, most if hard == resource.RLIM_INFINITY else hard)
    with suppress(OSError, ValueError):  # not every system has this limit
        resource.setrlimit(resource.RLIMIT_DATA, (soft, hard))
