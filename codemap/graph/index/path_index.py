"""The paths of a snapshot's files, indexed for search."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property

import numpy as np

from codemap.graph.index.trigram_index import Lines
from codemap.graph.model.edges import Mask

_LEFT_BEHIND = re.compile(r"deprecated|legacy")


class Paths:
    """The paths of the files, in lower case."""

    def __init__(self, paths: list[str]) -> None:
        """`paths` as they are written."""
        self.paths: Sequence[str] = [path.lower() for path in paths]

    @classmethod
    def of_lines(cls, text: Lines) -> Paths:
        """Of paths that are indexed already."""
        found = cls([])
        found.paths = text.lines
        vars(found)["text"] = text
        return found

    @cached_property
    def stems(self) -> list[str]:
        """The base name of each file up to the first dot."""
        return [path.rpartition("/")[2].partition(".")[0] for path in self.paths]

    @cached_property
    def called(self) -> dict[str, list[int]]:
        """Base name up to the first dot -> numbers of files."""
        found: dict[str, list[int]] = {}
        for file, stem in enumerate(self.stems):
            found.setdefault(stem, []).append(file)
        return found

    @cached_property
    def under(self) -> dict[str, list[int]]:
        """The same or a folder -> numbers of files."""
        found: dict[str, list[int]] = {}
        for file, (path, stem) in enumerate(zip(self.paths, self.stems, strict=True)):
            for word in {*path.split("/")[:-1], stem}:
                found.setdefault(word, []).append(file)
        return found

    @cached_property
    def text(self) -> Lines:
        return Lines(self.paths)

    @cached_property
    def are_left_behind(self) -> Mask:
        """Whether each file is kept for those who still use it, by its path."""
        found: Mask = np.array([_LEFT_BEHIND.search(path) is not None for path in self.paths], dtype=np.bool_)
        return found
