"""Where the parts of a file's definitions are, as a parser process reports it when code is cut or left out.

It is asked for when somebody wants to see code, and is not kept: `codemap.facts` has what the map needs.

Rules of the file:
- Lines are 1-based; a range of lines ends with its last line, and is empty where both are 0.
- Offsets are bytes of the normalized content (`codemap.extract.skipped_files.normalize`), its byte order mark included.
"""

from __future__ import annotations

import msgspec

NO_LINES = (0, 0)


class DefinitionSyntax(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """The parts of one definition."""

    header_end: int
    """Offset where what introduces it ends: before its body, or where it ends itself if it has none."""
    body: tuple[int, int] = NO_LINES
    """Its first and last line; the first may be that of the header."""
    doc: tuple[int, int] = NO_LINES
    """The text that documents it inside its body (a docstring)."""


Borders = tuple[tuple[int, int], ...]
"""(line, depth) of each statement that begins on a line of its own, in order; depth 0 directly in the body."""


class FileSyntax(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """The definitions of one file, by row of its symbol table; row 0 is the file."""

    digest: bytes
    """Of the content that it was read from."""
    definitions: tuple[DefinitionSyntax, ...]
    borders: dict[int, Borders] = {}
    """Of the definitions whose statements were asked for, by row."""

    def borders_of(self, row: int) -> Borders:
        return self.borders.get(row, ())


class SyntaxWanted(msgspec.Struct, frozen=True, array_like=True):
    """What is to be found of a file."""

    borders_of: tuple[int, ...] = ()
    """Rows of the definitions whose statements are wanted."""
    digest: bytes = b""
    """Of the content that the symbol table is of."""
    symbols: bytes = b""
    """The symbol table where it is known: making it takes four times as long as all else."""
