"""Runs of bytes in a fixed order: arrays as they lie in memory, texts, and values; read without a copy.

Rules of the file:
- What is read may be mapped memory: it is never written, and is touched as late as can be.
- Parts that do not fit together are `BadParts`; whoever keeps them makes sure that bytes come back as they were.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, TypeVar

import msgspec
import numpy as np
from numpy.typing import DTypeLike, NDArray

from codemap.packed.texts import Octets, PackedTexts, pack_texts
from codemap.packed.unpacking import unpack

T = TypeVar("T")

_WIDTHS = ("<i1", "<i2", "<i4")
NARROW_BYTES = (1, 2, 4)
"""Bytes of an integer, by the first byte of what `narrow` gave."""


class BadParts(ValueError):
    """The parts are not those of one snapshot."""


class Parts:
    """Takes parts one by one, in the order in which they were packed."""

    def __init__(self, parts: Sequence[Octets]) -> None:
        self._parts = iter(parts)

    def octets(self) -> Octets:
        """Raises BadParts."""
        part = next(self._parts, None)
        if part is None:
            raise BadParts("too few parts")
        return part

    def some(self, count: int) -> list[Octets]:
        """Some parts, to be read later. Raises BadParts."""
        return [self.octets() for _ in range(count)]

    def value(self, decoder: msgspec.msgpack.Decoder[T]) -> T:
        """Raises ValueError."""
        return unpack(decoder, self.octets())

    def array(self, dtype: DTypeLike, count: int | None = None) -> NDArray[Any]:
        """An array of a type, and of a length where that is known. Raises ValueError."""
        found = np.frombuffer(self.octets(), dtype)
        if count is not None and len(found) != count:
            raise BadParts("arrays of other lengths")
        return found

    def texts(self) -> PackedTexts:
        """Raises ValueError."""
        text, bounds = self.octets(), self.array("<i4")
        if not len(bounds) or int(bounds[-1]) != len(text):
            raise BadParts("texts of another snapshot")
        return PackedTexts(text, bounds)


def packed(array: NDArray[Any], dtype: DTypeLike) -> bytes:
    """An array as it lies in memory."""
    return np.ascontiguousarray(array, dtype).tobytes()


def packed_texts(texts: Iterable[str]) -> tuple[bytes, bytes]:
    text, bounds = pack_texts(texts)
    return text, bounds.tobytes()


def narrow(array: NDArray[Any]) -> bytes:
    """Integers in the fewest bytes each, and before them how many. Raises BadParts."""
    low, high = (int(array.min()), int(array.max())) if len(array) else (0, 0)
    for number, width in enumerate(_WIDTHS):
        bounds = np.iinfo(width)
        if bounds.min <= low and high <= bounds.max:
            return bytes((number,)) + array.astype(width).tobytes()
    raise BadParts("integers of more than four bytes")


def opened(part: Octets) -> NDArray[np.signedinteger[Any]]:
    """What `narrow` packed, as it lies. Raises ValueError, IndexError."""
    return np.frombuffer(part, _WIDTHS[part[0]], offset=1)


def widened(part: Octets) -> NDArray[np.int32]:
    """What `narrow` packed, in memory of its own. Raises ValueError, IndexError."""
    return opened(part).astype(np.int32)
