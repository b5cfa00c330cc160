"""Finds uses that lost their meaning because an import or a re-export of it went, or was renamed.

What they used is still there, and so are they; but the name that leads from one to the other is not bound any more, in
their own file or in one that passed it on. Only uses that a name decided are considered: what a type decided may be
undecided now for other reasons.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

import msgspec
import numpy as np

from codemap.changes.changed_definitions import Change, Pair, What
from codemap.changes.import_lines import list_exports, list_imports
from codemap.facts import Symbol
from codemap.graph.model.edges import EdgeKind, Ints
from codemap.graph.model.snapshot import KINDS, Snapshot
from codemap.graph.model.values import Confidence
from codemap.impact.breakage.not_adapted import Left, is_same, taken_nodes

LINES = (What.IMPORTS, What.EXPORTS)
"""Changes of what a file imports and passes on."""
_OF_NAMES = int(Confidence.IMPORT)
"""The least confidence of a use that its name decides."""
NOT_IMPORTED = "no longer imported"
_NOT_EXPORTED = "no longer exported"


class Lost(msgspec.Struct, frozen=True):
    """An edge of the map before the change that the map after it does not have."""

    user: int
    """After the change."""
    source: int
    """The same before it."""
    target: int
    """Before it."""
    kind: EdgeKind
    sites: tuple[tuple[int, int], ...]
    """Before it."""
    is_line: bool
    """Whether it is an import of a file of which import lines changed: the change itself, and no use of what went."""


def find_lost(changes: Sequence[Change], before: Snapshot, after: Snapshot) -> list[Lost]:
    """The uses whose meaning is still there and that do not mean it any more; none where no such line changed.

    Cost: a sort of all edges of both maps.
    """
    if not any(change.what in LINES for change in changes):
        return []
    taken = taken_nodes(changes, before)
    changed = {change.after.file for change in changes if change.what in LINES and change.after is not None}
    present = _number_after(before, after)
    table = before.edges
    kept = after.edges.confidence <= int(Confidence.TYPE)
    known = _join(after.edges.source[kept], after.edges.target[kept])
    by_name = table.confidence <= _OF_NAMES
    by_name &= (table.kind != int(EdgeKind.EXPORTS)) & (present[table.source] >= 0)
    rows = np.flatnonzero(by_name)
    source, target = present[table.source[rows]], present[table.target[rows]]
    rows = rows[~np.isin(_join(source, target), known) | (target < 0)]
    found = []
    for row in rows.tolist():
        old = int(table.target[row])
        if old in taken or (present[old] < 0 and not before.is_external(old)):
            continue
        own = int(table.source[row])
        first = int(table.first[row])
        sites = tuple((line, col) for line, col in table.sites[first : first + int(table.count[row])].tolist())
        kind, file = KINDS[int(table.kind[row])], before.row_of(own)[0]
        is_line = kind is EdgeKind.IMPORTS and file.path in changed
        found.append(Lost(int(present[own]), own, old, kind, sites, is_line))
    return found


def _join(source: Ints, target: Ints) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """Both ends as one number each."""
    return source.astype(np.int64) << 32 | target.astype(np.int64) & 0xFFFFFFFF


def _number_after(before: Snapshot, after: Snapshot) -> Ints:
    """By node before the change: the same after it, -1 for none."""
    found = np.full(before.node_count, -1, dtype=np.int32)
    for file in before.files:
        other = after.by_path.get(file.path)
        if other is None or other.lang != file.lang:
            continue
        if other.stamp.digest == file.stamp.digest and other.symbol_count == file.symbol_count:
            found[file.base : file.base + file.symbol_count] = np.arange(other.base, other.base + file.symbol_count)
            continue
        found[file.base] = other.base
        for key, row in file.rows_by_name.items():
            found[file.base + row] = other.base + other.rows_by_name[key] if key in other.rows_by_name else -1
    for place, (lang, package) in enumerate(before.externals):
        node = after.external_node(lang, package)
        found[before.first_external + place] = -1 if node is None else node
    return found


def uses_without_meaning(
    lost: Iterable[Lost], changes: Iterable[Change], pairs: Mapping[str, Pair], before: Snapshot, after: Snapshot
) -> tuple[Left, ...]:
    """Those of the uses that the change left as they were, by file and line."""
    importing = {change.after.file for change in changes if change.what is What.IMPORTS and change.after is not None}
    lines: dict[tuple[str, int, str, str], set[int]] = {}
    for one in _drop_implied(lost, before):
        (old, row), (new, new_row) = before.row_of(one.source), after.row_of(one.user)
        pair = pairs.get(old.path)
        if before.is_external(one.target) and _is_still_imported(pair, before.name_of(one.target)):
            continue
        if pair is None or (row and is_same(pair, row, new_row)):
            shift = new.cell(new_row, Symbol.START_LINE) - old.cell(row, Symbol.START_LINE) if row else 0
            left = {(line + shift, column) for line, column in one.sites} - _decided(before, after, one.user, importing)
        else:
            name = before.name_of(one.target)
            left = {site for use in after.unresolved_out(one.user) if use.name == name for site in after.sites(use)}
        why = NOT_IMPORTED if new.path in importing else _NOT_EXPORTED
        used = before.qualified_name_of(one.target) or before.row_of(one.target)[0].path
        lines.setdefault((new.path, new_row, used, why), set()).update(line for line, _ in left)
    for path, pair in pairs.items():
        for name, line in _list_unbound_exports(pair):
            lines.setdefault((path, 0, name, NOT_IMPORTED), set()).add(line)
    found = []
    for (path, row, used, why), numbers in lines.items():
        if numbers:
            name = after.by_path[path].qualified_name(row)
            found.append(Left(path, min(numbers), name, tuple(sorted(numbers)), used, why, is_guess=False))
    return tuple(sorted(found))


def _drop_implied(lost: Iterable[Lost], before: Snapshot) -> list[Lost]:
    """Without what another one says: of members beside the type that they are asked of, and of a file beside what is in
    it, where they are used in the same lines."""
    found = list(lost)
    used: dict[tuple[int, int], set[int]] = {}
    for one in found:
        used.setdefault((one.user, one.target), set()).update(line for line, _ in one.sites)
        if not before.is_external(one.target) and not before.is_file(one.target):
            file = before.row_of(one.target)[0].base
            used.setdefault((one.user, ~file), set()).update(line for line, _ in one.sites)

    def is_implied(one: Lost) -> bool:
        if before.is_external(one.target):
            return False
        own = {line for line, _ in one.sites}
        if before.is_file(one.target):
            return own <= used.get((one.user, ~one.target), set())
        parent = before.parent_of(one.target)
        return parent is not None and not before.is_file(parent) and own <= used.get((one.user, parent), set())

    return [one for one in found if not is_implied(one)]


def _is_still_imported(pair: Pair | None, name: str) -> bool:
    """Whether a file binds a name of outside by some import after the change, too."""
    if pair is None or pair.after is None:
        return False
    return any(one.name == name for one in list_imports(pair.after).values())


def _decided(before: Snapshot, after: Snapshot, user: int, importing: Collection[str]) -> set[tuple[int, int]]:
    """The sites of a user whose meaning is known. That an import finds its file is not what it asks for, and a package
    that only imports written for another one ask for now is none."""
    is_rewritten = after.row_of(user)[0].path in importing
    found: set[tuple[int, int]] = set()
    for edge in after.edges_out(user):
        if after.is_external(edge.target):
            is_new = before.external_node(*after.externals[edge.target - after.first_external]) is None
            is_meant = is_rewritten or not is_new
        else:
            is_meant = edge.kind is not EdgeKind.IMPORTS or not after.is_file(edge.target)
        if is_meant and edge.confidence <= Confidence.TYPE:
            found.update(after.sites(edge))
    return found


def _list_unbound_exports(pair: Pair) -> Iterator[tuple[str, int]]:
    """(name, line) of what a file still offers and does not have any more."""
    if pair.before is None or pair.after is None:
        return
    had = {name for meaning, name in list_exports(pair.before) if meaning}
    defined = {pair.before.name_of(row) for row in range(1, len(pair.before.qualified_names))}
    for (meaning, name), one in list_exports(pair.after).items():
        if not meaning and name in had and name not in defined:
            yield name, one.line
