"""Which definitions a use of a name could mean, by name: what guesses look up."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator, Sequence
from functools import cache
from itertools import chain

from codemap.facts import ADDITION, Base, Part, Shape, Symbol, SymbolFlag, SymbolKind, rows
from codemap.graph.model.edges import CALLABLE_KINDS, FUNCTION_KINDS, MEMBER_KINDS
from codemap.graph.model.indexed_file import IndexedFile
from codemap.graph.model.places import Place, Places, add_place, packed_places, unpacked_places
from codemap.graph.model.used_names import called_name, last_name
from codemap.graph.model.values import CLASS_KINDS
from codemap.languages import by_name, languages

Index = dict[str, dict[str, Places]]
"""Family -> name -> definitions."""
_PART, _UNNAMED, _AMBIENT = int(SymbolFlag.PART), int(SymbolFlag.UNNAMED), int(SymbolFlag.AMBIENT)
_SEEN = _UNNAMED | _AMBIENT | int(SymbolFlag.GENERATED)
_TYPE_ALIAS = int(SymbolKind.TYPE_ALIAS)
_STAND_IN = _PART | int(SymbolFlag.DECLARATION)
_ALIAS, _ACCESSOR = int(SymbolFlag.ALIAS), int(SymbolFlag.ACCESSOR)
_ATTRIBUTES = (int(SymbolKind.VARIABLE), int(SymbolKind.PROPERTY))
_NO_NAMES: dict[str, Places] = {}
_KEYS_A_STEP = 256
INDEXES = range(6)
"""Numbers of the indexes."""
_MEMBERS, _SCRIPT_TOPS, _TOPS, _PARTS, _INTERFACES, _AMBIENTS = INDEXES


class Definitions:
    """Which definitions a use of a name could mean: members of other definitions, the top level of scripts, and, of
    languages whose files see names of one another without naming the file, their top level and the parts in them."""

    def __init__(self, files: Sequence[IndexedFile], indexes: tuple[Index, ...]) -> None:
        self._files = files
        self._indexes = indexes
        self._other_names: dict[tuple[str, str], tuple[str, ...]] = {}
        self._are_namespaces: dict[tuple[str, str], bool] = {}

    def after(self, files: Sequence[IndexedFile], changed: Sequence[int]) -> Generator[None, None, Definitions]:
        """The same of files with the same paths, of which those numbered `changed` have other contents; a step a
        file."""
        others = []
        for number in changed:
            before, after = self._files[number], files[number]
            if before.symbol_count != after.symbol_count or outline(before) != outline(after):
                others.append(number)
            yield
        if not others:
            return Definitions(files, self._indexes)
        fresh = yield from _indexed([files[number] for number in others])
        gone = yield from _indexed([self._files[number] for number in others])
        numbers = set(others)
        indexes = tuple({family: dict(names) for family, names in index.items()} for index in self._indexes)
        yield
        for index, new, out in zip(indexes, fresh, gone, strict=True):
            for family in new.keys() | out.keys():
                names, came, went = index.setdefault(family, {}), new.get(family, {}), out.get(family, {})
                # Names such as `run` have a place in every file, and mostly stay where they are.
                differing = [name for name in came.keys() | went.keys() if came.get(name) != went.get(name)]
                for count, name in enumerate(differing):
                    kept = [place for place in unpacked_places(names.get(name, ())) if place[0] not in numbers]
                    names[name] = packed_places(sorted([*kept, *unpacked_places(came.get(name, ()))]))
                    if count % _KEYS_A_STEP == 0:
                        yield
        return Definitions(files, indexes)

    def members(self, family: str, name: str) -> tuple[Place, ...]:
        """Definitions of a name that are members of another definition."""
        return self._find(_MEMBERS, family, name)

    def script_tops(self, family: str, name: str) -> tuple[Place, ...]:
        """Top-level definitions that a call may mean which nothing binds: those of scripts, which other scripts see
        without an import, and of languages that find by arguments."""
        found = self._find(_SCRIPT_TOPS, family, name)
        if family not in _searched_families():
            return found
        return (*found, *(place for place in self.tops(family, name) if self._cell(place, Symbol.PARENT) == 0))

    def is_friend(self, place: Place) -> bool:
        """Whether a definition is a function that a class defines, and that is no member of it."""
        return _is_friend(self._files[place[0]].symbols, place[1])

    def tops(self, family: str, name: str) -> tuple[Place, ...]:
        """Definitions of a name at the top level of a file or of a namespace in it, parts of others included; only of
        languages whose files see names of one another."""
        return self._find(_TOPS, family, name)

    def has_namespace(self, family: str, name: str) -> bool:
        """Whether any of `tops` is a namespace. Many files ask that of the names that have many."""
        key = (family, name)
        known = self._are_namespaces.get(key)
        if known is None:
            tops = self.tops(family, name)
            known = any(self.kind_of(place) == SymbolKind.MODULE for place in tops)
            if len(tops) > 1:
                self._are_namespaces[key] = known
        return known

    def parts(self, family: str, name: str) -> tuple[Place, ...]:
        """Symbols that are a part of a definition of this name."""
        return self._find(_PARTS, family, name)

    def interfaces(self, family: str, name: str) -> tuple[Place, ...]:
        """Interfaces that types implement without saying so, by the name of the first of their own methods; or, where
        they have none, of the first interface that they embed."""
        return self._find(_INTERFACES, family, name)

    def ambients(self, family: str, name: str) -> tuple[Place, ...]:
        """Definitions that every file sees, and modules that are declared by the name that imports ask for."""
        return self._find(_AMBIENTS, family, name)

    def outcome(self, family: str, name: str) -> tuple[object, ...]:
        """What a guess by this name comes down to, for each form of use: nothing, one definition, or one of many."""
        answers = (self.members(family, name), self.script_tops(family, name))
        found: list[object] = []
        for places in answers:
            callable_places = tuple(place for place in places if self.kind_of(place) in CALLABLE_KINDS)
            found += [*self._only(places), *self._only(callable_places)]
        return (*found, self.other_names(family, name), self.has_attributes(family, name))

    def has_attributes(self, family: str, name: str) -> bool:
        """Whether attributes have a name, which hold something: not those that run code when they are read."""
        return any(
            self.kind_of(place) in _ATTRIBUTES and not self.flags_of(place) & _ACCESSOR
            for place in self.members(family, name)
        )

    def other_names(self, family: str, name: str) -> tuple[str, ...]:
        """The names of the methods of which the members of a name are other names, in order."""
        known = self._other_names.get((family, name))
        if known is None:
            known = self._other_names[family, name] = self._find_other_names(family, name)
        return known

    def _find_other_names(self, family: str, name: str) -> tuple[str, ...]:
        aliases = (place for place in self.members(family, name) if self.flags_of(place) & _ALIAS)
        found = {
            called_name(self._files[number].facts, self._cell((number, row), Symbol.VALUE)) for number, row in aliases
        }
        return tuple(sorted(found - {"", name}))

    def _only(self, places: tuple[Place, ...]) -> tuple[object, ...]:
        if len(places) != 1:
            return (len(places) > 1,)
        file = self._files[places[0][0]]
        return (
            file.path,
            file.qualified_name(places[0][1]),
            file.symbols[places[0][1] * Symbol.WIDTH + Symbol.ORDINAL],
        )

    def _find(self, index: int, family: str, name: str) -> tuple[Place, ...]:
        return unpacked_places(self._indexes[index].get(family, _NO_NAMES).get(name, ()))

    def flags_of(self, place: Place) -> int:
        return self._cell(place, Symbol.FLAGS)

    def kind_of(self, place: Place) -> int:
        return self._cell(place, Symbol.KIND)

    def _cell(self, place: Place, column: int) -> int:
        return self._files[place[0]].symbols[place[1] * Symbol.WIDTH + column]

    def node_of(self, place: Place) -> int:
        return self._files[place[0]].base + place[1]


@cache
def _searched_families() -> frozenset[str]:
    """Families of the languages that find by arguments."""
    return frozenset(language.family for language in languages() if language.finds_by_arguments)


def definitions_of(files: Sequence[IndexedFile]) -> Generator[None, None, Definitions]:
    """The definitions of some files, a step a file."""
    return Definitions(files, (yield from _indexed(files)))


def _is_in_block(cells: Sequence[int], at: int) -> bool:
    is_function = cells[at + Symbol.KIND] in FUNCTION_KINDS
    return is_function and not cells[at + Symbol.FLAGS] & SymbolFlag.EXPORTED


def _indexed(files: Iterable[IndexedFile]) -> Generator[None, None, tuple[Index, ...]]:
    """The indexes of some files, by their numbers."""
    width = Symbol.WIDTH
    found: tuple[Index, ...] = tuple({} for _ in INDEXES)
    sharing = {language.name for language in languages() if language.scopes.shares_names}
    searched = _searched_families()
    hiding = {language.name for language in languages() if language.scopes.hides_locals}
    ambient = {language.name for language in languages() if language.scopes.has_ambient}
    in_blocks = {language.name for language in languages() if language.scopes.defines_in_blocks}
    for file in files:
        yield
        cells, names, number = file.symbols.tolist(), file.symbol_names, file.number
        members, script_tops, tops, parts, interfaces, ambients = (index.setdefault(file.family, {}) for index in found)
        is_script, hides = file.is_script, file.lang in hiding
        for row in range(1, file.symbol_count):
            at = row * width
            if (parent := cells[at + Symbol.PARENT]) > 0:
                if hides and cells[parent * width + Symbol.KIND] in FUNCTION_KINDS:
                    continue
                kind = cells[at + Symbol.KIND]
                if kind in MEMBER_KINDS and not is_offer(kind, cells[at + Symbol.FLAGS]):
                    add_place(members, names[row - 1], number, row)
                continue
            if is_script:
                add_place(script_tops, names[row - 1], number, row)
            if file.lang in in_blocks and _is_in_block(cells, at):
                add_place(members, names[row - 1], number, row)
        if file.lang in ambient:
            for row in range(1, file.symbol_count):
                if cells[row * width + Symbol.FLAGS] & _AMBIENT:
                    add_place(ambients, names[row - 1], number, row)
        if file.lang not in sharing:
            continue
        for row in _top_rows(cells, has_friends=file.family in searched):
            kind, flags = cells[row * width + Symbol.KIND], cells[row * width + Symbol.FLAGS]
            if flags & _UNNAMED and not is_offer(kind, flags):
                continue
            add_place(tops, names[row - 1], number, row)
        for row, name in interface_rows(file):
            add_place(interfaces, name, number, row)
        for row, name in part_rows(file):
            flags = cells[row * width + Symbol.FLAGS]
            if flags & _PART and not is_offer(cells[row * width + Symbol.KIND], flags):
                add_place(parts, name, number, row)
    for names_of_family in chain.from_iterable(index.values() for index in found):
        for name, places in names_of_family.items():
            if isinstance(places, list):
                names_of_family[name] = tuple(places)
    return found


def _is_friend(cells: Sequence[int], row: int) -> bool:
    if cells[row * Symbol.WIDTH + Symbol.KIND] != SymbolKind.FUNCTION:
        return False
    return cells[cells[row * Symbol.WIDTH + Symbol.PARENT] * Symbol.WIDTH + Symbol.KIND] in CLASS_KINDS


def is_offer(kind: int, flags: int) -> bool:
    """Whether a symbol is a name that a namespace has for what another one defines."""
    return kind == _TYPE_ALIAS and flags & ADDITION == ADDITION


def _top_rows(cells: list[int], *, has_friends: bool) -> Iterator[int]:
    """Symbols at the top level of a file, or of a namespace that is; and friends of classes, which are in these."""
    is_open = [True]
    for at in range(Symbol.WIDTH, len(cells), Symbol.WIDTH):
        is_top = is_open[cells[at + Symbol.PARENT]]
        is_open.append(is_top and cells[at + Symbol.KIND] == SymbolKind.MODULE)
        if is_top or (has_friends and _is_friend(cells, at // Symbol.WIDTH)):
            yield at // Symbol.WIDTH


def interface_rows(file: IndexedFile) -> list[tuple[int, str]]:
    """Interfaces of a file that types implement without saying so, each with the name that finds it."""
    cells = file.symbols.tolist()
    if not by_name()[file.lang].is_structural or SymbolKind.INTERFACE not in cells[Symbol.KIND :: Symbol.WIDTH]:
        return []  # without a look at facts that may still be packed
    names = file.facts.names
    first: dict[int, str] = {}
    shapes = rows(file.facts.shapes)
    for at in range(0, len(shapes), Shape.WIDTH):
        owner = cells[shapes[at] * Symbol.WIDTH + Symbol.PARENT]
        name = names[cells[shapes[at] * Symbol.WIDTH]]
        if cells[owner * Symbol.WIDTH + Symbol.KIND] == SymbolKind.INTERFACE:
            first[owner] = min(first.get(owner, name), name)
    embedded: dict[int, str] = {}
    bases = rows(file.facts.bases)
    for at in range(0, len(bases), Base.WIDTH):
        owner = bases[at]
        if cells[owner * Symbol.WIDTH + Symbol.KIND] == SymbolKind.INTERFACE and owner not in first:
            embedded.setdefault(owner, last_name(file, bases[at + Base.EXPR]))
    return sorted({**first, **embedded}.items())


def part_rows(file: IndexedFile) -> list[tuple[int, str]]:
    """Symbols of a file that stand for a definition elsewhere, each with the name of that."""
    flags = file.symbols[Symbol.FLAGS :: Symbol.WIDTH].tolist()
    if not by_name()[file.lang].scopes.shares_names or not any(flag & _STAND_IN for flag in flags):
        return []  # without a look at facts that may still be packed
    table, names = rows(file.facts.parts), file.facts.names
    return [(table[at], names[table[at + Part.NAME]]) for at in range(0, len(table), Part.WIDTH)]


def outline(file: IndexedFile) -> list[object]:
    """What an index says of a file."""
    cells = file.symbols.tolist()
    width = Symbol.WIDTH
    shape: list[object] = [cells[column::width] for column in (Symbol.KIND, Symbol.PARENT)]
    parts = [(row, name, cells[row * width + Symbol.FLAGS]) for row, name in part_rows(file)]
    of_use = _SEEN | int(SymbolFlag.EXPORTED) if by_name()[file.lang].scopes.defines_in_blocks else _SEEN
    seen = [flags & of_use for flags in cells[Symbol.FLAGS :: width]]
    return [file.is_script, file.symbol_names, parts, interface_rows(file), seen, *shape]
