"""Whether arguments fit parameters, by the counts and names that the source states: types are not compared."""

from __future__ import annotations

from collections.abc import Sequence

from codemap.calls.lists import ArgumentList, Parameter, ParameterKind, ParameterList, Rules

_BY_POSITION = (ParameterKind.POSITIONAL, ParameterKind.EITHER)
_BY_NAME = (ParameterKind.EITHER, ParameterKind.KEYWORD)


def misfit(parameters: Sequence[Parameter], arguments: ArgumentList, rules: Rules) -> str:
    """What does not fit, as a phrase; empty where all does, or may."""
    slots = [one for one in parameters if one.kind in _BY_POSITION]
    kinds = {one.kind for one in parameters}
    count, names = arguments.positional, arguments.names
    if rules.names_are_values and names and not kinds & {ParameterKind.KEYWORD, ParameterKind.KEYWORD_REST}:
        count, names = count + 1, ()
    if rules.refuses_extra and count > len(slots) and ParameterKind.REST not in kinds:
        return f"takes {_most(slots)}, {count} given"
    ahead = count - arguments.has_trailing
    filled = {place for place in range(len(slots)) if place < ahead}
    if rules.fills_required_first:
        filled = _required_first(slots, count)
    given = {id(slots[place]) for place in filled}
    if arguments.has_trailing and parameters:
        given.add(id(parameters[-1]))
    for name in names:
        one = next((one for one in parameters if one.name == name and one.kind in _BY_NAME), None)
        if one is None:
            if ParameterKind.KEYWORD_REST not in kinds:
                return f"no parameter `{name}`"
        elif id(one) in given and not arguments.has_spread:
            return f"`{name}` given twice"
        else:
            given.add(id(one))
    if not rules.refuses_missing:
        return ""
    missing = [one for one in parameters if _is_missing(one, arguments) and id(one) not in given]
    if not missing:
        return ""
    called = [f"`{one.name}`" for one in missing if one.name]
    return f"missing {', '.join(called)}" if called else f"takes {_most(slots)}, {count} given"


def _is_missing(one: Parameter, arguments: ArgumentList) -> bool:
    """Whether it must be given, and no spread may give it."""
    if not one.is_required or one.kind in (ParameterKind.REST, ParameterKind.KEYWORD_REST):
        return False
    by_spread = arguments.has_spread and one.kind in _BY_POSITION
    return not by_spread and not (arguments.has_keyword_spread and one.kind in _BY_NAME)


def _required_first(slots: Sequence[Parameter], count: int) -> set[int]:
    required = [place for place, one in enumerate(slots) if one.is_required]
    others = [place for place, one in enumerate(slots) if not one.is_required]
    return {*required[:count], *others[: max(0, count - len(required))]}


def _most(slots: Sequence[Parameter]) -> str:
    least = sum(one.is_required for one in slots)
    return str(least) if least == len(slots) else f"{least} to {len(slots)}"


def shifted(old: Sequence[Parameter], new: Sequence[Parameter], arguments: ArgumentList) -> str:
    """Which argument by position goes to another parameter than before, as a phrase; empty where none does."""
    before, after = ([one.name for one in some if one.kind in _BY_POSITION] for some in (old, new))
    pairs = zip(before, after, strict=False)
    for place, (was, now) in enumerate(pairs):
        if place < arguments.positional - arguments.has_trailing and was != now and was and was in after:
            return f"argument {place + 1} goes to `{now}`" if now else ""
    return ""


def without_receiver(one: ParameterList) -> tuple[Parameter, ...]:
    return one.items[1:] if one.has_receiver and one.items[:1] and one.items[0].kind in _BY_POSITION else one.items
