"""Results -> values with codemap's own positions, read against the texts on disk."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from codemap.lsp.positions import Lines
from codemap.lsp.results import Unplaced


def files_of(result: Unplaced) -> frozenset[str]:
    """The files inside the repository whose texts `place` needs, relative to it."""
    raise NotImplementedError


def place(result: Unplaced, texts: Mapping[str, Lines]) -> Any:
    """The value of the type that the question names, duplicates removed, in the server's order.

    `texts` are the contents on disk of `files_of(result)`; columns of a file that is missing there stay as the server
    counts them.
    """
    raise NotImplementedError


def names_itself(result: Unplaced, texts: Mapping[str, Lines]) -> bool:
    """Whether one of the places covers the position that was asked about: the test of a known definition."""
    raise NotImplementedError
