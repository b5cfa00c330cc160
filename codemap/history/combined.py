"""The combined patch of a file in a merge, taken apart into the hunks against each parent.

    @@@ -98,20 -98,12 +98,20 @@@
    - only the first parent has the line
     -only the second one
    --both have it, the merge has not
    + the merge has it and the first parent has not
    ++the merge alone

Source: gitformat-diff(5), "Combined diff format"; combine-diff.c, where a first line is 1-based whatever its count.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

_MINUS, _PLUS = b"-+"
_ESCAPE = re.compile(rb"\\([0-7]{3}|.)", re.DOTALL)
_ESCAPES = {b"a": b"\a", b"b": b"\b", b"t": b"\t", b"n": b"\n", b"v": b"\v", b"f": b"\f", b"r": b"\r"}


def unquoted(name: bytes) -> bytes:
    """A path as git writes it in a patch, without its quotes."""
    if not (len(name) >= 2 and name.startswith(b'"') and name.endswith(b'"')):
        return name

    def literal(escape: re.Match[bytes]) -> bytes:
        text = escape[1]
        return bytes((int(text, 8) & 0xFF,)) if text.isdigit() else _ESCAPES.get(text, text)

    return _ESCAPE.sub(literal, name[1:-1])


def combined_sides(patch: bytes, parents: int) -> list[tuple[int, ...]] | None:
    """The hunks against each parent, as in `Side`; None where the patch does not read as one.

    `patch` has a line break before its first line.
    """
    mark = b"@" * (parents + 1)
    head = re.compile(rb"((?: -\d+,\d+){%d}) \+(\d+),(\d+) %s" % (parents, mark))
    line = rb"\n(?!.{%d}\\ No newline)%%b[^\n]*" % parents
    runs = re.compile(line % rb"(.{%d})" % parents + b"(?:" + line % rb"\1" + b")*+", re.DOTALL)
    sides: list[list[int]] = [[] for _ in range(parents)]
    for part in patch.split(b"\n" + mark)[1:]:
        said = head.match(part)
        if said is None:
            return None
        at = [int(one.partition(b",")[0][1:]) - 1 for one in said[1].split()]
        _add_hunks(sides, runs.finditer(part, said.end()), at, int(said[2]) - 1)
    return [_joined(side) for side in sides]


def _add_hunks(sides: list[list[int]], runs: Iterable[re.Match[bytes]], at: list[int], to: int) -> None:
    """Adds the hunks of one combined hunk, by parent: four numbers each. `runs` are lines that begin alike, `at` and
    `to` the lines that come next."""
    for run in runs:
        marks, count = run[1], run[0].count(b"\n")
        if b"-" in marks:
            for number, mark in enumerate(marks):
                if mark == _MINUS:
                    sides[number] += (at[number], count, to, 0)
                    at[number] += count
            continue
        for number, mark in enumerate(marks):
            if mark == _PLUS:
                sides[number] += (at[number], 0, to, count)
            else:
                at[number] += count
        to += count


def _joined(hunks: list[int]) -> tuple[int, ...]:
    """Hunks that touch each other as one."""
    found: list[int] = []
    for place in range(0, len(hunks), 4):
        begin, length, to, to_length = hunks[place : place + 4]
        if found and found[-4] + found[-3] == begin and found[-2] + found[-1] == to:
            found[-3] += length
            found[-1] += to_length
        else:
            found += (begin, length, to, to_length)
    return tuple(found)
