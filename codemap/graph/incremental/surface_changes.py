"""What of a file's surface an edit can have changed: the surfaces of both versions without what is alike in them."""

from __future__ import annotations

import numpy as np

from codemap.facts import Base, Binding, Decorator, Export, Import, ImportFlag, Parameter, Symbol
from codemap.graph.incremental.likeness import GONE, Likeness, Others, table, unlike
from codemap.graph.model.edges import Ints, Mask
from codemap.graph.model.surface import Only, Surface

_SAID = (Symbol.KIND, Symbol.FLAGS)
_SAID_BY = (Symbol.TYPE, Symbol.VALUE)


def reduced_surfaces(like: Likeness) -> tuple[Surface, Surface]:
    """The surfaces of the old version and the new one, each without what the other has as well.

    The files must have no parts and no shapes. Cost: the tables, and what differs.
    """
    old, new = like.old, like.new
    others = unlike(like)
    is_rebased = _are_owners_of_others(like, others, old.bases, new.bases, Base.WIDTH, (Base.ROLE,), Base.EXPR)
    is_other = _are_other_symbols(like, others)
    has_offers = _are_offers_other(like, others)
    other_bindings = others.bindings[:-1]
    before = Only(
        _rows(_left(like.symbols, is_other, len(old.symbols) // (4 * Symbol.WIDTH))),
        _rows(_left(like.bindings, other_bindings, len(old.bindings) // (4 * Binding.WIDTH))),
        set(_rows(_left(like.symbols, is_rebased, len(old.symbols) // (4 * Symbol.WIDTH)))),
        has_offers,
    )
    after = Only(_rows(is_other), _rows(other_bindings), set(_rows(is_rebased)), has_offers)
    return Surface(old, before), Surface(new, after)


def _rows(mask: Mask) -> list[int]:
    rows: list[int] = np.flatnonzero(mask).tolist()
    return rows


def _left(numbers: Ints, is_other: Mask, count: int) -> Mask:
    """Rows of the old version, of so many, that none of the new one is like."""
    is_left = np.ones(count, dtype=np.bool_)
    alike = numbers[:-1][~is_other]
    is_left[alike[alike >= 0]] = False
    return is_left


def _are_other_symbols(like: Likeness, others: Others) -> Mask:
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
    is_other[0] = False
    return is_other


def _are_owners_of_others(
    like: Likeness, others: Others, old: bytes, new: bytes, width: int, columns: tuple[int, ...], expr: int
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


def _are_offers_other(like: Likeness, others: Others) -> bool:
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
    """Statements that ask for every exported name."""
    is_implicit = imports[:, Import.FLAGS] & int(ImportFlag.IMPLICIT) != 0
    return np.flatnonzero((imports[:, Import.IMPORTED] == Import.STAR) & ~is_implicit).astype(np.int32)
