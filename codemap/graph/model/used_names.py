"""Under which name a file uses something at a place: a call of what a variable holds names the variable."""

from __future__ import annotations

from codemap.facts import EXPR_WIDTH, SITE_WIDTH, Binding, Op, Use, rows
from codemap.graph.model.indexed_file import IndexedFile
from codemap.mangled_names import demangle

_AROUND = (Op.ELSE, Op.OVERLOAD, Op.APPLY)
"""Operators that are around what is used."""


def last_name(file: IndexedFile, expr: int) -> str:
    """The name that a plain chain ends in; empty where it is none (`super()`)."""
    op, a, b = rows(file.facts.exprs)[expr * EXPR_WIDTH : (expr + 1) * EXPR_WIDTH]
    if op == Op.NAME:
        return file.facts.names[rows(file.facts.bindings)[a * Binding.WIDTH]]
    if op == Op.GLOBAL:
        return file.facts.names[a]
    return file.facts.names[b] if op == Op.ATTR else ""


def places_named(file: IndexedFile, name: str) -> frozenset[tuple[int, int]]:
    """Line and column of every use by that name. Cost: the uses of the file."""
    uses, sites = rows(file.facts.uses).tolist(), rows(file.facts.sites).tolist()
    found: set[tuple[int, int]] = set()
    for at in range(0, len(uses), Use.WIDTH):
        if demangle(last_name(file, _find_inner(file, uses[at + Use.EXPR]))) == name:
            begin = uses[at + Use.FIRST] * SITE_WIDTH
            end = begin + uses[at + Use.COUNT] * SITE_WIDTH
            found.update(zip(sites[begin:end:SITE_WIDTH], sites[begin + 1 : end : SITE_WIDTH], strict=True))
    return frozenset(found)


def _find_inner(file: IndexedFile, expr: int) -> int:
    exprs = rows(file.facts.exprs)
    while exprs[expr * EXPR_WIDTH] in _AROUND:
        expr = exprs[expr * EXPR_WIDTH + 1]
    return expr
