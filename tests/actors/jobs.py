"""Jobs that tests give to real worker processes; this file imports only what a worker imports."""

from __future__ import annotations

import os
import struct
import sys
import time

from actors.worker import extract_files


def loaded_modules(root: str) -> list[str]:
    """The modules of a worker that has extracted `a.py`."""
    extract_files(root, [("a.py", b"")], 1000)
    return sorted(sys.modules)


def end_process(_root: str, _jobs: object, _max_bytes: int) -> bytes:
    os._exit(3)


def end_within_the_answer(_root: str, _jobs: object, _max_bytes: int) -> bytes:
    """Ends the process as a signal would that comes while it writes."""
    frame = sys._getframe()
    while "send_pipe" not in frame.f_locals:
        assert frame.f_back is not None
        frame = frame.f_back
    os.write(frame.f_locals["send_pipe"].fileno(), struct.pack("!i", 100) + b"part of it")
    os._exit(3)


def sleep_for_ever(_root: str, _jobs: object, _max_bytes: int) -> bytes:
    while True:
        time.sleep(60)
