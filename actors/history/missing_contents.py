"""Finds the files whose contents, of some commit, are not in the clone: a partial clone has none of some, and one that
was copied badly may lack a few. git stops at the first, and prints nothing of what comes after it.

Neither search reads contents: the first lists what commits refer to and is not there, the second which paths that is.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence

import trio

from actors.ports import NoGit, Ports

_MISSING = re.compile(
    r"unable to read|could not fetch|lazy fetching|bad object|missing blob|cannot read", re.IGNORECASE
)
"""How git says that contents are not there."""
_ID_COLUMNS = slice(2, 4)


def is_of_missing(trouble: str) -> bool:
    """Whether git failed for want of contents."""
    return _MISSING.search(trouble) is not None


async def find_missing(ports: Ports, revisions: Sequence[str], by_s: float) -> tuple[str, ...]:
    """The paths, from the top of the repository, that have such contents in some commit; none where they are not found
    within so many seconds."""
    missing: set[bytes] = set()
    paths: set[str] = set()
    pending = False

    def take_object(line: bytes) -> None:
        if line.startswith(b"?"):
            missing.add(line[1:].split(b" ")[0])

    def take_entry(text: bytes) -> None:
        nonlocal pending
        text = text.lstrip(b"\n")
        if text.startswith(b":") and not pending:
            pending = not missing.isdisjoint(text.split(b" ")[_ID_COLUMNS])
        elif pending:
            paths.add(os.fsdecode(text))
            pending = False

    with trio.move_on_after(by_s) as scope:
        await _split(ports, ["rev-list", "--objects", "--missing=print", *revisions, "--"], b"\n", take_object)
        raw = ["log", "--raw", "-z", "--no-abbrev", "--no-renames", "-m", "--root", "--format=", *revisions, "--"]
        if missing:
            await _split(ports, raw, b"\0", take_entry)
    return () if scope.cancelled_caught else tuple(sorted(paths))


async def _split(ports: Ports, words: Sequence[str], end: bytes, take: Callable[[bytes], None]) -> None:
    async with ports.stream_git(words) as stream:
        if isinstance(stream, NoGit):
            return
        rest = b""
        while chunk := await stream.read():
            *parts, rest = (rest + chunk).split(end)
            for part in parts:
                take(part)
