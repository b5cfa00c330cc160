"""Members of modules that several files make up: packages, and namespaces that files open again.

They are looked up by name among the definitions of all files, and then chosen by where they are: a package of a
thousand files costs as much as one of ten.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence

from codemap.facts import Symbol, SymbolFlag, SymbolKind
from codemap.graph.evaluate import stated_types
from codemap.graph.evaluate.evaluator import Evaluator
from codemap.graph.evaluate.file_views import GraphFile
from codemap.graph.model.places import Place
from codemap.graph.model.values import (
    CLASS_KINDS,
    NOTHING,
    Confidence,
    ContainerInstance,
    Definition,
    Instance,
    Meaning,
    ParameterInstance,
    Value,
    join,
    one,
    weaken,
)
from codemap.graph.resolve import partial_definitions
from codemap.languages import by_name
from codemap.languages.language import Language
from codemap.mangled_names import parse_type
from codemap.project import Module

TYPES = (*CLASS_KINDS, int(SymbolKind.TYPE_ALIAS))
_CALLED = frozenset({int(SymbolKind.FUNCTION), int(SymbolKind.METHOD)})
_PART, _DECLARATION = int(SymbolFlag.PART), int(SymbolFlag.DECLARATION)
_CONDITIONAL, _UNNAMED = int(SymbolFlag.CONDITIONAL), int(SymbolFlag.UNNAMED)
IMPORT = Confidence.IMPORT


def find_member(ev: Evaluator, module: Module, name: str, lang: str) -> Meaning:
    """The member of that name of a module of several files, for a file of a language (short name)."""
    wanted, language = parse_type(name), by_name()[lang]
    places = ev.look_up("tops", language.family, name if wanted is None else wanted.name)
    found = [place for place in places if not _is_namespace(ev, place) and is_member(ev, module, place)]
    if wanted is not None:
        found = [place for place in found if _is_type(ev, place, wanted.parameter_count)]
    if found and language.scopes.sees == "includes":
        found = [place for place in found if not is_part(ev, place)] or _find_outside(ev, places)
        if len(found) > 1:
            found = _without_unseen(ev, _without_conditional(ev, found), name)
    if len(found) > 1 and module.hiding:
        found = _without_hidden(ev, module, found)
    found = list(partial_definitions.select_definitions(ev, found))
    if language.extends_any:
        found += _find_extensions(ev, module, name, language.family)
    return resolve_places(ev, language, found)


def _without_hidden(ev: Evaluator, module: Module, places: list[Place]) -> list[Place]:
    """Without types that the module's own hide."""
    own = [place for place in places if ev.files.numbered(place[0]).path in module.hiding]
    are_types = all(ev.definitions.kind_of(place) in TYPES for place in places)
    return own if own and are_types else places


def _without_conditional(ev: Evaluator, places: list[Place]) -> list[Place]:
    """Without the names for what another namespace has that some builds alone give to this one, where others have
    something else under the name."""
    left = [
        place
        for place in places
        if not (partial_definitions.is_offered(ev, place) and ev.definitions.flags_of(place) & _CONDITIONAL)
    ]
    return left or places


def _without_unseen(ev: Evaluator, places: list[Place], name: str) -> list[Place]:
    """Without definitions of files that the file which asks does not include, where it includes another of the same: a
    copy of the code in one file (an amalgamation), or a type of its own that a source file has (ISO/IEC 14882:2020, 6.3
    "One-definition rule")."""
    file = ev.solver.frame
    if not isinstance(file, GraphFile) or len({number for number, _ in places}) < 2:
        return places
    ev.note("seen", file.base, name)
    included = [place for place in ev.includes.seen(file, places) if not is_part(ev, place)]
    if len(included) in (0, len(places)):
        return places
    seen = {place: partial_definitions.resolve_node(ev, ev.files.numbered(place[0]), place[1]) for place in included}
    return [
        place
        for place in places
        if place in seen or not (partial_definitions.is_offered(ev, place) or _is_copy(ev, place, seen))
    ]


def _find_outside(ev: Evaluator, places: Sequence[Place]) -> list[Place]:
    """The classes of a name that the file which asks includes, outside of namespaces: a class that a namespace only has
    members of stands behind a macro that opens it."""
    file = ev.solver.frame
    if not isinstance(file, GraphFile):
        return []
    tops = [
        place
        for place in places
        if ev.definitions.kind_of(place) in CLASS_KINDS
        and not ev.definitions.flags_of(place) & _PART
        and ev.files.numbered(place[0]).cell(place[1], Symbol.PARENT) == 0
    ]
    if tops:
        ev.note("seen", file.base, ev.files.numbered(tops[0][0]).name_of(tops[0][1]))
    return list(ev.includes.seen(file, tops))


def is_part(ev: Evaluator, place: Place) -> bool:
    """Whether a symbol is a part of a definition, not a name that a namespace has for one."""
    return bool(ev.definitions.flags_of(place) & _PART) and not partial_definitions.is_offered(ev, place)


def _is_copy(ev: Evaluator, place: Place, seen: Mapping[Place, int]) -> bool:
    """Whether a definition, and what it declares, is none of those that the seen ones mean, and one of these is what it
    is in another copy of the code: of its kind, with the same parameters."""
    node = ev.definitions.node_of(place)
    meant = partial_definitions.resolve_node(ev, ev.files.numbered(place[0]), place[1])
    if not {node, meant}.isdisjoint(seen.values()):
        return False
    return any(_is_found(ev, other, whole) and _are_alike(ev, place, other) for other, whole in seen.items())


