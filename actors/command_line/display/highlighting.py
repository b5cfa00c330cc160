"""Highlights code and diffs in colors, for a terminal.

Rules of the file:
- Without the escapes of colors a text is what it was; no escape is open at the end of a line.
- What cannot be highlighted so (an unknown language, a lexer that loses characters) is shown plain.
"""

from __future__ import annotations

from collections.abc import Iterator
from types import MappingProxyType
from typing import Any

from pygments.lexers import get_lexer_by_name
from pygments.token import Comment, Keyword, Name, Number, Operator, String

from actors.command_line.display.terminal import Style
from codemap.languages import language_of

_COLORS = MappingProxyType(
    {
        Comment: "dim",
        Keyword: "magenta",
        Operator.Word: "magenta",
        String: "green",
        Number: "cyan",
        Name.Function: "blue",
        Name.Class: "blue",
        Name.Decorator: "yellow",
        Name.Builtin: "cyan",
        Name.Exception: "cyan",
    }
)
"""Colors by kind of token; a kind has the color of its nearest ancestor."""
_DIFF = MappingProxyType({"+": "green", "-": "red", "@": "cyan"})
_HEADS = ("+++ ", "--- ")


def highlight(text: str, path: str, style: Style) -> str:
    """Highlights the text of a file, or a part of it, in the language of the file's name."""
    language = language_of(path) if style.has_color else None
    if language is None:
        return text
    is_inside = "<?" not in text  # a part of a page that is a program begins in the program
    lexer = get_lexer_by_name(language.title.lower(), startinline=is_inside)
    pieces = list(lexer.get_tokens_unprocessed(text))
    if "".join(piece for _, _, piece in pieces) != text:
        return text
    return "".join(_paint_lines(piece, _color_of(kind), style) for _, kind, piece in pieces)


def highlight_diff(text: str, style: Style) -> str:
    """Highlights a unified diff: added and removed lines."""
    return "\n".join(_paint_diff(line, style) for line in text.split("\n"))


def _paint_diff(line: str, style: Style) -> str:
    color = "bold" if line.startswith(_HEADS) else _DIFF.get(line[:1], "")
    return style.paint(line, color) if color else line


def _color_of(kind: Any) -> str:
    return next((_COLORS[one] for one in _ancestors(kind) if one in _COLORS), "")


def _ancestors(kind: Any) -> Iterator[Any]:
    """Yields the kind itself, then its ancestors."""
    while kind is not None:
        yield kind
        kind = kind.parent


def _paint_lines(text: str, color: str, style: Style) -> str:
    if not color:
        return text
    return "\n".join(style.paint(line, color) for line in text.split("\n"))
