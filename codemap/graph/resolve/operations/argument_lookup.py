"""Functions that a call of a name finds by its arguments (`Language.finds_by_arguments`).

A call of a name also means the functions that the classes of its arguments, and those above them, define as their
friends, which nothing else finds, and what the namespaces of these classes have (`using std::swap; swap(a, b);`). A
method of the name hides all that.

Source: ISO/IEC 14882:2020, 6.5.3 "Argument-dependent name lookup".
"""

from __future__ import annotations

from collections.abc import Sequence

from codemap.facts import EXPR_WIDTH, Binding, Op, Symbol, SymbolKind
from codemap.graph.evaluate.evaluator import Evaluator
from codemap.graph.evaluate.file_views import GraphFile
from codemap.graph.model.places import Place
from codemap.graph.model.values import CLASS_KINDS, Confidence, Definition, Instance, Meaning, Value, join
from codemap.graph.resolve import method_resolution_order, partial_definitions

_NAME, _GLOBAL, _ELSE = int(Op.NAME), int(Op.GLOBAL), int(Op.ELSE)
_THIS, _ATTR = int(Op.THIS), int(Op.ATTR)
_AROUND = (_ELSE, int(Op.APPLY))


def add_found(ev: Evaluator, file: GraphFile, found: Meaning, callee: int, arguments: int) -> Meaning:
    """What a call of a name means, with the friends of its arguments' classes, and what their namespaces have."""
    name = _find_bare_name(file, callee) if file.spoken.finds_by_arguments else ""
    places = ev.look_up("tops", file.language.family, name) if name else ()
    known = {value.node for value in found.values if isinstance(value, Definition)}
    friends = [place for place in places if ev.definitions.is_friend(place)]
    if (not friends and len(places) <= len(known)) or any(_is_method(ev, value) for value in found.values):
        return found
    classes = _find_classes(ev, file, arguments)
    nodes = [ev.definitions.node_of(place) for place in friends if _find_owner(ev, place) in classes]
    if classes:
        nodes += _find_beside(ev, file, classes, places)
    if known.issuperset(nodes):
        return found
    meant = Meaning(Confidence.TYPE, tuple(map(Definition, dict.fromkeys(nodes))))
    if found.confidence == Confidence.NAME:
        return meant
    return join(Meaning(found.confidence, tuple(each for each in found.values if isinstance(each, Definition))), meant)


def _find_beside(ev: Evaluator, file: GraphFile, classes: set[int], places: Sequence[Place]) -> list[int]:
    """The functions among same-named definitions that a file includes and that are in the namespace of one of some
    classes."""
    ev.note("seen", file.base, ev.files.numbered(places[0][0]).name_of(places[0][1]))
    seen = ev.includes.seen(file, places)
    return [node for space in {_find_space(ev, cls): None for cls in classes} for node in find_within(ev, seen, space)]


def _find_space(ev: Evaluator, cls: int) -> tuple[str, ...]:
    """The names of the namespaces around a class, the innermost first."""
    file = ev.file_of_node(cls)
    row = file.cell(cls - file.base, Symbol.PARENT)
    while file.cell(row, Symbol.KIND) in CLASS_KINDS:
        row = file.cell(row, Symbol.PARENT)
    return (file.name_of(row), *names_around(file, row)) if row else ()


def _find_bare_name(file: GraphFile, callee: int) -> str:
    """The name that an expression is, if no value and no scope stands before it; it may be that of a member."""
    exprs, at = file.exprs, callee * EXPR_WIDTH
    while exprs[at] in _AROUND:
        if exprs[at] == _ELSE and not _is_own_member(exprs, exprs[at + 1] * EXPR_WIDTH):
            return ""
        at = exprs[at + (2 if exprs[at] == _ELSE else 1)] * EXPR_WIDTH
    if exprs[at] == _GLOBAL:
        return file.names[exprs[at + 1]]
    return file.names[file.bindings[exprs[at + 1] * Binding.WIDTH + Binding.NAME]] if exprs[at] == _NAME else ""


def _is_own_member(exprs: Sequence[int], at: int) -> bool:
    return exprs[at] == _ATTR and exprs[exprs[at + 1] * EXPR_WIDTH] == _THIS


def _is_method(ev: Evaluator, value: Value) -> bool:
    return isinstance(value, Definition) and ev.kind_of_node(value.node) == SymbolKind.METHOD


def _find_owner(ev: Evaluator, place: Place) -> int:
    """The class that defines a friend."""
    file = ev.files.numbered(place[0])
    return partial_definitions.resolve_node(ev, file, file.cell(place[1], Symbol.PARENT))


def _find_classes(ev: Evaluator, file: GraphFile, arguments: int) -> set[int]:
    """The classes that some arguments may be of, with those above them."""
    found: set[int] = set()
    for argument in ev.arguments(file, arguments):
        for value in ev.value_of(ev.expr(file, argument)).values:
            if isinstance(value, Instance):
                order = method_resolution_order.compute_order(ev, value.node).values
                found.update(each.node for each in order if isinstance(each, Definition))
    return found


def find_within(ev: Evaluator, places: Sequence[Place], around: tuple[str, ...]) -> dict[int, None]:
    """The functions among same-named definitions that are in a namespace."""
    nodes: dict[int, None] = {}
    for number, row in places:
        owner = ev.files.numbered(number)
        if owner.cell(row, Symbol.KIND) == SymbolKind.FUNCTION and names_around(owner, row) == around:
            nodes[partial_definitions.resolve_node(ev, owner, row)] = None
    return nodes


def names_around(file: GraphFile, row: int) -> tuple[str, ...]:
    found = []
    while row := file.cell(row, Symbol.PARENT):
        found.append(file.name_of(row))
    return tuple(found)
