"""What calls give: by what is called, and for some methods of the standard library by their names alone."""

from __future__ import annotations

from collections.abc import Sequence

from codemap.fact_building.builder import NONE
from codemap.facts import Op
from codemap.languages.rust.builtins import SLICE
from codemap.languages.rust.standard import HOLDERS, SAME, WRAPPERS
from codemap.languages.rust.walk import Walk

_DEFAULT = "default"
"""What a type has by a derived trait, too; it gives one of the type."""


def of_method(w: Walk, receiver: int, name: str, callee: int, given: Sequence[int]) -> int:
    """What a method call gives."""
    b = w.b
    result = b.call(callee, given)
    if name in SAME:
        return b.either(result, receiver)
    if name == "enumerate" and receiver != NONE:
        return b.container(SLICE, b.tuple_of([b.literal("usize"), b.wrap(Op.ITER, receiver)]))
    if name == "zip" and receiver != NONE and given:
        return b.container(SLICE, b.tuple_of([b.wrap(Op.ITER, receiver), b.wrap(Op.ITER, given[0])]))
    return result


def of_path(w: Walk, names: Sequence[str], callee: int, given: Sequence[int]) -> int:
    """What a call of a function by its path gives."""
    b = w.b
    last = names[-1] if names else ""
    before = names[-2] if len(names) > 1 else ""
    first = given[0] if given else NONE
    if last in HOLDERS and not w.is_declared(last):
        return b.container("Option", first)
    if before in WRAPPERS | HOLDERS and last in ("new", "clone", "pin", "from"):
        held = b.container(before, first) if before in HOLDERS else first
        return b.either(b.call(callee, given), held) if held != NONE else b.call(callee, given)
    if last == _DEFAULT and callee != NONE and not given and b.exprs[callee][0] == Op.ATTR:
        return b.either(b.call(callee, given), b.wrap(Op.INSTANCE, b.exprs[callee][1]))
    if last[:1].isupper():
        made = b.wrap(Op.INSTANCE, callee)
        return b.either(b.call(callee, given), made) if given else made
    return b.call(callee, given)
