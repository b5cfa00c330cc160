"""Reads what `git log` prints into commits: bytes in, commits out, however the bytes are cut.

git prints a token before each commit, which the caller drew at random: no file of the repository can contain it. The
contents in a patch are skipped, not kept: what is in memory at a time is a header, and one combined patch.

Rules of the file:
- Paths come from the raw entries, which end with NUL, never from a patch: it may quote them.
- Lines of contents begin with `+`, `-`, a space or `\\`: a line that begins otherwise is git's own.
- What does not read so raises BadLog; a hostile history can be wrong, not harmful.

Source: git-log(1), gitformat-diff(5), "Combined diff format".
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Callable, Mapping
from typing import TypeVar

from codemap.history.combined import combined_sides, unquoted
from codemap.history.commits import Commit, Entry, Side
from codemap.history.hunk_headers import hunks_in, is_binary
from codemap.history.raw_entries import ABSENT, RawEntry, read_raws
from codemap.history.whole_commits import make_commit, whole_commit

T = TypeVar("T")
C = TypeVar("C")

COMBINED_MAX_BYTES = 8_000_000
"""Of the combined patch of a merge; of a larger one, only the files are known."""

_FIELDS = 6
_PATCH = b"\ndiff --"
_MODES_OF_ONE = 2
"""Modes where a merge is compared with one parent."""


class BadLog(ValueError):
    """The bytes are not what git prints."""


class _Open:
    """A commit whose patch is being read."""

    def __init__(self, fields: list[bytes], raws: list[RawEntry]) -> None:
        self.fields = fields
        self.raws = raws
        self.hunks: list[list[int]] = [[] for _ in raws]
        self.opaque: set[int] = set()
        self.combined: list[bytes] = []
        self.combined_bytes = 0
        self.at = -1
        """The raw entry whose patch is being read."""
        self.patches_left = 0

    @property
    def is_merge(self) -> bool:
        return b" " in self.fields[1]

    def next_patch(self) -> None:
        self.patches_left -= 1
        if self.patches_left <= 0:
            self.at += 1
            if self.at >= len(self.raws):
                raise BadLog("more patches than files")
            self.patches_left = self.raws[self.at].patches


class LogReader:
    """Of one run of git."""

    def __init__(self, token: str) -> None:
        self._token = token.encode()
        self._waiting = b""
        self._open: _Open | None = None
        self._has_begun = False
        self._tried = 0
        """Bytes that were too few for a header: it is read again when there are twice as many."""

    def feed(self, chunk: bytes) -> list[Commit]:
        """The commits that end in these bytes. Raises BadLog."""
        found: list[Commit] = []
        first, *others = (self._waiting + chunk).split(self._token)
        if others:
            self._take(first, is_last=True)
            found += self._ended()
            self._has_begun = True
            first = others.pop()
        for part in others:
            commit = _commit(whole_commit, part)
            if commit is None:
                self._take(part, is_last=True)
                found += self._ended()
            else:
                found.append(commit)
        self._waiting = self._take(first, is_last=False)
        return found

    def finish(self) -> list[Commit]:
        """The last commit: only where git ended as it should, since it may lack patches otherwise. Raises BadLog."""
        self._take(self._waiting, is_last=True)
        self._waiting = b""
        return self._ended()

    def _ended(self) -> list[Commit]:
        opened, self._open = self._open, None
        return [] if opened is None else [_commit(_read_commit, opened)]

    def _take(self, part: bytes, *, is_last: bool) -> bytes:
        """Reads what can be read of a part; returns the rest. `is_last`: whether the commit ends with it."""
        if not self._has_begun:
            if is_last and part.strip(b"\0\n"):
                raise BadLog("it begins otherwise")
            return part
        if self._open is None:
            if len(part) < 2 * self._tried and not is_last:
                return part
            header = _header(part, is_last=is_last)
            self._tried = len(part) if header is None else 0
            if header is None:
                return part
            self._open, begin = header
            part = b"\n" + part[begin:]
        opened = self._open
        end = len(part) if is_last else part.rfind(b"\n")
        if end <= 0:
            return b"" if is_last else part
        if opened.is_merge:
            opened.combined_bytes += end
            if opened.combined_bytes <= COMBINED_MAX_BYTES:
                opened.combined.append(part[:end])
        else:
            _read_patches(opened, part, end)
        return part[end:]


def _read_patches(opened: _Open, part: bytes, end: int) -> None:
    """Reads whole lines of patches, up to an offset."""
    begin = 0
    while True:
        following = part.find(_PATCH, begin, end)
        _read_hunks(opened, part, begin, end if following < 0 else following)
        if following < 0:
            return
        opened.next_patch()
        begin = following + 1


def _read_hunks(opened: _Open, part: bytes, begin: int, end: int) -> None:
    hunks = hunks_in(part, begin, end)
    if hunks and opened.at < 0:
        raise BadLog("a hunk of no file")
    if hunks:
        opened.hunks[opened.at] += hunks
    elif is_binary(part, begin, end):
        opened.opaque.add(opened.at)


def _header(part: bytes, *, is_last: bool) -> tuple[_Open, int] | None:
    """The fields and raw entries of a commit, and where its patch begins; None where more bytes are needed."""
    if not part.startswith(b"\0"):
        if part:
            raise BadLog("a commit begins otherwise")
        return None
    fields: list[bytes] = []
    at = 1
    for _ in range(_FIELDS):
        end = part.find(b"\0", at)
        if end < 0:
            return _unfinished(is_last=is_last)
        fields.append(part[at:end])
        at = end + 1
    if len(part) < at + 2 and not is_last:
        return None
    begin = at
    while begin < len(part) and part[begin : begin + 1] in (b"\0", b"\n"):
        begin += 1
    read = read_raws(part, begin)
    if read is None:
        return _unfinished(is_last=is_last)
    raws, begin = read
    if begin >= len(part) and not is_last:
        return None
    while part[begin : begin + 1] == b"\0":
        begin += 1
    return _Open(fields, raws), begin


def _unfinished(*, is_last: bool) -> tuple[_Open, int] | None:
    if is_last:
        raise BadLog("a commit is cut short")
    return None


def _commit(read: Callable[[T], C], what: T) -> C:
    try:
        return read(what)
    except OverflowError as error:
        raise BadLog("a line number that no file has") from error
    except BadLog:
        raise
    except ValueError as error:
        raise BadLog("a commit without a name or time") from error


def _read_commit(opened: _Open) -> Commit:
    if not opened.is_merge:
        return make_commit(opened.fields, _changed(opened))
    if any(len(raw.modes) == _MODES_OF_ONE for raw in opened.raws):
        return make_commit(opened.fields, (), tuple(raw.paths[-1] for raw in opened.raws))
    return make_commit(opened.fields, _merged(opened))


def _changed(opened: _Open) -> tuple[Entry, ...]:
    entries: list[Entry] = []
    has_patches = opened.at >= 0
    for number, raw in enumerate(opened.raws):
        is_new = raw.modes[0] == ABSENT
        is_removed = raw.modes[-1] == ABSENT
        is_opaque = raw.is_submodule or number in opened.opaque or not has_patches
        hunks = opened.hunks[number] if not is_opaque and raw.status != b"T" else ()
        side = Side("" if is_new else raw.paths[0], array("i", hunks), is_opaque or raw.status == b"T")
        if raw.status[:1] == b"R":
            entries.append(Entry(raw.paths[0], (Side(raw.paths[0]),), is_removed=True))
        entries.append(Entry(raw.paths[-1], (side,), is_removed=is_removed))
    return tuple(entries)


def _merged(opened: _Open) -> tuple[Entry, ...]:
    patches: Mapping[str, bytes] = {}
    if opened.combined_bytes <= COMBINED_MAX_BYTES:
        patches = _by_path(b"".join(opened.combined))
    entries: list[Entry] = []
    for raw in opened.raws:
        path, parents = raw.paths[-1], len(raw.modes) - 1
        if len(raw.paths) != parents + 1 or parents != len(opened.fields[1].split()):
            raise BadLog("a merge of other parents")
        patch = patches.get(path)
        hunks = None
        if patch is not None and not raw.is_submodule and b"\nBinary files " not in patch:
            hunks = combined_sides(patch, parents)
        sides: list[Side] = []
        for number in range(parents):
            if raw.modes[number] == ABSENT:
                sides.append(Side(""))
            elif hunks is None:
                sides.append(Side(raw.paths[number], is_opaque=True))
            else:
                sides.append(Side(raw.paths[number], array("i", hunks[number])))
        entries.append(Entry(path, tuple(sides), is_removed=raw.modes[-1] == ABSENT))
    return tuple(entries)


def _by_path(text: bytes) -> dict[str, bytes]:
    """The patch of each file of a merge, by path."""
    found: dict[str, bytes] = {}
    for part in re.split(rb"\ndiff --(?:combined|cc) ", text)[1:]:
        name, _, patch = part.partition(b"\n")
        found[unquoted(name).decode("utf-8", "surrogateescape")] = b"\n" + patch
    return found
