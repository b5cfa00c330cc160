"""Replaces the contents of several files: of all of them, or of none.

Rules of the file:
- A file is opened part by part from the root, and no link is followed: nothing outside the root can be named.
- Only files that still have the content that the edit was made for are replaced; if one changed, none is.
- Each new content is written beside its file, flushed, and then takes its place at once; what fails midway is undone.
- Mode and owner stay. A file of several names (hard links) is refused: the others would keep the old content.

Source: rename(2), for what takes a place at once.
"""

from __future__ import annotations

import os
import secrets
import stat
from collections.abc import Sequence
from contextlib import ExitStack, suppress

import msgspec

from actors.files.paths import is_canonical
from actors.files.reading import digest_of
from codemap.live_queries import NewContent

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_CHUNK = 1 << 20


class _Refused(Exception):
    """Raised when nothing was written; the message says why, as a clause."""


class _Place(msgspec.Struct, frozen=True):
    path: str
    folder: int
    """Descriptor of the folder."""
    name: str
    fresh: str
    """Name of the file with the new content, until it replaces the old one."""
    kept: str
    """A second name (hard link) of the old content, until all files are replaced."""
    status: os.stat_result
    """Stat of the file when it was read."""


def replace_files(root: str, files: Sequence[NewContent]) -> str:
    """Replaces all the files under a root, or none: then says why, as a clause. Empty: all were replaced."""
    with ExitStack() as stack:
        places: list[_Place] = []
        try:
            places += (_checked(root, one, stack) for one in files)
            for place, one in zip(places, files, strict=True):
                _write(place, one.content)
            _put_in_place(places)
        except _Refused as why:
            return str(why)
        except OSError as error:
            return f"{error.strerror or error}"
        finally:
            for place in places:
                for name in (place.fresh, place.kept):
                    with suppress(OSError):
                        os.unlink(name, dir_fd=place.folder)
        return ""


def _checked(root: str, wanted: NewContent, stack: ExitStack) -> _Place:
    """The place of a file, whose content is the expected one. Raises _Refused and OSError."""
    path = wanted.file
    if not is_canonical(path) or path.startswith("/"):
        raise _Refused(f"{path} is no path under the root")
    *parts, name = path.split("/")
    if ".git" in parts:
        raise _Refused(f"{path} is git's own")
    try:
        folder = os.open(root, _FOLDER)
        stack.callback(os.close, folder)
        for part in parts:
            folder = os.open(part, _FOLDER, dir_fd=folder)
            stack.callback(os.close, folder)
        file = os.open(name, _READ, dir_fd=folder)
    except OSError as error:
        raise _Refused(f"{path} cannot be opened without following links ({error.strerror})") from error
    try:
        status = os.fstat(file)
        if not stat.S_ISREG(status.st_mode):
            raise _Refused(f"{path} is no regular file")
        if status.st_nlink != 1:
            raise _Refused(f"{path} has several names")
        if digest_of(_read(file)) != wanted.digest:
            raise _Refused(f"{path} has changed since")
    finally:
        os.close(file)
    nonce = secrets.token_hex(8)
    return _Place(path, folder, name, f".{nonce}.codemap-new", f".{nonce}.codemap-old", status)


def _read(file: int) -> bytes:
    chunks = []
    while chunk := os.read(file, _CHUNK):
        chunks.append(chunk)
    return b"".join(chunks)


def _write(place: _Place, content: bytes) -> None:
    """Writes the new content beside the file."""
    file = os.open(place.fresh, _NEW, 0o600, dir_fd=place.folder)
    try:
        view = memoryview(content)
        while view:
            view = view[os.write(file, view) :]
        status = place.status
        if (status.st_uid, status.st_gid) != (os.fstat(file).st_uid, os.fstat(file).st_gid):
            os.fchown(file, status.st_uid, status.st_gid)
        os.fchmod(file, stat.S_IMODE(status.st_mode))
        os.fsync(file)
    finally:
        os.close(file)


def _put_in_place(places: Sequence[_Place]) -> None:
    """Has every new content take its place, or none. Raises _Refused and OSError."""
    done: list[_Place] = []
    try:
        for place in places:
            os.link(place.name, place.kept, src_dir_fd=place.folder, dst_dir_fd=place.folder, follow_symlinks=False)
            now = os.stat(place.kept, dir_fd=place.folder, follow_symlinks=False)
            if _identity(now) != _identity(place.status):
                raise _Refused(f"{place.path} has changed since")
            os.replace(place.fresh, place.name, src_dir_fd=place.folder, dst_dir_fd=place.folder)
            done.append(place)
    except (OSError, _Refused):
        for place in reversed(done):
            os.replace(place.kept, place.name, src_dir_fd=place.folder, dst_dir_fd=place.folder)
        raise
    for folder in dict.fromkeys(place.folder for place in places):
        os.fsync(folder)


def _identity(status: os.stat_result) -> tuple[int, int, int, int]:
    """What differs once a file was written to; a second name changes none of it."""
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns
