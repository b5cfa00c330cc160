"""The line that names the machine; figures of different machines are not compared."""

from __future__ import annotations

import os
import platform
from pathlib import Path


def machine_line() -> str:
    """Cores that we may use, model of the processor, Python, and what else was running just now."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    load = f"{os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else "unknown"
    return (
        f"{cores} cores, {_processor()}, {platform.system()}, Python {platform.python_version()}, load before: {load}"
    )


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    models = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(models, platform.machine())
