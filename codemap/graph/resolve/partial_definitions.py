"""Partial definitions and declarations: the definition that a part or a prototype belongs to.

The members and bases of a part are those of its definition, in whichever file they are. Where a definition consists
only of parts, the first of them, in order of path, represents it: of those in product code, if there are any, and of
those that are not only written for what is inside them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial

from codemap.facts import Symbol, SymbolFlag, SymbolKind
from codemap.file_roles import Role, role_of
from codemap.graph.evaluate import declared_overloads
from codemap.graph.evaluate.evaluator import Evaluator
from codemap.graph.evaluate.file_views import GraphFile
from codemap.graph.evaluate.specializations import is_specialization
from codemap.graph.model.definitions import is_offer
from codemap.graph.model.places import Place
from codemap.graph.model.values import (
    CLASS_KINDS,
    Confidence,
    Definition,
    Meaning,
    ModuleObject,
    Value,
    join_all,
    one,
    weaken,
)

_CALLED = (SymbolKind.FUNCTION, SymbolKind.METHOD)
_DECLARATION, _EXPORTED, _OPENING = int(SymbolFlag.DECLARATION), int(SymbolFlag.EXPORTED), int(SymbolFlag.OPENING)
"""Plain numbers, like the next: to look at a flag with an enum's member takes ten times as long."""
_STAND_IN = int(SymbolFlag.PART) | _DECLARATION
_OWN = (Role.PRODUCT, Role.TEST, Role.EXAMPLE)


def resolve_symbol(ev: Evaluator, file: GraphFile, row: int) -> Meaning:
    """The definition that a symbol is, is a part of, or declares, as one value; the namespace, where what looks like a
    part of a class is one (`void app::run() {}`); all that is meant, of a name that a namespace offers."""
    if row not in file.stand_ins:
        return one(Confidence.EXACT, Definition(file.base + row))
    return ev.ask(file, ("meant", file.base + row), lambda: _resolve_symbol(ev, file, row))


def resolve_symbol_of(ev: Evaluator, node: int) -> Meaning:
    """The same of a node."""
    file = ev.file_of_node(node)
    return resolve_symbol(ev, file, node - file.base)


def is_whole(file: GraphFile, row: int) -> bool:
    """Whether a symbol is neither a part nor a declaration of a definition elsewhere."""
    return row not in file.stand_ins


def resolve_node(ev: Evaluator, file: GraphFile, row: int) -> int:
    """The node of the definition that a symbol is, is a part of, or declares."""
    if row not in file.stand_ins:
        return file.base + row
    values = resolve_symbol(ev, file, row).values
    whole = values[0] if values else None
    return whole.node if isinstance(whole, Definition) else file.base + row


def find_parts(ev: Evaluator, file: GraphFile, row: int) -> list[int]:
    """Nodes of the parts of a definition, except for itself."""
    node = file.base + row
    if not file.language.scopes.shares_names:
        return []
    found = []
    for place in ev.look_up("parts", file.language.family, file.name_of(row)):
        other = ev.files.numbered(place[0])
        if other.base + place[1] != node and resolve_node(ev, other, place[1]) == node:
            found.append(other.base + place[1])
    return found


def join_parts(ev: Evaluator, held: list[tuple[GraphFile, Meaning]]) -> Meaning:
    """What several parts of a class, each in its file, have of one name: all of it where builds choose among the files;
    where files are loaded at run time, any in the product, as the last to be loaded takes the name."""
    (first, found), *others = held
    if not others or first.language.scopes.builds_choose_files:
        return join_all([each for _, each in held])
    role = role_of(first.path)
    known = join_all([each for owner, each in held if role_of(owner.path) == role])
    is_method = all(isinstance(v, Definition) and ev.kind_of_node(v.node) == SymbolKind.METHOD for v in known.values)
    return weaken(known, Confidence.CANDIDATE) if is_method and len(known.values) > len(found.values) else found


def select_definitions(ev: Evaluator, places: Sequence[Place]) -> Sequence[Place]:
    """Selects the definitions among symbols of one name: declarations only of something else (an overload that another
    file defines), and the first where there are only parts."""
    flags = [0 if is_offered(ev, place) else ev.definitions.flags_of(place) for place in places]
    whole = [place for place, flag in zip(places, flags, strict=True) if not flag & _STAND_IN]
    declared = [place for place, flag in zip(places, flags, strict=True) if flag & _DECLARATION]
    if whole:
        return [*whole, *(place for place in declared if _is_of_another(ev, place, whole))]
    return declared or places[:1]


def is_offered(ev: Evaluator, place: Place) -> bool:
    """Whether a symbol is a name that a namespace has for what another one defines."""
    return is_offer(ev.definitions.kind_of(place), ev.definitions.flags_of(place))


