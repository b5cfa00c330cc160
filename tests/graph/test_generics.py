"""Type parameters are filled in at the cost of the parts of a value, not of what it is when written out."""

from __future__ import annotations

import codemap.graph.evaluate.evaluator  # noqa: F401 - first of the modules that import each other
from codemap.graph.model.values import NESTING_MAX, Confidence, Instance, Meaning, Value, make_tuple, one
from codemap.graph.resolve.generics import replace_values

WIDTH = 12


def test_a_part_that_stands_in_many_places_is_looked_at_once() -> None:
    """Written out, the value below has 12 to the power of `NESTING_MAX` parts."""
    meaning = one(Confidence.TYPE, Instance(1))
    for _ in range(NESTING_MAX):
        meaning = one(Confidence.TYPE, make_tuple([meaning] * WIDTH))
    looked_at: list[Value] = []

    def fill(value: Value) -> Meaning | None:
        looked_at.append(value)
        return None

    assert replace_values(meaning, fill) is meaning
    assert len(looked_at) == NESTING_MAX + 1
