"""Finds what an edit of one file can have changed, from its two versions alone.

Where the meaning of a file's expressions is in what they say (`are_apart`), the two versions are compared row by
row, and what differs is followed to all names that may mean something else; in other languages each name may.
"""

from __future__ import annotations

from collections.abc import Iterator, Set
from functools import cache
from typing import NamedTuple

import numpy as np

from codemap.facts import (
    MODULE_VALUE,
    Base,
    Binding,
    Decorator,
    Export,
    Import,
    Parameter,
    ScopeKind,
    Source,
    SourceKind,
    Symbol,
)
from codemap.graph.incremental.facts_diff import (
    GONE,
    ChangedRows,
    FactsDiff,
    are_apart,
    diff_facts,
    find_changed_rows,
)
from codemap.graph.model.edges import Ints, Mask
from codemap.graph.model.indexed_file import IndexedFile, table
from codemap.graph.model.values import CLASS_KINDS
from codemap.languages import by_name

_SAID = (Symbol.KIND, Symbol.FLAGS)
_SAID_BY = (Symbol.TYPE, Symbol.VALUE)
_MODULE, _CLASS = int(ScopeKind.MODULE), int(ScopeKind.CLASS)


class Change(NamedTuple):
    """One file that an edit touched."""

    path: str
    old: IndexedFile | None
    new: IndexedFile | None
    like: FactsDiff | None
    """What both versions have in common, where they can be compared."""
    names: Set[str] | None
    """Names that may mean something else now, in the file or for others that ask for them; None where any may."""
    others: ChangedRows | None
    """The rows that may mean something else as a consequence, where `names` are known."""
    has_other_members: bool = True
    """Whether members of its classes are among it, or are in another order."""

    @property
    def has_other_offers(self) -> bool:
        """Whether it may export something else under any name."""
        return self.like is None or self.others is None or _has_other_offers(self.like, self.others)


def compare_versions(
    path: str, old: IndexedFile | None, new: IndexedFile | None, seeds: Set[str] = frozenset()
) -> Change:
    """What an edit can have changed in a file, where what other files have under the names `seeds` may mean something
    else, too. Cost: the tables of both versions."""
    if old is None or new is None or old.lang != new.lang or not are_apart(old.facts, new.facts):
        return Change(path, old, new, None, None, None)
    like = diff_facts(old.facts, new.facts)
    if old.is_script != new.is_script or old.packages != new.packages or old.facts.dialect != new.facts.dialect:
        return Change(path, old, new, like, None, None)
    gone = _names_gone(like)
    unnamed = found_unnamed(new.lang)
    if not unnamed.isdisjoint(seeds) or not unnamed.isdisjoint(gone.of_known):
        return Change(path, old, new, like, None, None)
    names = gone.names | seeds
    has_other_members = gone.has_members or _has_other_order(like)
    while True:
        others = find_changed_rows(like, names, has_other_members=has_other_members)
        found = _names_of_others(like, others)
        if found is None:
            return Change(path, old, new, like, None, None)
        if found.names <= names and has_other_members >= found.has_members:
            return Change(path, old, new, like, names, others, has_other_members)
        names |= found.names
        has_other_members |= found.has_members


@cache
def found_unnamed(lang: str) -> frozenset[str]:
    """Members that expressions of a language find without naming them: what operators and calls run."""
    language = by_name()[lang]
    return frozenset({MODULE_VALUE, *language.constructor_members, *language.allocators, *language.protocols.values()})


