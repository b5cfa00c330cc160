"""The line that names the machine; figures of different machines are not compared."""

from __future__ import annotations

import os
import platform
import sys
import time
from pathlib import Path

ADDITIONS = 5_000_000
"""Of a loop that tells how fast Python is: builds of one version differ by a third."""


def machine_line() -> str:
    """Cores that we may use, model of the processor, Python and its pace, and what else was running just now."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    load = f"{os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else "unknown"
    origin = "the system's" if sys.base_prefix == "/usr" else "built apart"
    return (
        f"{cores} cores, {_processor()}, {platform.system()}, Python {platform.python_version()} ({origin}; "
        f"{ADDITIONS // 1_000_000} million additions in {_additions_s():.2f} s), load before: {load}"
    )


def _additions_s() -> float:
    start = time.process_time()
    total = 0
    for number in range(ADDITIONS):
        total += number
    return time.process_time() - start


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    models = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(models, platform.machine())
