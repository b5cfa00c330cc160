"""The one walk over a Go syntax tree: its state, and what frames it.

Rules of the file:
- Every node is visited once. A handler of an expression returns what its value is (a builder expression) and has told
  the builder every use inside it; a handler of a statement returns NONE.
- A name that a block declares is not known before: the block's scope opens where it declares its first, and another
  where it declares one that it has read from around.
- Namespaces of types are never current: their members are bound from around, since bodies do not see them bare.

Source: The Go Programming Language Specification, "Declarations and scope".
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, NamedTuple

from codemap.extract import walk as shared
from codemap.extract.builder import NONE, Builder, Scope
from codemap.extract.comments import summary_above
from codemap.facts import ScopeKind, SymbolFlag

if TYPE_CHECKING:
    pass

SIGNATURE_MAX_BYTES = 800
"""Enough for the longest signature that the builder keeps, whatever its characters."""
_BLOCK = int(ScopeKind.BLOCK)


class Type(NamedTuple):
    """A type that the file declares, or has methods of."""

    symbol: int
    members: Scope


class Walk(shared.Walk):
    """The state of one file's walk."""

    __slots__ = ("has_scope", "parameters", "types")

    def __init__(self, b: Builder, values: Mapping[int, shared.Handler]) -> None:
        super().__init__(b, values)
        self.types: dict[str, Type] = {}
        """Types of the top level by name."""
        self.has_scope = True
        """Whether the current scope is the innermost block's own."""
        self.parameters: frozenset[str] = frozenset()
        """Names of the type parameters around."""

    def is_top(self) -> bool:
        return self.b.scope is self.b.module

    def declare(self, name: str, kind: int, a: int = NONE, b: int = NONE) -> None:
        """Binds a name in the innermost block, or in the package."""
        builder = self.b
        scope = builder.scope
        is_read = name in scope.heads and not builder.is_bound_here(name)
        if scope is not builder.module and (not self.has_scope or is_read):
            builder.open_scope(_BLOCK, scope.owner)
            self.has_scope = True
        builder.bind(name, kind, a, b)

    def open_type(self, symbol: int) -> Scope:
        """A namespace for the members of a type; it does not become the current one."""
        outer = self.b.scope
        members = self.b.open_scope(ScopeKind.CLASS, symbol)
        self.b.scope = outer
        return members

    def doc(self, start: int) -> str:
        """The summary of the comment above an offset."""
        return summary_above(self.chars, start, line=("//",), block=("/*", "*/"))

    def header(self, start: int, end: int) -> str:
        """The beginning of a definition as it shows in lists."""
        return self.b.text(start, min(end, start + SIGNATURE_MAX_BYTES)).rstrip()


def exported(name: str) -> int:
    """Names that begin with a capital are visible to other packages."""
    return int(SymbolFlag.EXPORTED) if name[:1].isupper() else 0


def within(w: Walk, visit: Callable[[], object]) -> None:
    """Visits what is a block of its own: the names that it declares end with it."""
    scope, has_scope = w.b.scope, w.has_scope
    w.has_scope = False
    visit()
    w.b.scope, w.has_scope = scope, has_scope
