"""One version of a file: its facts, a fingerprint of the code of each definition in it, and the lists of its calls.

Two versions of a definition have one fingerprint exactly if they differ in comments and layout alone.
"""

from __future__ import annotations

import struct
from functools import cached_property

import msgspec

from codemap.calls.lists import CallLists, unpack
from codemap.facts import FileFacts, Symbol, qualified_names, rows

HASH_BYTES = 8
_ROW = struct.Struct(f"<{HASH_BYTES}s{HASH_BYTES}s{HASH_BYTES}si")


class Fingerprint(msgspec.Struct, frozen=True, array_like=True):
    """Of the code of a definition without its name and without the definitions in it."""

    header: bytes
    """Of what is before its body, decorators left out; of a file: of its imports."""
    code: bytes
    """Of all of it; of a file: of what is no import."""
    whole: bytes
    """Of all of it, and of the definitions in it with their names."""
    tokens: int
    """How many tokens `whole` has: what is short resembles other code by chance."""


class Version(msgspec.Struct, frozen=True, array_like=True, dict=True):
    facts: FileFacts
    packed: bytes
    """The fingerprints, one a symbol."""
    digest: bytes = b""
    """Of the content, comparable with that of an indexed file."""
    packed_lists: bytes = b""
    """Its `CallLists`."""

    @cached_property
    def fingerprints(self) -> tuple[Fingerprint, ...]:
        return tuple(Fingerprint(*row) for row in _ROW.iter_unpack(self.packed))

    @cached_property
    def lists(self) -> CallLists:
        return unpack(self.packed_lists) if self.packed_lists else CallLists({}, ())

    @cached_property
    def cells(self) -> memoryview:
        """The symbol table, row by row."""
        return rows(self.facts.symbols)

    def cell(self, row: int, column: int) -> int:
        """A cell of the symbol table."""
        return self.cells[row * Symbol.WIDTH + column]

    @cached_property
    def qualified_names(self) -> list[str]:
        """The qualified name of each definition, by row; empty for the file."""
        return qualified_names(self.facts)

    def name_of(self, row: int) -> str:
        """The bare name of a definition."""
        return self.facts.names[self.cell(row, Symbol.NAME)]


def packed(fingerprints: list[Fingerprint]) -> bytes:
    """Packs fingerprints for `Version.packed`."""
    return b"".join(_ROW.pack(one.header, one.code, one.whole, one.tokens) for one in fingerprints)
