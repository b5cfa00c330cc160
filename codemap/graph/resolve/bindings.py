"""What names denote: the bindings of a file, and the names that no binding of it has."""

from __future__ import annotations

from functools import partial

from codemap.facts import TRIPLE, Binding, ScopeKind, SourceKind, SymbolKind
from codemap.graph.evaluate.evaluator import Evaluator
from codemap.graph.evaluate.file_views import GraphFile
from codemap.graph.model.values import (
    NOTHING,
    Confidence,
    Definition,
    Instance,
    Meaning,
    Outside,
    TypeParameter,
    join,
    join_all,
    one,
    weaken,
)
from codemap.graph.resolve import import_resolution, partial_definitions, type_expressions, unbound_names
from codemap.graph.resolve.outside import ambient_definitions, unknown_receivers

EXACT, TYPE = Confidence.EXACT, Confidence.TYPE
_SYMBOL, _TYPE_PARAMETER, _TYPED, _VALUE = map(
    int, (SourceKind.SYMBOL, SourceKind.TYPE_PARAMETER, SourceKind.TYPED, SourceKind.VALUE)
)
_OF_SYMBOLS = (_SYMBOL, int(SourceKind.CLASS))
_OF_NOTHING = (int(SourceKind.PARAMETER), int(SourceKind.OPAQUE))
_SELF, _IMPORT = int(SourceKind.SELF), int(SourceKind.IMPORT)
_PLACES = (int(SymbolKind.VARIABLE), int(SymbolKind.PROPERTY))
_WIDTH, _FIRST, _COUNT = Binding.WIDTH, Binding.FIRST, Binding.COUNT


def evaluate_binding(ev: Evaluator, file: GraphFile, index: int) -> Meaning:
    """What a binding of a file denotes: its definitions and imports, else what it is known to hold."""
    memo = file.binding_memo
    at = index * _WIDTH
    bindings = file.bindings
    if bindings[at + _COUNT] == 1:
        kind, a, _ = TRIPLE.unpack_from(file.facts.sources, bindings[at + _FIRST] * TRIPLE.size)
        if kind in _OF_SYMBOLS:
            if a in file.stand_ins:
                return partial_definitions.resolve_symbol(ev, file, a)
            memo[index] = meaning = one(EXACT, Definition(file.base + a))
            return meaning
        if kind == _SELF:
            return one(EXACT, Instance(partial_definitions.resolve_node(ev, file, a)))
        if kind == _IMPORT:
            return import_resolution.resolve_import(ev, file, a)
        if kind in _OF_NOTHING:
            return NOTHING
    cell = memo[index]
    known = ev.solver.known(cell)
    if known is not None:
        return known
    return ev.solver.solve(cell, partial(memo.__setitem__, index), partial(_join_sources, ev, file, index))


def _join_sources(ev: Evaluator, file: GraphFile, index: int) -> Meaning:
    sources = ev.sources(file, index)
    if file.language.has_overloads and all(kind == _SYMBOL for kind, _, _ in sources):
        return join_all([partial_definitions.resolve_symbol(ev, file, a) for _, a, _ in sources])
    meaning = NOTHING
    for kind, a, b in sources:
        if kind in _OF_SYMBOLS:
            meaning = join(meaning, partial_definitions.resolve_symbol(ev, file, a))
        elif kind == _IMPORT:
            meaning = join(meaning, import_resolution.resolve_import(ev, file, a))
        elif kind == _SELF:
            meaning = join(meaning, one(EXACT, Instance(partial_definitions.resolve_node(ev, file, a))))
        elif kind == _TYPE_PARAMETER:
            return one(EXACT, TypeParameter(partial_definitions.resolve_node(ev, file, a), b))
    if not meaning.values:
        return evaluate_sources(ev, file, sources)
    is_member = file.bindings[index * _WIDTH + Binding.SCOPE] == ScopeKind.CLASS
    is_more = is_member and (file.language.holds_functions or file.spoken.has_alike)
    is_more = is_more and not (file.language.has_keyed_objects and _are_places(ev, meaning))
    return join(meaning, _find_rebound(ev, file, sources, meaning)) if is_more else meaning


def _are_places(ev: Evaluator, meaning: Meaning) -> bool:
    """Whether some definitions are variables or properties: what they are assigned is read as their value."""
    return all(isinstance(value, Definition) and ev.kind_of_node(value.node) in _PLACES for value in meaning.values)


def _find_rebound(ev: Evaluator, file: GraphFile, sources: list[tuple[int, int, int]], bound: Meaning) -> Meaning:
    """The functions that a member is assigned besides those that it is `bound` to, as on another branch; or that its
    class has besides from a base (`using Base::f`)."""
    given = NOTHING
    known = {value.node for value in bound.values if isinstance(value, Definition)}
    for kind, a, _ in sources:
        if kind == _VALUE:
            found = type_expressions.select_definitions(ev.value_of(ev.expr(file, a)))
            others = tuple(
                value for value in found.values if not isinstance(value, Definition) or value.node not in known
            )
            given = join(given, Meaning(found.confidence, others) if others else NOTHING)
    return given


def evaluate_sources(ev: Evaluator, file: GraphFile, sources: list[tuple[int, int, int]]) -> Meaning:
    """What a place holds by its stated types, or else by what is assigned to it."""
    meaning = NOTHING
    for kind, a, _ in sources:
        if kind == _TYPED:
            meaning = join(meaning, ev.evaluate_type(file, a))
    is_informative = meaning.values and type_expressions.is_informative(file.language, meaning)
    if is_informative and not type_expressions.is_abstract(ev, meaning):
        return meaning
    given = NOTHING
    for kind, a, _ in sources:
        if kind == _VALUE:
            given = join(given, ev.value_of(ev.expr(file, a)))
    if is_informative:
        return type_expressions.add_implementing(ev, meaning, given)
    if not meaning.values:
        return unknown_receivers.add_given(file, weaken(given, TYPE), sources)
    return join(meaning, type_expressions.select_definitions(given))


def evaluate_global(ev: Evaluator, file: GraphFile, name: str) -> Meaning:
    """What a name denotes that nothing in its file binds."""
    if name in file.language.scopes.builtins:
        return one(EXACT, Outside("", name))
    language = file.language
    found = NOTHING if language.scopes.sees == "includes" else import_resolution.resolve_starred(ev, file, name)
    if language.scopes.has_ambient and not found.values:
        return ambient_definitions.find_ambient(ev, language, name)
    return found if found.values or not language.scopes.shares_names else unbound_names.resolve_unbound(ev, file, name)