def _is_of_another(ev: Evaluator, declared: Place, whole: Sequence[Place]) -> bool:
    """Whether a declaration has a definition, which is not among `whole`."""
    file = ev.files.numbered(declared[0])
    node = resolve_node(ev, file, declared[1])
    return node != file.base + declared[1] and all(node != ev.definitions.node_of(place) for place in whole)


def _resolve_symbol(ev: Evaluator, file: GraphFile, row: int) -> Meaning:
    own = one(Confidence.EXACT, Definition(file.base + row))
    if file.cell(row, Symbol.FLAGS) & _DECLARATION:
        return _select_only(ev, file, row, _find_definitions(ev, file, row)) or own
    expr = file.stand_ins[row]
    if is_offer(file.cell(row, Symbol.KIND), file.cell(row, Symbol.FLAGS)):
        return weaken(ev.expr(file, expr), Confidence.IMPORT)
    if expr < 0:
        return _find_first(ev, file, row) or own
    found = ev.expr(file, expr)
    meant: list[Value] = [v for v in found.values if isinstance(v, Definition) and _is_class(ev, v)]
    meant += [value for value in found.values if isinstance(value, ModuleObject)]
    return one(found.confidence, meant[0]) if meant else own


def _find_first(ev: Evaluator, file: GraphFile, row: int) -> Meaning | None:
    """The first of all symbols of the full name of one, methods apart: looked for once, however many there are."""
    name = file.name_of(row)
    full, count = full_name(file, row), _count_parameters(file, row)
    places = find_first(ev, file.language.family, name, full, count, is_top=_is_top(file, row)).values
    first = places[0] if places else None
    if not isinstance(first, Definition):
        return None
    node = first.node
    confidence = Confidence.EXACT if ev.file_of_node(node) is file else Confidence.IMPORT
    return one(confidence, Definition(node))


def find_first(ev: Evaluator, family: str, name: str, full: str, count: int, *, is_top: bool) -> Meaning:
    """The first of all symbols of a name in full, at the top level or in other definitions; of types that differ by
    how many type parameters they have, those with so many."""
    key = ("first", family, is_top, len(name), count, full)
    return ev.ask(ev.elsewhere(*key), key, lambda: _select_first(ev, family, name, full, count, is_top=is_top))


def _select_first(ev: Evaluator, family: str, name: str, full: str, count: int, *, is_top: bool) -> Meaning:
    namesakes = []
    for place in ev.look_up("tops" if is_top else "members", family, name):
        file, row = ev.files.numbered(place[0]), place[1]
        is_same = full_name(file, row) == full and _count_parameters(file, row) == count
        if is_same and ev.definitions.kind_of(place) not in _CALLED:
            namesakes.append(place)
    places = select_definitions(ev, sorted(namesakes, key=partial(_rank_part, ev)))[:1]
    found = tuple(Definition(ev.definitions.node_of(place)) for place in places)
    return Meaning(Confidence.EXACT, found)


def _count_parameters(file: GraphFile, row: int) -> int:
    """How many type parameters a type has, where those of one name may differ by it; else 0."""
    return len(file.parameters_of.get(row, ())) if file.cell(row, Symbol.KIND) in CLASS_KINDS else 0


def _rank_part(ev: Evaluator, place: Place) -> tuple[bool, bool]:
    """Ranks the parts of a definition by how well each represents it, the best first."""
    is_opening = bool(ev.definitions.flags_of(place) & _OPENING)
    return is_opening, role_of(ev.files.numbered(place[0]).path) is not Role.PRODUCT


def _is_top(file: GraphFile, row: int) -> bool:
    """Whether a symbol is at the top level of a file or of a namespace."""
    return file.cell(file.cell(row, Symbol.PARENT), Symbol.KIND) in (SymbolKind.FILE, SymbolKind.MODULE)


def _select_only(ev: Evaluator, file: GraphFile, row: int, places: Sequence[Place]) -> Meaning | None:
    """The definition at the only place; a prototype's may be the only one that has its parameters, or near its file in
    a way that the others are not."""
    if file.spoken.has_alike and (len(places) > 1 or declared_overloads.has_overloads(ev, file, row)):
        places = [
            place for place in places if declared_overloads.is_alike(ev, file.base + row, ev.definitions.node_of(place))
        ]
    if len(places) > 1:
        places = _select_including(ev, file, file.name_of(row), places)
    if len(places) > 1:
        places = _select_nearest(ev, file, places)
    if len(places) != 1:
        return None
    node = ev.definitions.node_of(places[0])
    confidence = Confidence.EXACT if ev.file_of_node(node) is file else Confidence.IMPORT
    return one(confidence, Definition(node))


