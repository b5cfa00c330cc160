"""The complexity of the functions of a file, as a parser process reports it for metrics.

It is asked for when needed and is kept by content, apart from `codemap.facts`, which has what the map needs.

Rules of the file:
- Lines and columns are 1-based, columns count UTF-16 code units.
- A closure that the language's table counts for the function around it is in no row of its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import msgspec

from codemap.facts import FileFacts, Symbol, SymbolKind, qualified_names, rows

MEASURES_VERSION = 3
"""Changes whenever the same source would give other measures."""

_FUNCTIONS = frozenset((SymbolKind.FUNCTION, SymbolKind.METHOD, SymbolKind.PROPERTY))


class FunctionMeasures(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """One function that has a body."""

    line: int
    """Of its first character, decorators and modifiers that stand apart not included."""
    end_line: int
    body_line: int
    """Where its body begins; its name comes before."""
    body_col: int
    cyclomatic: int
    """1, and 1 for each decision, boolean operators included; without the functions in it."""
    cognitive: int
    """With the functions in it, as the white paper counts them; recursion, which only a map can find, not counted."""
    nesting: int
    """The most control structures inside one another."""
    parameters: int
    """As declared, without a receiver."""
    outer: int = -1
    """Which function of the file it is in, by place; -1 for none."""
    is_value: bool = False
    """Whether it has no name of its own; what it is assigned to may have one."""


class FileMeasures(msgspec.Struct, frozen=True, array_like=True, gc=False):
    lines: int
    code_lines: int
    """Neither empty nor comment alone."""
    comment_lines: int
    """Comment alone."""
    decisions: int
    """Outside of functions."""
    functions: tuple[FunctionMeasures, ...]
    """In order of where they begin, an outer one before those in it."""


class Measuring(msgspec.Struct, frozen=True):
    """What was measured of some files."""

    of: Mapping[str, tuple[bytes, FileMeasures]]
    """Path -> the digest of the content, and its measures."""
    unseen: int = 0
    """Files that there was no time for."""


class DefinitionMeasures(msgspec.Struct, frozen=True):
    """The measures of a function, and the definition that it belongs to."""

    row: int
    """Of the symbol table: the definition that it is, or the innermost around it."""
    is_definition: bool
    """False of a function that no name in the map means: a callback."""
    is_whole: bool
    """Whether it is all of the definition; not so of the getter and the setter of one property."""
    measures: FunctionMeasures


def attribute(symbols: memoryview, measures: FileMeasures) -> Iterator[DefinitionMeasures]:
    """The functions of a file with their definitions, by where their bodies begin. `symbols` are the cells of the
    symbol table of the same content.

    A function belongs to the definition around it whose name comes last before its body. That is its own name unless
    the function is a value and another has the name already, or is in a function of that definition.
    """
    of: dict[FunctionMeasures, int] = {}
    own: dict[int, list[FunctionMeasures]] = {}
    """Of each row: the functions that have its name."""
    for one, row, kind in _rows_around(symbols, measures):
        of[one] = row
        outer = -1 if one.outer < 0 else of.get(measures.functions[one.outer], -1)
        if kind in _FUNCTIONS and outer != row and not (one.is_value and row in own):
            own.setdefault(row, []).append(one)
    for one, row in of.items():
        named = own.get(row, ())
        yield DefinitionMeasures(row, one in named, len(named) == 1, one)


def _rows_around(symbols: memoryview, measures: FileMeasures) -> Iterator[tuple[FunctionMeasures, int, int]]:
    """Each function, the row of its definition, and of which kind that is."""
    cells, width = symbols.tolist(), Symbol.WIDTH
    table = [cells[at : at + width] for at in range(0, len(cells), width)]
    order = sorted(range(1, len(table)), key=lambda row: (table[row][Symbol.LINE], table[row][Symbol.COL]))
    waiting = 0
    open_rows: list[int] = []
    """Definitions whose names come before, those that have ended taken out when met."""
    for one in sorted(measures.functions, key=lambda each: (each.body_line, each.body_col)):
        at = (one.body_line, one.body_col)
        while waiting < len(order) and _name(table[order[waiting]]) < at:
            open_rows.append(order[waiting])
            waiting += 1
        open_rows = [row for row in open_rows if table[row][Symbol.END_LINE] >= one.line]
        row = next((row for row in reversed(open_rows) if _is_around(table[row], one)), 0)
        yield one, row, table[row][Symbol.KIND]


def by_definition(facts: FileFacts, measures: FileMeasures) -> dict[str, FunctionMeasures]:
    """Qualified name, with `~n` from the second of a name on -> the measures of that function."""
    names = numbered_names(facts)
    return {names[one.row]: one.measures for one in attribute(rows(facts.symbols), measures) if one.is_definition}


def numbered_names(facts: FileFacts) -> list[str]:
    """Of each row of the symbol table, as in a node ID: `Store.get~2` is the second of that name; the file has none."""
    ordinals = rows(facts.symbols).tolist()[Symbol.ORDINAL :: Symbol.WIDTH]
    named = zip(qualified_names(facts), ordinals, strict=True)
    return [f"{name}~{ordinal}" if ordinal > 1 else name for name, ordinal in named]


def _name(symbol: list[int]) -> tuple[int, int]:
    return symbol[Symbol.LINE], symbol[Symbol.COL]


def _is_around(symbol: list[int], one: FunctionMeasures) -> bool:
    return symbol[Symbol.START_LINE] <= one.line and one.end_line <= symbol[Symbol.END_LINE]
