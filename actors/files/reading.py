"""Reads files of the root: stat and content, and whether a later change of the content must show in the stat.

Rules of the file:
- The stat is taken before the content is read: a change in between shows as a difference later, never as a match.
- A path that leads upward is never followed, a link only when it ends inside the root; pipes, sockets and devices are
  never waited for.
- Workers import it: the standard library, the messages, and the paths only.
"""

from __future__ import annotations

import errno
import os
import stat
import time
from collections.abc import Sequence
from hashlib import blake2b

from actors.files.paths import is_canonical
from actors.messaging.messages import UNKNOWN_STAT, FileStat, Skipped
from codemap.extract.skipped_files import SkipReason

Contents = tuple[FileStat, bytes, bool]
"""The stat of a file before it was read, its content, and whether the stat is settled."""

DIGEST_BYTES = 16

SETTLED_NS = 50_000_000
"""A file whose last change is older than this gets another mtime from its next change: kernels stamp in ticks of up to
10 ms."""

COARSE_SETTLED_NS = 2_000_000_000
"""Like `SETTLED_NS`, where mtimes are whole seconds (FAT counts in steps of two)."""

CACHED_MAX_BYTES = 256_000
"""Larger files are left to a thread: to copy this much takes some 50 microseconds."""

_REST_BYTES = 1 << 16
"""What is read at a time behind the size that a file had: nothing, unless it grew."""


def digest_of(content: bytes) -> bytes:
    """Hashes a content to the digest that identifies it."""
    return blake2b(content, digest_size=DIGEST_BYTES).digest()


def read_file(root: str, path: str, max_bytes: int) -> Contents | Skipped:
    """Reads a regular file inside the root: its stat before reading, its content, and whether the stat is settled."""
    if not is_canonical(path):
        return Skipped(UNKNOWN_STAT, b"", True, SkipReason.OUTSIDE)
    full = f"{root}/{path}"
    now_ns = time.time_ns()
    try:
        fd = _open(root, full)
    except OSError as error:
        return _unreadable(full, error)
    if fd is None:
        return Skipped(_stat(full), b"", True, SkipReason.OUTSIDE)
    try:
        status = os.fstat(fd)
        at = stat_of(status)
        if not stat.S_ISREG(status.st_mode):
            return Skipped(at, b"", True, SkipReason.SPECIAL)
        if at.size > max_bytes:
            return Skipped(at, b"", is_settled(at, now_ns), SkipReason.OVERSIZED)
        content = _read(fd, at.size, max_bytes + 1)
        return at, content, is_settled(at, now_ns) and stat_of(os.fstat(fd)) == at
    except OSError as error:
        return _unreadable(full, error)
    finally:
        os.close(fd)


def read_files(root: str, paths: Sequence[str], max_bytes: int) -> dict[str, Contents]:
    """Reads the files that can be read, by path; see `read_file`."""
    read = {path: read_file(root, path, max_bytes) for path in paths}
    return {path: one for path, one in read.items() if not isinstance(one, Skipped)}


def read_cached_files(root: str, paths: Sequence[str], max_bytes: int) -> dict[str, Contents]:
    """Reads the files that the kernel holds in memory, without waiting for a disk; see `read_file`.

    Others are left out, as are those of more than `CACHED_MAX_BYTES` or reached by a link that leads out of the root (a
    real path); all of them where the system does not tell. Source: preadv2(2), proc(5).
    """
    found: dict[str, Contents] = {}
    if not hasattr(os, "RWF_NOWAIT"):
        return found
    for path in filter(is_canonical, paths):
        now_ns = time.time_ns()
        try:
            fd = os.open(f"{root}/{path}", os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOFOLLOW)
        except OSError:
            continue
        try:
            status = os.fstat(fd)
            is_read = stat.S_ISREG(status.st_mode) and status.st_size <= min(CACHED_MAX_BYTES, max_bytes)
            if is_read and os.readlink(f"/proc/self/fd/{fd}").startswith(os.path.join(root, "")):
                content = bytearray(status.st_size + 1)
                is_whole = os.preadv(fd, [content], 0, os.RWF_NOWAIT) == status.st_size
                at = stat_of(status)
                if is_whole and stat_of(os.fstat(fd)) == at:
                    found[path] = at, bytes(memoryview(content)[:-1]), is_settled(at, now_ns)
        except OSError:
            continue
        finally:
            os.close(fd)
    return found


def stat_files(root: str, paths: Sequence[str]) -> dict[str, FileStat]:
    """Stats the paths that are regular files, links followed."""
    found: dict[str, FileStat] = {}
    for path in filter(is_canonical, paths):
        try:
            status = os.stat(f"{root}/{path}")
        except (OSError, ValueError):
            continue
        if stat.S_ISREG(status.st_mode):
            found[path] = stat_of(status)
    return found


def stat_of(status: os.stat_result) -> FileStat:
    """Converts a stat result to the fields that are kept."""
    return FileStat(status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino)


def is_settled(at: FileStat, read_ns: int) -> bool:
    """Whether a change after `read_ns`, the wall clock before the content was read, must show in the file's times."""
    return settles_ns(at) < read_ns


def settles_ns(at: FileStat) -> int:
    """The wall clock time from which on a change must show in the file's times, in nanoseconds."""
    tick_ns = COARSE_SETTLED_NS if at.mtime_ns % 1_000_000_000 == 0 else SETTLED_NS
    return max(at.mtime_ns + tick_ns, at.ctime_ns + SETTLED_NS)


def _open(root: str, full: str) -> int | None:
    """Opens a file without blocking; None for a link that ends outside the root."""
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
    nofollow = getattr(os, "O_NOFOLLOW", 0)
    try:
        return os.open(full, flags | nofollow)
    except OSError as error:
        if error.errno not in (errno.ELOOP, errno.EMLINK) or not os.path.islink(full):
            raise
    target = os.path.realpath(full)
    if not target.startswith(os.path.join(os.path.realpath(root), "")):
        return None
    return os.open(target, flags | nofollow)


def _read(fd: int, expected: int, limit: int) -> bytes:
    """Reads a file to its end, or to `limit`. A read allocates all that it asks for, whatever comes: the first asks for
    the size that the file had."""
    chunks: list[bytes] = []
    wanted = expected + 1
    while limit > 0:
        chunk = os.read(fd, min(limit, wanted))
        if not chunk:
            break
        chunks.append(chunk)
        limit -= len(chunk)
        wanted = _REST_BYTES
    return chunks[0] if len(chunks) == 1 else b"".join(chunks)


def _unreadable(full: str, error: OSError) -> Skipped:
    if error.errno in (errno.ENOENT, errno.ENOTDIR):
        return Skipped(UNKNOWN_STAT, b"", False, SkipReason.VANISHED)
    return Skipped(_stat(full), b"", False, SkipReason.UNREADABLE, error.strerror or "")


def _stat(full: str) -> FileStat:
    try:
        status = os.lstat(full)
    except OSError:
        return UNKNOWN_STAT
    return stat_of(status)
