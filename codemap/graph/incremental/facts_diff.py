"""Pairs the rows of a file's tables before and after an edit: which rows of the two versions say the same.

Two expressions say the same when they are built in the same way of the same names, and of local variables that are
given the same in both; positions are not compared. Rows that depend on one another in a circle say the same as long as
nothing distinguishes them.

For each row of the new version, an array has its row in the old one, or GONE; one more entry, the last, is for row -1.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from typing import NamedTuple

import numpy as np

from codemap.facts import (
    BESIDE_NAME,
    EXPR_WIDTH,
    FIRST,
    OPERANDS,
    SECOND,
    Binding,
    FileFacts,
    Import,
    Op,
    Source,
    SourceKind,
    Symbol,
)
from codemap.graph.model.edges import Ints, Mask
from codemap.graph.model.indexed_file import table
from codemap.graph.model.ranges import expand_ranges
from codemap.languages import by_name
from codemap.mangled_names import demangle

_ANY_MEMBER = (int(Op.PREFIX), int(Op.INDEX), int(Op.ITEM))
"""Operators that may find a member of a class without naming it: by how names begin, or by its place among fields."""
GONE = -3
"""No row; columns have -1 and -2 with meanings of their own."""

_NAME, _BINDING, _SYMBOL, _EXPR = range(1, 5)  # what an operand is a row of; 0: of nothing
_FIRST_IS, _SECOND_IS = np.zeros(len(Op), dtype=np.int8), np.zeros(len(Op), dtype=np.int8)
for _op, _operands in OPERANDS.items():
    _FIRST_IS[_op] = _EXPR if _operands & FIRST else 0
    _SECOND_IS[_op] = _EXPR if _operands & SECOND else 0
_SECOND_IS[[Op.ATTR, *BESIDE_NAME]] = _NAME
_FIRST_IS[Op.NAME] = _BINDING
_FIRST_IS[[Op.GLOBAL, Op.LITERAL, Op.CONTAINER]] = _NAME
_FIRST_IS[[Op.SUPER, Op.SYMBOL, Op.THIS]] = _SYMBOL
_SOURCE_IS = np.zeros(len(SourceKind), dtype=np.int8)
_SOURCE_IS[[SourceKind.VALUE, SourceKind.TYPED]] = _EXPR
_SOURCE_IS[[SourceKind.SYMBOL, SourceKind.SELF, SourceKind.CLASS, SourceKind.PARAMETER]] = _SYMBOL
_SOURCE_IS[SourceKind.TYPE_PARAMETER] = _SYMBOL


class FactsDiff(NamedTuple):
    """Of each row of a version of a file, the row of another version."""

    old: FileFacts
    new: FileFacts
    names: Ints
    symbols: Ints
    bindings: Ints
    imports: Ints
    exprs: Ints
    """Built in the same way; the variables in them may be given something else."""


class ChangedRows(NamedTuple):
    """Rows of the new version that may not mean what they meant in the old one."""

    bindings: Mask
    imports: Mask
    exprs: Mask
    """One more entry, the last, is for no expression; likewise in the others."""


def are_apart(*versions: FileFacts) -> bool:
    """Whether the uses in a file mean what its expressions say, whatever definitions there are elsewhere."""
    return all(
        not facts.parts
        and not facts.shapes
        and not (language.is_structural or language.has_extensions or language.scopes.shares_names)
        for facts in versions
        for language in [by_name()[facts.lang]]
    )


def diff_facts(old: FileFacts, new: FileFacts) -> FactsDiff:
    """Cost: the tables; about a third of a microsecond a row behind the first that differs."""
    if old is new:
        widths = {"symbols": Symbol.WIDTH, "bindings": Binding.WIDTH, "imports": Import.WIDTH, "exprs": EXPR_WIDTH}
        same = {name: _itself(len(getattr(old, name)) // (4 * width)) for name, width in widths.items()}
        return FactsDiff(old, new, _itself(len(old.names)), **same)
    number = {name: place for place, name in enumerate(old.names)}
    names = np.array([*(number.get(name, GONE) for name in new.names), Import.STAR, -1], dtype=np.int32)
    symbols = _paired_symbols(old, new, names)
    tables = table(old.bindings, Binding.WIDTH), table(new.bindings, Binding.WIDTH)
    columns = {Binding.NAME: names, Binding.SPACE: symbols, Binding.SCOPE: None}
    bindings = _paired(*(_with(cells, columns if cells is tables[1] else dict.fromkeys(columns)) for cells in tables))
    tables = table(old.imports, Import.WIDTH), table(new.imports, Import.WIDTH)
    columns = {Import.SPECIFIER: names, Import.IMPORTED: names, Import.FLAGS: None, Import.OWNER: symbols}
    imports = _paired(*(_with(cells, columns if cells is tables[1] else dict.fromkeys(columns)) for cells in tables))
    exprs = _paired_exprs(table(old.exprs, EXPR_WIDTH), table(new.exprs, EXPR_WIDTH), names, symbols, bindings)
    return FactsDiff(old, new, names, symbols, bindings, imports, exprs)


def find_changed_rows(
    like: FactsDiff, names: Set[str] = frozenset(), *, has_other_members: bool = False
) -> ChangedRows:
    """Marks the rows of the new version that may mean something else than in the old one, where `names` may, and
    members of the file's own classes if `has_other_members`."""
    old, new = like.old, like.new
    exprs = table(new.exprs, EXPR_WIDTH)
    op, a, b = exprs.T
    first, second = _FIRST_IS[op], _SECOND_IS[op]
    symbols, bindings = table(new.symbols, Symbol.WIDTH), table(new.bindings, Binding.WIDTH)
    is_named = _are_in(new.names, names)
    is_other_symbol = is_named[symbols[:, Symbol.NAME]] | (like.symbols[:-1] < 0)
    imports = table(new.imports, Import.WIDTH)
    paths = imports[:, Import.PATH]
    is_other_import = like.imports == GONE
    is_other_import[:-1] |= is_named[imports[:, Import.IMPORTED]]
    is_other_binding = is_named[bindings[:, Binding.NAME]] | (like.bindings[:-1] < 0)
    sources = table(new.sources, Source.WIDTH)
    kind, given = sources[:, Source.KIND], sources[:, Source.A]
    source_is = _SOURCE_IS[kind]
    is_import = kind == SourceKind.IMPORT
    if old is not new:
        is_other_binding |= _are_given_otherwise(like)
    is_other = np.append(like.exprs[:-1] < 0, False)
    here = is_other[:-1]
    here |= (first == _NAME) & is_named[np.where(first == _NAME, a, -1)]
    here |= (second == _NAME) & is_named[np.where(second == _NAME, b, -1)]
    here |= (first == _SYMBOL) & np.append(is_other_symbol, False)[np.where(first == _SYMBOL, a, -1)]
    if has_other_members:
        here |= np.isin(op, _ANY_MEMBER)
    if not (
        (here & (like.exprs[:-1] >= 0)).any()
        or (is_other_binding & (like.bindings[:-1] >= 0)).any()
        or (is_other_symbol & (like.symbols[:-1] >= 0)).any()
        or ((is_other[paths] | is_other_import[:-1]) & (like.imports[:-1] >= 0)).any()
    ):  # and nothing else refers to what is new
        return ChangedRows(np.append(is_other_binding, False), is_other_import, is_other)
    # From here on, what refers to what may be something else may be something else, too.
    is_other_source = (source_is == _SYMBOL) & np.append(is_other_symbol, False)[
        np.where(source_is == _SYMBOL, given, -1)
    ]
    of_binding = np.where(first == _BINDING, a, -1)
    of_first, of_second = np.where(first == _EXPR, a, -1), np.where(second == _EXPR, b, -1)
    of_source = np.where(source_is == _EXPR, given, -1)
    of_import = np.where(is_import, given, -1)
    owner = np.repeat(np.arange(len(bindings), dtype=np.int32), bindings[:, Binding.COUNT])
    in_order = _source_order(bindings)
    count = -1
    while count != (count := int(np.count_nonzero(is_other))):
        is_other_import[:-1] |= is_other[paths]
        is_given = is_other_source | is_other[of_source] | (is_import & is_other_import[of_import])
        is_other_binding[owner[is_given[in_order]]] = True
        here |= np.append(is_other_binding, False)[of_binding]
        here |= is_other[of_first] | is_other[of_second]
    return ChangedRows(np.append(is_other_binding, False), is_other_import, is_other)


