"""Finds what is in use although no code of the repository uses it: programs, tests, what frameworks and languages call
by themselves, what a package offers to others. The `Liveness` of a language says what that is.

Rules of the file:
- A step from the roots keeps a definition whatever else is used; one from its owner keeps it as long as that is used.
- A member of something may be asked for by whatever its owner is handed to: the doubts here err to the safe side.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator, Mapping, Sequence

import numpy as np

from codemap.facts import Symbol, SymbolFlag, SymbolKind
from codemap.file_roles import Role
from codemap.graph.areas.entry_points import mains
from codemap.graph.index.columns import columns_of
from codemap.graph.index.inheritance import ARE_TYPES
from codemap.graph.index.node_roles import role_of_file, role_of_row
from codemap.graph.model.edges import BARE, FUNCTION_KINDS, EdgeKind, distinct
from codemap.graph.model.indexed_file import IndexedFile
from codemap.graph.model.snapshot import Snapshot
from codemap.graph.words.word_files import files_with
from codemap.impact.test_places import TEST_PLACES
from codemap.languages import by_name
from codemap.languages.language import Language
from codemap.languages.liveness import Publicity, is_found, is_name
from codemap.languages.manifest import Package
from codemap.unused.outside_bases import OutsideBases
from codemap.unused.public import Public
from codemap.unused.reading import Read
from codemap.unused.steps import Collected, Doubt, Steps, Why

_EXPORTED = int(SymbolFlag.EXPORTED)


def steps_of_roots(
    snapshot: Snapshot, roots: int, packages: Sequence[Package], read: Mapping[int, Read]
) -> Generator[None, None, Steps]:
    """All such steps, a file at a time; `roots` is the node that is always in use, `read` what files say by their
    numbers."""
    public = Public(snapshot, packages, read)
    yield
    found = Collected()
    for node in mains(snapshot, tuple(Role)):
        found.add(roots, node, Doubt.NONE, Why.ENTRY)
    for package in packages:
        for entry in package.entries:
            for node in _entered(snapshot, entry.file, entry.symbol):
                found.add(roots, node, Doubt.NONE, Why.ENTRY)
    outside = OutsideBases(snapshot, read)
    marked = {
        mark: {file.number for file in files_with(snapshot, mark)}
        for mark in {by_name()[file.lang].liveness.program_mark for file in snapshot.files} - {""}
    }
    acting, imported = _acting(snapshot), _imported(snapshot)
    for file in snapshot.files:
        language = by_name()[file.lang]
        role = role_of_file(file)
        is_started = _add_file(found, snapshot, file, language, role, roots, public, marked, acts=file.base in acting)
        is_loaded = language.liveness.loaded_names and is_found(language.liveness.loaded_paths, file.path)
        if is_loaded or (not is_started and file.base not in imported):
            _add_loaded(found, snapshot, file, language.liveness.loaded_names if is_loaded else r".*")
        known = read[file.number]
        if language.liveness.imports_whole and known.whole:
            _add_whole(found, snapshot, file, known)
        for node in range(file.base + 1, file.base + file.symbol_count):
            _add_definition(found, snapshot, file, node, known, language, role, roots, public, outside)
        if language.liveness.set_for_imports:
            is_offered = is_found(language.liveness.imported_paths, file.path) and public.has_file(file)
            _add_set_for_imports(found, snapshot, file, language.liveness.set_for_imports, is_offered=is_offered)
        yield
    for node in (yield from public.nodes()):
        found.add(roots, node, Doubt.SMALL, Why.PUBLIC)
    return found.steps()


def _add_loaded(found: Collected, snapshot: Snapshot, file: IndexedFile, names: str) -> None:
    """Whatever runs a file that no other imports may ask for what it exports, or passes on, by some names."""
    columns, name_of = columns_of(snapshot), snapshot.node_names.name_of
    exported = [node for node in columns.children_of(file.base).tolist() if columns.flags[node] & _EXPORTED]
    passed_on = [edge.target for edge in snapshot.edges_out(file.base, (EdgeKind.EXPORTS,))]
    for node in (*exported, *passed_on):
        if not snapshot.is_external(node) and not snapshot.is_file(node) and is_name(names, name_of(node)):
            found.add(file.base, node, Doubt.LARGE, Why.LOADED)


def _add_set_for_imports(
    found: Collected, snapshot: Snapshot, file: IndexedFile, pattern: str, *, is_offered: bool
) -> None:
    """What is defined above an import of a file outside the repository may be there for that file to read; what a file
    defines that is offered, for those that import it."""
    edges = snapshot.edges_out(file.base, (EdgeKind.IMPORTS,))
    outside = [line for edge in edges if snapshot.is_external(edge.target) for line, _ in snapshot.sites(edge)]
    last = max(outside, default=0)
    for row in range(1, file.symbol_count):
        is_above = file.cell(row, Symbol.LINE) < last
        if (is_above or is_offered) and is_found(pattern, _signature(file, row)):
            why = Why.SET_FOR_IMPORT if is_above else Why.PUBLIC
            found.add(file.base, file.base + row, Doubt.SMALL, why)


def _imported(snapshot: Snapshot) -> set[int]:
    """The nodes that some import or re-export names, files among them."""
    edges = snapshot.edges
    kinds = (int(EdgeKind.IMPORTS), int(EdgeKind.EXPORTS))
    return set(distinct(edges.target[np.isin(edges.kind, kinds)]).tolist())


def _acting(snapshot: Snapshot) -> set[int]:
    """The nodes that call something, files among them."""
    edges, undecided = snapshot.edges, snapshot.unresolved
    called = edges.source[edges.kind == int(EdgeKind.CALLS)]
    perhaps = undecided.source[(undecided.kind & ~BARE) == int(EdgeKind.CALLS)]
    return {*distinct(called).tolist(), *distinct(perhaps).tolist()}


def _entered(snapshot: Snapshot, path: str, symbol: str) -> Iterator[int]:
    file = snapshot.by_path.get(path)
    if file is None:
        return
    yield file.base
    row = file.rows_by_name.get((symbol, 1)) if symbol else None
    if row is not None:
        yield file.base + row


def _add_file(
    found: Collected,
    snapshot: Snapshot,
    file: IndexedFile,
    language: Language,
    role: Role,
    roots: int,
    public: Public,
    marked: Mapping[str, set[int]],
    *,
    acts: bool,
) -> bool:
    """Adds why a file runs that no other imports; whether it surely does, or is offered to others. `acts`: whether it
    calls something when it runs, so that somebody may start it by its path."""
    liveness = language.liveness
    for node in _above(snapshot, file, liveness.package_file) if liveness.package_file else ():
        found.add(file.base, node, Doubt.NONE, Why.BELONGS)
    if role is not Role.PRODUCT:
        found.add(roots, file.base, Doubt.NONE, Why.TEST if role is Role.TEST else Why.ENTRY)
    elif not liveness.loads_files or is_found(liveness.loaded_paths, file.path):
        found.add(roots, file.base, Doubt.NONE, Why.LOADED)
    elif file.number in marked.get(liveness.program_mark, ()):
        found.add(roots, file.base, Doubt.NONE, Why.ENTRY)
    elif public.has_file(file):
        found.add(roots, file.base, Doubt.SMALL, Why.PUBLIC)
    else:
        if acts:
            found.add(roots, file.base, Doubt.LARGE, Why.STARTED)
        return False
    return True


def _above(snapshot: Snapshot, file: IndexedFile, name: str) -> Iterator[int]:
    """The files of a name that run when a file below their folder is imported, the nearest first."""
    folder = file.path.rpartition("/")[0]
    while folder:
        other = snapshot.by_path.get(f"{folder}/{name}")
        if other is None:
            return
        if other is not file:
            yield other.base
        folder = folder.rpartition("/")[0]


def _add_whole(found: Collected, snapshot: Snapshot, file: IndexedFile, read: Read) -> None:
    """Modules that a file imports as values may be asked for anything that they export."""
    columns = columns_of(snapshot)
    for edge in snapshot.edges_out(file.base, (EdgeKind.IMPORTS, EdgeKind.EXPORTS)):
        if snapshot.is_external(edge.target) or read.whole.isdisjoint(snapshot.sites(edge)):
            continue
        for node in columns.children_of(edge.target).tolist():
            if columns.flags[node] & int(SymbolFlag.EXPORTED):
                found.add(file.base, node, Doubt.LARGE, Why.WHOLE_MODULE)


def _add_definition(
    found: Collected,
    snapshot: Snapshot,
    file: IndexedFile,
    node: int,
    read: Read,
    language: Language,
    role: Role,
    roots: int,
    public: Public,
    outside: OutsideBases,
) -> None:
    columns, liveness, name = columns_of(snapshot), language.liveness, snapshot.node_names.name_of(node)
    row, owner, kind = node - file.base, int(columns.parent[node]), int(columns.kind[node])
    owner_kind = int(columns.kind[owner])
    is_test = _is_test(snapshot, file, node, language, role)
    if is_test:
        found.add(roots, node, Doubt.NONE, Why.TEST)
    if role is Role.TEST and ARE_TYPES[kind] and outside.has(node, ""):  # a library may find and run its heirs
        found.add(owner, node, Doubt.LARGE, Why.OUTSIDE_BASE)
    if is_name(liveness.runtime_names, name) or (
        ARE_TYPES[owner_kind] and _constructs(snapshot, name, owner, language)
    ):
        found.add(owner, node, Doubt.NONE, Why.BELONGS)
    decorators = read.decorators.get(row, ())
    if any(one not in liveness.plain_decorators for one in decorators):
        found.add(owner, node, Doubt.LARGE, Why.DECORATED)
        if role is Role.TEST and ARE_TYPES[owner_kind]:
            found.add(roots, owner, Doubt.LARGE, Why.DECORATED)  # runners find a class by its marked methods
    elif (
        not is_test
        and liveness.has_unnamed_attributes
        and file.cell(row, Symbol.START_LINE) < file.cell(row, Symbol.LINE)
    ):
        found.add(owner, node, Doubt.SMALL, Why.ATTRIBUTE)
    is_offered = owner == file.base and bool(columns.flags[node] & int(SymbolFlag.EXPORTED))
    is_bound = row in read.bound or is_offered or is_found(liveness.bound_signatures, _signature(file, row))
    if liveness.names_values and not ARE_TYPES[owner_kind] and not is_bound:
        is_value = owner_kind in FUNCTION_KINDS  # else stored in what has the name: `prototype.run = function`
        found.add(owner, node, Doubt.NONE if is_value else Doubt.LARGE, Why.BELONGS if is_value else Why.STRUCTURE)
    if owner_kind == SymbolKind.MODULE and liveness.publicity is Publicity.ENTRIES:
        found.add(owner, node, Doubt.SMALL, Why.STRUCTURE)
    if owner == file.base or owner_kind == SymbolKind.MODULE:
        if is_found(liveness.loaded_paths, file.path) and is_name(liveness.loaded_names, name):
            found.add(owner, node, Doubt.LARGE, Why.LOADED)
        return
    is_private = public.is_private(node, name, language)
    is_field = kind == SymbolKind.PROPERTY and not int(columns.flags[node]) & SymbolFlag.ACCESSOR
    is_of_value = kind in (SymbolKind.METHOD, SymbolKind.PROPERTY) and not ARE_TYPES[owner_kind]
    if is_field or is_of_value or owner_kind in (SymbolKind.INTERFACE, SymbolKind.VARIABLE):
        found.add(owner, node, Doubt.SMALL if is_private else Doubt.LARGE, Why.STRUCTURE)
    if not ARE_TYPES[owner_kind]:
        return
    if is_name(liveness.contract_names, name):
        found.add(owner, node, Doubt.LARGE, Why.CONTRACT)
    is_override = is_found(liveness.override_signatures, _signature(file, row)) and outside.has_none(owner)
    if outside.has(owner, name) or is_override:
        is_sure = is_private and not is_override
        found.add(owner, node, Doubt.SMALL if is_sure else Doubt.LARGE, Why.OUTSIDE_BASE)
    elif not is_private and language.is_structural and _names_outside(file, row):
        found.add(owner, node, Doubt.LARGE, Why.OUTSIDE_CONTRACT)
    elif not is_private and (public.is_library(file) or language.is_structural):
        found.add(owner, node, Doubt.SMALL, Why.PUBLIC)


_QUALIFIED = re.compile(r"\b\w+\.[A-Z]\w*")


def _names_outside(file: IndexedFile, row: int) -> bool:
    """Whether the signature of a method has types of other packages, as one that implements their interfaces has."""
    return _QUALIFIED.search(_signature(file, row)) is not None


def _signature(file: IndexedFile, row: int) -> str:
    return file.text_of(row, Symbol.SIGNATURE)


def _is_test(snapshot: Snapshot, file: IndexedFile, node: int, language: Language, role: Role) -> bool:
    if role is Role.TEST:
        is_unknown = language.runner is None or language.runner.select_made is not None  # macros run what they like
        return is_unknown or _is_in_tests(snapshot, file, node)
    if role is Role.EXAMPLE and file.cell(node - file.base, Symbol.FLAGS) & SymbolFlag.TEST:  # benchmarks
        return True
    return role is Role.PRODUCT and role_of_row(file, node - file.base) is Role.TEST


def _is_in_tests(snapshot: Snapshot, file: IndexedFile, node: int) -> bool:
    """Whether it is part of a test, or in a class that holds tests, which may name it in strings."""
    parent, places = columns_of(snapshot).parent, TEST_PLACES.of(snapshot).of_node
    while node > file.base:
        if places[node] >= 0:
            return True
        node = int(parent[node])
    return False


def _constructs(snapshot: Snapshot, name: str, owner: int, language: Language) -> bool:
    return name in language.constructors or name == snapshot.node_names.name_of(owner)
