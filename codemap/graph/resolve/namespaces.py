"""Names that files share without naming one another: packages of several files, includes, what a name in full means.

They are looked up by name among the definitions of all files, and then chosen by where they stand: a package of a
thousand files costs as much as one of ten.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from codemap.facts import Import, ImportFlag, Symbol, SymbolFlag, SymbolKind, plain_name, type_parameters_in
from codemap.graph.model.definitions import Place
from codemap.graph.model.edges import CALLABLE_KINDS
from codemap.graph.model.values import CLASS_KINDS, NOTHING, Confidence, Meaning, Tag, Value, join, one, weaken
from codemap.graph.resolve import import_resolution, partial_definitions
from codemap.graph.resolve.files import GraphFile
from codemap.languages import by_name
from codemap.languages.language import Language
from codemap.languages.project import Module

if TYPE_CHECKING:
    from codemap.graph.resolve.evaluate import Evaluator

_TYPES = (SymbolKind.CLASS, SymbolKind.INTERFACE, SymbolKind.ENUM, SymbolKind.TYPE_ALIAS)
_IMPLICIT = int(ImportFlag.IMPLICIT)
_PART, _EXPORTED, _CONDITIONAL = int(SymbolFlag.PART), int(SymbolFlag.EXPORTED), int(SymbolFlag.CONDITIONAL)
_DECLARATION = int(SymbolFlag.DECLARATION)
ROOT = Module(None, "")
"""Whose submodules are the packages that stand in no other."""
IMPORT, NAME = Confidence.IMPORT, Confidence.NAME


def find_member(ev: Evaluator, module: Module, name: str, language: str) -> Meaning:
    """What a module of several files has under a name."""
    count = type_parameters_in(name)
    places = ev.definitions.tops(by_name()[language].family, name if count < 0 else plain_name(name))
    found = [place for place in places if not _is_namespace(ev, place) and is_member(ev, module, place)]
    if count >= 0:
        found = [place for place in found if _is_type(ev, place, count)]
    found = list(partial_definitions.select_definitions(ev, found))
    return _resolve_places(ev, by_name()[language], found)


def _resolve_places(ev: Evaluator, language: Language, places: list[Place]) -> Meaning:
    """What definitions of one name denote: each of them, or one that is not known."""
    meant = _join_definitions(ev, places)
    is_open = language.is_loaded_at_run_time and len(meant.values) > 1
    return weaken(meant, Confidence.CANDIDATE) if is_open or _are_rivals(ev, places) else meant


def _are_rivals(ev: Evaluator, places: list[Place]) -> bool:
    """Whether definitions are types of one name in several files, of which a program has one."""
    return len({number for number, _ in places}) > 1 and all(ev.definitions.kind_of(p) in CLASS_KINDS for p in places)


def is_member(ev: Evaluator, module: Module, place: Place) -> bool:
    """Whether a definition is a member of a module of several files. Those of a namespace are named in full, as far as
    their files do not say for all that they hold which one it is."""
    file = ev.files.numbered(place[0])
    if file.path not in module.files:
        return False
    namespace = _namespace(file, place[1])
    if namespace == module.within:
        return True
    package = next(iter(file.facts.packages), "")
    return bool(package) and module.within == (f"{package}.{namespace}" if namespace else package)


def _is_namespace(ev: Evaluator, place: Place) -> bool:
    """Whether a definition is one file's part of a namespace, which is a module of all its files."""
    return ev.definitions.kind_of(place) == SymbolKind.MODULE


def _is_type(ev: Evaluator, place: Place, count: int) -> bool:
    """Whether a definition is a type with so many type parameters."""
    file = ev.files.numbered(place[0])
    is_type = file.cell(place[1], Symbol.KIND) in _TYPES
    return is_type and count == len(file.parameters_of.get(place[1], ()))


def _namespace(file: GraphFile, row: int) -> str:
    """The dotted name of the namespaces around a symbol."""
    parts: list[str] = []
    row = file.cell(row, Symbol.PARENT)
    while row > 0:
        parts.append(file.names[file.cell(row, Symbol.NAME)])
        row = file.cell(row, Symbol.PARENT)
    return ".".join(reversed(parts))


def _join_definitions(ev: Evaluator, places: Sequence[Place]) -> Meaning:
    result = NOTHING
    for number, row in places:
        file = ev.files.numbered(number)
        is_part = file.cell(row, Symbol.FLAGS) & _PART
        found = (
            one(IMPORT, Value(Tag.SYMBOL, file.base + row))
            if is_part
            else partial_definitions.resolve_symbol(ev, file, row)
        )
        result = join(result, found)
    return weaken(result, IMPORT)


def resolve_unbound(ev: Evaluator, file: GraphFile, name: str) -> Meaning:
    """What a bare name means that neither its file nor a star import binds."""
    return ev.ask(("unbound", file.base, name), lambda: _resolve_unbound(ev, file, name))