def _is_found(ev: Evaluator, place: Place, whole: int) -> bool:
    """Whether it is known what a symbol means in all builds: itself, unless it only declares something."""
    flags = ev.definitions.flags_of(place)
    return whole != ev.definitions.node_of(place) or not flags & (_DECLARATION | _CONDITIONAL)


def _are_alike(ev: Evaluator, place: Place, other: Place) -> bool:
    """Whether one of two same-named definitions may take the place of the other: both types, or functions whose
    parameters are spelt with the same types."""
    kinds = {ev.definitions.kind_of(place), ev.definitions.kind_of(other)}
    if not kinds <= _CALLED:
        return len(kinds) == 1 or kinds <= {*TYPES}
    node, other_node = ev.definitions.node_of(place), ev.definitions.node_of(other)
    if stated_types.evaluate_shape(ev, node) != stated_types.evaluate_shape(ev, other_node):
        return False
    return _describe_parameters(ev, place) == _describe_parameters(ev, other)


def _describe_parameters(ev: Evaluator, place: Place) -> list[Hashable]:
    """The types of a function's parameters by their names; empty where nothing is known of one."""
    file = ev.files.numbered(place[0])
    count = len(file.parameters_of.get(place[1], ()))
    stated = (stated_types.evaluate_parameter_type(ev, file, place[1], position) for position in range(count))
    return [_describe(ev, meaning) for meaning in stated]


def _describe(ev: Evaluator, meaning: Meaning) -> Hashable:
    return tuple(_describe_value(ev, value) for value in meaning.values)


def _describe_value(ev: Evaluator, value: Value) -> Hashable:
    match value:
        case Instance():
            file = ev.file_of_node(value.node)
            return partial_definitions.full_name(file, value.node - file.base)
        case ContainerInstance():
            return value.name, _describe(ev, value.contents.element), _describe(ev, value.contents.value)
        case ParameterInstance():
            return value.position
        case _:
            return value


def _find_extensions(ev: Evaluator, module: Module, name: str, family: str) -> list[Place]:
    """Functions that a module adds to types: an import names them as if they stood beside these."""
    found = []
    for place in ev.look_up("members", family, name):
        file = ev.files.numbered(place[0])
        if is_beside_parent(file, place[1]) and is_member(ev, module, (place[0], file.cell(place[1], Symbol.PARENT))):
            found.append(place)
    return found


def is_beside_parent(file: GraphFile, row: int) -> bool:
    """Whether a definition is not written in what it is a member of."""
    parent = file.cell(row, Symbol.PARENT)
    if file.cell(parent, Symbol.FLAGS) & _PART:
        return True
    return not partial_definitions.is_inside_parent(file, row)


def resolve_places(ev: Evaluator, language: Language, places: list[Place]) -> Meaning:
    """What same-named definitions denote: all of them, or one of them that is not known (candidates)."""
    meant = join_definitions(ev, places)
    is_open = language.scopes.is_loaded_at_run_time and len(meant.values) > 1
    return weaken(meant, Confidence.CANDIDATE) if is_open or _are_rivals(ev, places) else meant


def _are_rivals(ev: Evaluator, places: list[Place]) -> bool:
    """Whether these are same-named types in different files: a program links only one."""
    return len({number for number, _ in places}) > 1 and all(ev.definitions.kind_of(p) in CLASS_KINDS for p in places)


def is_member(ev: Evaluator, module: Module, place: Place) -> bool:
    """Whether a definition is a member of a module of several files. Those of a namespace are named in full, as far as
    their files do not say for all that they hold which one it is."""
    file = ev.files.numbered(place[0])
    if file.path not in module.files:
        return False
    package = next(iter(file.facts.packages), "")
    return any(
        module.within == namespace
        or (bool(package) and module.within == (f"{package}.{namespace}" if namespace else package))
        for namespace in _namespaces(file, place[1])
    )


def _is_namespace(ev: Evaluator, place: Place) -> bool:
    """Whether a definition is one file's part of a namespace, which is a module of all its files."""
    return ev.definitions.kind_of(place) == SymbolKind.MODULE


def _is_type(ev: Evaluator, place: Place, count: int) -> bool:
    """Whether a definition is a type with so many type parameters."""
    file = ev.files.numbered(place[0])
    is_type = file.cell(place[1], Symbol.KIND) in TYPES
    return is_type and count == len(file.parameters_of.get(place[1], ()))


def _namespaces(file: GraphFile, row: int) -> Iterator[str]:
    """The dotted names of the namespace around a symbol: in full, and, where others are in it, without the names of
    those that only are parts of the one around."""
    parts: list[tuple[str, bool]] = []
    row = file.cell(row, Symbol.PARENT)
    while row > 0:
        parts.append((file.name_of(row), bool(file.cell(row, Symbol.FLAGS) & _UNNAMED)))
        row = file.cell(row, Symbol.PARENT)
    yield ".".join(name for name, _ in reversed(parts))
    if any(is_inline for _, is_inline in parts):
        yield ".".join(name for name, is_inline in reversed(parts) if not is_inline)


def join_definitions(ev: Evaluator, places: Sequence[Place]) -> Meaning:
    """All that some symbols stand for, parts for themselves; no surer than by an import."""
    result = NOTHING
    for number, row in places:
        file = ev.files.numbered(number)
        if is_part(ev, (number, row)):
            found = one(IMPORT, Definition(file.base + row))
        else:
            found = partial_definitions.resolve_symbol(ev, file, row)
        result = join(result, found)
    return weaken(result, IMPORT)
