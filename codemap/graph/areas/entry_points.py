"""Finds where a program is entered, in its code: main functions, definitions that a framework's decorators register,
and tables of functions.

Only product code is looked at where nothing else is asked for. Which names of functions, files and decorators mean
this is what languages say.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

import msgspec
import numpy as np

from codemap.facts import Decorator, FileFacts, Op, SymbolFlag, SymbolKind, rows
from codemap.file_roles import Role
from codemap.graph.index.columns import Columns, columns_of, lines_of
from codemap.graph.index.node_roles import FILE_ROLES, are_in_files_of
from codemap.graph.model.edges import EdgeKind, distinct
from codemap.graph.model.index_slots import Slot, keep_unchanged, reuse
from codemap.graph.model.indexed_file import IndexedFile, read_facts
from codemap.graph.model.snapshot import Snapshot
from codemap.languages import by_name

FILES_READ_MAX = 400
"""Files whose decorators are read, those with the most decorated definitions first; a tenth of a millisecond each."""
TABLE_MIN = 5
"""Functions of other files that a variable or file lists without calling them; fewer make no table."""
_FUNCTIONS = (SymbolKind.FUNCTION, SymbolKind.METHOD)
_LISTING = (SymbolKind.VARIABLE, SymbolKind.FILE)
_DECORATED = (SymbolKind.CLASS, *_FUNCTIONS)
_CHAIN_MAX = 12
"""Attributes and calls of a decorator's expression."""


class Registered(msgspec.Struct, frozen=True):
    node: int
    kind: str
    """`routes`, `commands`, …: see `EntryPoints.registrars`."""
    by: str
    """The decorator's own name."""


class Table(msgspec.Struct, frozen=True):
    node: int
    """A variable or a file."""
    count: int
    """Functions of other files that it lists."""


def mains(snapshot: Snapshot, roles: Collection[Role] = (Role.PRODUCT,)) -> list[int]:
    """Functions that programs begin with, and files that are programs: one of a name in a file, in node order."""
    columns, roles_of_files = columns_of(snapshot), FILE_ROLES.of(snapshot)
    found = [
        file.base
        for file in snapshot.files
        if file.path.rpartition("/")[2] in by_name()[file.lang].entries.files and roles_of_files[file.number] in roles
    ]
    for name in sorted({name for file in snapshot.files for name in by_name()[file.lang].entries.functions}):
        for node in snapshot.node_names.named(name).tolist():
            file = snapshot.files[int(columns.file[node])]
            if roles_of_files[file.number] in roles and name in by_name()[file.lang].entries.functions:
                found += [node] if _begins(columns, node) else []
    firsts = {(int(columns.file[node]), snapshot.name_of(node)): node for node in sorted(found, reverse=True)}
    return sorted(firsts.values())


def _begins(columns: Columns, node: int) -> bool:
    """Whether a function of the right name can be what a program begins with: it is at the top, or static."""
    kind, flags = int(columns.kind[node]), int(columns.flags[node])
    if kind not in _FUNCTIONS or flags & int(SymbolFlag.DECLARATION):
        return False
    at_top = columns.kind[columns.parent[node]] in (SymbolKind.FILE, SymbolKind.MODULE)
    return bool(at_top or flags & int(SymbolFlag.STATIC))


def registered(snapshot: Snapshot) -> tuple[Registered, ...]:
    """Definitions that decorators from outside the repository register, in node order; held by the snapshot."""
    return _REGISTERED.of(snapshot)


def _list_registered(snapshot: Snapshot) -> tuple[Registered, ...]:
    if not any(by_name()[file.lang].entries.registrars for file in snapshot.files):
        return ()
    known = _ROWS.of(snapshot)
    found: list[Registered] = []
    for number in _find_decorated_files(snapshot):
        file = snapshot.files[number]
        if names := by_name()[file.lang].entries.registrars:
            if file.path not in known:
                known[file.path] = tuple(_find_registered(file, names))
            found += [Registered(file.base + row, kind, by) for row, kind, by in known[file.path]]
    return tuple(sorted(found, key=lambda one: one.node))


