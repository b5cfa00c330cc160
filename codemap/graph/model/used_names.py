"""Under which name a file uses something at a place: a call of what a variable holds names the variable."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Set
from typing import NamedTuple

import numpy as np

from codemap.facts import (
    AROUND,
    EXPR_WIDTH,
    SITE_WIDTH,
    Binding,
    FileFacts,
    Op,
    Source,
    SourceKind,
    Symbol,
    SymbolKind,
    Use,
    UseRole,
    rows,
)
from codemap.graph.model.edges import Ints
from codemap.graph.model.indexed_file import IndexedFile
from codemap.languages import by_name
from codemap.mangled_names import demangle

_WITH_DEFINITIONS = frozenset((SymbolKind.FILE, SymbolKind.MODULE, SymbolKind.CLASS, SymbolKind.INTERFACE))
_VARIABLES = (SymbolKind.VARIABLE, SymbolKind.PROPERTY)
_OF_VARIABLES = tuple(map(int, (SourceKind.VALUE, SourceKind.TYPED, SourceKind.PARAMETER)))


def last_name(file: IndexedFile, expr: int) -> str:
    """The name that a plain chain ends in; empty where it is none (`super()`)."""
    op, a, b = rows(file.facts.exprs)[expr * EXPR_WIDTH : (expr + 1) * EXPR_WIDTH]
    if op == Op.NAME:
        return file.facts.names[rows(file.facts.bindings)[a * Binding.WIDTH]]
    if op == Op.GLOBAL:
        return file.facts.names[a]
    return file.facts.names[b] if op == Op.ATTR else ""


def called_name(facts: FileFacts, call: int) -> str:
    """The name of the member that a call calls; empty where it calls something else."""
    exprs = rows(facts.exprs)
    callee = exprs[call * EXPR_WIDTH + 1] if call >= 0 and exprs[call * EXPR_WIDTH] == Op.CALL else -1
    is_member = callee >= 0 and exprs[callee * EXPR_WIDTH] == Op.ATTR
    return demangle(facts.names[exprs[callee * EXPR_WIDTH + 2]]) if is_member else ""


class _Used(NamedTuple):
    owner: int
    """Symbol."""
    role: int
    """UseRole."""
    expr: int
    """What is used, without what is around it."""
    lines: list[int]
    """Of its sites; likewise `columns`."""
    columns: list[int]


def _read_uses(file: IndexedFile) -> Iterator[_Used]:
    uses, sites = rows(file.facts.uses).tolist(), rows(file.facts.sites).tolist()
    for owner, role, expr, first, count in zip(*[iter(uses)] * Use.WIDTH, strict=True):
        begin, end = first * SITE_WIDTH, (first + count) * SITE_WIDTH
        inner = find_inner(file, expr)
        yield _Used(owner, role, inner, sites[begin:end:SITE_WIDTH], sites[begin + 1 : end : SITE_WIDTH])


def places_named(file: IndexedFile, name: str) -> frozenset[tuple[int, int]]:
    """Line and column of every use by that name. Cost: the uses of the file."""
    return _list_places(use for use in _read_uses(file) if demangle(last_name(file, use.expr)) == name)


def places_of_variables(file: IndexedFile, name: str, own: Set[int]) -> frozenset[tuple[int, int]]:
    """Line and column of every use by that name where it is that of a variable, whatever it holds; `own` are the nodes
    of definitions that are none. Cost: the uses of the file."""
    exprs = rows(file.facts.exprs)
    return _list_places(
        use
        for use in _read_uses(file)
        if exprs[use.expr * EXPR_WIDTH] == Op.NAME
        and demangle(last_name(file, use.expr)) == name
        and _is_variable(file, exprs[use.expr * EXPR_WIDTH + 1], own)
    )


def _list_places(uses: Iterable[_Used]) -> frozenset[tuple[int, int]]:
    return frozenset(place for use in uses for place in zip(use.lines, use.columns, strict=True))


def _is_variable(file: IndexedFile, binding: int, own: Set[int]) -> bool:
    """Whether a binding is that of a variable alone. Where a pattern binds names by those of members, one that holds a
    member of its name may not be (`const { size } = given`)."""
    bindings, sources = rows(file.facts.bindings), rows(file.facts.sources)
    names_members = by_name()[file.lang].strings.patterns_name_members
    name = file.facts.names[bindings[binding * Binding.WIDTH + Binding.NAME]]
    first, count = bindings[binding * Binding.WIDTH + Binding.FIRST], bindings[binding * Binding.WIDTH + Binding.COUNT]
    for source in range(first, first + count):
        kind, value = sources[source * Source.WIDTH : source * Source.WIDTH + 2].tolist()
        if kind == SourceKind.SYMBOL:
            if file.cell(value, Symbol.KIND) not in _VARIABLES or file.base + value in own:
                return False
            value = file.cell(value, Symbol.VALUE)
        elif kind not in _OF_VARIABLES:
            return False
        holds_value = kind in (SourceKind.SYMBOL, SourceKind.VALUE) and value >= 0
        if holds_value and names_members and last_name(file, find_inner(file, value)) == name:
            return False
    return True


def uses_outside_functions(file: IndexedFile, role: UseRole) -> Iterator[tuple[int, str, list[int]]]:
    """(symbol, name, lines) of the uses in a role by a plain name that the file, its namespaces and classes make
    themselves. Cost: the uses of the file."""
    for use in _read_uses(file):
        is_outside = file.cell(use.owner, Symbol.KIND) in _WITH_DEFINITIONS
        if use.role == role and is_outside and (name := last_name(file, use.expr)):
            yield use.owner, name, use.lines


def find_inner(file: IndexedFile, expr: int) -> int:
    """What is used or called in an expression around it."""
    exprs = rows(file.facts.exprs)
    while exprs[expr * EXPR_WIDTH] in AROUND:
        expr = exprs[expr * EXPR_WIDTH + 1]
    return expr


def inner_of(exprs: Ints, expr: Ints) -> Ints:
    """What is used or called in some expressions around it, by the table of all."""
    while (around := np.isin(exprs[expr, 0], AROUND)).any():
        expr = np.where(around, exprs[expr, 1], expr)
    return expr
