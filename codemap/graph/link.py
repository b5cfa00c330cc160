"""Binding the files that an edit affects, and keeping the edges of the others."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping, Set
from typing import NamedTuple

import msgspec
import numpy as np

from codemap.depth import deep_recursion
from codemap.facts import Symbol
from codemap.graph.assemble import Assembly, Dangling
from codemap.graph.bind import Bound, bind
from codemap.graph.definitions import Definitions
from codemap.graph.edges import EdgeKind, EdgeTable, Ints
from codemap.graph.guess import Visibility, guess, imported_before, imported_paths
from codemap.graph.indexed import IndexedFile
from codemap.graph.snapshot import Snapshot
from codemap.graph.states import State


class Progress(msgspec.Struct, frozen=True):
    """How far a build is, in files bound."""

    done: int
    total: int


class Linked(NamedTuple):
    edges: EdgeTable
    externals: tuple[tuple[str, str], ...]
    assembly: Assembly
    renumber: Ints | None
    """The node of each previous one, where edges were kept."""


def link(previous: Snapshot | None, after: State, dirty: Set[str] | None) -> Generator[Progress, None, Linked | None]:
    """Binds the dirty files (None: all) and keeps the edges of the others; None where that leaves one dangling."""
    files, evaluator, definitions = after.files, after.evaluator, after.definitions
    graph_files = evaluator.files
    bounds: dict[int, Bound] = {}
    todo = [file for file in files if dirty is None or file.path in dirty]
    for done, file in enumerate(todo):
        with deep_recursion():
            bounds[file.number] = bind(evaluator, graph_files[file.path])
        yield Progress(done, len(todo))
    if previous is not None:
        for file in _importers(previous, files, bounds):
            with deep_recursion():
                bounds[file.number] = bind(evaluator, graph_files[file.path])
            yield Progress(len(todo), len(todo))
    visible = Visibility(files, bounds, previous)
    for number, bound in bounds.items():
        guess(definitions, visible.from_file(number), files[number], bound)
        yield Progress(len(todo), len(todo))
    first_external = files[-1].base + files[-1].symbol_count if files else 0
    assembly = Assembly(first_external, previous.names if previous is not None else ())
    renumber = _renumber(previous, files, assembly) if previous is not None else None
    try:
        for _ in _assemble(assembly, previous, files, bounds, renumber):
            yield Progress(len(todo), len(todo))
    except Dangling:
        return None
    return Linked(*assembly.edges(), assembly, renumber)


def definitions_after(previous: Snapshot | None, files: tuple[IndexedFile, ...]) -> Definitions:
    """Which definitions a name could mean; only changed files are read where the paths are the previous ones."""
    if previous is None or len(previous.files) != len(files):
        return Definitions(files, None, ())
    if previous.definitions is None or any(
        old.path != new.path for old, new in zip(previous.files, files, strict=True)
    ):
        return Definitions(files, None, ())
    changed = [new.number for old, new in zip(previous.files, files, strict=True) if old.held is not new.held]
    return Definitions(files, previous.definitions, changed)


def _assemble(
    assembly: Assembly,
    previous: Snapshot | None,
    files: tuple[IndexedFile, ...],
    bounds: Mapping[int, Bound],
    renumber: Ints | None,
) -> Iterator[None]:
    """Adds every file's rows in order: what was bound now, and runs of what is kept. Raises Dangling."""
    number = 0
    while number < len(files):
        bound = bounds.get(number)
        if bound is not None:
            assembly.add(bound)
            number += 1
            yield
            continue
        assert previous is not None, "only what was bound before is kept"
        assert renumber is not None, "made with the previous snapshot"
        first = previous.by_path[files[number].path].number
        last = first
        while number < len(files) and number not in bounds and _is_at(previous, last, files[number].path):
            last += 1
            number += 1
        assembly.keep(previous, first, last, renumber)
        yield


def _is_at(previous: Snapshot, number: int, path: str) -> bool:
    return number < len(previous.files) and previous.files[number].path == path


def _renumber(previous: Snapshot, files: tuple[IndexedFile, ...], assembly: Assembly) -> Ints:
    """The new node of each previous one, -1 where its definition is gone."""
    new = {file.path: file for file in files}
    result = np.arange(previous.node_count, dtype=np.int32)
    for old in previous.files:
        file = new.get(old.path)
        nodes = slice(old.base, old.base + old.symbol_count)
        if file is None:
            result[nodes] = -1
        elif file.held is old.held:
            if file.base != old.base:
                result[nodes] += file.base - old.base
        else:
            result[nodes] = [file.base, *(_same(file, old, row) for row in range(1, old.symbol_count))]
    for number, package in enumerate(previous.externals):
        result[previous.first_external + number] = assembly.external(package)
    return result


def _same(file: IndexedFile, old: IndexedFile, row: int) -> int:
    """The node in `file` of a definition of its previous version."""
    ordinal = old.symbols[row * Symbol.WIDTH + Symbol.ORDINAL]
    found = file.rows_by_name.get((old.qualified_name(row), ordinal))
    return -1 if found is None else file.base + found


def _importers(previous: Snapshot, files: tuple[IndexedFile, ...], bounds: Mapping[int, Bound]) -> list[IndexedFile]:
    """Files not bound yet that import one whose own imports changed: what they may guess changed with it."""
    new = {file.path: file for file in files}
    found: dict[int, IndexedFile] = {}
    for number, bound in bounds.items():
        old = previous.by_path.get(files[number].path)
        if old is None or imported_paths(files, bound) == imported_before(previous, old.base):
            continue
        for edge in previous.edges_in(old.base):
            source = previous.file_of(edge.source)
            if edge.kind == EdgeKind.IMPORTS and source is not None and source.path in new:
                importer = new[source.path]
                if importer.number not in bounds:
                    found[importer.number] = importer
    return list(found.values())
