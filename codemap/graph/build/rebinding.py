"""Binding the files that an edit affects, and keeping the edges of the others."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping, Sequence, Set
from itertools import pairwise
from types import MappingProxyType
from typing import NamedTuple

import msgspec
import numpy as np

from codemap.depth import deep_recursion
from codemap.facts import Symbol
from codemap.graph.build.bind import bind
from codemap.graph.build.bound_file import Bound
from codemap.graph.build.inventory import Inventory
from codemap.graph.build.name_guesses import (
    Answers,
    Visibility,
    guess,
    imported_before,
    imported_paths,
    undecided_names,
)
from codemap.graph.build.patches import Patches, patch, taken
from codemap.graph.build.table_assembly import Assembly, Dangling
from codemap.graph.incremental.edge_reuse import find_reusable
from codemap.graph.incremental.invalidation import Invalidated
from codemap.graph.incremental.noted_questions import Noted
from codemap.graph.incremental.renumbering import move_nodes, renumber_files
from codemap.graph.incremental.state import State
from codemap.graph.model.definitions import Definitions, definitions_of
from codemap.graph.model.edges import EdgeKind, EdgeTable, Ints, UnresolvedTable
from codemap.graph.model.indexed_file import IndexedFile
from codemap.graph.model.records import Records
from codemap.graph.model.snapshot import Snapshot
from codemap.graph.model.steps import with_progress
from codemap.mangled_names import demangle


class Progress(msgspec.Struct, frozen=True):
    """How far a build is, in files bound."""

    done: int
    total: int
    is_free: bool = False
    """Whether what was made for the time of binding has just been let go."""


class Event(NamedTuple):
    """A file was bound."""

    path: str
    definitions: frozenset[str] | None
    """Qualified names of those that were bound, where others kept their edges; None where all were."""


class Linked(NamedTuple):
    edges: EdgeTable
    unresolved: UnresolvedTable
    names: Sequence[str]
    """That `unresolved` refers to."""
    externals: tuple[tuple[str, str], ...]
    missing_by_file: Ints
    renumber: Ints | None
    """The node of each previous one, where edges were kept and nodes have other numbers."""
    patches: Patches | None = None
    """What the tables are made of, where they are not made yet."""
    events: Sequence[Event] = ()
    guessed: Mapping[str, Sequence[str]] = MappingProxyType({})
    """File that was bound -> names of its undecided uses, before those are guessed, in order."""
    noted: Noted | None = None
    """What the files asked, as far as it was collected."""


def link(
    previous: Snapshot, after: State, dirty: Invalidated, *, is_aligned: bool
) -> Generator[Progress, None, Linked | None]:
    """Binds what is dirty and keeps the edges of the others; None where that leaves one dangling.

    `is_aligned`: every node has the number that it has in `previous`.
    """
    files, evaluator = after.files, after.evaluator
    graph_files = evaluator.files
    bounds: dict[int, Bound] = {}
    todo = sorted((after.by_path[path] for path in dirty.paths), key=_number)
    whole = Progress(len(todo), len(todo))
    for done, file in enumerate(todo):
        change = dirty.changes.get(file.path)
        keep = find_reusable(change) if change is not None else None
        with deep_recursion():
            bounds[file.number] = bind(evaluator, graph_files[file.path], keep)
        yield Progress(done, len(todo))
    imports: dict[int, Set[str]] = {}
    for number, bound in bounds.items():
        imports[number] = imported_paths(files, after.bases, bound)
        yield whole
    others: dict[int, IndexedFile] = {}
    for number in bounds:
        others |= _guessing_otherwise(previous, after, bounds, number, imports)
        yield whole
    for number, file in others.items():
        with deep_recursion():
            bounds[number] = bind(evaluator, graph_files[file.path])
        imports[number] = imported_paths(files, after.bases, bounds[number])
        yield whole
    guessed: dict[str, Sequence[str]] = {}
    visible, answers = Visibility(files, after.by_path, imports, previous), Answers(after.definitions)
    for number, bound in bounds.items():
        guessed[files[number].path] = undecided_names(bound)
        guess(answers, visible.from_file(number), files[number], bound)
        yield whole
    events = [_event(files[number], bound) for number, bound in bounds.items()]
    if is_aligned:
        spliced = yield from with_progress(whole, patch(previous, files, bounds))
        if spliced is not None:
            return Linked(
                spliced.edges,
                spliced.unresolved,
                spliced.names,
                previous.externals,
                spliced.missing_by_file,
                None,
                spliced.patches,
                events,
                guessed,
            )
    linked = yield from _assembled(previous, after, bounds, whole)
    return None if linked is None else linked._replace(events=events, guessed=guessed)


def _assembled(
    previous: Snapshot, after: State, bounds: Mapping[int, Bound], whole: Progress
) -> Generator[Progress, None, Linked | None]:
    assembly = Assembly(after.first_external, previous.names)
    now = renumber_files(previous, after)
    renumber = yield from _renumbered(previous, after, now, bounds, whole)
    for number, package in enumerate(previous.externals):
        renumber[previous.first_external + number] = assembly.external(package)
    try:
        for _ in _assemble(assembly, previous, after.files, now, bounds, renumber):
            yield whole
    except Dangling:
        return None
    edges, externals = assembly.edges()
    yield whole
    unresolved = assembly.unresolved()
    return Linked(edges, unresolved, assembly.names, externals, assembly.missing_imports, renumber)


def _event(file: IndexedFile, bound: Bound) -> Event:
    if bound.kept is None:
        return Event(file.path, None)
    again = np.flatnonzero(bound.kept.rows < 0).tolist()
    return Event(file.path, frozenset(file.qualified_name(row) for row in again if row))


def _number(file: IndexedFile) -> int:
    return file.number


def definitions_before(previous: Snapshot | None) -> Generator[None, None, Definitions | None]:
    """Which definitions a name could mean, in steps; None where no build asks for that."""
    if previous is None or previous.definitions is not None or previous.records is None:
        return None if previous is None else previous.definitions
    return (yield from definitions_of(previous.files))


def definitions_after(before: Definitions | None, inventory: Inventory) -> Generator[None, None, Definitions]:
    """Which definitions a name can mean now, in steps; only changed files are read where the paths are the previous
    ones."""
    if before is None or not inventory.has_same_paths:
        return (yield from definitions_of(inventory.files))
    return (yield from before.after(inventory.files, inventory.changed))


def _assemble(
    assembly: Assembly,
    previous: Snapshot,
    files: Sequence[IndexedFile],
    now: Ints | None,
    bounds: Mapping[int, Bound],
    renumber: Ints,
) -> Iterator[None]:
    """Adds every file's rows in order: what was bound now, and runs of what is kept. `now` is what `renumber_files`
    finds. Raises Dangling."""
    before = np.arange(len(files), dtype=np.int32) if now is None else _inverse(now, len(files))
    leaps = (np.flatnonzero(np.diff(before) != 1) + 1).tolist()
    cuts = sorted({0, *bounds, *(number + 1 for number in bounds), *leaps, len(files)})
    for number, end in pairwise(cuts):
        bound = bounds.get(number)
        if bound is None:
            first = int(before[number])
            assembly.keep(previous, first, first + end - number, renumber)
        elif bound.kept is None:
            assembly.add(bound)
        else:
            old = previous.by_path[files[number].path]
            assembly.add(bound, taken(previous, old, bound.kept, files[number].base), renumber)
        yield


def _inverse(numbers: Ints, count: int) -> Ints:
    """Of each of `count` places, the place in `numbers` that has its number; -1 where none has."""
    found = np.full(count, -1, dtype=np.int32)
    found[numbers[numbers >= 0]] = np.flatnonzero(numbers >= 0)
    return found


def _renumbered(
    previous: Snapshot, after: State, now: Ints | None, bounds: Mapping[int, Bound], whole: Progress
) -> Generator[Progress, None, Ints]:
    """The new nodes of the previous ones, -1 where a definition is gone; external ones as they were. `now` is what
    `renumber_files` finds."""
    found = ((previous.by_path.get(after.files[number].path), after.files[number]) for number in sorted(bounds))
    # Whatever was edited is bound.
    edited = [(old, file) for old, file in found if old is not None and file.held is not old.held]
    yield whole
    renumber = np.arange(previous.node_count, dtype=np.int32)
    renumber[: previous.first_external] = move_nodes(previous, after, now, gone=-1)
    for old, file in edited:
        renumber[old.base : old.base + old.symbol_count] = _nodes_after(old, file, bounds)
        yield whole
    return renumber


def _nodes_after(old: IndexedFile, file: IndexedFile, bounds: Mapping[int, Bound]) -> list[int]:
    """The nodes of the definitions of a file's previous version, -1 where one is gone."""
    bound = bounds.get(file.number)
    rows = bound.kept.rows if bound is not None and bound.kept is not None else np.zeros(0, dtype=np.int32)
    now = np.full(old.symbol_count, -1, dtype=np.int32)
    now[rows[rows >= 0]] = np.flatnonzero(rows >= 0)
    now[0] = 0
    return [file.base + row if row >= 0 else _same(file, old, place) for place, row in enumerate(now.tolist())]


