"""Finds the definitions that files export under another name than their own (`export { open as openStore }`)."""

from __future__ import annotations

from collections.abc import Iterator

from codemap.facts import Binding, Export, Source, SourceKind, rows
from codemap.graph.model.indexed_file import IndexedFile
from codemap.graph.model.snapshot import Snapshot
from codemap.graph.words.word_files import files_with

_SYMBOL = int(SourceKind.SYMBOL)


def find_exported_as(snapshot: Snapshot, name: str) -> list[int]:
    """The nodes that are exported under a name, by the files that define them. Cost: the files that have the word."""
    return [file.base + row for file in files_with(snapshot, name) for row in _find_in(file, name)]


def _find_in(file: IndexedFile, name: str) -> Iterator[int]:
    facts = file.facts
    exports = rows(facts.exports)
    for at in range(0, len(exports), Export.WIDTH):
        number, binding = exports[at + Export.NAME], exports[at + Export.BINDING]
        if number >= 0 and binding >= 0 and facts.names[number] == name:
            source = rows(facts.bindings)[binding * Binding.WIDTH + Binding.FIRST] * Source.WIDTH
            kind, symbol = rows(facts.sources)[source : source + Source.B].tolist()
            if kind == _SYMBOL:
                yield symbol
