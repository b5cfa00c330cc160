"""Resolves names that nothing in their file binds: in included files, in opened namespaces, or by unique name.

They are looked up by name among the definitions of all files, and then chosen by where they are: a package of a
thousand files costs as much as one of ten.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from codemap.facts import Symbol, SymbolFlag, SymbolKind
from codemap.file_roles import Role, role_of
from codemap.graph.evaluate.evaluator import Evaluator
from codemap.graph.evaluate.file_views import GraphFile
from codemap.graph.model.edges import CALLABLE_KINDS
from codemap.graph.model.places import Place
from codemap.graph.model.values import (
    NOTHING,
    Confidence,
    Definition,
    Meaning,
    ModuleObject,
    Outside,
    Value,
    join,
    one,
    weaken,
)
from codemap.graph.resolve import import_resolution, namespaces, partial_definitions
from codemap.graph.resolve.outside import added_members
from codemap.languages.language import Language
from codemap.project import Module

_EXPORTED, _CONDITIONAL = int(SymbolFlag.EXPORTED), int(SymbolFlag.CONDITIONAL)
_DECLARATION = int(SymbolFlag.DECLARATION)
ROOT = Module(None, "")
"""Its submodules are the top-level packages."""
IMPORT, NAME = Confidence.IMPORT, Confidence.NAME


def resolve_unbound(ev: Evaluator, file: GraphFile, name: str) -> Meaning:
    """What a bare name denotes that neither its file nor a star import binds."""
    return ev.ask(file, ("unbound", file.base, name), lambda: _resolve_unbound(ev, file, name), file.unbound)


def _resolve_unbound(ev: Evaluator, file: GraphFile, name: str) -> Meaning:
    language = file.language
    found = NOTHING
    if language.scopes.sees == "all":
        found = find_anywhere(ev, language, name)
        if not found.values and language.scopes.everywhere:
            found = _find_everywhere(ev, file, name)
    elif language.scopes.sees == "includes":
        found = _find_in_opened(ev, file, name) if language.scopes.declares_packages else NOTHING
        found = found if found.values else _find_in_includes(ev, file, name)
    if not found.values and language.scopes.declares_packages:
        found = _find_self_named_package(ev, file, name)
        ev.note("child", language.name, ROOT.directory, name)
        child = None if found.values else ev.resolvers[language.name].child(ROOT, name)
        if child is not None:
            found = one(IMPORT, ModuleObject(child, language.name))
    if not found.values and language.scopes.unbound_is_outside:
        return one(Confidence.EXACT, Outside("", name))
    return found


def _find_everywhere(ev: Evaluator, file: GraphFile, name: str) -> Meaning:
    """What the repository adds under a name to what all values are of; product code has nothing from tests."""
    is_product = role_of(file.path) is Role.PRODUCT
    found = added_members.find_added_above(ev, file.language, file.language.scopes.everywhere[not is_product], name)
    if not is_product:
        return found
    own = [v for v in found.values if not isinstance(v, Definition) or _is_product(ev.file_of_node(v.node))]
    return Meaning(found.confidence, tuple(own)) if len(own) < len(found.values) else found


def _is_product(file: GraphFile) -> bool:
    return role_of(file.path) is Role.PRODUCT


def find_anywhere(ev: Evaluator, language: Language, name: str) -> Meaning:
    """The definition of that name at the top level of any file, where other files see it."""
    key = ("anywhere", language.name, name)
    return ev.ask(ev.elsewhere(*key), key, lambda: _find_anywhere(ev, language, name))


def _find_anywhere(ev: Evaluator, language: Language, name: str) -> Meaning:
    places = ev.look_up("tops", language.family, name)
    tops = [place for place in places if ev.files.numbered(place[0]).cell(place[1], Symbol.PARENT) == 0]
    seen = [place for place in tops if ev.definitions.flags_of(place) & _EXPORTED]
    return namespaces.resolve_places(ev, language, list(partial_definitions.select_definitions(ev, seen)))


def _find_in_opened(ev: Evaluator, file: GraphFile, name: str) -> Meaning:
    """What the namespaces that the file opens or uses have under a name; the inner ones come first."""
    binding = file.module_names.get("*")
    result = NOTHING
    for _, row, _ in ev.sources(file, binding) if binding is not None else ():
        asked = import_resolution.resolve_module(ev, file, row)
        module = asked if isinstance(asked, Module) else _resolve_by_aliases(ev, file, row)
        if module is None or not module.files:
            continue
        found = import_resolution.find_module_member(ev, module, name, file.language.name)
        if len(found.values) > 1:
            found = _select_seen_types(ev, file, name, found)
        if not file.is_implicit(row):
            result = join(result, found)
        elif found.values and not result.values:
            return found
    return result


def _resolve_by_aliases(ev: Evaluator, file: GraphFile, row: int) -> Module | None:
    """The namespace that is imported by other names of it: `a::b` where `a` has `namespace b = c;`."""
    specifier = import_resolution.specifier_of(file, row)
    first, *others = specifier.lstrip(":").split(".")
    if not others or not specifier.startswith(":"):  # no file
        return None
    ev.note("child", file.language.name, ROOT.directory, first)
    outer = ev.resolvers[file.language.name].child(ROOT, first)
    found = NOTHING if outer is None else one(IMPORT, ModuleObject(outer, file.language.name))
    for name in others:
        found = ev.value_of(ev.find_attribute(found, name))
    modules = [value.module for value in found.values if isinstance(value, ModuleObject)]
    return modules[0] if len(modules) == 1 else None


def _select_seen_types(ev: Evaluator, file: GraphFile, name: str, found: Meaning) -> Meaning:
    """Without the types of files that the file does not include, where it has or includes one of that name: a source
    file may have a type of its own that others have under the same name (ISO/IEC 14882:2020, 6.3 "One-definition
    rule")."""
    types: dict[Value, Place] = {}
    for value in found.values:
        if isinstance(value, Definition):
            owner = ev.file_of_node(value.node)
            place = (ev.files.number_of(owner), value.node - owner.base)
            if ev.definitions.kind_of(place) in namespaces.TYPES:
                types[value] = place
    if len(types) < 2:
        return found
    ev.note("seen", file.base, name)
    seen = set(ev.includes.seen(file, list(types.values())))
    if not seen:
        return found
    left = tuple(value for value in found.values if value not in types or types[value] in seen)
    return Meaning(IMPORT if found.confidence == Confidence.CANDIDATE and len(left) == 1 else found.confidence, left)


def _find_in_includes(ev: Evaluator, file: GraphFile, name: str) -> Meaning:
    """The definition of that name that the file includes; of several, each may be meant. Where it includes none, the
    only one of that name is guessed: headers are found on search paths that are not known. Else each may be meant that
    it may include."""
    named = ev.look_up("tops", file.language.family, name)
    is_namespace = ev.definitions.has_namespace(file.language.family, name)
    ev.note("seen", file.base, name)
    seen = _select_plain(ev, ev.includes.seen(file, named), is_namespace=is_namespace)
    if name in file.language.scopes.library and all(ev.definitions.flags_of(place) & _CONDITIONAL for place in seen):
        return _find_in_library(ev, name, seen)
    if seen:
        chosen = [place for place in partial_definitions.select_definitions(ev, seen) if not _renames(ev, place, seen)]
        chosen = _select_own(ev, file, chosen)
        found = namespaces.join_definitions(ev, chosen)
        if all(ev.files.numbered(number) is file for number, _ in chosen):
            return Meaning(Confidence.EXACT, found.values)
        return weaken(found, Confidence.CANDIDATE) if len(found.values) > 1 else found
    tops = _select_plain(ev, named, is_namespace=is_namespace)
    known = [
        place
        for place in partial_definitions.select_definitions(ev, tops)
        if ev.definitions.flags_of(place) & _EXPORTED
    ]
    perhaps = [] if name in file.language.scopes.library else ev.includes.perhaps_seen(file, tops)
    if any(ev.definitions.kind_of(place) != SymbolKind.VARIABLE for place in perhaps):
        found = namespaces.join_definitions(ev, partial_definitions.select_definitions(ev, perhaps))
        return weaken(found, Confidence.CANDIDATE if len(found.values) > 1 else NAME)
    is_only = len(known) == 1 and not is_namespace
    return weaken(namespaces.join_definitions(ev, known), NAME) if is_only else NOTHING


def _select_own(ev: Evaluator, file: GraphFile, places: list[Place]) -> list[Place]:
    """The definition that a file itself has in all builds that have the file, where functions of one name are one: what
    it includes only declares that, whatever else is declared there for other builds."""
    if file.spoken.has_alike:
        return places
    own = [
        place
        for place in places
        if ev.files.numbered(place[0]) is file and partial_definitions.is_whole(file, place[1])
    ]
    is_sure = 0 < len(own) < len(places) and (_are_always(file, (row for _, row in own)) or not _has_any_always(file))
    return own if is_sure else places


def _are_always(file: GraphFile, rows: Iterable[int]) -> bool:
    return all(not file.cell(row, Symbol.FLAGS) & _CONDITIONAL for row in rows)


def _has_any_always(file: GraphFile) -> bool:
    """Whether a file has functions in builds that do not have the others."""
    functions = (row for row in range(1, file.symbol_count) if file.cell(row, Symbol.KIND) == SymbolKind.FUNCTION)
    return any(_are_always(file, (row,)) for row in functions)


def _renames(ev: Evaluator, place: Place, seen: Sequence[Place]) -> bool:
    """Whether a macro renames the definition of its name in some builds to a name that nothing else has."""
    if ev.definitions.kind_of(place) != SymbolKind.VARIABLE:
        return False
    file = ev.files.numbered(place[0])
    is_macro = file.cell(place[1], Symbol.FLAGS) & _CONDITIONAL and file.cell(place[1], Symbol.VALUE) >= 0
    others = any(ev.definitions.kind_of(other) != SymbolKind.VARIABLE for other in seen)
    return bool(is_macro and others and not evaluate_given(ev, file.base + place[1]).values)


def evaluate_given(ev: Evaluator, node: int) -> Meaning:
    """What the value of a symbol denotes."""
    file = ev.file_of_node(node)
    return ev.ask(file, ("given", node), lambda: ev.expr(file, file.cell(node - file.base, Symbol.VALUE)))


def find_included(ev: Evaluator, file: GraphFile, name: str) -> list[Place]:
    """The definitions of a name that a file includes, those in namespaces too, and then those that it may include."""
    named = ev.definitions.tops(file.language.family, name)
    return [*ev.includes.seen(file, named), *ev.includes.perhaps_seen(file, named)]


def _find_in_library(ev: Evaluator, name: str, seen: Sequence[Place]) -> Meaning:
    """A function of the standard library, or the definitions that replace it in some builds."""
    whole = [
        place
        for place in partial_definitions.select_definitions(ev, seen)
        if ev.definitions.kind_of(place) in CALLABLE_KINDS and not ev.definitions.flags_of(place) & _DECLARATION
    ]
    if whole:
        return weaken(namespaces.join_definitions(ev, whole), Confidence.CANDIDATE)
    return one(Confidence.EXACT, Outside("", name))


def _select_plain(ev: Evaluator, places: Sequence[Place], *, is_namespace: bool) -> list[Place]:
    """Those at the top level of their files; without what looks like a part of a class, of a name of namespaces: it is
    one of the namespace."""
    tops = [place for place in places if _is_plain_top(ev, place)]
    return [place for place in tops if not namespaces.is_part(ev, place)] if is_namespace else tops


def _is_plain_top(ev: Evaluator, place: Place) -> bool:
    """Whether a definition is at the top level of its file, and is no namespace: those are one in all files."""
    file = ev.files.numbered(place[0])
    return file.cell(place[1], Symbol.PARENT) == 0 and file.cell(place[1], Symbol.KIND) != SymbolKind.MODULE


def _find_self_named_package(ev: Evaluator, file: GraphFile, name: str) -> Meaning:
    """The imported package that calls itself by that name, where its specifier suggested another."""
    for row in file.own_name_imports:
        module = import_resolution.resolve_module(ev, file, row)
        if isinstance(module, Module) and module.file is not None:
            ev.note("packages", ev.files[module.file].base)
        if isinstance(module, Module) and module.file is not None and name in ev.files[module.file].facts.packages:
            return one(IMPORT, ModuleObject(module, file.language.name))
    return NOTHING
