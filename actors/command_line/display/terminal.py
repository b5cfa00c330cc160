"""Formats text for a terminal: colors, aligned columns, and escapes for what a terminal would interpret."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

import msgspec

from codemap.escapes import escaped

GAP = "  "
PAGE_WIDTH = 100
"""Columns of running text where there is no terminal."""

_LINE_ENDS = str.maketrans({"\n": "\\n", "\r": "\\r", "\t": "\\t"})
_COLORS = {
    "bold": "1",
    "dim": "2",
    "red": "31",
    "green": "32",
    "yellow": "33",
    "blue": "34",
    "magenta": "35",
    "cyan": "36",
}


When = Literal["auto", "always", "never"]
"""When to show colors; `auto`: on a terminal that wants them."""


class Style(msgspec.Struct, frozen=True):
    """What a terminal can show."""

    width: int | None = None
    """Columns; longer lines of tables are cut. None: not cut."""
    has_color: bool = False

    @property
    def indented(self) -> Style:
        """The style for lines that are indented one step more."""
        return msgspec.structs.replace(self, width=self.width - len(GAP) if self.width else None)

    def paint(self, text: str, color: str) -> str:
        return f"\x1b[{_COLORS[color]}m{text}\x1b[0m" if self.has_color and text else text


def style_of(width: int | None, environment: Mapping[str, str], when: When = "auto") -> Style:
    """Chooses the style for a terminal of so many columns; None: no terminal. See https://no-color.org."""
    is_plain = width is None or bool(environment.get("NO_COLOR")) or environment.get("TERM") == "dumb"
    return Style(width, when == "always" or (when == "auto" and not is_plain))


def table(rows: Sequence[Sequence[str]], style: Style, colors: Sequence[str] = ()) -> list[str]:
    """Aligns rows in columns; the last column gets the remaining width."""
    if not rows:
        return []
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]) - 1)]
    columns = [column for column in range(len(rows[0])) if any(row[column] for row in rows)]
    lines = []
    for row in rows:
        cells, room = [], style.width
        for column in columns:
            text = row[column]
            if room is not None:
                text = text if len(text) <= room else text[: max(room - 1, 0)] + "…"
                room -= (widths[column] if column < len(widths) else 0) + len(GAP)
                room = max(room, 0)
            padded = text.ljust(widths[column]) if column != columns[-1] else text
            cells.append(style.paint(padded, colors[column]) if column < len(colors) and colors[column] else padded)
        lines.append(GAP.join(cells).rstrip())
    return lines


def indent(lines: Sequence[str]) -> list[str]:
    """Indents lines one step."""
    return [GAP + line if line else line for line in lines]


def printable(text: str) -> str:
    """Escapes characters that a terminal would interpret."""
    return escaped(text).translate(_LINE_ENDS)


def printable_code(line: str) -> str:
    """The same for a line of code, whose tabs are part of it."""
    return escaped(line).replace("\r", "\\r")