def _resolve_unbound(ev: Evaluator, file: GraphFile, name: str) -> Meaning:
    language = file.language
    found = NOTHING
    if language.sees == "all":
        found = ev.ask(("anywhere", language.name, name), lambda: _find_anywhere(ev, language, name))
    elif language.sees == "includes":
        found = _find_in_opened(ev, file, name) if language.declares_packages else NOTHING
        found = found if found.values else _find_in_includes(ev, file, name)
    if not found.values and language.declares_packages:
        found = _find_self_named_package(ev, file, name)
        child = None if found.values else ev.resolvers[language.name].child(ROOT, name)
        if child is not None:
            found = one(IMPORT, Value(Tag.MODULE, child, language.name))
    if not found.values and language.unbound_is_outside:
        return one(Confidence.EXACT, Value(Tag.OUTSIDE, "", name))
    return found


def _find_anywhere(ev: Evaluator, language: Language, name: str) -> Meaning:
    """The definition of that name at the top level of any file, where other files see it."""
    places = ev.definitions.tops(language.family, name)
    tops = [place for place in places if ev.files.numbered(place[0]).cell(place[1], Symbol.PARENT) == 0]
    seen = [place for place in tops if ev.definitions.flags_of(place) & _EXPORTED]
    return _resolve_places(ev, language, list(partial_definitions.select_definitions(ev, seen)))


def _find_in_opened(ev: Evaluator, file: GraphFile, name: str) -> Meaning:
    """What the namespaces have under a name that the file opens or says to use; the inner ones come first."""
    binding = file.module_names.get("*")
    result = NOTHING
    for _, row, _ in ev.sources(file, binding) if binding is not None else ():
        module = import_resolution.resolve_module(ev, file, row)
        if not isinstance(module, Module) or not module.files:
            continue
        found = find_member(ev, module, name, file.language.name)
        if not is_implicit(file, row):
            result = join(result, found)
        elif found.values and not result.values:
            return found
    return result


def _find_in_includes(ev: Evaluator, file: GraphFile, name: str) -> Meaning:
    """The definition of that name that the file includes; of several, each may be meant. Where it includes none, the
    only one of that name is guessed: headers are found on search paths that are not known."""
    places = ev.definitions.tops(file.language.family, name)
    tops = [place for place in places if _is_plain_top(ev, place)]
    seen = ev.includes.seen(file, tops)
    if name in file.language.library and all(ev.definitions.flags_of(place) & _CONDITIONAL for place in seen):
        return _find_in_library(ev, name, seen)
    if seen:
        chosen = [place for place in partial_definitions.select_definitions(ev, seen) if not _renames(ev, place, seen)]
        found = _join_definitions(ev, chosen)
        if all(ev.files.numbered(number) is file for number, _ in chosen):
            return Meaning(Confidence.EXACT, found.values)
        return weaken(found, Confidence.CANDIDATE) if len(found.values) > 1 else found
    known = [
        place
        for place in partial_definitions.select_definitions(ev, tops)
        if ev.definitions.flags_of(place) & _EXPORTED
    ]
    return weaken(_join_definitions(ev, known), NAME) if len(known) == 1 else NOTHING


def _renames(ev: Evaluator, place: Place, seen: Sequence[Place]) -> bool:
    """Whether a macro gives what has its name another one in some builds: a name that nothing else has."""
    if ev.definitions.kind_of(place) != SymbolKind.VARIABLE:
        return False
    file = ev.files.numbered(place[0])
    is_macro = file.cell(place[1], Symbol.FLAGS) & _CONDITIONAL and file.cell(place[1], Symbol.VALUE) >= 0
    others = any(ev.definitions.kind_of(other) != SymbolKind.VARIABLE for other in seen)
    return bool(is_macro and others and not ev.expr(file, file.cell(place[1], Symbol.VALUE)).values)


def _find_in_library(ev: Evaluator, name: str, seen: Sequence[Place]) -> Meaning:
    """A function of the standard library: or what some builds have in its place."""
    whole = [
        place
        for place in partial_definitions.select_definitions(ev, seen)
        if ev.definitions.kind_of(place) in CALLABLE_KINDS and not ev.definitions.flags_of(place) & _DECLARATION
    ]
    if whole:
        return weaken(_join_definitions(ev, whole), Confidence.CANDIDATE)
    return one(Confidence.EXACT, Value(Tag.OUTSIDE, "", name))


def _is_plain_top(ev: Evaluator, place: Place) -> bool:
    """Whether a definition stands at the top level of its file, and is no namespace: those are one in all files."""
    file = ev.files.numbered(place[0])
    return file.cell(place[1], Symbol.PARENT) == 0 and file.cell(place[1], Symbol.KIND) != SymbolKind.MODULE


def _find_self_named_package(ev: Evaluator, file: GraphFile, name: str) -> Meaning:
    """The imported package that calls itself by that name, where its specifier suggested another."""
    for row in file.own_name_imports:
        module = import_resolution.resolve_module(ev, file, row)
        if isinstance(module, Module) and module.file is not None and name in ev.files[module.file].facts.packages:
            return one(IMPORT, Value(Tag.MODULE, module, file.language.name))
    return NOTHING


def is_implicit(file: GraphFile, row: int) -> bool:
    """Whether no statement makes the import."""
    return bool(file.imports[row * Import.WIDTH + Import.FLAGS] & _IMPLICIT)
