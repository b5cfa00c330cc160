"""Converts positions between codemap (1-based, UTF-16 code units) and a server (0-based, in the encoding that it
chose).

Lines end with `\\n`, `\\r\\n` or `\\r`. A column past the end of its line is the end of the line; one inside a
character is its beginning.

Source: LSP 3.17, Position and PositionEncodingKind.
"""

from __future__ import annotations

import re
from enum import Enum
from typing import assert_never

_LINE_END = re.compile(r"\r\n|\n|\r")
_NAME = re.compile(r"[\w$]+")


class Encoding(Enum):
    """In what units a server counts columns."""

    UTF_8 = "utf-8"
    UTF_16 = "utf-16"
    UTF_32 = "utf-32"


class Lines:
    """The lines of a text."""

    def __init__(self, text: str) -> None:
        # `str.splitlines` ends lines at nine other characters as well.
        self._lines = _LINE_END.split(text) if "\r" in text else text.split("\n")

    def __len__(self) -> int:
        """How many lines there are; one more than there are line endings."""
        return len(self._lines)

    def line(self, number: int) -> str:
        """The text of a line, 1-based, without its ending; empty where there is no such line."""
        return self._lines[number - 1] if 1 <= number <= len(self._lines) else ""


def to_server(line: str, col: int, encoding: Encoding) -> int:
    """The `character` of a column: 1-based, UTF-16 -> 0-based, in the server's encoding."""
    offset = max(0, col - 1)
    if line.isascii():
        return min(offset, len(line))
    return _width(_prefix(line, offset, Encoding.UTF_16), encoding)


def from_server(line: str, character: int, encoding: Encoding) -> int:
    """The column of a `character`: 0-based, in the server's encoding -> 1-based, UTF-16."""
    offset = max(0, character)
    if line.isascii():
        return min(offset, len(line)) + 1
    return _width(_prefix(line, offset, encoding), Encoding.UTF_16) + 1


def name_at(line: str, col: int) -> str:
    """The name around or before a column, 1-based and UTF-16; empty where there is none."""
    offset = len(_prefix(line, max(0, col - 1), Encoding.UTF_16))
    return next((found.group() for found in _NAME.finditer(line) if found.start() <= offset <= found.end()), "")


def _width(text: str, encoding: Encoding) -> int:
    """The length of a text in units."""
    match encoding:
        case Encoding.UTF_8:
            return len(text.encode("utf-8", "surrogatepass"))
        case Encoding.UTF_16:
            return len(text.encode("utf-16-le", "surrogatepass")) // 2
        case Encoding.UTF_32:
            return len(text)
    assert_never(encoding)


def _prefix(text: str, units: int, encoding: Encoding) -> str:
    """The characters of a text that lie wholly in its first `units`, which are at least 0."""
    match encoding:
        case Encoding.UTF_8:
            octets = text.encode("utf-8", "surrogatepass")
            while units < len(octets) and octets[units] & 0xC0 == 0x80:  # in the middle of a character
                units -= 1
            return octets[:units].decode("utf-8", "surrogatepass")
        case Encoding.UTF_16:
            octets = text.encode("utf-16-le", "surrogatepass")
            following = octets[2 * units : 2 * units + 2]
            if units and following and following[1] & 0xFC == 0xDC and octets[2 * units - 1] & 0xFC == 0xD8:
                units -= 1  # in the middle of a surrogate pair
            return octets[: 2 * units].decode("utf-16-le", "surrogatepass")
        case Encoding.UTF_32:
            return text[:units]
    assert_never(encoding)
