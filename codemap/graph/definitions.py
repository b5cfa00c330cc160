"""Which definitions a use of a name could mean, by name: what guesses look up."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from codemap.facts import Symbol
from codemap.graph.edges import CALLABLE_KINDS, MEMBER_KINDS
from codemap.graph.indexed import IndexedFile

Place = tuple[int, int]
"""(file number, symbol row)."""


Index = dict[tuple[str, str], tuple[Place, ...]]
"""(family, name) -> definitions, in order of file and row."""


class Definitions:
    """Which definitions a use of a name could mean: members of other definitions, and the top level of scripts."""

    def __init__(self, files: Sequence[IndexedFile], previous: Definitions | None, changed: Sequence[int]) -> None:
        """With `previous`, whose files have the same paths, only the files numbered `changed` are read."""
        self._files = files
        self._members: Index = {}
        self._script_tops: Index = {}
        if previous is None:
            _index(files, self._members, self._script_tops)
            return
        self._members, self._script_tops = dict(previous._members), dict(previous._script_tops)
        old = [previous._files[number] for number in changed]
        if [outline(file) for file in old] == [outline(files[number]) for number in changed]:
            return
        fresh: tuple[Index, Index] = ({}, {})
        gone: tuple[Index, Index] = ({}, {})
        _index([files[number] for number in changed], *fresh)
        _index(old, *gone)
        numbers = set(changed)
        for index, new, out in zip((self._members, self._script_tops), fresh, gone, strict=True):
            for key in new.keys() | out.keys():
                kept = [place for place in index.get(key, ()) if place[0] not in numbers]
                index[key] = tuple(sorted([*kept, *new.get(key, ())]))

    def members(self, family: str, name: str) -> tuple[Place, ...]:
        """Definitions of a name that are members of another definition."""
        return self._members.get((family, name), ())

    def script_tops(self, family: str, name: str) -> tuple[Place, ...]:
        """Top-level definitions of scripts, which other scripts see without an import."""
        return self._script_tops.get((family, name), ())

    def outcome(self, family: str, name: str) -> tuple[object, ...]:
        """What a guess by this name comes down to, for each form of use: nothing, one definition, or one of many."""
        answers = (self._members.get((family, name), ()), self._script_tops.get((family, name), ()))
        found: list[object] = []
        for places in answers:
            callable_places = tuple(place for place in places if self.kind_of(place) in CALLABLE_KINDS)
            found += [self._only(places), self._only(callable_places)]
        return tuple(found)

    def _only(self, places: tuple[Place, ...]) -> object:
        if len(places) != 1:
            return len(places) > 1
        file = self._files[places[0][0]]
        return (
            file.path,
            file.qualified_name(places[0][1]),
            file.symbols[places[0][1] * Symbol.WIDTH + Symbol.ORDINAL],
        )

    def kind_of(self, place: Place) -> int:
        return self._files[place[0]].symbols[place[1] * Symbol.WIDTH + Symbol.KIND]

    def node_of(self, place: Place) -> int:
        return self._files[place[0]].base + place[1]


def _index(files: Iterable[IndexedFile], members: Index, script_tops: Index) -> None:
    width = Symbol.WIDTH
    found: tuple[dict[tuple[str, str], list[Place]], ...] = ({}, {})
    for file in files:
        cells, names, family, number = file.symbols.tolist(), file.symbol_names, file.family, file.number
        is_script = file.is_script
        for row in range(1, file.symbol_count):
            at = row * width
            if cells[at + Symbol.PARENT] > 0:
                if cells[at + Symbol.KIND] in MEMBER_KINDS:
                    found[0].setdefault((family, names[row - 1]), []).append((number, row))
            elif is_script:
                found[1].setdefault((family, names[row - 1]), []).append((number, row))
    for index, places in zip((members, script_tops), found, strict=True):
        index.update((key, tuple(listed)) for key, listed in places.items())


def outline(file: IndexedFile) -> list[object]:
    """What an index says of a file."""
    cells = file.symbols.tolist()
    width = Symbol.WIDTH
    shape: list[object] = [cells[column::width] for column in (Symbol.KIND, Symbol.PARENT)]
    return [file.is_script, file.symbol_names, *shape]
