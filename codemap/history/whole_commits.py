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
_BEFORE_PATCH = b"\0\0diff --"
_PATCH = b"\ndiff --"
_RAW = re.compile(rb":(\d{6}) (\d{6}) [0-9a-f]+ [0-9a-f]+ ([ACDMR])\d*")
_TWO_PATHS = (b"R", b"C")


def whole_commit(text: bytes) -> Commit | None:
    """The commit; None where it takes the other way. Raises OverflowError for line numbers that no file has, and
    ValueError for a commit without an ID or time."""
    parts = text.split(b"\0", _FIELDS)
    if len(parts) <= _FIELDS or parts[0]:
        return None
    listed, has_patches, patches = parts.pop().partition(_BEFORE_PATCH)
    del parts[0]
    raws = _raws(listed.lstrip(_GAP).rstrip(b"\0"))
    if raws is None:
        return None
    if b" " in parts[1] or not raws:
        others = tuple([raw[-1] for raw in raws])
        return None if has_patches else make_commit(parts, (), others)
    sections = patches.split(_PATCH)
    if len(sections) != len(raws) or not has_patches:
        return None
    entries: list[Entry] = []
    for raw, section in zip(raws, sections, strict=True):
        _add_entry(entries, raw, section)
    return make_commit(parts, tuple(entries))


def _raws(listed: bytes) -> list[tuple[bytes, bytes, bytes, str, str]] | None:
    """Both modes, the status and both paths of each file; None where something else is listed, too."""
    if not listed:
        return []
    raws = []
    texts = iter(listed.split(b"\0"))
    for text in texts:
        found = _RAW.fullmatch(text)
        before = next(texts, None)
        if found is None or before is None:
            return None
        after = next(texts, None) if found[3] in _TWO_PATHS else before
        if after is None:
            return None
        path = after.decode("utf-8", "surrogateescape")
        old_path = path if after is before else before.decode("utf-8", "surrogateescape")
        raws.append((found[1], found[2], found[3], old_path, path))
    return raws


def _add_entry(entries: list[Entry], raw: tuple[bytes, bytes, bytes, str, str], patch: bytes) -> None:
    """Adds what a file's patch says; of one that was renamed also that its old name is gone."""
    before, after, status, old_path, path = raw
    hunks = hunks_in(patch, 0, len(patch))
    is_opaque = before == SUBMODULE or after == SUBMODULE or (not hunks and is_binary(patch, 0, len(patch)))
    side = Side("" if before == ABSENT else old_path, array("i", () if is_opaque else hunks), is_opaque)
    if status == b"R":
        entries.append(Entry(old_path, (Side(old_path),), is_removed=True))
    entries.append(Entry(path, (side,), is_removed=after == ABSENT))


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
