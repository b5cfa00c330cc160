"""What containers from outside the repository hold, and pointers point to."""

from __future__ import annotations

from codemap.graph.model.values import NOTHING, ContainerInstance, Meaning, OutsideInstance, Value, join, weaken

STAR = "*"
"""Behind the name of a builtin type it makes that of a pointer to it; one to anything else is what it points to."""
_STARS_MAX = 3
"""Without a bound, `p = &p` has no least solution."""


def select_held(containers: Meaning, what: str) -> Meaning:
    """What containers among some values hold: their `element`, or else their `value`."""
    held = NOTHING
    for value in containers.values:
        if isinstance(value, ContainerInstance):
            held = join(held, value.contents.element if what == "element" else value.contents.value)
    return weaken(held, containers.confidence)


def point_to(values: Meaning) -> Meaning:
    """Pointers to some values."""
    return Meaning(values.confidence, tuple(map(_make_pointer, values.values)))


def follow_pointers(values: Meaning) -> Meaning:
    """What some pointers point to; of arrays, their elements."""
    return Meaning(values.confidence, tuple(map(_follow_pointer, values.values)))


def _make_pointer(value: Value) -> Value:
    if not isinstance(value, OutsideInstance) or value.package or value.name.endswith(STAR * _STARS_MAX):
        return value
    return OutsideInstance("", value.name + STAR)


def _follow_pointer(value: Value) -> Value:
    if not isinstance(value, OutsideInstance) or value.package:
        return value
    return OutsideInstance("", value.name.removesuffix(STAR))