def _names_of_others(like: FactsDiff, others: ChangedRows) -> _Found | None:
    """Names of what may mean something else; None where that may be any: a class has other bases, or what is found
    without being named is another."""
    old, new = like.old, like.new
    rebased = _are_owners_of_others(like, others, old.bases, new.bases, Base.WIDTH, (Base.ROLE,), Base.EXPR)
    if (rebased & (like.symbols[:-1] >= 0)).any():
        return None
    symbols, bindings = table(new.symbols, Symbol.WIDTH), table(new.bindings, Binding.WIDTH)
    is_other = _are_other_symbols(like, others)
    parents = symbols[:, Symbol.PARENT]
    is_fresh = like.symbols[:-1] < 0
    is_within = is_fresh & is_fresh[parents] & (parents > 0)
    is_public = others.bindings[:-1] & _are_public(bindings)
    is_bound_within = is_fresh[bindings[:, Binding.SPACE]]
    of_known = {
        *symbols[is_other & ~is_within, Symbol.NAME].tolist(),
        *bindings[is_public & ~is_bound_within, Binding.NAME].tolist(),
    }
    if not found_unnamed(new.lang).isdisjoint(new.names[number] for number in of_known):
        return None
    numbers = {
        *symbols[is_other, Symbol.NAME].tolist(),
        *symbols[parents[is_fresh], Symbol.NAME].tolist(),
        *bindings[is_public, Binding.NAME].tolist(),
    }
    names = {new.names[number] for number in numbers if number >= 0}
    return _Found(names, bool(np.isin(symbols[parents[is_other], Symbol.KIND], CLASS_KINDS).any()))


def _has_other_order(like: FactsDiff) -> bool:
    """Whether definitions of both versions are in another order in the new one."""
    before = like.symbols[:-1]
    return bool((np.diff(before[before >= 0]) < 0).any())


class _Found(NamedTuple):
    """What may mean something else."""

    names: set[str]
    has_members: bool
    """Whether members of classes are among it."""


class _Gone(NamedTuple):
    """What only the old version of a file has."""

    names: set[str]
    """And the names of what had it."""
    of_known: set[str]
    """Names of what definitions had that both versions have."""
    has_members: bool


def _names_gone(like: FactsDiff) -> _Gone:
    old = like.old
    symbols, bindings = table(old.symbols, Symbol.WIDTH), table(old.bindings, Binding.WIDTH)
    gone = _left(like.symbols, len(symbols))
    parents = symbols[:, Symbol.PARENT]
    is_within = gone & gone[parents] & (parents > 0)
    is_public = _left(like.bindings, len(bindings)) & _are_public(bindings)
    numbers = {
        *symbols[gone, Symbol.NAME].tolist(),
        *symbols[parents[gone], Symbol.NAME].tolist(),
        *bindings[is_public, Binding.NAME].tolist(),
    }
    of_known = {
        *symbols[gone & ~is_within, Symbol.NAME].tolist(),
        *bindings[is_public & ~gone[bindings[:, Binding.SPACE]], Binding.NAME].tolist(),
    }
    return _Gone(
        {old.names[number] for number in numbers if number >= 0},
        {old.names[number] for number in of_known if number >= 0},
        bool(np.isin(symbols[parents[gone], Symbol.KIND], CLASS_KINDS).any()),
    )


def _are_public(bindings: Ints) -> Mask:
    """Names in namespaces that other files can ask."""
    scopes = bindings[:, Binding.SCOPE]
    found: Mask = (scopes == _MODULE) | (scopes == _CLASS)
    return found


def _left(numbers: Ints, count: int) -> Mask:
    """Rows of the old version, of so many, that none of the new one is like."""
    is_left = np.ones(count, dtype=np.bool_)
    alike = numbers[:-1]
    is_left[alike[alike >= 0]] = False
    return is_left


def _are_other_symbols(like: FactsDiff, others: ChangedRows) -> Mask:
    """Definitions of the new version of which something else may be said; the file itself is none."""
    old, new = like.old, like.new
    cells, before = table(new.symbols, Symbol.WIDTH), like.symbols[:-1]
    known = np.flatnonzero(before >= 0)
    right, left = cells[known], table(old.symbols, Symbol.WIDTH)[before[known]]
    differs = (right[:, _SAID] != left[:, _SAID]).any(axis=1)
    said_by = right[:, _SAID_BY]
    differs |= ((like.exprs[said_by] != left[:, _SAID_BY]) | others.exprs[said_by]).any(axis=1)
    is_other = np.ones(len(cells), dtype=np.bool_)
    is_other[known[~differs]] = False
    is_other |= _are_owners_of_others(like, others, old.parameters, new.parameters, Parameter.WIDTH, (), Parameter.TYPE)
    is_other |= _are_owners_of_others(like, others, old.decorators, new.decorators, Decorator.WIDTH, (), Decorator.EXPR)
    is_other[_with_other_parameters(like, others)] = True
    is_other[0] = False
    return is_other


