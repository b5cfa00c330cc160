"""Of several meanings of a name, the right one: what is nearer, and which overload takes the arguments.

An overload falls out where a type that it states is known not to admit what it is given; of those left, the ones that
have a parameter for each argument, and of these the ones that state most of the arguments' types as they are. Where several are left, one of them is called: each is a guess by name.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from codemap.facts import Symbol
from codemap.graph import classes, typed
from codemap.graph.files import GraphFile
from codemap.graph.values import Meaning, Tag, Value

if TYPE_CHECKING:
    from codemap.graph.evaluate import Evaluator

SAME, MAYBE, NEVER = 2, 1, 0
"""How a value suits a stated type."""
_OUTSIDE = (Tag.OUTSIDE, Tag.OUTSIDE_INSTANCE)


def first(ev: Evaluator, file: GraphFile, near: int, far: int) -> Meaning:
    """What `near` means in the repository, else what `far` means; what may lie outside and has no name comes last."""
    found = ev.expr(file, near)
    if any(value.tag not in _OUTSIDE for value in found.values):
        return found
    other = ev.expr(file, far)
    return other if other.values else found


def fitting(ev: Evaluator, file: GraphFile, callee: int, arguments: int) -> Meaning:
    """The definitions among what `callee` means that take these arguments."""
    found = ev.expr(file, callee)
    if sum(value.tag == Tag.SYMBOL for value in found.values) < 2:
        return found
    given = [ev.value_of(ev.expr(file, argument)) for argument in ev.arguments(file, arguments)]
    ranks = [_rank(ev, value, given) for value in found.values]
    best = max(ranks)
    fits = tuple(value for value, rank in zip(found.values, ranks, strict=True) if rank == best)
    return Meaning(found.confidence, fits)


def _rank(ev: Evaluator, callee: Value, given: list[Meaning]) -> int:
    """How well a definition takes some arguments: how many have just the type that it states, but before that whether
    it has a parameter for each; -1 where it does not."""
    if callee.tag != Tag.SYMBOL:
        return 0
    assert isinstance(callee.a, int)
    owner = ev.file_of_node(callee.a)
    stated = owner.parameters_of.get(callee.a - owner.base, [])
    rank = len(given) + 1 if len(stated) == len(given) else 0
    for argument, parameter in zip(given, stated, strict=False):
        suits = _suits(ev, argument, typed.instances(ev, owner, parameter))
        if suits == NEVER:
            return -1
        rank += suits == SAME
    return rank


def _suits(ev: Evaluator, given: Meaning, wanted: Meaning) -> int:
    """The best that any of the values suits any of the wanted."""
    if not given.values or not wanted.values:
        return MAYBE
    return max(_suits_one(ev, value, type_) for value in given.values for type_ in wanted.values)


def _suits_one(ev: Evaluator, value: Value, wanted: Value) -> int:
    if value.tag == Tag.INSTANCE and wanted.tag == Tag.INSTANCE:
        assert isinstance(value.a, int)
        if value.a == wanted.a:
            return SAME
        above = classes.order(ev, value.a).values
        is_below = any(cls.a == wanted.a for cls in above)
        return MAYBE if is_below or above[-1].tag == Tag.OUTSIDE else NEVER
    names = [_outside_name(value), _outside_name(wanted)]
    if "" not in names:
        return SAME if names[0] == names[1] else MAYBE
    is_foreign = wanted.tag == Tag.INSTANCE and names[0] != ""
    return NEVER if is_foreign else MAYBE


def _outside_name(value: Value) -> str:
    """The last name of the type of a value from outside; empty where it has none."""
    if value.tag == Tag.OUTSIDE_INSTANCE or value.tag == Tag.CONTAINER:
        return str(value.b or "").rpartition(".")[2]
    return ""


def undecided(ev: Evaluator, meaning: Meaning) -> frozenset[Value]:
    """The definitions of which a call means only one, because they are overloads of one name of one class."""
    if len(meaning.values) < 2:
        return frozenset()
    sets: dict[object, list[Value]] = {}
    for value in meaning.values:
        if value.tag == Tag.SYMBOL and isinstance(value.a, int):
            file = ev.file_of_node(value.a)
            if file.language.has_overloads:
                row = value.a - file.base
                key = (file.base, file.cell(row, Symbol.PARENT), file.cell(row, Symbol.NAME))
                sets.setdefault(key, []).append(value)
    return frozenset(value for values in sets.values() if len(values) > 1 for value in values)
