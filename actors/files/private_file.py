"""Makes files that only their user may read, finds them in the configuration folder, and locks them.

Source: open(2), flock(2); XDG Base Directory Specification 0.8.
"""

from __future__ import annotations

import fcntl
import os
import stat
from collections.abc import Mapping


class NotOurs(Exception):
    """Raised when something else is in the place of a private file; the message is a sentence, without its full
    stop."""


def config_file(environment: Mapping[str, str], name: str) -> str:
    """Path of a file of this name in the user's configuration folder."""
    named = environment.get("XDG_CONFIG_HOME", "")
    home = named if os.path.isabs(named) else os.path.join(os.path.expanduser("~"), ".config")
    return os.path.join(home, "codemap", name)


def make_private(path: str) -> None:
    """Makes an empty file that only this user may read, or makes the existing one private.

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
    """Whether the path is a regular file or does not exist, so that opening it never blocks."""
    try:
        return stat.S_ISREG(os.lstat(path).st_mode)
    except FileNotFoundError:
        return True
    except OSError:
        return False


def locks(fd: int, kind: int) -> bool:
    """Tries to change the lock on a file (`fcntl.LOCK_SH`, `LOCK_EX`) without waiting; whether it was granted."""
    try:
        fcntl.flock(fd, kind | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def identity(path: str) -> tuple[int, int] | None:
    """Identifies a file: another file that takes the path later has another identity. None where the path is free."""
    try:
        status = os.stat(path)
    except OSError:
        return None
    return status.st_dev, status.st_ino
