"""Texts as one run of bytes, each decoded when something asks for it."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import overload

import numpy as np
from numpy.typing import NDArray

Octets = bytes | memoryview

_DECODED_AT_ONCE = 4096
_SAMPLED = 8
"""A search among sorted texts first looks at each of so many, which stay decoded."""


class PackedTexts(Sequence[str]):
    """A sequence of texts that never changes."""

    __slots__ = ("_at", "_gap", "_samples", "_text")
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, text: Octets, bounds: NDArray[np.int32], gap: int = 0) -> None:
        """`text` is UTF-8, which may hold surrogates. Text n lies in it from `bounds[n] + gap` to before
        `bounds[n + 1]`."""
        self._text = text
        self._at = bounds.data
        self._gap = gap
        self._samples: list[str] | None = None

    def __len__(self) -> int:
        return len(self._at) - 1

    @overload
    def __getitem__(self, place: int) -> str: ...
    @overload
    def __getitem__(self, place: slice) -> list[str]: ...
    def __getitem__(self, place: int | slice) -> str | list[str]:
        if isinstance(place, slice):
            return [self[each] for each in range(*place.indices(len(self)))]
        if place < 0:
            place = range(len(self))[place]
        return str(self._text[self._at[place] + self._gap : self._at[place + 1]], "utf-8", "surrogatepass")

    def __iter__(self) -> Iterator[str]:
        gap = self._gap
        for first in range(0, len(self), _DECODED_AT_ONCE):
            bounds = self._at[first : first + _DECODED_AT_ONCE + 1].tolist()
            before = bounds[0]
            some = bytes(self._text[before : bounds[-1]])
            if some.isascii():
                text = some.decode("ascii")
                for begin, end in pairwise(bounds):
                    yield text[begin + gap - before : end - before]
            else:
                for begin, end in pairwise(bounds):
                    yield some[begin + gap - before : end - before].decode("utf-8", "surrogatepass")

    def first_from(self, text: str) -> int:
        """See `first_from`."""
        if self._samples is None:
            self._samples = [self[place] for place in range(0, len(self), _SAMPLED)]
        end = bisect_left(self._samples, text) * _SAMPLED
        return bisect_left(self, text, end - _SAMPLED + 1, min(end, len(self))) if end else 0

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and len(self) == len(other) and all(map(str.__eq__, self, other))


def first_from(texts: Sequence[str], text: str) -> int:
    """The place among sorted texts of the first that is not before another; their number where all are."""
    return texts.first_from(text) if type(texts) is PackedTexts else bisect_left(texts, text)


def pack_texts(texts: Iterable[str]) -> tuple[bytes, NDArray[np.int32]]:
    """The text and the bounds of which `PackedTexts` makes these texts."""
    encoded = [text.encode("utf-8", "surrogatepass") for text in texts]
    bounds = np.zeros(len(encoded) + 1, np.int32)
    np.cumsum(np.fromiter(map(len, encoded), np.int32, count=len(encoded)), out=bounds[1:])
    return b"".join(encoded), bounds
