"""The one walk over a Go syntax tree: its state, and what frames it.

Rules of the file:
- A name that a block declares is not known before: the block's scope opens where it declares its first, and another
  where it declares one that it has read from around.
- Namespaces of types are never current: their members are bound from around, since bodies do not see them bare.

Source: The Go Programming Language Specification, "Declarations and scope".
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import NamedTuple

from codemap.fact_building import walk as shared
from codemap.fact_building.builder import Builder, Scope
from codemap.fact_building.comments import summary_above
from codemap.facts import SymbolFlag


class Type(NamedTuple):
    """A type that the file declares, or has methods of."""

    symbol: int
    members: Scope


class Walk(shared.BlockWalk):
    """The state of one file's walk."""

    __slots__ = ("parameters", "types")
    header_ends = None

    def __init__(self, b: Builder, values: Mapping[int, shared.Handler]) -> None:
        super().__init__(b, values)
        self.types: dict[str, Type] = {}
        """Types of the top level by name."""
        self.parameters: frozenset[str] = frozenset()
        """Names of the type parameters around."""

    @contextmanager
    def function(self, symbol: int) -> Iterator[None]:
        parameters = self.parameters
        with super().function(symbol):
            yield
        self.parameters = parameters

    def doc(self, start: int) -> str:
        """The summary of the comment above an offset."""
        return summary_above(self.chars, start, line=("//",), block=("/*", "*/"))


def exported(name: str) -> int:
    """Names that begin with a capital are visible to other packages."""
    return int(SymbolFlag.EXPORTED) if name[:1].isupper() else 0