def _select_including(ev: Evaluator, file: GraphFile, name: str, places: Sequence[Place]) -> Sequence[Place]:
    """Those in files that include the one which declares them, where any does. What product code declares is there
    before what tests have for it, or a copy of the code (an amalgamation, or what is vendored)."""
    role = role_of(file.path)
    if role in _OWN:
        own = [place for place in places if role_of(ev.files.numbered(place[0]).path) <= role]
        places = own or places
    if file.language.scopes.sees == "includes":
        number = ev.files.number_of(file)
        for place in places:
            ev.note("seen", ev.files.numbered(place[0]).base, name)
        including = [place for place in places if ev.includes.has(place[0], number)]
        places = including or places
    return places


def _select_nearest(ev: Evaluator, file: GraphFile, places: Iterable[Place]) -> list[Place]:
    """Those in a file that is named like `file` except for its suffix; where there are none, those in its folder."""
    stem, folder = file.path.rpartition(".")[0], file.path.rpartition("/")[0]
    paths = {place: ev.files.numbered(place[0]).path for place in places}
    named = [place for place, path in paths.items() if path.rpartition(".")[0] == stem]
    return named or [place for place, path in paths.items() if path.rpartition("/")[0] == folder]


def _find_definitions(ev: Evaluator, file: GraphFile, row: int) -> list[Place]:
    """The definitions that a declaration may declare."""
    is_member = file.cell(file.cell(row, Symbol.PARENT), Symbol.KIND) in CLASS_KINDS
    group = _group(file.cell(row, Symbol.KIND))
    found = []
    for place in ev.look_up("members" if is_member else "tops", file.language.family, file.name_of(row)):
        other, at = ev.files.numbered(place[0]), place[1]
        flags = other.cell(at, Symbol.FLAGS)
        if flags & _STAND_IN or _group(other.cell(at, Symbol.KIND)) != group or is_specialization(other, at):
            continue
        if is_member:
            is_same = _owner(ev, other, at) == _owner(ev, file, row) and not (
                other is file and is_inside_parent(file, at)
            )
        else:
            is_seen = flags & _EXPORTED or other is file
            is_same = bool(is_seen) and full_name(other, at) == full_name(file, row)
        if is_same:
            found.append(place)
    return found if found or is_member else _find_outside(ev, file, row)


def is_inside_parent(file: GraphFile, row: int) -> bool:
    """Whether a definition is written in what it is a member of; nothing else there can declare it."""
    parent = file.cell(row, Symbol.PARENT)
    return bool(
        file.cell(parent, Symbol.START_LINE) <= file.cell(row, Symbol.LINE) <= file.cell(parent, Symbol.END_LINE)
    )


def _find_outside(ev: Evaluator, file: GraphFile, row: int) -> list[Place]:
    """The functions that a declaration in a namespace may declare, each defined outside of it by its full name: it
    looks like a member of a part of a class."""
    namespace = full_name(file, file.cell(row, Symbol.PARENT))
    if not namespace or file.cell(row, Symbol.KIND) not in _CALLED:
        return []
    found = []
    for place in ev.look_up("members", file.language.family, file.name_of(row)):
        other, at = ev.files.numbered(place[0]), place[1]
        owner = other.cell(at, Symbol.PARENT)
        if other.stand_ins.get(owner, -1) < 0 or other.cell(at, Symbol.FLAGS) & _STAND_IN:
            continue
        if any(_is_namespace(value, namespace) for value in resolve_symbol(ev, other, owner).values):
            found.append(place)
    return found


def _is_namespace(value: Value, name: str) -> bool:
    return isinstance(value, ModuleObject) and value.module.directory == name


def full_name(file: GraphFile, row: int) -> str:
    """The dotted name of a symbol, with that of the package of its file's top level."""
    known = file.full_names.get(row)
    if known is None:
        if row > 0:
            parent = file.cell(row, Symbol.PARENT)
            around, name = full_name(file, parent), file.names[file.cell(row, Symbol.NAME)]
            known = f"{around}.{name}" if parent > 0 or around else name
        else:
            known = "".join(file.facts.packages[:1])
        file.full_names[row] = known
    return known


def _owner(ev: Evaluator, file: GraphFile, row: int) -> int:
    return resolve_node(ev, file, file.cell(row, Symbol.PARENT))


def _group(kind: int) -> int:
    """Kinds of which one may declare another are equal."""
    if kind in CLASS_KINDS:
        return SymbolKind.CLASS
    return SymbolKind.FUNCTION if kind in _CALLED else kind


def _is_class(ev: Evaluator, value: Definition) -> bool:
    return ev.kind_of_node(value.node) in (*CLASS_KINDS, SymbolKind.MODULE, SymbolKind.TYPE_ALIAS)
