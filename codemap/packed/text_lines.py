"""The lines of a text, each cut out when something asks for it: most who ask show a few lines of a long file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import overload

import numpy as np

_FEED = ord("\n")


class TextLines(Sequence[str]):
    """What `text.split("\\n")` gives."""

    __slots__ = ("_bounds", "_text")
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, text: str) -> None:
        if text.isascii():
            octets = np.frombuffer(text.encode("ascii"), np.uint8)
        else:
            octets = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), "<u4")
        self._text = text
        self._bounds: memoryview = np.concatenate(([-1], (octets == _FEED).nonzero()[0], [len(text)])).data
        """Of line n: the place before it, and after it the one behind it."""

    def __len__(self) -> int:
        return len(self._bounds) - 1

    @overload
    def __getitem__(self, place: int) -> str: ...
    @overload
    def __getitem__(self, place: slice) -> list[str]: ...
    def __getitem__(self, place: int | slice) -> str | list[str]:
        bounds = self._bounds
        if isinstance(place, slice):
            begin, end, step = place.indices(len(self))
            return self._text[bounds[begin] + 1 : bounds[end]].split("\n")[::step] if begin < end else []
        place = range(len(self))[place]
        return self._text[bounds[place] + 1 : bounds[place + 1]]

    def __iter__(self) -> Iterator[str]:
        return iter(self._text.split("\n"))