def _with_other_parameters(like: FactsDiff, others: ChangedRows) -> Ints:
    """Definitions of the new version with type parameters that may stand for something else."""
    bindings, sources = table(like.new.bindings, Binding.WIDTH), table(like.new.sources, Source.WIDTH)
    firsts = sources[bindings[others.bindings[:-1], Binding.FIRST]]
    found: Ints = firsts[firsts[:, Source.KIND] == SourceKind.TYPE_PARAMETER, Source.A]
    return found


def _are_owners_of_others(
    like: FactsDiff, others: ChangedRows, old: bytes, new: bytes, width: int, columns: tuple[int, ...], expr: int
) -> Mask:
    """Definitions of the new version whose rows in a table are not, one for one, like those that they had. The first
    column is the definition; `columns` are compared as they are, besides that of an expression."""
    left, right = table(old, width), table(new, width)
    given = right[:, expr]
    then = np.where(others.exprs[given], GONE, like.exprs[given])
    now = [like.symbols[right[:, 0]], *(right[:, column] for column in columns), then]
    had = [left[:, column] for column in (0, *columns, expr)]
    is_other = np.zeros(len(like.symbols) - 1, dtype=np.bool_)
    if len(left) == len(right) and all(np.array_equal(*pair) for pair in zip(now, had, strict=True)):
        return is_other
    before: dict[int, list[tuple[int, ...]]] = {}
    for owner, *said in zip(*(column.tolist() for column in had), strict=True):
        before.setdefault(owner, []).append(tuple(said))
    after: dict[int, list[tuple[int, ...]]] = {}
    for owner, *said in zip(right[:, 0].tolist(), *(column.tolist() for column in now[1:]), strict=True):
        after.setdefault(owner, []).append(tuple(said))
    for row, owner in enumerate(like.symbols[:-1].tolist()):
        if after.get(row, []) != before.get(owner, []):
            is_other[row] = True
    return is_other


def _has_other_offers(like: FactsDiff, others: ChangedRows) -> bool:
    """Whether something else may be exported, or asked for by a star."""
    left, right = table(like.old.exports, Export.WIDTH), table(like.new.exports, Export.WIDTH)
    name, binding, import_ = (right[:, column] for column in (Export.NAME, Export.BINDING, Export.IMPORT))
    is_other = others.bindings[binding].any() or others.imports[import_].any()
    now = [like.names[name], like.bindings[binding], like.imports[import_]]
    had = [left[:, column] for column in (Export.NAME, Export.BINDING, Export.IMPORT)]
    if is_other or len(left) != len(right) or not all(np.array_equal(*pair) for pair in zip(now, had, strict=True)):
        return True
    stars = _stars(table(like.new.imports, Import.WIDTH))
    return bool(others.imports[stars].any()) or not np.array_equal(
        like.imports[stars], _stars(table(like.old.imports, Import.WIDTH))
    )


def _stars(imports: Ints) -> Ints:
    """Imports that ask for every exported name."""
    return np.flatnonzero(imports[:, Import.IMPORTED] == Import.STAR).astype(np.int32)


def symbols_named(file: IndexedFile, names: Set[str]) -> Iterator[int]:
    """Rows of the definitions of some names."""
    numbers = {number for number, name in enumerate(file.facts.names) if name in names}
    for row, name in enumerate(file.symbols[Symbol.NAME :: Symbol.WIDTH].tolist()):
        if name in numbers:
            yield row
