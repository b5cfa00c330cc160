"""Finds who imports a file or a definition, directly or through re-exports.

A file imports another one directly, or *through* a third (a barrel, a package's `__init__`), of which it names
something that is in the other, or all of what that passes on by star imports. Each file comes once, at the least
depth. At depth 2 and more come the importers of those, which are also the files that import a barrel as a whole. Where
an import loads a whole package (Go), they are also those of the other files of its package.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from itertools import pairwise

import msgspec
import numpy as np

from codemap.facts import Import, ImportFlag, Symbol, SymbolFlag
from codemap.facts import rows as rows_of
from codemap.file_roles import Role
from codemap.graph.index.columns import columns_of, gathered, places
from codemap.graph.index.node_roles import role_of_file
from codemap.graph.model.edges import EdgeKind, Ints, Mask, are_first
from codemap.graph.model.indexed_file import IndexedFile
from codemap.graph.model.snapshot import CONFIDENCES, Snapshot
from codemap.graph.model.values import Confidence
from codemap.languages import by_name

_IMPORTS = int(EdgeKind.IMPORTS)
_TYPE_ONLY = int(ImportFlag.TYPE_ONLY)

Sites = tuple[tuple[int, int], ...]


class Importer(msgspec.Struct, frozen=True):
    node: int
    """Of the file."""
    depth: int
    via: int
    """The node of the file that it imports on the way there; at depth 1 the node that was asked about."""
    through: int
    """The node of the file that passes it on; -1 where it is imported from its own file."""
    sites: Sites
    confidence: Confidence


def importers(snapshot: Snapshot, node: int, depth: int) -> list[Importer]:
    """The importers of a file, definition or external package in order of depth, then of hub score."""
    own = snapshot.file_of(node)
    is_known = np.zeros(len(snapshot.files), dtype=np.bool_)
    if own is not None:
        is_known[own.number] = True
    starred = _find_starred(snapshot, node, own.base) if own is not None and _is_offered(snapshot, node) else []
    return _find_levels(snapshot, [node], is_known, range(1, depth + 1), starred)


def further_importers(snapshot: Snapshot, files: Sequence[int], depth: int) -> list[Importer]:
    """The importers at depth 2 and more of some files, of a folder say, given by their nodes; themselves never."""
    is_known = np.zeros(len(snapshot.files), dtype=np.bool_)
    is_known[columns_of(snapshot).file[list(files)]] = True
    found = _find_levels(snapshot, files, is_known, range(1, depth + 1), ())
    return [one for one in found if one.depth > 1]


def is_type_only(file: IndexedFile, sites: Collection[tuple[int, int]]) -> bool:
    """Whether all imports of a file at some places are of types alone, so that they load nothing."""
    cells = np.frombuffer(file.facts.imports, dtype="<i4").reshape(-1, Import.WIDTH)
    chosen = cells[:, Import.FLAGS] & _TYPE_ONLY != 0
    if not chosen.any():
        return False
    known = set(zip(*cells[chosen][:, (Import.LINE, Import.COL)].T.tolist(), strict=True))
    return known.issuperset(sites)


def _find_levels(
    snapshot: Snapshot, nodes: Sequence[int], is_known: Mask, levels: Iterable[int], starred: Iterable[Importer]
) -> list[Importer]:
    """The importers of some nodes, of those, and so on; `starred` are some of the first. All are known then."""
    columns = columns_of(snapshot)
    found: list[Importer] = []
    wanted: Sequence[int] = nodes
    for level in levels:
        reached = {one.node: one for one in _find_naming(snapshot, wanted, is_known, level)}
        for one in starred if level == 1 else ():
            reached.setdefault(one.node, one)
        if not reached:
            break
        found += sorted(reached.values(), key=lambda one: int(columns.rank[one.node]))
        is_known[columns.file[[*reached]]] = True
        wanted = _add_packages(snapshot, sorted(reached), is_known)
    return found


def _add_packages(snapshot: Snapshot, nodes: Sequence[int], is_known: Mask) -> list[int]:
    """Some files, with those that are loaded with them where an import loads a package, tests excepted: known now."""
    files = (snapshot.row_of(node)[0] for node in nodes)
    packages = {_package_of(file) for file in files if by_name()[file.lang].scopes.imports_packages}
    if not packages:
        return [*nodes]
    own = set(nodes)
    beside = [
        file
        for file in snapshot.files
        if by_name()[file.lang].scopes.imports_packages
        and file.base not in own
        and not is_known[file.number]
        and _package_of(file) in packages
        and role_of_file(file) is not Role.TEST
    ]
    is_known[[file.number for file in beside]] = True
    return sorted((*own, *(file.base for file in beside)))


def _package_of(file: IndexedFile) -> tuple[str, str, tuple[str, ...]]:
    return file.lang, file.path.rpartition("/")[0], file.packages


def _find_naming(snapshot: Snapshot, nodes: Iterable[int], is_known: Mask, depth: int) -> list[Importer]:
    """The files that are not known yet whose imports name one of some nodes, or something in a file of these."""
    columns, table = columns_of(snapshot), snapshot.edges
    targets, wanted = _find_targets(snapshot, nodes)
    rows, of = gathered(table.by_target, table.in_start, targets)
    chosen = (table.kind[rows] == _IMPORTS) & ~is_known[columns.file[table.source[rows]]]
    rows, vias = rows[chosen], wanted[of[chosen]]
    files = columns.file[table.source[rows]]
    order = np.lexsort((rows, columns.rank[vias], files))
    rows, files, vias = rows[order], files[order], vias[order]
    begins = np.flatnonzero(are_first(files)).tolist() if len(files) else []
    found = []
    for begin, end in pairwise([*begins, len(rows)]):
        via = int(vias[begin])
        own = rows[begin:end][vias[begin:end] == via]
        found.append(_make_importer(snapshot, snapshot.files[int(files[begin])].base, depth, via, own))
    return found


def _is_offered(snapshot: Snapshot, node: int) -> bool:
    """Whether star imports of its file bring a node."""
    parent = snapshot.parent_of(node)
    return parent is None or (
        snapshot.is_file(parent) and bool(snapshot.cell(node, Symbol.FLAGS) & SymbolFlag.EXPORTED)
    )


def _find_starred(snapshot: Snapshot, node: int, own: int) -> list[Importer]:
    """The files that import all of a file, or of one that imports all of it, and so on; their own file is `own`."""
    table = snapshot.edges
    found: dict[int, Importer] = {}
    waiting = [own]
    for passing in waiting:
        for row in table.in_rows(passing):
            importer = snapshot.file_of(int(table.source[row]))
            if int(table.kind[row]) != _IMPORTS or importer is None or importer.base in found or importer.base == own:
                continue
            sites = tuple(site for site in _list_sites(snapshot, [row]) if site in _find_stars(importer))
            if sites:
                through = -1 if passing == own else passing
                confidence = CONFIDENCES[int(table.confidence[row])]
                found[importer.base] = Importer(importer.base, 1, node, through, sites, confidence)
                waiting.append(importer.base)
    return list(found.values())


def _find_stars(file: IndexedFile) -> frozenset[tuple[int, int]]:
    """Where a file imports all that another one offers."""
    cells = rows_of(file.facts.imports)
    return frozenset(
        (cells[at + Import.LINE], cells[at + Import.COL])
        for at in range(0, len(cells), Import.WIDTH)
        if cells[at + Import.IMPORTED] == Import.STAR and not cells[at + Import.FLAGS] & ImportFlag.IMPLICIT
    )


def _find_targets(snapshot: Snapshot, nodes: Iterable[int]) -> tuple[Ints, Ints]:
    """The nodes that an import of some nodes may name: these and the definitions in files; and whose each is."""
    targets, wanted = [np.empty(0, dtype=np.int32)], [np.empty(0, dtype=np.int32)]
    for node in nodes:
        file = snapshot.file_of(node)
        count = 1 if file is None or file.base != node else file.symbol_count
        targets.append(np.arange(node, node + count, dtype=np.int32))
        wanted.append(np.full(count, node, dtype=np.int32))
    return np.concatenate(targets), np.concatenate(wanted)


def _make_importer(snapshot: Snapshot, node: int, depth: int, via: int, rows: Ints) -> Importer:
    table = snapshot.edges
    confidence = CONFIDENCES[int(table.confidence[rows].min())]
    sites = _list_sites(snapshot, rows.tolist())
    own = snapshot.file_of(via)
    if own is None or depth > 1 or (table.target[rows] == own.base).any():
        return Importer(node, depth, via, -1, sites, confidence)
    passing = _find_passing(snapshot, node, frozenset(sites))
    through = -1 if own.base in passing else min(passing, default=-1)
    return Importer(node, depth, via, through, sites, confidence)


def _list_sites(snapshot: Snapshot, rows: Iterable[int]) -> Sites:
    """All sites of some edges, in order."""
    table = snapshot.edges
    spans = [(int(table.first[row]), int(table.count[row])) for row in rows]
    pairs = {(line, col) for first, count in spans for line, col in table.sites[first : first + count].tolist()}
    return tuple(sorted(pairs))


def _find_passing(snapshot: Snapshot, importer: int, sites: frozenset[tuple[int, int]]) -> set[int]:
    """Nodes of the files that a file imports at one of some places."""
    table, columns = snapshot.edges, columns_of(snapshot)
    file = snapshot.file_of(importer)
    assert file is not None
    rows = places(table.out_start, np.arange(file.base, file.base + file.symbol_count, dtype=np.int32))[0]
    rows = rows[(table.kind[rows] == _IMPORTS) & (table.target[rows] < snapshot.first_external)]
    rows = rows[columns.parent[table.target[rows]] < 0]
    return {int(table.target[row]) for row in rows.tolist() if not sites.isdisjoint(_list_sites(snapshot, [row]))}
