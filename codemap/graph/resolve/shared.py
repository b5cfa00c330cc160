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
from codemap.graph.resolve import linkage, stand_ins
from codemap.graph.resolve.files import GraphFile
from codemap.languages import by_name
from codemap.languages.language import Language
from codemap.languages.project import Module

if TYPE_CHECKING:
    from codemap.graph.resolve.evaluate import Evaluator

_TYPES = (SymbolKind.CLASS, SymbolKind.INTERFACE, SymbolKind.ENUM, SymbolKind.TYPE_ALIAS)
_IMPLICIT = int(ImportFlag.IMPLICIT)
ROOT = Module(None, "")
"""Whose submodules are the packages that stand in no other."""
IMPORT, NAME = Confidence.IMPORT, Confidence.NAME


def member(ev: Evaluator, module: Module, name: str, language: str) -> Meaning:
    """What a module of several files has under a name."""
    count = type_parameters_in(name)
    ev.note("tops", by_name()[language].family, name if count < 0 else plain_name(name))
    places = ev.definitions.tops(by_name()[language].family, name if count < 0 else plain_name(name))
    found = [place for place in places if not _is_namespace(ev, place) and stands_in(ev, module, place)]
    if count >= 0:
        found = [place for place in found if _is_type(ev, place, count)]
    found = list(stand_ins.chosen(ev, found))
    return _one_of(ev, by_name()[language], found)


def _one_of(ev: Evaluator, language: Language, places: list[Place]) -> Meaning:
    """What definitions of one name denote: each of them, or one that is not known."""
    meant = _denoted(ev, places)
    is_open = language.is_loaded_at_run_time and len(meant.values) > 1
    return weaken(meant, Confidence.CANDIDATE) if is_open or _are_rivals(ev, places) else meant


def _are_rivals(ev: Evaluator, places: list[Place]) -> bool:
    """Whether definitions are types of one name in several files, of which a program has one."""
    return len({number for number, _ in places}) > 1 and all(ev.definitions.kind_of(p) in CLASS_KINDS for p in places)


def stands_in(ev: Evaluator, module: Module, place: Place) -> bool:
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


def _denoted(ev: Evaluator, places: Sequence[Place]) -> Meaning:
    result = NOTHING
    for number, row in places:
        file = ev.files.numbered(number)
        is_part = file.cell(row, Symbol.FLAGS) & SymbolFlag.PART
        found = one(IMPORT, Value(Tag.SYMBOL, file.base + row)) if is_part else stand_ins.meant(ev, file, row)
        result = join(result, found)
    return weaken(result, IMPORT)


def unbound(ev: Evaluator, file: GraphFile, name: str) -> Meaning:
    """What a bare name means that neither its file nor a star import binds."""
    return ev.ask(file, ("unbound", file.base, name), lambda: _unbound(ev, file, name))


def _unbound(ev: Evaluator, file: GraphFile, name: str) -> Meaning:
    language = file.language
    found = NOTHING
    if language.sees == "all":
        found = _anywhere(ev, file, name)
    elif language.sees == "includes":
        found = _opened(ev, file, name) if language.declares_packages else NOTHING
        found = found if found.values else _included(ev, file, name)
    if not found.values and language.declares_packages:
        found = _named_itself(ev, file, name)
        ev.note("child", language.name, ROOT.directory, name)
        child = None if found.values else ev.resolvers[language.name].child(ROOT, name)
        if child is not None:
            found = one(IMPORT, Value(Tag.MODULE, child, language.name))
    if not found.values and language.unbound_is_outside:
        return one(Confidence.EXACT, Value(Tag.OUTSIDE, "", name))
    return found


def _anywhere(ev: Evaluator, file: GraphFile, name: str) -> Meaning:
    """The definition of that name at the top level of any file, where other files see it."""
    ev.note("tops", file.language.family, name)
    places = ev.definitions.tops(file.language.family, name)
    tops = [place for place in places if ev.files.numbered(place[0]).cell(place[1], Symbol.PARENT) == 0]
    seen = [place for place in tops if ev.definitions.flags_of(place) & SymbolFlag.EXPORTED]
    return _one_of(ev, file.language, list(stand_ins.chosen(ev, seen)))


