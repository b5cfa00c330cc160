"""Names that an edit of a file makes other lookups find: among all definitions, and in namespaces of the file."""

from __future__ import annotations

from collections.abc import Hashable, Set
from typing import NamedTuple

import msgspec

from codemap.facts import Import, Symbol, SymbolFlag, rows
from codemap.graph.evaluate.file_views import GraphFile
from codemap.graph.incremental.answer_comparison import describe_shape, find_path, read_spelling
from codemap.graph.incremental.file_changes import Change
from codemap.graph.incremental.state import State
from codemap.graph.model.definitions import interface_rows, part_rows
from codemap.graph.model.indexed_file import IndexedFile
from codemap.graph.model.snapshot import Snapshot
from codemap.graph.model.used_names import called_name
from codemap.project import Module, Resolution


class Lookups(NamedTuple):
    """Names that are looked up with another result."""

    listed: Set[str]
    """Among all definitions of a name."""
    members: Set[str]
    """In a namespace of the file."""


def find_changed_lookups(change: Change) -> Lookups:
    """The names under which lookups find something else in a file than before, whatever that means."""
    if change.names is not None and not change.names:
        return Lookups(frozenset(), frozenset())
    sides = [None if file is None else GraphFile.of(file) for file in (change.old, change.new)]
    said = [{} if file is None else _said(file, change.names) for file in sides]
    listed = {name for name in said[0].keys() | said[1].keys() if said[0].get(name) != said[1].get(name)}
    spaces = [{} if file is None else _spaces(file, change.names) for file in sides]
    members = {key[1] for key in spaces[0].keys() | spaces[1].keys() if spaces[0].get(key) != spaces[1].get(key)}
    if change.names is None:
        by_others = [set() if file is None else {*interface_rows(file), *part_rows(file)} for file in change[1:3]]
        if listed or by_others[0] != by_others[1]:
            listed |= {name for _, name in by_others[0] | by_others[1]}
    return Lookups(listed, members)


def _said(file: GraphFile, only: Set[str] | None) -> dict[str, list[Hashable]]:
    """Name -> its definitions and what is read of them."""
    found: dict[str, list[Hashable]] = {}
    for row in range(1, file.symbol_count):
        name = file.name_of(row)
        if only is None or name in only:
            found.setdefault(name, []).append(_found(file, row))
    return found


def _found(file: GraphFile, row: int) -> Hashable:
    is_alias = file.cell(row, Symbol.FLAGS) & SymbolFlag.ALIAS
    other_name = called_name(file.facts, file.cell(row, Symbol.VALUE)) if is_alias else ""
    return (find_path(file, row), describe_shape(file, row), read_spelling(file, row), other_name)


def _spaces(file: GraphFile, only: Set[str] | None) -> dict[tuple[Hashable, str], Hashable]:
    """(namespace, name) -> what is found there before it is asked what it means."""
    found: dict[tuple[Hashable, str], Hashable] = {}
    for space, listed in file.members.items():
        path = find_path(file, space)
        found.update({(path, name): True for name in listed if only is None or name in only})
    for space, children in file.children.items():
        path = find_path(file, space)
        for name, row in children.items():
            if only is None or name in only:
                found[path, name] = (found.get((path, name)), _found(file, row))
    return found


def specifiers_of(file: IndexedFile) -> set[str]:
    """What a file's imports ask for."""
    cells, names = rows(file.facts.imports), file.facts.names
    return {names[cells[at + Import.SPECIFIER]] for at in range(0, len(cells), Import.WIDTH)}


def imports_otherwise(file: IndexedFile, previous: Snapshot, after: State, touched: Set[str]) -> bool:
    """Whether an import of a file means another module, or one to which other files belong that are untouched, or that
    the file leads to already: an import of a module of several files leads to those of which something is used."""
    left_resolver, right_resolver = previous.resolvers.get(file.lang), after.resolver(file.lang)
    if left_resolver is None or right_resolver is None:
        return True
    for specifier in specifiers_of(file):
        left, right = left_resolver.resolve(specifier, file.path), right_resolver.resolve(specifier, file.path)
        if left is right:
            continue
        if isinstance(left, Module) and isinstance(right, Module) and left.files != right.files:
            others = left.files ^ right.files
            if others - touched or _leads_to(previous, file.path, others):
                return True
        if _apart_from_files(left) != _apart_from_files(right):
            return True
    return False


def _leads_to(previous: Snapshot, path: str, others: Set[str]) -> bool:
    """Whether an edge led from a file to one of some others."""
    file, table = previous.by_path.get(path), previous.edges
    if file is None:
        return False
    targets = table.target[table.out_start[file.base] : table.out_start[file.base + file.symbol_count]]
    known = filter(None, map(previous.by_path.get, others))
    return any(bool(((targets >= each.base) & (targets < each.base + each.symbol_count)).any()) for each in known)


def _apart_from_files(resolution: Resolution) -> Resolution:
    """A resolution but for which files the module has besides the first: an import leads to those that it uses."""
    if isinstance(resolution, Module) and resolution.files:
        return msgspec.structs.replace(resolution, files=frozenset({""}))
    return resolution
