"""Finds the files that have a mark: see `codemap.occurrences.word_marks`.

The marks of all files are one column: a look at each file by itself takes twenty times as long as to compare them all.
"""

from __future__ import annotations

from collections.abc import Container, Mapping, Set

import numpy as np

from codemap.occurrences.word_marks import MARK_BYTES


class MarkedFiles:
    """Files with the marks of their words; never changed."""

    def __init__(self, marks: Mapping[str, bytes]) -> None:
        """`marks` are those of `marks_of`, by path."""
        self._number = {path: number for number, path in enumerate(marks)}
        self._paths = tuple(marks)
        self._column = np.frombuffer(b"".join(marks.values()), dtype=np.uint32)
        self._ends = np.cumsum([len(its) // MARK_BYTES for its in marks.values()], dtype=np.int64)

    def __contains__(self, path: str) -> bool:
        return path in self._number

    @property
    def paths(self) -> Set[str]:
        """All of them."""
        return self._number.keys()

    def having(self, mark: int) -> list[str]:
        """The files that have a mark, in the order given."""
        places = np.flatnonzero(self._column == np.uint32(mark))
        return [self._paths[number] for number in self._ends.searchsorted(places, "right").tolist()]

    def only(self, paths: Container[str]) -> MarkedFiles:
        """Those of the files that are among some paths."""
        return self if all(path in paths for path in self._paths) else MarkedFiles(self._marks(paths))

    def with_files(self, marks: Mapping[str, bytes]) -> MarkedFiles:
        """These and some others."""
        return MarkedFiles({**self._marks(self._number), **marks}) if marks else self

    def _marks(self, paths: Container[str]) -> dict[str, bytes]:
        ends = self._ends.tolist()
        spans = zip(self._paths, [0, *ends], ends, strict=False)
        return {path: self._column[begin:end].tobytes() for path, begin, end in spans if path in paths}
