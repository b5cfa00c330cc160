"""Warns of answers about a file in which not everything was understood: what is near an error may be wrong, and what a
macro expands to, or an import that leads nowhere brings, is not known."""

from __future__ import annotations

import re
from collections import Counter

from codemap.facts import Symbol, UseRole
from codemap.graph.model.indexed_file import IndexedFile
from codemap.graph.model.snapshot import Snapshot
from codemap.graph.model.used_names import uses_outside_functions
from codemap.languages import by_name

MACROS_NAMED = 5
"""Macros that a warning names, those that are called most."""


def warn_of_errors(file: IndexedFile | None) -> list[str]:
    """What an answer about a definition of a file cannot know, as the file has syntax errors; nothing where it has
    none."""
    if file is None or not file.error_bytes:
        return []
    share = min(99.9, int(1000 * max(0.0, 1 - file.error_bytes / max(1, file.size))) / 10)
    return [
        f"{file.path} is {share:g} % parsed: definitions near its syntax errors may be missing or nested wrongly, and "
        "uses in them are not known."
    ]


def warn_of_imports(snapshot: Snapshot, file: IndexedFile) -> list[str]:
    """What an answer about a file cannot know, as imports that must mean something in the repository do not."""
    count = int(snapshot.missing_by_file[file.number])
    if not count:
        return []
    return [f"{count} import(s) of {file.path} lead to no file of the repository: what they bring is not known."]


def warn_of_macros(file: IndexedFile, row: int) -> list[str]:
    """What an answer about a file, namespace or class cannot know, as macros are called in it outside of functions that
    nothing has expanded; nothing where there are none, or a definition was made of each. Cost: the uses of the file."""
    macros = by_name()[file.facts.dialect or file.lang].scopes.macros
    if not macros:
        return []
    made = {file.cell(one, Symbol.START_LINE) for one in range(1, file.symbol_count)}
    found: Counter[str] = Counter()
    for owner, name, lines in uses_outside_functions(file, UseRole.CALL):
        if re.fullmatch(macros, name) and _is_inside(file, owner, row):
            found[name] += sum(line not in made for line in lines)
    found = +found
    if not found:
        return []
    named = sorted(found, key=lambda name: (-found[name], name))[:MACROS_NAMED]
    more = ", …" if len(found) > len(named) else ""
    counted = (f"{name} {found[name]}" if found[name] > 1 else name for name in named)
    return [
        f"{found.total()} macro call(s) outside of functions are not expanded ({', '.join(counted)}{more}): what they "
        "define or call is not known."
    ]


def _is_inside(file: IndexedFile, inner: int, outer: int) -> bool:
    while inner > outer:
        inner = file.cell(inner, Symbol.PARENT)
    return inner == outer
