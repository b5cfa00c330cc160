"""Caches where the parts of definitions are, for longer than the sources: it is small, and takes a parse to find."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable

import msgspec

from codemap.syntax import FileSyntax

BYTES_MAX = 1_000_000
"""Of what is kept, packed: of some thousand files."""

_pack = msgspec.msgpack.Encoder().encode
_unpack = msgspec.msgpack.Decoder(FileSyntax).decode


class SyntaxCache:
    """A cache by path, the least recently used first."""

    def __init__(self) -> None:
        self._kept: OrderedDict[str, bytes] = OrderedDict()
        self._bytes = 0

    def find(self, path: str, digest: bytes, borders_of: Iterable[int]) -> FileSyntax | None:
        """That of a content, with the statements of these definitions; None where it is not kept."""
        packed = self._kept.get(path)
        if packed is None:
            return None
        found = _unpack(packed)
        if found.digest != digest or not found.borders.keys() >= set(borders_of):
            return None
        self._kept.move_to_end(path)
        return found

    def keep(self, path: str, syntax: FileSyntax) -> None:
        """Keeps that of a content, in place of what was kept of the file before."""
        packed = _pack(syntax)
        self._bytes += len(packed) - len(self._kept.pop(path, b""))
        self._kept[path] = packed
        while self._bytes > BYTES_MAX:
            self._bytes -= len(self._kept.popitem(last=False)[1])
