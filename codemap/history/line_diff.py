"""The hunks between two versions of a file, as git's log would show them."""

from __future__ import annotations

from difflib import SequenceMatcher

MIDDLE_MAX = 4_000
"""Lines that are compared one by one; of more that differ, all are one hunk."""


def hunks_between(before: bytes, after: bytes) -> tuple[int, ...]:
    """As in `Side`. Line endings do not count: git may keep others than the disk has."""
    old, new = _lines(before), _lines(after)
    begin = 0
    while begin < min(len(old), len(new)) and old[begin] == new[begin]:
        begin += 1
    rest = 0
    while rest < min(len(old), len(new)) - begin and old[-1 - rest] == new[-1 - rest]:
        rest += 1
    old, new = old[begin : len(old) - rest], new[begin : len(new) - rest]
    if not old and not new:
        return ()
    if len(old) > MIDDLE_MAX or len(new) > MIDDLE_MAX:
        return (begin, len(old), begin, len(new))
    found: list[int] = []
    for tag, first, end, to, to_end in SequenceMatcher(None, old, new).get_opcodes():
        if tag != "equal":
            found += (begin + first, end - first, begin + to, to_end - to)
    return tuple(found)


def _lines(text: bytes) -> list[bytes]:
    return text.replace(b"\r\n", b"\n").removesuffix(b"\n").split(b"\n") if text else []
