"""Files that only their user may read, where those that are kept stand, and the locks that processes have on them.

Source: open(2), flock(2); XDG Base Directory Specification 0.8.
"""

from __future__ import annotations

import fcntl
import os
import stat
from collections.abc import Mapping


class NotOurs(Exception):
    """Something else stands where a private file should; the message is a sentence, without its full stop."""


def config_file(environment: Mapping[str, str], name: str) -> str:
    """Where codemap keeps a file of this name in the user's configuration folder."""
    named = environment.get("XDG_CONFIG_HOME", "")
    home = named if os.path.isabs(named) else os.path.join(os.path.expanduser("~"), ".config")
    return os.path.join(home, "codemap", name)


def make_private(path: str) -> None:
    """Makes an empty file of ours that nobody else may read, or sees to it that the one there is such.

    Raises OSError, NotOurs. A database that is there is not opened: to close it would drop the locks that this process
    may have on it.
    """
    try:
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))
    except FileExistsError:
        status = os.lstat(path)
        if not stat.S_ISREG(status.st_mode) or status.st_uid != os.geteuid():
            raise NotOurs(f"{path} is no file of this user") from None
        if stat.S_IMODE(status.st_mode) & 0o077:
            os.chmod(path, 0o600)


def is_regular(path: str) -> bool:
    """Whether a file stands there that can be opened without waiting for anybody, or nothing at all."""
    try:
        return stat.S_ISREG(os.lstat(path).st_mode)
    except FileNotFoundError:
        return True
    except OSError:
        return False


def locks(fd: int, kind: int) -> bool:
    """Whether a lock (`fcntl.LOCK_SH`, `LOCK_EX`) could be had at once, in place of the one that is held."""
    try:
        fcntl.flock(fd, kind | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def identity(path: str) -> tuple[int, int] | None:
    """What distinguishes a file from another that takes its path later; None where there is none."""
    try:
        status = os.stat(path)
    except OSError:
        return None
    return status.st_dev, status.st_ino
