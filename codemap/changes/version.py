"""One version of a file: its facts, and a fingerprint of the code of each definition in it.

Two versions of a definition have one fingerprint exactly if they differ in comments and layout alone.
"""

from __future__ import annotations

import struct
from functools import cached_property

import msgspec

from codemap.facts import FileFacts

HASH_BYTES = 8
_ROW = struct.Struct(f"<{HASH_BYTES}s{HASH_BYTES}s{HASH_BYTES}si")


class Fingerprint(msgspec.Struct, frozen=True, array_like=True):
    """Of the code of a definition without its name and without the definitions in it."""

    header: bytes
    """Of what stands before its body, decorators left out; of a file: of its imports."""
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

    @cached_property
    def fingerprints(self) -> tuple[Fingerprint, ...]:
        return tuple(Fingerprint(*row) for row in _ROW.iter_unpack(self.packed))


def packed(fingerprints: list[Fingerprint]) -> bytes:
    """What `Version.packed` holds."""
    return b"".join(_ROW.pack(one.header, one.code, one.whole, one.tokens) for one in fingerprints)