def _itself(count: int) -> Ints:
    numbers = np.arange(count + 1, dtype=np.int32)
    numbers[-1] = -1
    return numbers


def _are_in(names: Sequence[str], wanted: Set[str]) -> Mask:
    """Of each name, whether it is one of some; and, behind the last, that none is not."""
    if not wanted:
        return np.zeros(len(names) + 2, dtype=np.bool_)
    return np.array([*(name in wanted or demangle(name) in wanted for name in names), False, False])


def _source_order(bindings: Ints) -> Ints:
    """The sources of all bindings, one binding after the other."""
    first, count = bindings[:, Binding.FIRST], bindings[:, Binding.COUNT]
    return expand_ranges(first, count)[0]


def _are_given_otherwise(like: FactsDiff) -> Mask:
    """Bindings of the new version whose sources are not, one for one, like those that they had."""
    old, new = table(like.old.bindings, Binding.WIDTH), table(like.new.bindings, Binding.WIDTH)
    before = like.bindings[:-1]
    count = new[:, Binding.COUNT]
    is_other: Mask = np.append(old[:, Binding.COUNT], -1)[np.maximum(before, -1)] != count
    alike = np.flatnonzero(~is_other)
    counts = count[alike]
    owner = np.repeat(alike, counts)
    left = table(like.old.sources, Source.WIDTH)[expand_ranges(old[before[alike], Binding.FIRST], counts)[0]]
    right = table(like.new.sources, Source.WIDTH)[expand_ranges(new[alike, Binding.FIRST], counts)[0]]
    kind, given = right[:, Source.KIND], right[:, Source.A]
    meant = _SOURCE_IS[kind]
    is_import = kind == SourceKind.IMPORT
    then = np.where(meant == _EXPR, like.exprs[np.where(meant == _EXPR, given, -1)], given)
    then = np.where(meant == _SYMBOL, like.symbols[np.where(meant == _SYMBOL, given, -1)], then)
    then = np.where(is_import, like.imports[np.where(is_import, given, -1)], then)
    differs = (left[:, Source.KIND] != kind) | (left[:, Source.B] != right[:, Source.B]) | (left[:, Source.A] != then)
    is_other[owner[differs]] = True
    return is_other