def _opened(ev: Evaluator, file: GraphFile, name: str) -> Meaning:
    """What the namespaces have under a name that the file opens or says to use; the inner ones come first."""
    binding = file.module_names.get("*")
    result = NOTHING
    for _, row, _ in ev.sources(file, binding) if binding is not None else ():
        module = linkage.resolve(ev, file, row)
        if not isinstance(module, Module) or not module.files:
            continue
        found = member(ev, module, name, file.language.name)
        if not is_implicit(file, row):
            result = join(result, found)
        elif found.values and not result.values:
            return found
    return result


def _included(ev: Evaluator, file: GraphFile, name: str) -> Meaning:
    """The definition of that name that the file includes; of several, each may be meant. Where it includes none, the
    only one of that name is guessed: headers are found on search paths that are not known."""
    ev.note("tops", file.language.family, name)
    places = ev.definitions.tops(file.language.family, name)
    tops = [place for place in places if _is_plain_top(ev, place)]
    ev.note("seen", file.base, name)
    seen = included(ev, file, name)
    if name in file.language.library and all(ev.definitions.flags_of(place) & SymbolFlag.CONDITIONAL for place in seen):
        return _in_library(ev, name, seen)
    if seen:
        chosen = [place for place in stand_ins.chosen(ev, seen) if not _renames(ev, place, seen)]
        found = _denoted(ev, chosen)
        if all(ev.files.numbered(number) is file for number, _ in chosen):
            return Meaning(Confidence.EXACT, found.values)
        return weaken(found, Confidence.CANDIDATE) if len(found.values) > 1 else found
    known = [place for place in stand_ins.chosen(ev, tops) if ev.definitions.flags_of(place) & SymbolFlag.EXPORTED]
    return weaken(_denoted(ev, known), NAME) if len(known) == 1 else NOTHING


def _renames(ev: Evaluator, place: Place, seen: Sequence[Place]) -> bool:
    """Whether a macro gives what has its name another one in some builds: a name that nothing else has."""
    if ev.definitions.kind_of(place) != SymbolKind.VARIABLE:
        return False
    file = ev.files.numbered(place[0])
    is_macro = file.cell(place[1], Symbol.FLAGS) & SymbolFlag.CONDITIONAL and file.cell(place[1], Symbol.VALUE) >= 0
    others = any(ev.definitions.kind_of(other) != SymbolKind.VARIABLE for other in seen)
    return bool(is_macro and others and not given(ev, file.base + place[1]).values)


def given(ev: Evaluator, node: int) -> Meaning:
    """What the value of a symbol denotes."""
    file = ev.file_of_node(node)
    return ev.ask(file, ("given", node), lambda: ev.expr(file, file.cell(node - file.base, Symbol.VALUE)))


def included(ev: Evaluator, file: GraphFile, name: str) -> list[Place]:
    """The definitions of a name that a file includes."""
    tops = ev.definitions.tops(file.language.family, name)
    return ev.includes.seen(file, [place for place in tops if _is_plain_top(ev, place)])


def _in_library(ev: Evaluator, name: str, seen: Sequence[Place]) -> Meaning:
    """A function of the standard library: or what some builds have in its place."""
    whole = [
        place
        for place in stand_ins.chosen(ev, seen)
        if ev.definitions.kind_of(place) in CALLABLE_KINDS
        and not ev.definitions.flags_of(place) & SymbolFlag.DECLARATION
    ]
    if whole:
        return weaken(_denoted(ev, whole), Confidence.CANDIDATE)
    return one(Confidence.EXACT, Value(Tag.OUTSIDE, "", name))


def _is_plain_top(ev: Evaluator, place: Place) -> bool:
    """Whether a definition stands at the top level of its file, and is no namespace: those are one in all files."""
    file = ev.files.numbered(place[0])
    return file.cell(place[1], Symbol.PARENT) == 0 and file.cell(place[1], Symbol.KIND) != SymbolKind.MODULE


def _named_itself(ev: Evaluator, file: GraphFile, name: str) -> Meaning:
    """The imported package that calls itself by that name, where its specifier suggested another."""
    for row in file.own_name_imports:
        module = linkage.resolve(ev, file, row)
        if isinstance(module, Module) and module.file is not None:
            ev.note("packages", ev.files[module.file].base)
        if isinstance(module, Module) and module.file is not None and name in ev.files[module.file].facts.packages:
            return one(IMPORT, Value(Tag.MODULE, module, file.language.name))
    return NOTHING


def is_implicit(file: GraphFile, row: int) -> bool:
    """Whether no statement makes the import."""
    return bool(file.imports[row * Import.WIDTH + Import.FLAGS] & _IMPLICIT)
