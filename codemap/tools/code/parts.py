"""Divides an excerpt of code by its lines, where a page has no room for all of them, in both forms of an answer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from codemap.envelope.answer import Parts
from codemap.envelope.native import CHARS_PER_TOKEN


def say_lines(first: int, last: int) -> str:
    return str(first) if last <= first else f"{first}-{last}"


def count_tokens(code: str) -> int:
    return -(-len(code) // CHARS_PER_TOKEN)


def end_of_part(lines: Sequence[str], room: int) -> int:
    """How many of the lines to show where there is room for so many: those before the line that is indented least, the
    last of several, as a statement begins there; but at least half of them."""
    if room >= len(lines):
        return len(lines)
    return max(range((room + 1) // 2, room + 1), key=lambda end: (-_indentation(lines[end]), end))


def _indentation(line: str) -> int:
    """An empty line begins nothing: it counts as deep."""
    return len(line) - len(line.lstrip()) if line.strip() else len(line) + 1000


def _take_row(row: str, first: int, end: int) -> str:
    """`12-40 of 12-90` with its lines, from some line on."""
    head, *lines = row.split("\n")
    range_, _, whole = head.partition(" of ")
    start = int(range_.partition("-")[0]) + first
    taken = lines[first:end]
    of = f" of {whole}" if whole and not first else ""
    return "\n".join((say_lines(start, start + len(taken) - 1) + of, *taken))


def _take_piece(piece: dict[str, Any], first: int, end: int) -> dict[str, Any]:
    lines = piece["code"].split("\n")[first:end]
    start, code = piece["line"] + first, "\n".join(lines)
    return {**piece, "line": start, "endLine": start + len(lines) - 1, "code": code, "tokens": count_tokens(code)}


ROW_PARTS = Parts(
    count=lambda row: row.count("\n"),
    take=_take_row,
    end=lambda row, room: end_of_part(row.split("\n")[1:], room),
)
PIECE_PARTS = Parts(
    count=lambda piece: piece["code"].count("\n") + 1,
    take=_take_piece,
    end=lambda piece, room: end_of_part(piece["code"].split("\n"), room),
)
