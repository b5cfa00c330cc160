"""Finds the definitions of one file by place: the one that a position names, and those around a line.

A definition is a row of the file's symbol table; row 0 is the file.
"""

from __future__ import annotations

from codemap.facts import Symbol
from codemap.graph.model.indexed_file import IndexedFile, W
from codemap.live_queries import Place


def name_place(file: IndexedFile, row: int) -> tuple[int, int]:
    """Line and column of a definition's name; the beginning for the file itself."""
    return (file.cell(row, Symbol.LINE), file.cell(row, Symbol.COL)) if row else (1, 1)


def rows_by_name_place(file: IndexedFile) -> dict[tuple[int, int], int]:
    """(line, column) of the name -> row, of every definition; the first where two are at one place."""
    lines, columns = file.symbols[Symbol.LINE :: W].tolist(), file.symbols[Symbol.COL :: W].tolist()
    found: dict[tuple[int, int], int] = {}
    for row in range(1, len(lines)):
        found.setdefault((lines[row], columns[row]), row)
    return found


def row_of_place(file: IndexedFile, names: dict[tuple[int, int], int], place: Place) -> int | None:
    """The definition that a place is: of its name, of the whole of it, or the beginning of the file for the file.

    `names` is `rows_by_name_place(file)`.
    """
    exact = names.get((place.line, place.col))
    if exact is not None and (place.line, place.col) == (1, 1):
        width = utf16_length(file.name_of(exact))
        return exact if (place.end_line, place.end_col) == (1, 1 + width) else 0
    if exact is not None:
        return exact
    if (place.line, place.col) == (1, 1):
        return 0
    begin, end = (place.line, place.col), (place.end_line, place.end_col)
    if end <= begin:
        return None
    return next(
        (
            row
            for at, row in names.items()
            if begin <= at < end
            and file.cell(row, Symbol.START_LINE) == place.line
            and file.cell(row, Symbol.END_LINE) <= place.end_line
        ),
        None,
    )


def enclosing_rows(file: IndexedFile, line: int) -> tuple[int, ...]:
    """The definitions around a line, the outermost first; without the file. Cost: the symbols of the file."""
    return chain(file, file.innermost_row(line))


def chain(file: IndexedFile, row: int) -> tuple[int, ...]:
    """A definition and those around it, the outermost first; without the file."""
    found = []
    while row > 0:
        found.append(row)
        row = file.cell(row, Symbol.PARENT)
    return tuple(reversed(found))


def utf16_length(text: str) -> int:
    return len(text) + sum(char > "\uffff" for char in text)
