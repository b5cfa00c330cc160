"""Divides an excerpt of code by its lines, where a page has no room for all of them, in both forms of an answer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from codemap.envelope.answer import Parts
from codemap.envelope.code_rows import CodeRow, read_code_row, write_code_row
from codemap.envelope.native import CHARS_PER_TOKEN


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
    """An excerpt from some line of it on."""
    read = read_code_row(row)
    start, taken = read.lines[0] + first, read.code.split("\n")[first:end]
    of = None if first else read.whole
    return write_code_row(CodeRow((start, start + len(taken) - 1), "\n".join(taken), of))


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
