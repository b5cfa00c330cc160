"""Ends a process with its parent, however the parent ends: even inside a call that never returns, or by SIGKILL.

The kernel ties the death signal to the thread that forked, so the parent forks on its main thread. Where there is no
such signal, a thread looks for the parent now and then; a call that lets go of no lock delays it. Standard library
only.

Source: prctl(2) PR_SET_PDEATHSIG, which an exec keeps.
"""

from __future__ import annotations

import os
import signal
import sys

LOOK_S = 1.0
"""Between two checks for the parent, where the kernel sends no signal."""

ORPHANED = 127

_PR_SET_PDEATHSIG = 1


def die_with(parent: int) -> bool:
    """Has the kernel kill this process when its parent ends; False where it cannot. A parent that has ended already
    ends it now."""
    is_tied = _tie()
    if os.getppid() != parent:
        os._exit(ORPHANED)
    return is_tied


def look_for(parent: int) -> None:
    """Ends this process soon after its parent has ended; for systems where `die_with` cannot."""

    import threading
    import time

    def look() -> None:
        while os.getppid() == parent:
            time.sleep(LOOK_S)
        os._exit(ORPHANED)

    threading.Thread(target=look, daemon=True).start()


def _tie() -> bool:
    if sys.platform != "linux":
        return False
    try:
        import ctypes
    except ImportError:  # a Python without it
        return False
    return int(ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)) == 0
