"""Overload resolution: which definitions of one name accept the arguments of a call.

An overload is excluded where a type that it states is known not to admit its argument. Of the others those with a
parameter for each argument are preferred, and of these the ones whose stated types are nearest to the arguments'. Where
several are left, one of them is called: each is a candidate. Where all are excluded, the call means a member of that
name of another class or outside. Where a definition may leave out what its declaration states
(`Language.has_alike`), one with more parameters than there are arguments may have defaults.
"""

from __future__ import annotations

from codemap.facts import Op, Symbol, SymbolFlag
from codemap.graph.evaluate import stated_types
from codemap.graph.evaluate.evaluator import Evaluator
from codemap.graph.evaluate.file_views import GraphFile
from codemap.graph.model.values import (
    NOTHING,
    Confidence,
    ContainerInstance,
    ContainerMethod,
    Definition,
    Instance,
    Meaning,
    Outside,
    OutsideInstance,
    Value,
)
from codemap.graph.resolve import method_resolution_order
from codemap.languages.language import Language

SAME, NEAR, MAYBE, NEVER = 1_000, 100, 1, 0
"""How well a value matches a stated type; each step between their classes subtracts one from NEAR."""
_OUTSIDE = (Outside, OutsideInstance, ContainerMethod)
_NAMED = (OutsideInstance, ContainerInstance)
_OPERATION = int(Op.SPECIAL)
_NONE: frozenset[int] = frozenset()


def choose_nearer(ev: Evaluator, file: GraphFile, near: int, far: int) -> Meaning:
    """What `near` means in the repository, else what `far` means; what may lie outside and has no name comes last."""
    found = ev.expr(file, near)
    if any(not isinstance(value, _OUTSIDE) for value in found.values):
        return found
    other = ev.expr(file, far)
    return other if other.values else found


def select_overloads(ev: Evaluator, file: GraphFile, callee: int, arguments: int) -> Meaning:
    """The definitions among what `callee` means that take these arguments; none where an operation takes others."""
    found = ev.expr(file, callee)
    is_operation = file.exprs[callee * 3] == _OPERATION
    if sum(isinstance(value, Definition) for value in found.values) < (1 if is_operation else 2):
        return found
    given = [ev.value_of(ev.expr(file, argument)) for argument in ev.arguments(file, arguments)]
    ranks = [_rank_overload(ev, file, value, given) for value in found.values]
    best = max(ranks)
    if best < 0:
        if file.spoken.has_alike:
            return found
        return NOTHING  # what nobody wrote runs it, or what lies outside
    fits = tuple(value for value, rank in zip(found.values, ranks, strict=True) if rank == best)
    if not is_operation:
        return Meaning(found.confidence, fits)
    return Meaning(Confidence.CANDIDATE if len(fits) > 1 else found.confidence, fits)


def _rank_overload(ev: Evaluator, file: GraphFile, callee: Value, given: list[Meaning]) -> int:
    """How well a definition accepts some arguments: first of all, whether it has a parameter for each; -1 where it does
    not accept them."""
    if not isinstance(callee, Definition):
        return 0
    owner = ev.file_of_node(callee.node)
    stated = owner.parameters_of.get(callee.node - owner.base, [])
    is_variadic = owner.cell(callee.node - owner.base, Symbol.FLAGS) & SymbolFlag.VARIADIC
    if owner.spoken.has_alike:
        rank = 0
        if len(given) > len(stated) and not is_variadic:
            return -1
    else:
        rank = SAME * (len(given) + 1) if len(stated) == len(given) else 0
    for position, argument in enumerate(given[: len(stated)]):
        wanted = stated_types.evaluate_parameter_type(ev, owner, callee.node - owner.base, position)
        fit = rank_match(ev, file.spoken, argument, wanted)
        if fit == NEVER:
            return -1
        rank += fit
    return rank


def rank_match(ev: Evaluator, language: Language, given: Meaning, wanted: Meaning) -> int:
    """The best match of any of the values with any of the types."""
    if not given.values or not wanted.values:
        return MAYBE
    if len(given.values) == len(wanted.values) == 1:
        return _rank_value(ev, language, given.values[0], wanted.values[0])
    return max(_rank_value(ev, language, value, type_) for value in given.values for type_ in wanted.values)


def _rank_value(ev: Evaluator, language: Language, value: Value, wanted: Value) -> int:
    if isinstance(value, Instance) and isinstance(wanted, Instance):
        return _rank_subclass(ev, value, wanted)
    if isinstance(value, ContainerInstance) and isinstance(wanted, ContainerInstance) and value.name == wanted.name:
        return _rank_contents(ev, language, value, wanted)
    type_name = _find_type_name(wanted)
    if type_name in language.converts.get("*", ()):
        return NEAR + 1
    name = _find_type_name(value)
    if isinstance(wanted, Instance):
        return NEVER if name in language.converts else MAYBE
    if not type_name:
        return MAYBE
    if name == type_name:
        return SAME
    if name in language.converts:
        others = language.converts[name]
        return NEAR - others.index(type_name) if type_name in others else NEVER
    return NEVER if type_name in language.converts and (name or isinstance(value, Instance)) else MAYBE


def _rank_subclass(ev: Evaluator, value: Instance, wanted: Instance) -> int:
    """How near a class of the repository is to one above it."""
    if value.node == wanted.node:
        return SAME
    order = method_resolution_order.compute_order(ev, value.node).values
    for steps, cls in enumerate(order):
        if isinstance(cls, Definition) and cls.node == wanted.node:
            return max(MAYBE, NEAR - steps)
    return NEVER if isinstance(order[-1], Definition) else MAYBE


def _rank_contents(ev: Evaluator, language: Language, value: ContainerInstance, wanted: ContainerInstance) -> int:
    """Containers of one name match as well as their elements do, which are not converted."""
    fit = rank_match(ev, language, value.parts.value, wanted.parts.value)
    names = {_find_type_name(held) for held in (*value.parts.value.values, *wanted.parts.value.values)}
    is_plain = len(names) == 2 and names <= language.converts.keys()
    return NEVER if is_plain else fit


def _find_type_name(value: Value) -> str:
    """The last name of a type from outside; empty where it has none."""
    if isinstance(value, _NAMED):
        name = value.name or ""
        return name.rpartition(".")[2] if "." in name else name
    return ""


def find_ambiguous(ev: Evaluator, meaning: Meaning) -> frozenset[int]:
    """The nodes of which a call can mean only one, because they are overloads of one name in one class.

    Nodes, not values: to hash what containers hold can take time without end.
    """
    if len(meaning.values) < 2:
        return _NONE
    sets: dict[object, list[int]] = {}
    for value in meaning.values:
        if isinstance(value, Definition):
            file = ev.file_of_node(value.node)
            if file.spoken.has_overloads or file.spoken.has_alike:
                row = value.node - file.base
                key = (file.base, file.cell(row, Symbol.PARENT), file.cell(row, Symbol.NAME))
                sets.setdefault(key, []).append(value.node)
    return frozenset(node for nodes in sets.values() if len(nodes) > 1 for node in nodes)
