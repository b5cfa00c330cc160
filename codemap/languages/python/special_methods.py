"""Special methods: which of them operators, statements and builtin functions run on their operands.

The site of such a call is the sign or keyword of the operation, the parenthesis or bracket that opens, or the brace of
a replacement field: names keep their sites to themselves. Where several methods would do, they are in the order in
which the language asks for them. What the right operand is asked for is reported where the left one is a literal.

Source: the Python Language Reference, 3.3, "Special method names".
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from codemap.fact_building.builder import NONE
from codemap.facts import Op

if TYPE_CHECKING:
    from codemap.fact_building.builder import Builder

Names = tuple[str, ...]

ITER: Names = ("__iter__", "__getitem__")
ASYNC_ITER: Names = ("__aiter__",)
STR: Names = ("__str__", "__repr__")
REPR: Names = ("__repr__",)
FORMAT: Names = ("__format__&", "__str__", "__repr__")
"""`object.__format__` asks for `str`, and so do most others."""
GET_ITEM: Names = ("__getitem__",)
SET_ITEM: Names = ("__setitem__",)
DELETE_ITEM: Names = ("__delitem__",)
WITH: Names = ("__enter__&", "__exit__")
ASYNC_WITH: Names = ("__aenter__&", "__aexit__")
AWAIT: Names = ("__await__",)
TRUTH: Names = ("__bool__", "__len__")

BINARY = {
    "+": "add",
    "-": "sub",
    "*": "mul",
    "/": "truediv",
    "//": "floordiv",
    "%": "mod",
    "@": "matmul",
    "&": "and",
    "|": "or",
    "^": "xor",
    "<<": "lshift",
    ">>": "rshift",
    "**": "pow",
}
_PLAIN = {sign: (f"__{name}__",) for sign, name in BINARY.items()}
_REFLECTED = {sign: (f"__r{name}__",) for sign, name in BINARY.items()}
AUGMENTED = {f"{sign}=": (f"__i{name}__", f"__{name}__") for sign, name in BINARY.items()}
UNARY = {"-": ("__neg__",), "+": ("__pos__",), "~": ("__invert__",)}
_COMPARED: dict[str, Names] = {
    "==": ("__eq__",),
    "!=": ("__ne__", "__eq__"),
    "<": ("__lt__",),
    "<=": ("__le__",),
    ">": ("__gt__",),
    ">=": ("__ge__",),
}
_MIRRORED = {"==": "==", "!=": "!=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}
_CONTAINS: Names = ("__contains__", "__iter__", "__getitem__")
_MEMBERSHIP = frozenset({"in", "not in"})

_FIRST: dict[str, Names] = {
    "abs": ("__abs__",),
    "aiter": ASYNC_ITER,
    "anext": ("__anext__",),
    "ascii": REPR,
    "bool": TRUTH,
    "bytes": ("__bytes__",),
    "complex": ("__complex__", "__float__", "__index__"),
    "dir": ("__dir__",),
    "divmod": ("__divmod__",),
    "float": ("__float__", "__index__"),
    "hash": ("__hash__",),
    "int": ("__int__", "__index__", "__trunc__"),
    "len": ("__len__",),
    "next": ("__next__",),
    "pow": ("__pow__",),
    "repr": REPR,
    "reversed": ("__reversed__", "__getitem__"),
    "round": ("__round__",),
    "str": STR,
}
"""Builtin function -> what it runs on its first argument."""
_ITERATING = frozenset(
    """
    all any dict enumerate filter frozenset iter list map max min set sorted sum tuple zip
    """.split()  # noqa: SIM905 - a list this long reads as text
)
_ON_ELEMENTS: dict[str, Names] = {
    "all": TRUTH,
    "any": TRUTH,
    "frozenset": ("__hash__",),
    "max": ("__gt__",),
    "min": ("__lt__",),
    "set": ("__hash__",),
    "sorted": ("__lt__",),
    "sum": ("__add__",),
}
"""Builtin function -> what it runs on the elements of its first argument."""
FUNCTIONS = frozenset((*_FIRST, *_ITERATING, "format", "print"))
"""Builtin functions that run special methods of their arguments."""
_LITERAL, _ITER = int(Op.LITERAL), int(Op.ITER)


def call(b: Builder, name: str, arguments: Sequence[int], at: int) -> None:
    """A call of a builtin function in FUNCTIONS; `at` is the offset of its parenthesis."""
    if not arguments:
        return
    if name in _FIRST:
        b.operate_within(arguments[0], _FIRST[name], at)
    elif name == "print":
        for argument in arguments:
            b.operate(argument, STR, at)
    elif name == "format":
        b.operate(arguments[0], FORMAT, at)
    elif len(arguments) == 1 or name not in _ON_ELEMENTS:
        for argument in arguments[name in ("map", "filter") :]:
            b.operate(argument, ITER, at)
    if name in _ON_ELEMENTS:
        compared = [b.wrap(_ITER, arguments[0])] if len(arguments) == 1 else arguments
        for element in compared:
            b.operate(element, _ON_ELEMENTS[name], at)


def binary(b: Builder, left: int, sign: str, right: int, at: int) -> None:
    if left != NONE and b.exprs[left][0] == _LITERAL:
        b.operate(right, _REFLECTED[sign], at)
    else:
        b.operate(left, _PLAIN[sign], at)


def compare(b: Builder, left: int, sign: str, right: int, at: int) -> None:
    if sign in _MEMBERSHIP:
        b.operate(right, _CONTAINS, at)
    elif sign in _COMPARED:
        if left != NONE and b.exprs[left][0] == _LITERAL:
            b.operate_within(right, _COMPARED[_MIRRORED[sign]], at)
        else:
            b.operate_within(left, _COMPARED[sign], at)
