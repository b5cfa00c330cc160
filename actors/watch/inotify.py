"""inotify as a descriptor that Trio can wait for: watches in, raw events out.

It knows nothing of trees or ignore rules: one watch is one folder, one event is what the kernel said. Where the system
has no inotify, or gives no more of it, opening raises `Unwatchable`.

Source: inotify(7), linux/inotify.h.
"""

from __future__ import annotations

import ctypes
import errno
import os
import struct
from collections.abc import Iterator
from enum import IntFlag

import msgspec
import trio

from actors.ports import Unwatchable

_READ_BYTES = 1 << 18
"""Size of one read: some 8,000 events, half of what the kernel queues by default."""

_HEAD = struct.Struct("=iIII")


class Mask(IntFlag):
    MODIFY = 0x2
    ATTRIB = 0x4
    CLOSE_WRITE = 0x8
    MOVED_FROM = 0x40
    MOVED_TO = 0x80
    CREATE = 0x100
    DELETE = 0x200
    DELETE_SELF = 0x400
    MOVE_SELF = 0x800
    UNMOUNT = 0x2000
    Q_OVERFLOW = 0x4000
    IGNORED = 0x8000
    ONLYDIR = 0x1000000
    DONT_FOLLOW = 0x2000000
    EXCL_UNLINK = 0x4000000
    ISDIR = 0x40000000


WATCHED = int(
    Mask.MODIFY
    | Mask.ATTRIB
    | Mask.CLOSE_WRITE
    | Mask.MOVED_FROM
    | Mask.MOVED_TO
    | Mask.CREATE
    | Mask.DELETE
    | Mask.DELETE_SELF
    | Mask.MOVE_SELF
    | Mask.ONLYDIR
    | Mask.DONT_FOLLOW
    | Mask.EXCL_UNLINK
)
"""The events to watch for: `MODIFY` for writers that keep a file open, `ATTRIB` for changed times and permissions."""


class RawEvent(msgspec.Struct, frozen=True, gc=False):
    watch: int
    """Number of the watch; -1: the event concerns no folder."""
    mask: int
    name: bytes
    """Name in the folder; empty: the folder itself."""


class Inotify:
    """One inotify instance; close it with `close`."""

    def __init__(self) -> None:
        """Raises Unwatchable."""
        libc = ctypes.CDLL(None, use_errno=True)
        if not hasattr(libc, "inotify_init1"):
            raise Unwatchable("this system has no inotify")
        self._add = libc.inotify_add_watch
        self._add.argtypes = (ctypes.c_int, ctypes.c_char_p, ctypes.c_uint32)
        self._remove = libc.inotify_rm_watch
        self._remove.argtypes = (ctypes.c_int, ctypes.c_int)
        self._fd: int = libc.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
        if self._fd < 0:
            raise _refusal(ctypes.get_errno())

    def add(self, folder: bytes) -> int | None:
        """Watches a folder: the number of the watch, the same when it is watched already. None for one that cannot be
        opened, or is no folder. Raises Unwatchable when there are no more watches."""
        watch: int = self._add(self._fd, folder, WATCHED)
        if watch >= 0:
            return watch
        number = ctypes.get_errno()
        if number in (errno.ENOSPC, errno.ENOMEM, errno.ENOSYS, errno.EBADF):
            raise _refusal(number)
        return None

    def remove(self, watch: int) -> None:
        """Ends a watch; one that has ended already is no error."""
        self._remove(self._fd, watch)

    async def wait(self) -> None:
        """Waits until there is something to read."""
        await trio.lowlevel.wait_readable(self._fd)

    def read(self) -> list[RawEvent]:
        """Reads the queued events; empty where there are none."""
        try:
            return list(parse(os.read(self._fd, _READ_BYTES)))
        except BlockingIOError:
            return []

    def close(self) -> None:
        if self._fd >= 0:
            trio.lowlevel.notify_closing(self._fd)
            os.close(self._fd)
            self._fd = -1


def parse(content: bytes) -> Iterator[RawEvent]:
    """Decodes the bytes read from an inotify descriptor into events."""
    at = 0
    while at < len(content):
        watch, mask, _cookie, size = _HEAD.unpack_from(content, at)
        at += _HEAD.size
        yield RawEvent(watch, mask, content[at : at + size].rstrip(b"\0"))
        at += size


def _refusal(number: int) -> Unwatchable:
    match number:
        case errno.ENOSPC:
            return Unwatchable("the limit of inotify watches is reached (fs.inotify.max_user_watches)")
        case errno.EMFILE:
            return Unwatchable(
                "the limit of inotify instances or open files is reached (fs.inotify.max_user_instances)"
            )
        case _:
            return Unwatchable(f"inotify fails ({os.strerror(number)})")
