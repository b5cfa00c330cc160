"""Positions between codemap (1-based, UTF-16 code units) and a server (0-based, in the encoding that it chose).

Lines end with `\\n`, `\\r\\n` or `\\r`. A column past the end of its line is the end of the line; one inside a
character is its beginning.

Source: LSP 3.17, Position and PositionEncodingKind.
"""

from __future__ import annotations

from enum import Enum


class Encoding(Enum):
    """In what units a server counts columns."""

    UTF_8 = "utf-8"
    UTF_16 = "utf-16"
    UTF_32 = "utf-32"


class Lines:
    """The lines of a text."""

    def __init__(self, text: str) -> None:
        raise NotImplementedError

    def __len__(self) -> int:
        """How many lines there are; one more than there are line endings."""
        raise NotImplementedError

    def line(self, number: int) -> str:
        """The text of a line, 1-based, without its ending; empty past the end."""
        raise NotImplementedError


def to_server(line: str, col: int, encoding: Encoding) -> int:
    """The `character` of a column: 1-based, UTF-16 -> 0-based, in the server's encoding."""
    raise NotImplementedError


def from_server(line: str, character: int, encoding: Encoding) -> int:
    """The column of a `character`: 0-based, in the server's encoding -> 1-based, UTF-16."""
    raise NotImplementedError
