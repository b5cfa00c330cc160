"""Reads which lines the patch of a file replaces, from the headers of its hunks.

    @@ -98,2 +97 @@ def refresh(self):

Source: gitformat-diff(5).
"""

from __future__ import annotations

import re

_HUNK = re.compile(rb"\n@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
"""It begins with letters, which is how the search for it passes over all other lines without a look at each."""
_BINARY = (b"\nBinary files ", b"\nGIT binary patch")


def hunks_in(patch: bytes, begin: int, end: int) -> list[int]:
    """The hunks between two offsets, as in `codemap.history.commits.Side`."""
    hunks: list[int] = []
    for first, count, to, to_count in _HUNK.findall(patch, begin, end):
        length = int(count) if count else 1
        to_length = int(to_count) if to_count else 1
        # The line before it is named where there is none.
        hunks += (int(first) - (length > 0), length, int(to) - (to_length > 0), to_length)
    return hunks


def is_binary(patch: bytes, begin: int, end: int) -> bool:
    """Whether git did not compare the contents line by line."""
    return any(patch.find(mark, begin, end) >= 0 for mark in _BINARY)
