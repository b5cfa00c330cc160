"""Stored maps, a file each beside the database: written once, opened by mapping, deleted when a newer one is stored.

Layout: a header (magic, size of the file, size and checksum of the directory), the directory (offset, length and
checksum of each part), and from FIRST_PART on the parts, each at a multiple of 64 bytes.

Rules of the file:
- A file is whole before anything names it, and is neither written nor cut again: a reader's pages stay what they were,
  also when the file is deleted. Names are never used twice.
- What is opened is the file that was written: by its place on disk, its size and the time of its last change, which any
  write changes; or else by the checksums of all its parts.

Source: mmap(2) (a page behind the end of a file that was cut raises SIGBUS).
"""

from __future__ import annotations

import mmap
import os
import secrets
import struct
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from zlib import crc32

import msgspec

from actors.files.private_file import is_regular
from codemap.packed.unpacking import unpack

SUFFIX = ".map"
MAGIC = b"CMAPMAP1"
ALIGNED = 64
FIRST_PART = 2560
"""Where the first part begins: there is room for a directory of a hundred."""
READ_AT_ONCE = 1 << 20
CHECKED_AT_ONCE = 32_000_000
"""Bytes of a file that is checked whole each time it is opened: some hundredths of a second."""
YOUNG_S = 600.0
"""A file that nothing names may still be being written."""

_HEADER = struct.Struct("<8sQII")
_directory = msgspec.msgpack.Decoder(list[tuple[int, int, int]])
_encode = msgspec.msgpack.Encoder().encode


class BadMapFile(ValueError):
    """The file is not the one that was written; the message says how, as a clause."""


class Written(msgspec.Struct, frozen=True, array_like=True):
    """A file as it was when it was written."""

    name: str
    """Without the database's path before it."""
    size: int
    sum: int
    """Checksum of its header and directory, which has those of its parts."""
    identity: tuple[int, int, int, int]
    """Device, inode, and times of the last change of content and status, nanoseconds."""


class MapFile:
    """A file that was opened."""

    def __init__(self, path: str, parts: list[memoryview], is_checked: bool, directory: list[tuple[int, int, int]]):
        self.path = path
        self.parts = parts
        """Mapped memory, only to be read."""
        self.is_checked = is_checked
        """Whether the checksums were compared; `check` does that later."""
        self._directory = directory

    def check(self) -> bool:
        """Whether all parts are what was written. Reads the whole file, and keeps nothing of it."""
        try:
            with open(self.path, "rb", buffering=0) as file:
                return _are_whole(file.fileno(), self._directory)
        except FileNotFoundError:
            return True  # another one was stored since; what is mapped stays as it is
        except OSError:
            return False


def write_map_file(database: str, parts: Iterable[bytes]) -> Written:
    """Writes parts, one after the other, into a new file beside a database. Raises OSError, ValueError for too many."""
    directory: list[tuple[int, int, int]] = []
    name = secrets.token_hex(8) + SUFFIX
    path = f"{database}.{name}"
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    with _deleted_if_unfinished(path) as finish:
        with open(fd, "wb") as file:
            at = FIRST_PART
            for part in parts:
                file.seek(at)
                file.write(part)
                directory.append((at, len(part), crc32(part)))
                at = _aligned(at + len(part))
            file.truncate(at)
            listed = _encode(directory)
            header = _HEADER.pack(MAGIC, at, len(listed), crc32(listed))
            if len(header + listed) > FIRST_PART:
                raise ValueError(f"{len(directory)} parts")
            file.seek(0)
            file.write(header + listed)
            file.flush()
            status = os.fstat(file.fileno())
        finish()
    return Written(name, at, crc32(header + listed), _identity(status))


@contextmanager
def _deleted_if_unfinished(path: str) -> Iterator[Callable[[], object]]:
    """Deletes a file unless what it gives is called."""
    with ExitStack() as stack:
        stack.callback(_delete, path)
        yield stack.pop_all


def _delete(path: str) -> None:
    with suppress(OSError):
        os.unlink(path)


def open_map_file(database: str, written: Written) -> MapFile:
    """Opens a file that was written. Raises BadMapFile, OSError (FileNotFoundError where another was stored since)."""
    path = f"{database}.{written.name}"
    if not is_regular(path):
        raise BadMapFile("no file")
    fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
    try:
        status = os.fstat(fd)
        if status.st_size != written.size or status.st_uid != os.geteuid():
            raise BadMapFile("of another size, or another user's")
        header = os.pread(fd, _HEADER.size, 0)
        magic, size, length, its_sum = _HEADER.unpack(header)
        listed = os.pread(fd, length, _HEADER.size)
        if (magic, size, its_sum) != (MAGIC, written.size, crc32(listed)) or crc32(header + listed) != written.sum:
            raise BadMapFile("its directory is not what was written")
        directory = unpack(_directory, listed)
        is_checked = size <= CHECKED_AT_ONCE or _identity(status) != written.identity
        if is_checked and not _are_whole(fd, directory):
            raise BadMapFile("a part of it is not what was written")
        mapped = memoryview(mmap.mmap(fd, size, prot=mmap.PROT_READ, flags=mmap.MAP_SHARED))
    except struct.error:
        raise BadMapFile("cut short") from None
    finally:
        os.close(fd)
    return MapFile(path, [mapped[at : at + length] for at, length, _ in directory], is_checked, directory)


def map_files(database: str) -> Iterator[os.DirEntry[str]]:
    """All files of maps beside a database."""
    prefix = f"{os.path.basename(database)}."
    with suppress(OSError), os.scandir(os.path.dirname(database)) as entries:
        for entry in entries:
            if entry.name.startswith(prefix) and entry.name.endswith(SUFFIX):
                yield entry


def delete_map_files(database: str, names: Iterable[str]) -> None:
    for name in names:
        _delete(f"{database}.{name}")


def delete_unnamed(database: str, named: Iterable[str]) -> None:
    """Deletes the files that nothing names, which processes that were killed have left."""
    kept = {f"{os.path.basename(database)}.{name}" for name in named}
    for entry in map_files(database):
        with suppress(OSError):
            if entry.name not in kept and time.time() - entry.stat(follow_symlinks=False).st_mtime > YOUNG_S:
                os.unlink(entry.path)


def _are_whole(fd: int, directory: Sequence[tuple[int, int, int]]) -> bool:
    for at, length, its_sum in directory:
        found, end = 0, at + length
        while at < end:
            piece = os.pread(fd, min(READ_AT_ONCE, end - at), at)
            if not piece:
                return False
            found = crc32(piece, found)
            at += len(piece)
        if found != its_sum:
            return False
    return True


def _identity(status: os.stat_result) -> tuple[int, int, int, int]:
    return status.st_dev, status.st_ino, status.st_mtime_ns, status.st_ctime_ns


def _aligned(at: int) -> int:
    return -(-at // ALIGNED) * ALIGNED
