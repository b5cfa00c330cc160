"""Follows what local variables hold, from one assignment to the next.

An assignment makes a new variable for the rest of its block, and is one of the values of those of the blocks around: so
what is read behind it in the block is what was assigned last, and what is read behind the block is any of both.
"""

from __future__ import annotations

from collections.abc import Callable

from codemap.fact_building.builder import NONE, Builder, Scope
from codemap.facts import ScopeKind, SourceKind

_BLOCK, _FUNCTION = int(ScopeKind.BLOCK), int(ScopeKind.FUNCTION)
VERSIONS_MAX = 200
"""Beyond so many assignments in one function, a variable is whatever it is assigned anywhere."""


AROUND_MAX = 64
"""Blocks around an assignment after which a variable may hold what it assigned; nobody nests more."""


class _Frame:
    """One function."""

    __slots__ = ("entries", "scope", "versions")

    def __init__(self, scope: Scope) -> None:
        self.scope = scope
        self.entries: list[tuple[Scope, bool]] = []
        """The scopes that were current where each of the blocks around begins, and whether what is first assigned in
        the block ends with it."""
        self.versions = 0


class Flow:
    """The variables of the functions around, over a builder's scopes."""

    __slots__ = ("_b", "_frames")

    def __init__(self, b: Builder) -> None:
        self._b = b
        self._frames: list[_Frame] = []

    def function(self, visit: Callable[[], object]) -> None:
        """Visits a function, whose variables are its own."""
        b = self._b
        scope = b.scope
        self._frames.append(_Frame(b.open_scope(_FUNCTION, b.owner)))
        visit()
        self._frames.pop()
        b.scope = scope

    def block(self, visit: Callable[[], object]) -> None:
        """Visits a block that may be run or not."""
        self._within(visit, False)

    def closure(self, visit: Callable[[], object]) -> None:
        """Visits a function that shares the variables around it, and has others."""
        self._within(visit, True)

    def _within(self, visit: Callable[[], object], is_closure: bool) -> None:
        b, frame = self._b, self._frames[-1]
        scope = b.scope
        frame.entries.append((scope, is_closure))
        b.open_scope(_BLOCK, scope.owner)
        visit()
        b.scope = scope
        frame.entries.pop()

    def declare(self, name: str, kind: int, value: int = NONE) -> None:
        """A variable begins in the current block, whatever has its name around."""
        self._b.bind(name, SourceKind.OPAQUE if value == NONE else kind, value)

    def narrow(self, name: str, kind: int, value: int) -> None:
        """A variable is known closer for the rest of the current block."""
        b = self._b
        b.open_scope(_BLOCK, b.scope.owner)
        b.bind(name, kind, value)

    def reassign(self, name: str, value: int) -> None:
        """What is known closer only where it was narrowed gets a value, as which the blocks around may find it."""
        b, frame = self._b, self._frames[-1]
        kind = SourceKind.OPAQUE if value == NONE else SourceKind.VALUE
        for entry, _ in reversed(frame.entries[-AROUND_MAX:]):
            holder = self._find_holder(entry, name)
            if holder is not None:
                b.bind(name, kind, value, scope=holder)
        self.narrow(name, kind, value)

    def assign(self, name: str, kind: int, value: int) -> None:
        """A variable gets a value, for the rest of the current block."""
        b, frame = self._b, self._frames[-1]
        if value == NONE:
            kind = SourceKind.OPAQUE
        self._assign_around(frame, name, kind, value)
        if frame.versions >= VERSIONS_MAX:
            b.bind(name, kind, value, scope=self._find_holder(b.scope, name) or b.scope)
            return
        if name in b.scope.heads or b.is_bound_here(name) or frame.entries:
            frame.versions += 1
            b.open_scope(_BLOCK, b.scope.owner)
        b.bind(name, kind, value)

    def add(self, name: str, value: int) -> None:
        """A variable may hold a value beside those that it holds (`x[] = …`)."""
        if value == NONE:
            return
        self._assign_around(self._frames[-1], name, SourceKind.VALUE, value)
        scope = self._b.scope
        self._b.bind(name, SourceKind.VALUE, value, scope=self._find_holder(scope, name) or scope)

    def is_bound(self, name: str) -> bool:
        """Whether the function has a variable of that name here."""
        return self._find_holder(self._b.scope, name) is not None

    def _assign_around(self, frame: _Frame, name: str, kind: int, value: int) -> None:
        is_inner = False  # whether what is not there yet belongs to a closure further in
        holder: Scope | None = None
        is_first = True
        for entry, is_closure in reversed(frame.entries[-AROUND_MAX:]):
            is_inner |= is_closure
            # Who holds it for an inner block does for the outer one, unless he is between them.
            if is_first or (holder is not None and holder.number > entry.number):
                holder = self._find_holder(entry, name)
            is_first = False
            if holder is not None or not is_inner:
                self._b.bind(name, kind, value, scope=holder or entry)

    def _find_holder(self, scope: Scope, name: str) -> Scope | None:
        """The scope up from one in which the function binds a variable."""
        number = self._b.names.get(name)
        end = self._frames[-1].scope
        found: Scope | None = scope
        while found is not None and number not in found.sources:
            if found is end:
                return None
            found = found.parent
        return found
