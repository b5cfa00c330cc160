"""Keeps which repositories the user trusts: only then may programs that lie in them be run (`codemap trust`).

What git tracks proves nothing: an archive that comes with a `.git` can show anything as untracked. So every program
that lies in a repository counts as its own, whoever put it there.

What was said is kept in the user's configuration folder, by the real path of the repository's top folder and by what
distinguishes that folder from another one that takes its path later: the inodes of the folder and of its `.git`, with
the time at which each was made, where the file system keeps that. A repository that was deleted and cloned anew must be
trusted anew; one that is pulled or switched to another branch stays trusted, as it does for editors.

Rules of the file:
- A file that others may change, or that lies in the repository, trusts nothing.
- Asks the disk, a few times at most.

Source: statx(2); XDG Base Directory Specification 0.8.
"""

from __future__ import annotations

import ctypes
import fcntl
import os
import stat
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from enum import Enum
from urllib.parse import quote, unquote

import msgspec

from actors.files.paths import passes_through, refusal
from actors.files.private_file import config_file
from actors.files.repository import repository_around

_FILE_MAX_BYTES = 1024 * 1024
_VERSION = 1


class Stance(Enum):
    """Whether the user trusts a repository."""

    NOTHING = "nothing"
    TRUSTED = "trusted"
    REPLACED = "replaced"
    """Another folder at this path was trusted."""


class CannotKeep(Exception):
    """Raised when a decision cannot be kept; the message is a sentence, without its full stop."""


class Identity(msgspec.Struct, frozen=True):
    """Identifies a folder, so that another one at the same path later is not trusted."""

    folder: str
    repository: str = ""
    """Identity of its `.git`; empty where there is none."""


class Trusted(msgspec.Struct, frozen=True):
    """A repository that the user trusts."""

    path: str
    """Real path of its top folder; percent-encoded, as it need not be UTF-8."""
    identity: Identity
    since: str
    """UTC, ISO 8601."""

    @property
    def folder(self) -> str:
        return unquote(self.path, errors="surrogateescape")


class _File(msgspec.Struct):
    version: int = _VERSION
    trusted: tuple[Trusted, ...] = ()


def trust_file(environment: Mapping[str, str]) -> str:
    """Path of the file that lists the trusted repositories."""
    return config_file(environment, "trusted.json")


def territory(root: str) -> str:
    """Finds the folder in which everything counts as the repository's: the top of the one around a root (a real path).

    The home folder and the file system's root are no repositories, even where someone keeps dotfiles in git.
    """
    around = repository_around(os.fsencode(root))
    top = root if around is None else os.fsdecode(around.top)
    return root if refusal(top) else top


def stance_on(file: str, folder: str) -> tuple[Stance, str]:
    """Looks up whether a territory is trusted, and since when (empty where it is not)."""
    found = next((one for one in _read(file, folder) if one.folder == folder), None)
    if found is None:
        return Stance.NOTHING, ""
    return (Stance.TRUSTED, found.since) if found.identity == identity_of(folder) else (Stance.REPLACED, "")


class TrustWatch:
    """Whether one territory is trusted, read again when the file has changed."""

    def __init__(self, file: str, folder: str) -> None:
        self._file = file
        self._folder = folder
        self._state: object = None
        self._stance = Stance.NOTHING

    def stance(self) -> Stance:
        """Looks up the present decision. Costs a microsecond where nothing has changed."""
        state = _state_of(self._file)
        if state != self._state:
            self._state = state
            self._stance, _ = stance_on(self._file, self._folder)
        return self._stance


def trusted_folders(file: str) -> list[tuple[str, Stance, str]]:
    """Lists the trusted territories in order, with whether each still exists, and since when it is trusted."""
    return [(one.folder, *stance_on(file, one.folder)) for one in sorted(_read(file, ""), key=lambda one: one.path)]


