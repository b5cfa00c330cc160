"""Finds types with bases outside of the repository, and which of their members those bases may use."""

from __future__ import annotations

from collections.abc import Mapping, Set

from codemap.facts import Symbol, SymbolKind
from codemap.graph.model.edges import INHERITANCE
from codemap.graph.model.snapshot import Snapshot
from codemap.languages import by_name
from codemap.unused.reading import Place, Read

_LEVELS_MAX = 12


class OutsideBases:
    """Which types inherit from something that is not in the repository, however far above."""

    def __init__(self, snapshot: Snapshot, read: Mapping[int, Read]) -> None:
        self._snapshot = snapshot
        self._read = read
        self._known: dict[int, bool | frozenset[str]] = {}
        self._stated: dict[int, tuple[bool | frozenset[str], list[int]]] = {}

    def has(self, owner: int, name: str) -> bool:
        """Whether a member of that name may be asked for by what a type inherits from outside."""
        found = self._known.get(owner)
        if found is None:
            found = self._known[owner] = self._look(owner)
        return found if isinstance(found, bool) else name in found

    def has_none(self, owner: int) -> bool:
        """Whether a type states no base that is known, here or outside."""
        own, bases = self._stated_by(owner)
        return not own and not bases

    def _look(self, owner: int) -> bool | frozenset[str]:
        """True: any name; else the names that builtin bases ask for."""
        seen, level = {owner}, [owner]
        names: frozenset[str] = frozenset()
        for _ in range(_LEVELS_MAX):
            above: list[int] = []
            for cls in level:
                own, bases = self._stated_by(cls)
                if own is True:
                    return True
                names |= own or frozenset()
                above += [base for base in bases if base not in seen]
                seen.update(above)
            if not above:
                break
            level = above
        return names or False

    def _stated_by(self, cls: int) -> tuple[bool | frozenset[str], list[int]]:
        """The same of what a type states itself, without what its bases do; and its bases in the repository."""
        found = self._stated.get(cls)
        if found is None:
            snapshot = self._snapshot
            edges = tuple(snapshot.edges_out(cls, INHERITANCE))
            within = [edge for edge in edges if not snapshot.is_external(edge.target)]
            sites = {place for edge in within for place in snapshot.sites(edge)}
            is_computed = any(snapshot.cell(edge.target, Symbol.KIND) == SymbolKind.VARIABLE for edge in within)
            own = is_computed or self._own(cls, sites, has_outside=len(within) < len(edges))
            found = self._stated[cls] = own, [edge.target for edge in within]
        return found

    def _own(self, cls: int, inside: Set[Place], *, has_outside: bool) -> bool | frozenset[str]:
        file, row = self._snapshot.row_of(cls)
        language = by_name()[file.lang]
        stated = self._read[file.number].bases.get(row, ())
        if has_outside and not stated:
            return True
        names: frozenset[str] = frozenset()
        for base, place in stated:
            if place in inside or base in language.liveness.plain_bases:
                continue
            if base not in language.scopes.builtins or not language.outside.builtin_members:
                return True
            names |= language.outside.builtin_members
        return names
