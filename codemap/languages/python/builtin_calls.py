"""What calls of builtin functions give, where their arguments say it: `next(x)` is an element of x.

Source: the Python Standard Library, "Built-in Functions".
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from codemap.fact_building.builder import NONE
from codemap.facts import Op, ScopeKind

if TYPE_CHECKING:
    from codemap.fact_building.builder import Builder

_ITER = int(Op.ITER)
_CLASS = int(ScopeKind.CLASS)

Result = Callable[["Builder", Sequence[int]], int]
"""The value of a call, from the values of its positional arguments (NONE for those that nothing is known of)."""


def is_builtin(b: Builder, name: str) -> bool:
    """Whether nothing that was seen so far binds the name around here."""
    number = b.names.get(name)
    scope = b.scope if number is not None else None
    while scope is not None:
        if number in scope.sources and scope.kind != _CLASS:
            return False
        scope = scope.parent
    return True


def _element(b: Builder, arguments: Sequence[int]) -> int:
    return b.wrap(_ITER, arguments[0])


def _same(b: Builder, arguments: Sequence[int]) -> int:
    element = b.wrap(_ITER, arguments[0])
    return NONE if element == NONE else b.container("list", element)


def _choice(b: Builder, arguments: Sequence[int]) -> int:
    return b.wrap(_ITER, arguments[0]) if len(arguments) == 1 else b.unions(arguments)


def _numbered(b: Builder, arguments: Sequence[int]) -> int:
    return b.container("list", b.tuple_of([NONE, b.wrap(_ITER, arguments[0])]))


def _zipped(b: Builder, arguments: Sequence[int]) -> int:
    return b.container("list", b.tuple_of([b.wrap(_ITER, argument) for argument in arguments]))


def _mapped(b: Builder, arguments: Sequence[int]) -> int:
    result = b.call(arguments[0], [b.wrap(_ITER, argument) for argument in arguments[1:]])
    return NONE if result == NONE else b.container("list", result)


def _filtered(b: Builder, arguments: Sequence[int]) -> int:
    element = b.wrap(_ITER, arguments[-1])
    return NONE if element == NONE else b.container("list", element)


def _read(b: Builder, arguments: Sequence[int]) -> int:
    return b.call(arguments[0])


RESULTS: dict[str, Result] = {
    "anext": _element,
    "enumerate": _numbered,
    "filter": _filtered,
    "iter": _same,
    "map": _mapped,
    "max": _choice,
    "min": _choice,
    "next": _element,
    "property": _read,
    "reversed": _same,
    "sorted": _same,
    "zip": _zipped,
}
