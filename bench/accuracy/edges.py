"""The neutral edge list that scorer, oracles and codemap meet in: one JSON object a line.

A definition is `path:line:col` of its name (1-based, UTF-16; the first declaration of an overloaded one), a module its
`path`. Nested functions are folded into the outermost function or method that holds them, and a constructor into its
class, on both sides.
"""

from __future__ import annotations

import msgspec


class Site(msgspec.Struct, frozen=True):
    """One use in a source: 1-based line, 1-based column in UTF-16 code units."""

    path: str
    line: int
    col: int


class OracleSite(msgspec.Struct, frozen=True):
    """What an oracle says of one call site."""

    site: Site
    source: str
    """The definition that holds the call."""
    name: str
    """The name that is called."""
    targets: tuple[str, ...]
    """Definitions in the repository; empty with `is_resolved` where the target is outside, or is no definition."""
    is_resolved: bool


class Edge(msgspec.Struct, frozen=True):
    """An edge that codemap claims; `confidence` "candidate" for each candidate of an undecided site."""

    source: str
    target: str
    kind: str
    confidence: str
    sites: tuple[tuple[int, int], ...]
    """(line, col) in the file of `source`."""
