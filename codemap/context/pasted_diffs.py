"""Finds what a pasted diff changes: files and lines, as they are with it; and what somebody wrote before it.

Source: gitformat-diff(5), "Generating patch text with -p"; git-log(1) for the head of a commit.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from codemap.context.frames import Frame

_BEGIN = re.compile(r"^(?:diff --(?:git|cc|combined) |--- \S.*\n\+\+\+ \S)", re.MULTILINE)
_FILE = re.compile(r"\+\+\+ (?:[a-z]/)?([^\t\n]+)")
_HUNK = re.compile(r"@@ -\d+(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
_HEAD = re.compile(
    r"^(?:commit [0-9a-f]{7,64}\b|(?:(?:Author|Commit)(?:Date)?|Date|Merge|From): ).*$\n?",
    re.MULTILINE,
)
_NOTHING = "/dev/null"
CHANGES_MAX = 200
"""Places that are read of one diff."""


class Pasted(NamedTuple):
    prose: str
    """The text before the diff, without the head of a commit; all of it where there is no diff."""
    changes: list[Frame]
    """The first line of each run of lines that it changes; the one before a run that it only removes."""


def split_diff(text: str) -> Pasted:
    """Divides a text into what was written and the diff that it ends with, if any."""
    begin = _BEGIN.search(text)
    if begin is None:
        return Pasted(text, [])
    changes = [change for change, _ in zip(_changes(text[begin.start() :]), range(CHANGES_MAX), strict=False)]
    return Pasted(_HEAD.sub("", text[: begin.start()]), changes) if changes else Pasted(text, [])


def _changes(diff: str) -> Iterator[Frame]:
    path, at, removed, kept, is_within = "", 0, 0, 0, False
    for line in diff.split("\n"):
        if removed <= 0 and kept <= 0:  # outside hunks
            if file := _FILE.match(line):
                path = "" if file[1] == _NOTHING else file[1].strip('"')
            elif hunk := _HUNK.match(line):
                removed, at, kept = int(hunk[1] or 1), int(hunk[2]), int(hunk[3] or 1)
                is_within = False
            continue
        is_change = line.startswith(("+", "-"))
        if path and is_change and not is_within:
            yield Frame(path, max(at if kept > 0 else at - 1, 1))
        is_within = is_change
        if not line.startswith("-"):
            at, kept = at + 1, kept - 1
        if not line.startswith("+"):
            removed -= 1