def _same(file: IndexedFile, old: IndexedFile, row: int) -> int:
    """The node in `file` of a definition of its previous version."""
    ordinal = old.symbols[row * Symbol.WIDTH + Symbol.ORDINAL]
    found = file.rows_by_name.get((old.qualified_name(row), ordinal))
    return -1 if found is None else file.base + found


def _guessing_otherwise(
    previous: Snapshot, after: State, bounds: Mapping[int, Bound], number: int, imports: Mapping[int, Set[str]]
) -> dict[int, IndexedFile]:
    """Files not wholly bound yet, by number, that may guess otherwise, if the imports of one changed: itself, where it
    guesses by a name that files have which it ceased to see or began to, and those that import it, which see only what
    it imports."""
    found: dict[int, IndexedFile] = {}
    old = previous.by_path.get(after.files[number].path)
    if old is None or previous.records is None:
        return found
    seen_otherwise = imports[number] ^ imported_before(previous, old)
    behind: set[str] = set()
    for path in seen_otherwise:
        before, now = previous.by_path.get(path), after.by_path.get(path)
        behind |= imported_before(previous, before) if before is not None else set()
        behind |= imports.get(now.number, set()) if now is not None else set()
    if bounds[number].kept is not None and old.number in _guessing(previous.records, after, seen_otherwise | behind):
        found[number] = after.files[number]
    guessing = _guessing(previous.records, after, seen_otherwise)
    for edge in previous.edges_in(old.base) if guessing else ():
        source = previous.file_of(edge.source)
        if edge.kind == EdgeKind.IMPORTS and source is not None and source.number in guessing:
            importer = after.by_path.get(source.path)
            known = bounds.get(importer.number) if importer is not None else None
            if importer is not None and (known is None or known.kept is not None):
                found[importer.number] = importer
    return found


def _guessing(records: Records, after: State, paths: Set[str]) -> set[int]:
    """The files, by number before, that guess by a name that some files have."""
    files = [after.by_path[path] for path in paths if path in after.by_path]
    names = {demangle(name) for file in files for name in file.symbol_names}
    return set().union(*records.guessing(names).values()) if names else set()
