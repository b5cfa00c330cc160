"""Results of requests -> the value types of `codemap.live`, still with the server's own positions."""

from __future__ import annotations

from typing import Any

import msgspec

from codemap.live import LiveQuestion
from codemap.lsp.positions import Encoding


class Unplaced(msgspec.Struct, frozen=True):
    """A result whose places are as the server gave them, but counted from 1: see `codemap.lsp.places`."""

    question: LiveQuestion
    value: Any
    """Of the type that the question names; paths are absolute (or a URI where it is no file), columns are in
    `encoding`, no place is external, none has a snippet."""
    encoding: Encoding
    repository: str
    """Absolute; what paths will be relative to."""
    drops_itself: bool = False
    """Whether a definition that is the asked position itself means that there is none."""
