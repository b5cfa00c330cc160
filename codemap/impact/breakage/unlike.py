"""Finds what has to have the parameters of a definition and was left with others: the methods that implement or
override a method, and the prototypes of a function, or its definition.

Only how many parameters there are is compared, and how many of them are required.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import msgspec
import numpy as np

from codemap.calls.fitting import without_receiver
from codemap.calls.lists import Parameter, ParameterKind
from codemap.changes.changed_definitions import Pair
from codemap.facts import Symbol
from codemap.graph.index.overrides import overrides
from codemap.graph.model.snapshot import Snapshot
from codemap.graph.query.override_family import Kin, family_of, is_constructor
from codemap.impact.breakage.changed_signatures import Lists, Resigned, lists_by_name
from codemap.impact.breakage.not_adapted import Left
from codemap.languages import by_name

_BY_POSITION = (ParameterKind.POSITIONAL, ParameterKind.EITHER)
_RESTS = (ParameterKind.REST, ParameterKind.KEYWORD_REST)
_ANY_CALL = frozenset(_RESTS)
"""Kinds of the parameters that say nothing of what a call has."""


class Alike(msgspec.Struct, frozen=True):
    """Two definitions, after the change, that had to have the same parameters before it."""

    changed: Resigned
    other: int
    is_part: bool
    """Whether both are one function: its definition and a prototype."""


def find_alike(found: Sequence[Resigned], before: Snapshot | None, after: Snapshot) -> list[Alike]:
    """What has to change with definitions whose parameters changed, and is not one of them."""
    changed = {one.node for one in found}
    alike: dict[tuple[int, int], Alike] = {}
    for one in found:
        if len(one.old) != 1 or len(one.new) != 1:
            continue
        for snapshot in (after, before):
            node = one.node if snapshot is after else None if snapshot is None else snapshot.find(after.id_of(one.node))
            if snapshot is None or node is None:
                continue
            for other, is_part in _find_relatives(snapshot, node):
                now = other if snapshot is after else after.find(snapshot.id_of(other))
                if now is not None and now not in changed:
                    alike.setdefault((one.node, now), Alike(one, now, is_part))
    return [alike[key] for key in sorted(alike)]


def files_of(alike: Sequence[Alike], after: Snapshot) -> list[str]:
    """The files that have the others."""
    return list(dict.fromkeys(after.row_of(one.other)[0].path for one in alike))


def unlike(alike: Sequence[Alike], pairs: Mapping[str, Pair], after: Snapshot, lists: Lists) -> tuple[Left, ...]:
    """Those that the change left with what was right before."""
    left = []
    for one in alike:
        file, row = after.row_of(one.other)
        name, known = file.qualified_name(row), lists(file.path)
        own = () if known is None else known.parameters.get(row, ())
        if (
            len(own) != 1
            or own[0].is_doubtful
            or one.changed.new[0].is_doubtful
            or _has_changed(pairs, file.path, name)
        ):
            continue
        old, new = without_receiver(one.changed.old[0]), without_receiver(one.changed.new[0])
        its = without_receiver(own[0])
        if _fits(one, its, old, after) and not _fits(one, its, new, after):
            line, used = file.cell(row, Symbol.LINE), after.qualified_name_of(one.changed.node)
            wanted = "any number" if any(item.kind in _RESTS for item in new) else len(new)
            why = f"has {len(its)} parameter(s), not {wanted}"
            left.append(Left(file.path, line, name, (line,), used, why, is_guess=False, is_misfit=True))
    return tuple(sorted(set(left)))


def _find_relatives(snapshot: Snapshot, node: int) -> Iterator[tuple[int, bool]]:
    """(definition in the repository, whether it is one function with the node)."""
    for other, kin in family_of(snapshot, node).items():
        if kin is Kin.PART and not snapshot.is_external(other) and not snapshot.is_file(other):
            yield other, True
    if not is_constructor(snapshot, node):
        for other in overrides(snapshot, np.array([node], dtype=np.int32), downwards=True)[1].tolist():
            yield other, False


def _has_changed(pairs: Mapping[str, Pair], path: str, name: str) -> bool:
    """Whether a definition has other parameters than before."""
    pair = pairs.get(path)
    if pair is None or pair.before is None or pair.after is None:
        return False
    return lists_by_name(pair.before).get(name) != lists_by_name(pair.after).get(name)


def _fits(one: Alike, its: Sequence[Parameter], wanted: Sequence[Parameter], after: Snapshot) -> bool:
    """Whether parameters do where others are wanted: the same ones, or such as take all arguments for them."""
    language = by_name()[after.row_of(one.changed.node)[0].lang]
    if one.is_part or language.is_structural or language.has_overloads:
        return len(its) == len(wanted)
    if {one.kind for one in wanted} == _ANY_CALL:
        return True  # https://typing.python.org/en/latest/spec/callables.html#meaning-of-in-callable
    least, most = _span(its)
    wanted_least, wanted_most = _span(wanted)
    takes_fewer = language.calls is not None and language.calls.rules.methods_take_fewer
    return least <= wanted_least and (takes_fewer or most >= wanted_most)


def _span(items: Sequence[Parameter]) -> tuple[int, int]:
    """How many arguments by position are needed, and taken."""
    slots = [one for one in items if one.kind in _BY_POSITION]
    has_rest = any(one.kind in _RESTS for one in items)
    return sum(one.is_required for one in slots), 1 << 30 if has_rest else len(slots)
