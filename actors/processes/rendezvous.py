"""Lets the processes of one repository find one service: a private unix socket, owned by the holder of a lock.

A process that is to serve a repository first tries to join the one that does already. Only processes of one user, with
the same settings and the same state of codemap's own code, meet: a service answers as any of them would have.

Rules of the file:
- The standard library only, and of that little: who merely joins must be there in milliseconds.
- The lock decides who serves; the socket is bound and unlinked under it, so that a socket without a lock is a dead one.

Source: flock(2), unix(7); XDG Base Directory Specification 0.8 (`$XDG_RUNTIME_DIR`).
"""

from __future__ import annotations

import fcntl
import os
import socket
import stat
from _blake2 import blake2b  # hashlib would load OpenSSL, which takes longer than all the rest
from collections.abc import Mapping, Sequence

BACKLOG = 128
_FOLDER_MAX_BYTES = 70
"""Longest folder path that leaves room for our names in the smallest `sun_path`, which has 104 bytes."""
_PREFIX = "CODEMAP_"
_OWN_FILES = ("codemap.toml", "pyproject.toml")
_CODE = ("actors", "codemap")

NOT_SHARED = frozenset(
    {
        *(
            "root",
            "stdio",
            "websocket",
            "http",
            "token_file",
            "tls_certificate",
            "tls_key",
            "hosts",
            "origins",
            "share",
            "tools",
            "schemas",
        ),
        *("clients_max", "requests_total_max", "handshake_s", "ping_s", "linger_s", "root_idle_s"),
        *("sessions_max", "sessions_per_token_max", "sessions_per_address_max"),
    }
)
"""Settings that change no answers: processes that differ in them meet all the same."""
_NO_SETTINGS = frozenset({"TOKEN"})


class NotPrivate(Exception):
    """Raised where no folder can be reached by this user alone; the message is a sentence, without its full stop."""


class Offer:
    """The lock and the listening socket of the process that serves."""

    __slots__ = ("listener", "lock", "place")

    def __init__(self, place: str, lock: int, listener: socket.socket) -> None:
        self.place = place
        self.lock = lock
        self.listener = listener

    def withdraw(self) -> None:
        """Gives the place up; the next process finds nobody, and serves."""
        if self.lock < 0:
            return
        for ending in (".sock", ".lock"):
            try:
                os.unlink(self.place + ending)
            except FileNotFoundError:
                pass
        self.leave()

    def leave(self) -> None:
        """Forgets what another process has taken over."""
        self.listener.close()
        os.close(self.lock)
        self.lock = -1


def meeting_place(root: str, flags: Mapping[str, str], environment: Mapping[str, str]) -> str:
    """Path of the socket, lock and log of a root, without suffix. Raises NotPrivate, OSError.

    `flags` are the settings given on the command line, by name.
    """
    folder = _private_folder(environment)
    parts = [root, *_settings(flags, environment), *_state_of(root, _OWN_FILES), *_state_of_code()]
    digest = blake2b("\0".join(parts).encode("utf-8", "surrogateescape"), digest_size=12).hexdigest()
    return os.path.join(folder, digest)


def join(place: str) -> socket.socket | None:
    """Connects to the process that serves; None when none does. Raises OSError."""
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        connection.connect(place + ".sock")
    except (FileNotFoundError, ConnectionRefusedError):
        connection.close()
        return None
    except OSError:
        connection.close()
        raise
    return connection


def own(place: str) -> Offer | None:
    """Makes this process the one that serves; None when another serves. Others can connect at once. Raises OSError."""
    while True:
        lock = os.open(place + ".lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(lock)
            return None
        if _is_there(place + ".lock", lock):
            return Offer(place, lock, _listen(place + ".sock"))
        os.close(lock)  # its owner took it away after we had opened it


def inherited(place: str, lock: int, listener: int) -> Offer:
    """Takes over the offer that a parent process made for this one."""
    for descriptor in (lock, listener):
        os.set_inheritable(descriptor, False)
    return Offer(place, lock, socket.socket(fileno=listener))


def _listen(path: str) -> socket.socket:
    try:
        os.unlink(path)
    except FileNotFoundError:
        pass
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    was = os.umask(0o177)
    try:
        listener.bind(path)
    finally:
        os.umask(was)
    listener.listen(BACKLOG)
    return listener


def _is_there(path: str, descriptor: int) -> bool:
    try:
        return os.path.samestat(os.stat(path), os.fstat(descriptor))
    except FileNotFoundError:
        return False


def _private_folder(environment: Mapping[str, str]) -> str:
    runtime = environment.get("XDG_RUNTIME_DIR", "")
    temporary = os.path.join("/tmp", f"codemap-{os.geteuid()}")
    folder = os.path.join(runtime, "codemap") if os.path.isabs(runtime) and os.path.isdir(runtime) else temporary
    if len(os.fsencode(folder)) > _FOLDER_MAX_BYTES:
        folder = temporary
    try:
        os.mkdir(folder, 0o700)
    except FileExistsError:
        pass
    status = os.lstat(folder)
    if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.geteuid() or status.st_mode & 0o077:
        raise NotPrivate(f"{folder} is no folder of this user alone")
    return folder


def _settings(flags: Mapping[str, str], environment: Mapping[str, str]) -> list[str]:
    """The settings in force as far as they were given, a flag in place of its variable."""
    given = {
        name.removeprefix(_PREFIX).lower(): value
        for name, value in environment.items()
        if name.startswith(_PREFIX) and name.removeprefix(_PREFIX) not in _NO_SETTINGS
    }
    given |= flags
    elsewhere = [environment.get("XDG_CACHE_HOME", ""), environment.get("PATH", "")]
    return [*(f"{name}={given[name]}" for name in sorted(given) if name not in NOT_SHARED), *elsewhere]


def _state_of(folder: str, names: Sequence[str]) -> list[str]:
    """When files were changed last, and how large they are."""
    states: list[str] = []
    for name in names:
        try:
            status = os.stat(os.path.join(folder, name))
        except OSError:
            continue
        states.append(f"{name}:{status.st_mtime_ns}:{status.st_size}")
    return states


def _state_of_code() -> list[str]:
    """What distinguishes states of codemap's own code: the newest of its files, and how many there are."""
    above = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    newest = number = 0
    folders = [os.path.join(above, name) for name in _CODE]
    while folders:
        with os.scandir(folders.pop()) as entries:
            for entry in entries:
                if entry.name.endswith(".py"):
                    newest = max(newest, entry.stat().st_mtime_ns)
                    number += 1
                elif "." not in entry.name and entry.name != "__pycache__" and entry.is_dir():
                    folders.append(entry.path)
    return [above, str(newest), str(number)]