_ROWS = Slot[dict[str, tuple[tuple[int, str, str], ...]]](lambda _: {}, carry=keep_unchanged, rescore=reuse)
"""By path of a file that was read: (row, kind, decorator) of what it registers."""
_REGISTERED = Slot[tuple[Registered, ...]](_list_registered, rescore=reuse)


def _find_decorated_files(snapshot: Snapshot) -> list[int]:
    """Numbers of the product's files that use something from outside above the names of definitions, ascending."""
    columns, edges, end = columns_of(snapshot), snapshot.edges, snapshot.first_external
    of_use = (edges.kind == int(EdgeKind.CALLS)) | (edges.kind == int(EdgeKind.REFERENCES))
    found = np.flatnonzero(of_use & (edges.target >= end) & (edges.source < end))
    found = found[np.isin(columns.kind[edges.source[found]], _DECORATED)]
    found = found[are_in_files_of(snapshot, edges.source[found], Role.PRODUCT)]
    found = found[edges.sites[edges.first[found], 0] < lines_of(snapshot, edges.source[found])]
    numbers, counts = np.unique(columns.file[edges.source[found]], return_counts=True)
    best = numbers[np.argsort(-counts, kind="stable")[:FILES_READ_MAX]]
    return sorted(best.tolist())


def _find_registered(file: IndexedFile, names: Mapping[str, str]) -> Iterator[tuple[int, str, str]]:
    facts = read_facts(file.held)
    table = rows(facts.decorators).tolist()
    seen = set[int]()
    for at in range(0, len(table), Decorator.WIDTH):
        symbol = table[at + Decorator.SYMBOL]
        name = _read_last_name(facts, table[at + Decorator.EXPR])
        kind = names.get(name, names.get(name.removeprefix(".")))
        if kind is not None and symbol not in seen:
            seen.add(symbol)
            yield symbol, kind, name.removeprefix(".")


def _read_last_name(facts: FileFacts, expression: int) -> str:
    """The last name of what an expression names or calls, with a dot before it where it is a member: `.route` of
    `@app.route("/")`; empty where it has none."""
    exprs = rows(facts.exprs)
    for _ in range(_CHAIN_MAX):
        op, a, b = exprs[3 * expression : 3 * expression + 3].tolist()
        match op:
            case Op.CALL | Op.INSTANCE | Op.APPLY:
                expression = a
            case Op.ATTR:
                return f".{facts.names[b]}"
            case Op.GLOBAL:
                return facts.names[a]
            case Op.NAME:
                return facts.names[rows(facts.bindings)[a * 5]]
            case _:
                return ""
    return ""


def tables(snapshot: Snapshot) -> list[Table]:
    """What lists functions of other files without calling them, the longest list first: routes, commands, handlers."""
    columns, edges, end = columns_of(snapshot), snapshot.edges, snapshot.first_external
    found = np.flatnonzero((edges.kind == int(EdgeKind.REFERENCES)) & (edges.source < end) & (edges.target < end))
    source, target = edges.source[found], edges.target[found]
    keep = np.isin(columns.kind[target], [int(kind) for kind in _FUNCTIONS])
    keep &= columns.file[source] != columns.file[target]
    keep &= are_in_files_of(snapshot, source, Role.PRODUCT)
    pairs = distinct(source[keep].astype(np.int64) * end + target[keep])
    owners, counts = np.unique(pairs // max(end, 1), return_counts=True)
    are_tables = (counts >= TABLE_MIN) & np.isin(columns.kind[owners], [int(kind) for kind in _LISTING])
    listed = zip(owners[are_tables].tolist(), counts[are_tables].tolist(), strict=True)
    found_tables = [Table(*one) for one in listed if _runs(snapshot, one[0])]
    return sorted(found_tables, key=lambda table: (-table.count, table.node))


def _runs(snapshot: Snapshot, node: int) -> bool:
    """Whether a node lists what it names when it runs; of files that do not, imports name functions."""
    return not snapshot.is_file(node) or by_name()[snapshot.row_of(node)[0].lang].liveness.loads_files
