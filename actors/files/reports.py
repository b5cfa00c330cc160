"""Reads a report of findings: a file under the root, or one that the user named outside of it."""

from __future__ import annotations

import os
from collections.abc import Collection

from actors.files.paths import inside
from actors.files.reading import read_file
from actors.messaging.messages import Skipped
from codemap.extract.skipped_files import SkipReason


def read_report(root: str, allowed: Collection[str], path: str, max_bytes: int) -> bytes | str:
    """Reads the report's content, or says as a clause why it cannot be read.

    `allowed` are files and folders outside of the root that may be read, too. Links count as what they lead to.
    """
    if "\0" in path:
        return "it is no path"
    found = [inside(os.path.realpath(place), os.path.join(root, path)) for place in (root, *allowed)]
    real = next(filter(None, found), None)
    if real is None:
        return "it lies outside of the repository, where only what the setting reports names is read"
    folder, name = os.path.split(real)
    read = read_file(folder, name, max_bytes)
    if not isinstance(read, Skipped):
        return read[1]
    match read.reason:
        case SkipReason.VANISHED:
            return "there is no such file"
        case SkipReason.OVERSIZED:
            return f"it is larger than {max_bytes // 1_000_000} MB"
        case _:
            return "it cannot be read"
