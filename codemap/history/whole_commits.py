"""Reads a commit whose text is there as a whole, in fewer steps than where it comes in pieces.

So come nearly all. What is out of the ordinary is left to `codemap.history.log_reader`, which reads every text, to the
same commit: a merge that is compared with several parents, a file that became a link, patches that are not one a file.

Source: git-log(1), gitformat-diff(5).
"""

from __future__ import annotations

import re
from array import array

from codemap.history.commits import Commit, Entry, Side
from codemap.history.hunk_headers import hunks_in, is_binary
from codemap.history.raw_entries import ABSENT, SUBMODULE

MESSAGE_MAX = 20_000
"""Bytes of a message that are read."""
TIME_MAX_S = 1 << 40

_FIELDS = 7
_GAP = b"\0\n"
_RAW = re.compile(rb":(\d{6}) (\d{6}) [0-9a-f]+ [0-9a-f]+ ([ACDMR])\d*\0([^\0]+)\0")
_TWO_PATHS = (b"R", b"C")
_PATCH = b"\ndiff --"


def whole_commit(text: bytes) -> Commit | None:
    """The commit; None where it takes the other way. Raises OverflowError for line numbers that no file has, and
    ValueError for a commit without an ID or time."""
    parts = text.split(b"\0", _FIELDS)
    if len(parts) <= _FIELDS or parts[0]:
        return None
    parents, rest = parts[2], parts[-1]
    begin = len(rest) - len(rest.lstrip(_GAP))
    raws: list[tuple[bytes, ...]] = []
    while (found := _RAW.match(rest, begin)) is not None:
        begin = found.end()
        raw: tuple[bytes, ...] = found.groups()
        if raw[2] in _TWO_PATHS:
            end = rest.find(b"\0", begin)
            if end < 0:
                return None
            raw = (*raw, rest[begin:end])
            begin = end + 1
        raws.append(raw)
    is_merge = b" " in parents
    if is_merge or not raws:
        if len(rest) > begin and rest[begin:].strip(_GAP):
            return None
        others = tuple(raw[-1].decode("utf-8", "surrogateescape") for raw in raws)
        return make_commit(parts[1:-1], (), others)
    sections = rest.split(_PATCH)
    if len(sections) != len(raws) or not rest.startswith(b"\0diff --", begin):
        return None
    entries: list[Entry] = []
    for number, raw in enumerate(raws):
        _add_entry(entries, raw, sections[number], 0 if number else begin)
    return make_commit(parts[1:-1], tuple(entries))


def _add_entry(entries: list[Entry], raw: tuple[bytes, ...], patch: bytes, begin: int) -> None:
    """Adds what a file's patch, from an offset on, says; of one that was renamed also that its old name is gone."""
    before, after, status = raw[:3]
    path = raw[3].decode("utf-8", "surrogateescape")
    hunks = hunks_in(patch, begin, len(patch))
    is_opaque = before == SUBMODULE or after == SUBMODULE or (not hunks and is_binary(patch, begin, len(patch)))
    side = Side("" if before == ABSENT else path, array("i", () if is_opaque else hunks), is_opaque)
    if status == b"R":
        entries.append(Entry(path, (Side(path),), is_removed=True))
    entries.append(
        Entry(raw[4].decode("utf-8", "surrogateescape") if len(raw) > 4 else path, (side,), is_removed=after == ABSENT)
    )


def make_commit(fields: list[bytes], entries: tuple[Entry, ...], from_others: tuple[str, ...] = ()) -> Commit:
    """The commit of some fields of its header. Raises ValueError where it has no ID or time."""
    name, parents, author, email, time_s, message = fields
    seconds = max(-TIME_MAX_S, min(int(time_s or b"0"), TIME_MAX_S))
    id_ = name.decode("ascii")
    bytes.fromhex(id_)
    return Commit(
        id_,
        tuple(parents.decode("ascii", "replace").split()),
        author.decode("utf-8", "replace"),
        email.decode("utf-8", "replace"),
        seconds,
        message[:MESSAGE_MAX].decode("utf-8", "replace"),
        entries,
        from_others,
    )
