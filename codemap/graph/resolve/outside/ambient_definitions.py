"""Ambient definitions: what every file sees without an import, and what files declare about modules elsewhere.

Symbols that every file sees have the flag AMBIENT: the top level of scripts, and what a block adds to it. A module that
a file declares by its specifier is AMBIENT and UNNAMED, like its members. One in a script declares all that the module
offers. One in a file that is a module itself augments another: its interfaces go on there, what else it has is new.
Source: the TypeScript handbook, "Declaration Merging" and "Modules: Ambient modules".
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from codemap.facts import MODULE_VALUE, Symbol, SymbolFlag, SymbolKind
from codemap.graph.evaluate.evaluator import Evaluator
from codemap.graph.evaluate.file_views import GraphFile
from codemap.graph.model.places import Place
from codemap.graph.model.values import (
    NOTHING,
    Confidence,
    Definition,
    Instance,
    Meaning,
    ModuleObject,
    Outside,
    Value,
    join,
    one,
    weaken,
)
from codemap.languages.language import Language
from codemap.project import External, Module

_AMBIENT, _UNNAMED = int(SymbolFlag.AMBIENT), int(SymbolFlag.UNNAMED)
_MERGED = (SymbolKind.INTERFACE, SymbolKind.MODULE)
_CONTINUED = (SymbolKind.INTERFACE, SymbolKind.CLASS)
DEFAULT = "default"
IMPORT = Confidence.IMPORT


def find_ambient(ev: Evaluator, language: Language, name: str) -> Meaning:
    """The definitions of a name that every file sees; of several that do not merge, each may be meant."""
    key = ("ambient", language.name, name)
    return ev.ask(ev.elsewhere(*key), key, lambda: _find_ambient(ev, language, name))


def _find_ambient(ev: Evaluator, language: Language, name: str) -> Meaning:
    places = [place for place in ev.look_up("ambients", language.family, name) if is_seen_everywhere(ev, place)]
    found = join_places(ev, places)
    apart = {place[0] for place in places if ev.definitions.kind_of(place) not in _MERGED}
    return weaken(found, Confidence.CANDIDATE) if len(apart) > 1 else found


def join_places(ev: Evaluator, places: Sequence[Place]) -> Meaning:
    result = NOTHING
    for place in places:
        result = join(result, one(IMPORT, Definition(ev.definitions.node_of(place))))
    return result


def is_seen_everywhere(ev: Evaluator, place: Place) -> bool:
    """Whether an ambient symbol is no module of a specifier, and in none."""
    file = ev.files.numbered(place[0])
    parent = file.cell(place[1], Symbol.PARENT)
    around = file.cell(parent, Symbol.FLAGS) if parent > 0 else 0
    return not file.cell(place[1], Symbol.FLAGS) & _UNNAMED and not around & _AMBIENT


def find_declared_modules(ev: Evaluator, file: GraphFile, specifier: str) -> list[Place]:
    """The modules that files declare by a specifier."""
    places = ev.look_up("ambients", file.language.family, specifier)
    return [place for place in places if ev.definitions.flags_of(place) & _UNNAMED]


def find_declared(ev: Evaluator, file: GraphFile, specifier: str, name: str) -> Meaning:
    """What files declare of a module outside under a name, or of the module itself where that is empty."""
    result = NOTHING
    for number, row in find_declared_modules(ev, file, specifier):
        owner = ev.files.numbered(number)
        found = _find_offered(ev, owner, row, name)
        if not owner.facts.is_script:
            if not name:
                continue
            found = Meaning(found.confidence, tuple(value for value in found.values if not _goes_on(ev, value)))
        result = join(result, found)
    return weaken(result, IMPORT)


def _find_offered(ev: Evaluator, owner: GraphFile, row: int, name: str) -> Meaning:
    own = ev.evaluate_name(owner, row, MODULE_VALUE)
    if name and (found := ev.evaluate_name(owner, row, name)).values:
        return found
    if not own.values:
        return NOTHING if name else one(IMPORT, Definition(owner.base + row))
    return own if name in ("", DEFAULT) else ev.find_attribute(ev.value_of(own), name)


def _goes_on(ev: Evaluator, value: Value) -> bool:
    """Whether what an augmentation declares may be a part of what the module itself has."""
    return isinstance(value, Definition) and ev.kind_of_node(value.node) in _MERGED


def find_added_outside(ev: Evaluator, language: Language, package: str, type_name: str, name: str) -> Meaning:
    """The member that files of the repository declare of a type of a package outside; of a builtin one without."""
    result = NOTHING
    for place in ev.look_up("ambients", language.family, type_name):
        if ev.definitions.kind_of(place) != SymbolKind.INTERFACE:
            continue
        if not package:
            is_it = is_seen_everywhere(ev, place)
        else:
            is_it = any(isinstance(v, Outside) and v.package == package for v in _augmented_around(ev, place))
        if is_it:
            result = join(result, ev.find_attribute(one(IMPORT, Instance(ev.definitions.node_of(place))), name))
    return result


def find_continued(ev: Evaluator, file: GraphFile, row: int) -> Iterator[int]:
    """Nodes of what else declares members of a type: interfaces that add to it, and what it adds to."""
    flags = file.cell(row, Symbol.FLAGS)
    if not file.language.scopes.has_ambient or file.cell(row, Symbol.KIND) not in _CONTINUED:
        return
    name, own = file.name_of(row), file.base + row
    place = (ev.files.number_of(file), row)
    is_global = bool(flags & _AMBIENT) and is_seen_everywhere(ev, place)
    for other in ev.look_up("ambients", file.language.family, name):
        node = ev.definitions.node_of(other)
        if node == own or ev.definitions.kind_of(other) != SymbolKind.INTERFACE:
            continue
        if is_seen_everywhere(ev, other) if is_global else _has(ev, _augmented_around(ev, other), file, row):
            yield node
    if flags & _AMBIENT and not is_global:
        for value in ev.find_attribute(Meaning(IMPORT, _modules_among(_augmented_around(ev, place))), name).values:
            if isinstance(value, Definition) and value.node != own:
                yield value.node


def _modules_among(values: tuple[Value, ...]) -> tuple[Value, ...]:
    return tuple(value for value in values if isinstance(value, ModuleObject))


def _has(ev: Evaluator, modules: tuple[Value, ...], file: GraphFile, row: int) -> bool:
    """Whether a module is the file of a type, or offers that by its name."""
    for value in _modules_among(modules):
        if isinstance(value, ModuleObject) and value.module.file == file.path:
            return file.cell(row, Symbol.PARENT) == 0
        offered = ev.find_attribute(one(IMPORT, value), file.name_of(row))
        if any(isinstance(each, Definition) and each.node == file.base + row for each in offered.values):
            return True
    return False


def _augmented_around(ev: Evaluator, place: Place) -> tuple[Value, ...]:
    """The module that the module around a symbol augments."""
    file = ev.files.numbered(place[0])
    parent = file.cell(place[1], Symbol.PARENT)
    is_module = parent > 0 and file.cell(parent, Symbol.FLAGS) & _AMBIENT and file.cell(parent, Symbol.FLAGS) & _UNNAMED
    return resolve_augmented(ev, file.base + parent).values if is_module else ()


def resolve_augmented(ev: Evaluator, node: int) -> Meaning:
    """The module that a module declared by a specifier is a part of."""
    file = ev.file_of_node(node)
    return ev.ask(file, ("augments", node), lambda: _resolve_augmented(ev, file, file.name_of(node - file.base)))


def _resolve_augmented(ev: Evaluator, file: GraphFile, specifier: str) -> Meaning:
    match ev.resolvers[file.language.name].resolve(specifier, file.path):
        case Module() as module:
            return one(IMPORT, ModuleObject(module, file.language.name))
        case External(package):
            return one(IMPORT, Outside(package, ""))
        case _:
            return NOTHING
