"""Finds types with bases outside of the repository, and which of their members those bases may use."""

from __future__ import annotations

from collections.abc import Mapping

from codemap.graph.model.edges import EdgeKind
from codemap.graph.model.snapshot import Snapshot
from codemap.languages import by_name
from codemap.unused.reading import Read

_INHERITANCE = (EdgeKind.EXTENDS, EdgeKind.IMPLEMENTS)
_LEVELS_MAX = 12


class OutsideBases:
    """Which types inherit from something that is not in the repository, however far above."""

    def __init__(self, snapshot: Snapshot, read: Mapping[int, Read]) -> None:
        self._snapshot = snapshot
        self._read = read
        self._known: dict[int, bool | frozenset[str]] = {}

    def has(self, owner: int, name: str) -> bool:
        """Whether a member of that name may be asked for by what a type inherits from outside."""
        found = self._known.get(owner)
        if found is None:
            found = self._known[owner] = self._look(owner)
        return found if isinstance(found, bool) else name in found

    def _look(self, owner: int) -> bool | frozenset[str]:
        """True: any name; else the names that builtin bases ask for."""
        snapshot = self._snapshot
        seen, level = {owner}, [owner]
        names: frozenset[str] = frozenset()
        for _ in range(_LEVELS_MAX):
            above: list[int] = []
            for cls in level:
                file, row = snapshot.row_of(cls)
                language = by_name()[file.lang]
                inside = {
                    place
                    for edge in snapshot.edges_out(cls, _INHERITANCE)
                    for place in snapshot.sites(edge)
                    if not snapshot.is_external(edge.target)
                }
                stated = self._read[file.number].bases.get(row, ())
                for base, place in stated:
                    if place in inside or base in language.liveness.plain_bases:
                        continue
                    if base not in language.builtins or not language.builtin_members:
                        return True
                    names |= language.builtin_members
                bases = [edge.target for edge in snapshot.edges_out(cls, _INHERITANCE)]
                if any(snapshot.is_external(base) for base in bases) and not stated:
                    return True
                above += [base for base in bases if base not in seen and not snapshot.is_external(base)]
                seen.update(above)
            if not above:
                break
            level = above
        return names or False
