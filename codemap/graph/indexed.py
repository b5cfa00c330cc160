"""A file as a snapshot holds it: its facts, where its nodes begin, and what it was read from."""

from __future__ import annotations

from functools import cached_property

import msgspec

from codemap.facts import FileFacts, Symbol, rows

W = Symbol.WIDTH


class FileStamp(msgspec.Struct, frozen=True, array_like=True):
    """What identified a file's contents when they were read."""

    size: int
    """Bytes."""
    mtime_ns: int
    digest: bytes


class IndexedFile(msgspec.Struct, frozen=True, dict=True):
    """A file in a snapshot. `base` is the node of the file itself; symbol row r is node base + r."""

    path: str
    lang: str
    family: str
    facts: FileFacts
    stamp: FileStamp
    base: int
    number: int
    """Its place in `Snapshot.files`."""

    @cached_property
    def symbols(self) -> memoryview:
        return rows(self.facts.symbols)

    @property
    def symbol_count(self) -> int:
        """Rows of the symbol table, the file itself included."""
        return len(self.symbols) // W

    @cached_property
    def rows_by_name(self) -> dict[tuple[str, int], int]:
        """(qualified name, ordinal) -> symbol row."""
        return {
            (self.qualified_name(row), self.symbols[row * W + Symbol.ORDINAL]): row
            for row in range(1, self.symbol_count)
        }

    def qualified_name(self, row: int) -> str:
        """The dotted chain of enclosing definitions; "" for the file."""
        parts: list[str] = []
        while row > 0:
            parts.append(self.facts.names[self.symbols[row * W + Symbol.NAME]])
            row = self.symbols[row * W + Symbol.PARENT]
        return ".".join(reversed(parts))
