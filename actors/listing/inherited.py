"""What a folder has from the folder that it is in, found once for each."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


def find_inherited(known: dict[bytes, T], folder: bytes, decide: Callable[[bytes, T], T]) -> T:
    """What holds for a folder (relative, without a slash at the end): what `decide` makes of the folder and of what
    holds for the one around it. `known` has that of the top folder, which is empty, and keeps what is found."""
    passed: list[bytes] = []
    while folder not in known:
        passed.append(folder)
        folder = folder.rpartition(b"/")[0]
    found = known[folder]
    for inner in reversed(passed):
        found = known[inner] = decide(inner, found)
    return found
