"""Finds the functions that a call means by the types of its arguments: those that a class defines as its friends.

Nothing but an argument of the class, or of one below it, finds them, and a method of the name hides them.

Source: ISO/IEC 14882:2020, 6.5.3 "Argument-dependent name lookup".
"""

from __future__ import annotations

from collections.abc import Sequence

from codemap.facts import EXPR_WIDTH, Binding, Op, Symbol, SymbolKind
from codemap.graph.evaluate.evaluator import Evaluator
from codemap.graph.evaluate.file_views import GraphFile
from codemap.graph.model.definitions import Place
from codemap.graph.model.values import Confidence, Definition, Instance, Meaning, Value, join
from codemap.graph.resolve import method_resolution_order, partial_definitions

_NAME, _GLOBAL, _ELSE = int(Op.NAME), int(Op.GLOBAL), int(Op.ELSE)
_THIS, _ATTR = int(Op.THIS), int(Op.ATTR)
_AROUND = (_ELSE, int(Op.APPLY))


def add_friends(ev: Evaluator, file: GraphFile, found: Meaning, callee: int, arguments: int) -> Meaning:
    """What a call of a name means, with the friends of its arguments' classes."""
    name = _find_bare_name(file, callee) if file.spoken.finds_by_arguments else ""
    places = ev.look_up("tops", file.language.family, name) if name else ()
    friends = [place for place in places if ev.definitions.is_friend(place)]
    if not friends or any(_is_method(ev, value) for value in found.values):
        return found
    classes = _find_classes(ev, file, arguments)
    nodes = [ev.definitions.node_of(place) for place in friends if _find_owner(ev, place) in classes]
    if not nodes:
        return found
    meant = Meaning(Confidence.TYPE, tuple(map(Definition, nodes)))
    if found.confidence == Confidence.NAME:
        return meant
    return join(Meaning(found.confidence, tuple(each for each in found.values if isinstance(each, Definition))), meant)


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
    if not isinstance(value, Definition):
        return False
    file = ev.file_of_node(value.node)
    return file.cell(value.node - file.base, Symbol.KIND) == SymbolKind.METHOD


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
