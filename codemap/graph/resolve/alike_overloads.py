"""Overload resolution where definitions of one name differ by their parameters alone (`Language.has_alike`).

An overload is excluded where it has too few parameters, or where an argument is known not to convert to what it states.
Of the others, one is better than another if no argument suits it worse, and one suits it better; or, of the same
class, if fewer of its parameters are left out, as the two would be ambiguous if the other had defaults. What nothing is
known of is neither better nor worse than anything.
All that no other is better than are meant: with more than one, each is a candidate. A definition may leave out what its
declaration states, so one with more parameters than there are arguments may have defaults.

Source: ISO/IEC 14882:2020, 12.4 "Overload resolution".
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from codemap.facts import Symbol, SymbolFlag, SymbolKind
from codemap.graph.evaluate import stated_types
from codemap.graph.evaluate.evaluator import Evaluator
from codemap.graph.evaluate.file_views import GraphFile
from codemap.graph.model.values import (
    CLASS_KINDS,
    NOTHING,
    Confidence,
    Definition,
    Instance,
    Meaning,
    OutsideInstance,
    ParameterInstance,
    Value,
    one,
    weaken,
)
from codemap.graph.resolve import (
    class_members,
    generics,
    overloads,
    type_arguments,
)
from codemap.graph.resolve.operations import argument_lookup
from codemap.graph.resolve.overloads import MAYBE, NEVER, SAME
from codemap.languages.language import Language

ARROW = "operator->"
"""What gives another object in the place of its own, whose members `->` asks for."""


class Fit(NamedTuple):
    """How an overload suits some arguments."""

    value: Value
    wanted: tuple[Meaning, ...]
    """Of each argument, what the overload states for it."""
    ranks: tuple[int, ...]
    """Of each, how well it matches."""
    left_out: int
    """How many parameters have no argument."""
    is_constrained: bool
    """Whether parameters that are left out may have defaults though another overload has none of them: a template that
    its constraints tell from that."""
    around: tuple[str, ...]
    """The names of what it is in, the innermost first; of a function of a namespace nothing, as another one may have it
    as well."""


def select_alike(ev: Evaluator, file: GraphFile, callee: int, arguments: int) -> Meaning:
    """The definitions among what `callee` means that take these arguments; all of them where none is known to."""
    found = argument_lookup.add_found(ev, file, ev.expr(file, callee), callee, arguments)
    if len(found.values) == 1 and file.spoken.finds_by_arguments:
        return _look_further(ev, file, found, callee, arguments)
    return select_among(ev, file, found, callee, arguments)


def _look_further(ev: Evaluator, file: GraphFile, found: Meaning, callee: int, arguments: int) -> Meaning:
    """What a call means whose only function is of a namespace: one of the overloads that the files which this one
    includes add to the namespace; or, where it has too few parameters, that any file does."""
    [value] = found.values
    if not isinstance(value, Definition) or ev.kind_of_node(value.node) != SymbolKind.FUNCTION:
        return found
    owner = ev.file_of_node(value.node)
    row = value.node - owner.base
    name, around = owner.name_of(row), argument_lookup.names_around(owner, row)
    given = [ev.value_of(ev.expr(file, argument)) for argument in ev.arguments(file, arguments)]
    if around[-1:] == ("std",) and not _is_known_to_take(fit_arguments(ev, file, value, callee, given)):
        return weaken(found, Confidence.CANDIDATE)
    places = ev.look_up("tops", file.language.family, name)
    if len(places) < 2 or owner.cell(row, Symbol.FLAGS) & (SymbolFlag.VARIADIC | SymbolFlag.UNNAMED):
        return found
    if len(given) > len(owner.parameters_of.get(row, ())):
        nodes = argument_lookup.find_within(ev, places, around)
    else:
        ev.note("seen", file.base, name)
        nodes = argument_lookup.find_within(ev, ev.includes.seen(file, places), around) | {value.node: None}
        if len(nodes) == 1:
            return found
    fits = [fit_arguments(ev, file, Definition(node), callee, given) for node in nodes]
    best = select_best(file.spoken, [fit for fit in fits if fit is not None])
    return Meaning(max(Confidence.IMPORT, found.confidence), best) if best and best != found.values else found


def _is_known_to_take(fit: Fit | None) -> bool:
    """Whether an overload, beside which the standard library has others of the name, is known to suit the arguments."""
    return fit is not None and all(rank > MAYBE for rank in fit.ranks)


def select_among(ev: Evaluator, file: GraphFile, found: Meaning, callee: int, arguments: int) -> Meaning:
    """The same of the definitions among some values."""
    if sum(isinstance(value, Definition) for value in found.values) < 2:
        return found
    given = [ev.value_of(ev.expr(file, argument)) for argument in ev.arguments(file, arguments)]
    fits = [fit_arguments(ev, file, value, callee, given) for value in found.values]
    best = select_best(file.spoken, [fit for fit in fits if fit is not None])
    if not best:
        return found
    is_chosen = len(best) == 1 and found.confidence == Confidence.CANDIDATE and _are_in_all_builds(ev, found)
    return Meaning(Confidence.IMPORT if is_chosen else found.confidence, best)


def are_for_constants_and_others(ev: Evaluator, meaning: Meaning) -> bool:
    """Whether they are two methods of a class with the same parameters, all known, of which one is for constant
    objects: a call means one of them, and who changes one looks at the other. Not of a class that is like a pointer, of
    which `->` may mean what another has."""
    nodes = [value.node for value in meaning.values if isinstance(value, Definition)]
    if len(nodes) != len(meaning.values) or len(nodes) != 2:
        return False
    files = [ev.file_of_node(node) for node in nodes]
    owners = {(file.base, file.cell(node - file.base, Symbol.PARENT)) for file, node in zip(files, nodes, strict=True)}
    plain, constant = (stated_types.evaluate_shape(ev, node) for node in nodes)
    first, second = (overloads.list_parameters(ev, node) for node in nodes)
    if len(owners) > 1 or plain == constant or first != second or not all(first):
        return False
    base, parent = owners.pop()
    return not class_members.find_member(ev, Instance(base + parent), ARROW).values


def select_best(language: Language, fits: Sequence[Fit]) -> tuple[Value, ...]:
    """What no other suits the arguments better than."""
    return tuple(fit.value for fit in fits if not any(_is_better(language, other, fit) for other in fits))


def _are_in_all_builds(ev: Evaluator, found: Meaning) -> bool:
    """Whether some definitions are there together, so that a call chooses among them."""
    for value in found.values:
        if not isinstance(value, Definition):
            return False
        file = ev.file_of_node(value.node)
        if file.cell(value.node - file.base, Symbol.FLAGS) & SymbolFlag.CONDITIONAL:
            return False
    return True


def fit_arguments(ev: Evaluator, file: GraphFile, callee: Value, expr: int, given: list[Meaning]) -> Fit | None:
    """How a definition, which an expression means, suits some arguments; None where it does not accept them."""
    if not isinstance(callee, Definition):
        return Fit(callee, (NOTHING,) * len(given), (MAYBE,) * len(given), 0, is_constrained=False, around=())
    owner = ev.file_of_node(callee.node)
    row = callee.node - owner.base
    stated = owner.parameters_of.get(row, [])
    if len(given) > len(stated) and not owner.cell(row, Symbol.FLAGS) & SymbolFlag.VARIADIC:
        return None
    types = type_arguments.evaluate_stated(ev, file, callee, expr)
    wanted, ranks = [], []
    for position, argument in enumerate(given):
        is_listed = position < len(stated)
        meant = stated_types.evaluate_parameter_type(ev, owner, row, position) if is_listed else NOTHING
        meant = generics.substitute(meant, types)
        if len(meant.values) == 1 and isinstance(meant.values[0], ParameterInstance):
            if _is_plain(file.spoken, argument) and stated_types.evaluate_pointed_type(ev, owner, row, position).values:
                return None
            is_own = ev.kind_of_node(meant.values[0].node) not in CLASS_KINDS  # then it admits anything
            any_type = OutsideInstance("", file.spoken.outside.converts["*"][0])
            meant = one(meant.confidence, any_type) if is_own else NOTHING
        rank = overloads.rank_match(ev, file.spoken, argument, meant)
        if rank == NEVER:
            return None
        wanted.append(meant)
        ranks.append(rank)
    around = () if owner.cell(row, Symbol.KIND) == SymbolKind.FUNCTION else argument_lookup.names_around(owner, row)
    is_constrained = any(_takes_any(file.spoken, each) for each in wanted) and not any(
        isinstance(value, ParameterInstance)
        for position in range(len(given), len(stated))
        for value in stated_types.evaluate_parameter_type(ev, owner, row, position).values
    )
    left_out = max(0, len(stated) - len(given))
    return Fit(callee, tuple(wanted), tuple(ranks), left_out, is_constrained, around)


def _is_plain(language: Language, argument: Meaning) -> bool:
    """Whether an argument is of a builtin type that is no pointer and converts to none."""
    names = [value.name if isinstance(value, OutsideInstance) else "" for value in argument.values]
    converts = language.outside.converts
    return bool(names) and all(
        name in converts and not any(each.endswith("*") for each in (name, *converts[name])) for name in names
    )


def _is_known(language: Language, wanted: Meaning) -> bool:
    """Whether a stated type cannot be one that a builtin type is another name of."""
    known = {*language.outside.converts, *language.outside.converts["*"]}
    values = wanted.values
    return bool(values) and not any(isinstance(value, OutsideInstance) and value.name not in known for value in values)


def _is_better(language: Language, one: Fit, other: Fit) -> bool:
    """Whether a call surely means one overload rather than another."""
    if one.left_out > other.left_out:
        return False  # what is left out may have no default
    is_better = False
    for rank, rank_of_other, wanted, wanted_of_other in zip(
        one.ranks, other.ranks, one.wanted, other.wanted, strict=True
    ):
        if rank == rank_of_other:
            if rank < SAME and not (wanted.values and wanted.values == wanted_of_other.values):
                return False
        elif rank < rank_of_other or (rank < SAME and not _is_known(language, wanted_of_other)):
            return False
        else:
            is_better = True
    is_shorter = one.left_out < other.left_out and one.around == other.around
    return is_better or (is_shorter and not (one.is_constrained and other.is_constrained))


def _takes_any(language: Language, wanted: Meaning) -> bool:
    """Whether a parameter is of a type that a template's argument says: what it takes, constraints may limit."""
    known = language.outside.converts["*"]
    return any(isinstance(each, OutsideInstance) and each.name in known for each in wanted.values)