def trust(file: str, folder: str, now_s: float) -> None:
    """Trusts a territory as it is now. Raises CannotKeep."""
    if passes_through(folder, file):
        raise CannotKeep(f"{file} lies in the repository itself, which could then say whom to trust")
    since = datetime.fromtimestamp(now_s, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    new = Trusted(quote(os.fsencode(folder)), identity_of(folder), since)
    with _changing(file) as kept:
        kept.trusted = (*(one for one in kept.trusted if one.path != new.path), new)


def revoke(file: str, folder: str) -> bool:
    """Stops trusting a territory; False where it was not trusted. Raises CannotKeep."""
    path = quote(os.fsencode(folder))
    with _changing(file) as kept:
        before, kept.trusted = kept.trusted, tuple(one for one in kept.trusted if one.path != path)
        return len(before) != len(kept.trusted)


def identity_of(folder: str) -> Identity:
    """Identifies the folder at a path."""
    return Identity(_identity(folder), _identity(os.path.join(folder, ".git")))


def _identity(path: str) -> str:
    try:
        status = os.lstat(path)
    except OSError:
        return ""
    return f"{status.st_ino}:{_born_ns(path)}"


def _state_of(file: str) -> tuple[int, int, int] | None:
    try:
        status = os.stat(file)
    except OSError:
        return None
    return status.st_ino, status.st_mtime_ns, status.st_size


def _read(file: str, folder: str) -> tuple[Trusted, ...]:
    """Reads the file for a question about a territory; empty where the file cannot be relied on."""
    if folder and passes_through(folder, file):
        return ()
    try:
        with open(os.open(file, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as opened:
            status = os.fstat(opened.fileno())
            if not stat.S_ISREG(status.st_mode) or status.st_uid != os.geteuid() or status.st_mode & 0o022:
                return ()
            content = opened.read(_FILE_MAX_BYTES)
        kept = msgspec.json.decode(content, type=_File)
    except (OSError, ValueError):  # not readable, not JSON, or not UTF-8
        return ()
    return kept.trusted if kept.version == _VERSION else ()


@contextmanager
def _changing(file: str) -> Iterator[_File]:
    """Opens the file's content for a change and rewrites the file afterwards, readable to its user only. Raises
    CannotKeep."""
    folder = os.path.dirname(file)
    try:
        os.makedirs(folder, mode=0o700, exist_ok=True)
        lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX)
            kept = _File(trusted=_read(file, ""))
            yield kept
            new = f"{file}.{os.getpid()}.new"
            with suppress(FileNotFoundError):
                os.unlink(new)
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
            with open(os.open(new, flags, 0o600), "wb") as opened:
                opened.write(msgspec.json.format(msgspec.json.encode(kept)) + b"\n")
            os.replace(new, file)
        finally:
            os.close(lock)
    except OSError as error:
        raise CannotKeep(f"{error.filename or file} cannot be written: {error.strerror}") from None


_AT_FDCWD = -100
_AT_SYMLINK_NOFOLLOW = 0x100
_STATX_BTIME = 0x800
_STATX_BYTES = 256
_MASK, _BORN_S, _BORN_NS = slice(0, 4), slice(80, 88), slice(88, 92)
"""Mask and offsets of the birth time in `struct statx`."""


def _born_ns(path: str) -> int:
    """Birth time of a file in nanoseconds; 0 where unknown."""
    born_s: float | None = getattr(os.lstat(path), "st_birthtime", None)
    if born_s is not None:
        return int(born_s * 1e9)
    statx = getattr(ctypes.CDLL(None), "statx", None)
    if statx is None:
        return 0
    buffer = ctypes.create_string_buffer(_STATX_BYTES)
    if statx(_AT_FDCWD, os.fsencode(path), _AT_SYMLINK_NOFOLLOW, _STATX_BTIME, buffer):
        return 0
    raw = buffer.raw
    if not int.from_bytes(raw[_MASK], "little") & _STATX_BTIME:
        return 0
    return int.from_bytes(raw[_BORN_S], "little", signed=True) * 10**9 + int.from_bytes(raw[_BORN_NS], "little")