def _paired_symbols(old: FileFacts, new: FileFacts, names: Ints) -> Ints:
    """Definitions of the same name in the same definition, the first with the first, and so on."""
    columns = [Symbol.NAME, Symbol.PARENT, Symbol.ORDINAL]
    left, right = table(old.symbols, Symbol.WIDTH)[:, columns], table(new.symbols, Symbol.WIDTH)[:, columns]
    translated = right.copy()
    translated[:, 0] = names[right[:, 0]]
    begin = _alike_at_first(left, translated)
    row_of = {tuple(row): place for place, row in enumerate(left[begin:].tolist(), begin)}
    found = list(range(begin))
    for name, parent, ordinal in translated[begin:].tolist():
        found.append(row_of.get((name, found[parent], ordinal), GONE) if found[parent] >= 0 else GONE)
    return np.array([*found, -1], dtype=np.int32)


def _with(cells: Ints, columns: dict[int, Ints | None]) -> Ints:
    """Some columns of a table, each with its numbers replaced by those of the old version."""
    return np.stack(
        [cells[:, column] if numbers is None else numbers[cells[:, column]] for column, numbers in columns.items()], 1
    )


def _paired(left: Ints, right: Ints) -> Ints:
    """Equal rows, the first with the first, and so on."""
    begin = _alike_at_first(left, right)
    places: dict[tuple[int, ...], list[int]] = {}
    for place, row in enumerate(left[begin:].tolist(), begin):
        places.setdefault(tuple(row), []).append(place)
    for listed in places.values():
        listed.reverse()
    rows = map(tuple, right[begin:].tolist())
    found = [places[row].pop() if places.get(row) else GONE for row in rows]
    return np.array([*range(begin), *found, -1], dtype=np.int32)


def _paired_exprs(left: Ints, right: Ints, names: Ints, symbols: Ints, bindings: Ints) -> Ints:
    """Equal rows; the operands of each come before it."""
    op = right[:, 0]
    translated = right.copy()
    for column, operand_is in ((1, _FIRST_IS[op]), (2, _SECOND_IS[op])):
        for meant, numbers in ((_NAME, names), (_BINDING, bindings), (_SYMBOL, symbols)):
            where = np.flatnonzero(operand_is == meant)
            translated[where, column] = numbers[right[where, column]]
    begin = _alike_at_first(left, translated)
    row_of = {tuple(row): place for place, row in enumerate(left[begin:].tolist(), begin)}
    found = [*range(begin)]
    is_first, is_second = (_FIRST_IS[op] == _EXPR).tolist(), (_SECOND_IS[op] == _EXPR).tolist()
    for place, (which, a, b) in enumerate(translated[begin:].tolist(), begin):
        first = found[a] if is_first[place] and a >= 0 else a
        second = found[b] if is_second[place] and b >= 0 else b
        is_known = (first >= 0 or a < 0 or not is_first[place]) and (second >= 0 or b < 0 or not is_second[place])
        found.append(row_of.get((which, first, second), GONE) if is_known else GONE)
    return np.array([*found, -1], dtype=np.int32)


def _alike_at_first(left: Ints, right: Ints) -> int:
    """How many rows are equal before the first that are not."""
    count = min(len(left), len(right))
    differs = (left[:count] != right[:count]).any(axis=1)
    place = int(differs.argmax()) if count else 0
    return place if count and differs[place] else count
