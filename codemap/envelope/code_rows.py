"""An excerpt of code as a row of text: its lines, `12-15`, or `12-15 of 12-90` where more belongs to it, then its code.

Rows for models are written so, and whoever shows or cuts such a row reads it here.
"""

from __future__ import annotations

import msgspec

Lines = tuple[int, int]
"""The first and the last line, from 1."""


class CodeRow(msgspec.Struct, frozen=True):
    lines: Lines
    code: str
    whole: Lines | None = None
    """The lines of the definition that it is a part of, where not all of it is shown."""


def write_code_row(row: CodeRow) -> str:
    of = f" of {_write_lines(row.whole)}" if row.whole else ""
    return f"{_write_lines(row.lines)}{of}\n{row.code}"


def read_code_row(row: str) -> CodeRow:
    """Raises ValueError where the row is none."""
    head, _, code = row.partition("\n")
    lines, _, whole = head.partition(" of ")
    return CodeRow(_read_lines(lines), code, _read_lines(whole) if whole else None)


def _write_lines(lines: Lines) -> str:
    first, last = lines
    return str(first) if last <= first else f"{first}-{last}"


def _read_lines(lines: str) -> Lines:
    first, _, last = lines.partition("-")
    return int(first), int(last or first)
