"""Names that an edit of a file makes other lookups find: among all definitions, and in namespaces of the file."""

from __future__ import annotations

from collections.abc import Hashable, Set
from typing import NamedTuple

import numpy as np

from codemap.facts import Import, Symbol, rows
from codemap.graph.evaluate.files import GraphFile
from codemap.graph.incremental.file_changes import Change
from codemap.graph.incremental.fingerprints import path_of, shape, spelled
from codemap.graph.model.definitions import interface_rows, part_rows
from codemap.graph.model.indexed import IndexedFile
from codemap.languages import by_name


class Lookups(NamedTuple):
    """Names that are looked up with another result."""

    listed: Set[str]
    """Among all definitions of a name."""
    members: Set[str]
    """In a namespace of the file."""


def find_changed_lookups(change: Change) -> Lookups:
    """What of a file is found otherwise by name than before, whatever it means."""
    if change.names is not None and not change.names:
        return Lookups(frozenset(), frozenset())
    sides = [None if file is None else _graph_file(file) for file in (change.old, change.new)]
    said = [_said(file, change.names) for file in sides]
    listed = {name for name in said[0].keys() | said[1].keys() if said[0].get(name) != said[1].get(name)}
    spaces = [_spaces(file, change.names) for file in sides]
    members = {key[1] for key in spaces[0].keys() | spaces[1].keys() if spaces[0].get(key) != spaces[1].get(key)}
    if change.names is None:
        by_others = [set() if file is None else {*interface_rows(file), *part_rows(file)} for file in change[1:3]]
        if listed or by_others[0] != by_others[1]:
            listed |= {name for _, name in by_others[0] | by_others[1]}
    return Lookups(listed, members)


def _graph_file(file: IndexedFile) -> GraphFile:
    return GraphFile(file.path, file.facts, by_name()[file.lang], 0)


def _said(file: GraphFile | None, only: Set[str] | None) -> dict[str, list[Hashable]]:
    """Name -> its definitions and what is read of them."""
    found: dict[str, list[Hashable]] = {}
    for row in range(1, file.symbol_count) if file is not None else ():
        assert file is not None
        name = file.names[file.cell(row, Symbol.NAME)]
        if only is None or name in only:
            found.setdefault(name, []).append(_found(file, row))
    return found


def _found(file: GraphFile, row: int) -> Hashable:
    return (path_of(file, row), shape(file, row), spelled(file, row))


def _spaces(file: GraphFile | None, only: Set[str] | None) -> dict[tuple[Hashable, str], Hashable]:
    """(namespace, name) -> what is found there before it is asked what it means."""
    found: dict[tuple[Hashable, str], Hashable] = {}
    if file is not None:
        for space, listed in file.members.items():
            path = path_of(file, space)
            found.update({(path, name): True for name in listed if only is None or name in only})
        for space, children in file.children.items():
            path = path_of(file, space)
            for name, row in children.items():
                if only is None or name in only:
                    found[path, name] = (found.get((path, name)), _found(file, row))
    return found


def rows_after(change: Change) -> list[int]:
    """Of each definition before, its row now, -1 where it is gone; none for a file that is."""
    if change.new is None or change.old is None:
        return []
    if change.like is not None:
        now = np.full(len(change.like.old.symbols) // (4 * Symbol.WIDTH), -1, dtype=np.int32)
        before = change.like.symbols[:-1]
        now[before[before >= 0]] = np.flatnonzero(before >= 0)
        found: list[int] = now.tolist()
        return found
    old, new = _graph_file(change.old), _graph_file(change.new)
    of_path = {path_of(new, row): row for row in range(new.symbol_count - 1, -1, -1)}
    return [of_path.get(path_of(old, row), -1) for row in range(old.symbol_count)]


def specifiers_of(file: IndexedFile) -> set[str]:
    """What a file's imports ask for."""
    cells, names = rows(file.facts.imports), file.facts.names
    return {names[cells[at + Import.SPECIFIER]] for at in range(0, len(cells), Import.WIDTH)}
