"""What values nest is bounded, in depth and in size."""

from __future__ import annotations

import pytest

from codemap.graph.model.values import Confidence, Instance, Meaning, Value, make_tuple, one

LEAF: Value = Instance(1)


def list_held(meaning: Meaning) -> list[Value]:
    """All values in a value, those nested in them too, each as often as it stands there."""
    found: list[Value] = []
    for value in meaning.values:
        found.append(value)
        for part in getattr(value, "parts", ()):
            found += list_held(part)
    return found


def nest(value: Value, width: int, times: int) -> Meaning:
    meaning = one(Confidence.TYPE, value)
    for _ in range(times):
        meaning = one(Confidence.TYPE, make_tuple([meaning] * width))
    return meaning


@pytest.mark.parametrize(("width", "levels"), [(1, 6), (2, 5), (12, 3)])
def test_a_tuple_of_tuples_keeps_the_levels_that_its_width_leaves_room_for(width: int, levels: int) -> None:
    kept = sum(width**level for level in range(levels))
    assert len(list_held(nest(LEAF, width, levels - 1))) == kept
    assert LEAF not in list_held(nest(LEAF, width, levels))


def test_a_tuple_holds_a_union_of_classes_up_to_a_size() -> None:
    def hold(size: int) -> Meaning:
        union = Meaning(Confidence.TYPE, tuple(Instance(node) for node in range(size)))
        return one(Confidence.TYPE, make_tuple([one(Confidence.TYPE, make_tuple([union]))]))

    assert len(list_held(hold(120))) == 122
    assert len(list_held(hold(121))) == 1


def test_what_is_too_heavy_leaves_the_rest_of_a_union() -> None:
    heavy = nest(LEAF, 12, 2).values[0]
    held = make_tuple([Meaning(Confidence.TYPE, (LEAF, heavy))])
    assert held.parts[0].values == (LEAF,)
