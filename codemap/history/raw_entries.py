"""The raw entries of a commit: which files it changed, in what way, by NUL-terminated paths.

    :100644 100644 f61cf1c… 9c4881a… M<NUL>app/store.py<NUL>

Source: gitformat-diff(5), "Raw output format".
"""

from __future__ import annotations

import re

import msgspec

ABSENT = b"000000"
SUBMODULE = b"160000"
_RAW = re.compile(rb":+(\d{6}(?: \d{6})+) ([0-9a-f ]+) ([A-Z]+)\d*\0")


class RawEntry(msgspec.Struct, frozen=True):
    """A raw entry."""

    modes: tuple[bytes, ...]
    """Of the parents, and of the result last."""
    status: bytes
    """A letter a parent."""
    paths: tuple[str, ...]
    """The same."""

    @property
    def is_submodule(self) -> bool:
        return SUBMODULE in self.modes

    @property
    def patches(self) -> int:
        """How many patches there are for it: a change of type is shown as two."""
        return 2 if self.status == b"T" else 1


def read_raws(part: bytes, begin: int) -> tuple[list[RawEntry], int] | None:
    """The entries that begin there, and where they end; None where more bytes are needed."""
    raws: list[RawEntry] = []
    while part[begin : begin + 1] == b":":
        raw = _RAW.match(part, begin)
        if raw is None:
            return None
        modes = tuple(raw[1].split(b" "))
        begin = raw.end()
        paths: list[str] = []
        for _ in range(_path_count(raw[3], len(modes) - 1)):
            end = part.find(b"\0", begin)
            if end < 0:
                return None
            paths.append(part[begin:end].decode("utf-8", "surrogateescape"))
            begin = end + 1
        raws.append(RawEntry(modes, raw[3], tuple(paths)))
    return raws, begin


def _path_count(status: bytes, parents: int) -> int:
    """A renamed file has its old path before the new one, a file of a merge the path in each parent."""
    if parents > 1:
        return parents + 1
    return 2 if status[:1] in (b"R", b"C") else 1
