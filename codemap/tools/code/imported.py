"""Finds the import statements that a piece of code needs: those that bind a name in it, and star imports."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from codemap.facts import Binding, Import, ImportFlag, Source, SourceKind, rows
from codemap.tools.code.excerpts import Excerpt, Text
from codemap.tools.code.texts import FileText

_WORD = re.compile(r"\w+")


def import_excerpts(
    file: FileText, code: Iterable[str], taken: Iterable[tuple[int, int]], borders: Sequence[tuple[int, int]]
) -> Iterator[Excerpt]:
    """The statements of a file that bind names in some code of it, but for those within lines that are shown anyway.

    `borders` are the lines at which the file's statements begin, with their depths.
    """
    words = {word for one in code for word in _WORD.findall(one)}
    starts = sorted(line for line, depth in borders if depth == 0) or [1]
    inside = list(taken)
    shown = 0
    for line in sorted({line for line in _find_lines(file, words) if not any(a <= line <= b for a, b in inside)}):
        if line <= shown:
            continue
        first = max((start for start in starts if start <= line), default=line)
        after = min((start for start in starts if start > line), default=len(file.text.lines) + 1)
        last = _find_end(file.text, first, max(line, after - 1), line)
        yield file.text.excerpt(first, last)
        shown = last


def _find_lines(file: FileText, words: set[str]) -> Iterator[int]:
    facts = file.parsed.facts
    imports, bindings, sources = rows(facts.imports), rows(facts.bindings), rows(facts.sources)
    for at in range(0, len(imports), Import.WIDTH):
        flags = imports[at + Import.FLAGS]
        if imports[at + Import.IMPORTED] == Import.STAR and not flags & ImportFlag.IMPLICIT:
            yield imports[at + Import.LINE]
    for at in range(0, len(bindings), Binding.WIDTH):
        if bindings[at + Binding.SPACE] or facts.names[bindings[at + Binding.NAME]] not in words:
            continue
        first, count = bindings[at + Binding.FIRST], bindings[at + Binding.COUNT]
        for source in range(first * Source.WIDTH, (first + count) * Source.WIDTH, Source.WIDTH):
            if sources[source + Source.KIND] == SourceKind.IMPORT:
                row = sources[source + Source.A] * Import.WIDTH
                if not imports[row + Import.FLAGS] & ImportFlag.IMPLICIT:
                    yield imports[row + Import.LINE]


def _find_end(text: Text, first: int, last: int, least: int) -> int:
    """The last line of a statement, before the empty lines and comments that follow it."""
    while last > max(first, least) and not text.lines[last - 1].strip():
        last -= 1
    return last
