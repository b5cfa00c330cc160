"""Shows who uses a folder, a package or a namespace, and what it uses, in compact rows by the files around it.

    {"edge": "imports", "direction": "in", "rows": {"app/api.py": ["2 uses Store, Store.open and 3 more"]}}

The lines are those of the imports. Where a language sees its own packages without any, the edge is `references`, and
the lines are those of the first uses.
"""

from __future__ import annotations

from collections import Counter
from typing import cast

import msgspec
import numpy as np

from codemap.envelope.answer import Answer
from codemap.graph.index.columns import columns_of
from codemap.graph.index.node_roles import FILE_ROLES
from codemap.graph.model.edges import EdgeKind, Ints, Mask, among
from codemap.graph.model.snapshot import Snapshot
from codemap.graph.query.importers import further_importers
from codemap.graph.query.undecided import Side
from codemap.tools.compact import FoldedCounts, Row, group_by_file
from codemap.tools.neighbors.asked import Listed, Params
from codemap.tools.neighbors.compact import lists_of
from codemap.tools.neighbors.importing import show_importers
from codemap.tools.neighbors.payload import NeighborView, Payload
from codemap.tools.overview.entries import find_inside_package, packages_of
from codemap.tools.row_selection import folded_counts, place_of_path, sift
from codemap.tools.scope import Scope, scope_of_package, scope_of_path
from codemap.tools.tool import World
from codemap.tools.view import empty_because, map_incomplete, map_warnings

NAMED_MAX = 4
"""Definitions that a row names."""
LINES_MAX = 3
PACKAGES_MAX = 20


class FileLink(msgspec.Struct, frozen=True):
    """A file outside and how it is linked with those inside."""

    path: str
    lines: tuple[int, ...]
    """Of its imports, else of its first use; none for a file that is used."""
    named: tuple[int, ...]
    """The definitions that are used, the most used first."""
    count: int
    """Sites of all uses."""
    is_imported: bool
    """Whether an import says so."""


def find_group(snapshot: Snapshot, text: str) -> Scope | None:
    """The files of a folder, or of a package by the name that they or its manifest declare; None for none, or for one
    file."""
    stated = next((one.folder for one in packages_of(snapshot) if one.folder and one.name == text), text)
    found = scope_of_path(snapshot, stated) or scope_of_package(snapshot, text) or _find_inside_package(snapshot, text)
    return found if found is not None and found.files and found.files != (text,) else None


def _find_inside_package(snapshot: Snapshot, text: str) -> Scope | None:
    """The files of what imports name inside a package of the repository (`@shop/store/orders`): those of the folder of
    that name, else the one that the specifier means."""
    path = find_inside_package(snapshot, text)
    if path is None:
        return None
    folder = path.rpartition("/")[0]
    is_named = folder.rpartition("/")[2] == text.rpartition("/")[2]
    return scope_of_path(snapshot, folder if is_named else path)


def answer_group(world: World, snapshot: Snapshot, scope: Scope, params: Params) -> Answer:
    """Who uses some files, what they use, or both."""
    inside = np.zeros(len(snapshot.files), dtype=np.bool_)
    inside[[snapshot.by_path[path].number for path in scope.files]] = True
    count = len(scope.files)
    views: list[NeighborView] = []
    hidden = 0
    data: Payload = {"node": f"{params.node_id} ({count} file{'s' if count > 1 else ''})", "neighbors": views}
    warnings = map_warnings(world, snapshot)
    sides: tuple[Side, ...] = ("in", "out") if params.direction == "both" else (params.direction,)
    own = inside & (FILE_ROLES.of(snapshot) == scope.role)
    """What tests among them use is not what they depend on."""
    for side in sides:
        links = _find_links(snapshot, inside, own, side, params)
        shown = sift(links, lambda one: place_of_path(one.path, one.count), params, scope.role)
        view: NeighborView = {"edge": "imports" if any(one.is_imported for one in links) else "references"}
        view["direction"] = side
        if shown.rows:
            view["rows"] = group_by_file(show_link(snapshot, one) for one in shown.rows)
        if shown.folded:
            view["folded"] = cast("FoldedCounts", folded_counts(shown.folded))
        if shown.rows or shown.folded:
            views.append(view)
        if shown.only:
            data["onlyIn"] = list(shown.only)
        hidden += shown.hidden
        if side == "in" and params.depth > 1 and params.edge_kinds == ("imports",):
            further = _list_further(world, snapshot, scope, params, is_alone=not shown.rows)
            views += further.sections
            hidden += further.hidden
    if params.depth > 1 and (params.edge_kinds != ("imports",) or "in" not in sides):
        warnings.append("depth: 1; of a folder it counts for importers alone (direction:in, edgeKinds:imports).")
    if hidden:
        warnings.append(f"{hidden} use(s) do not pass fileFilter or tests.")
    if "out" in sides:
        rows = np.flatnonzero(snapshot.edges.target >= snapshot.first_external)
        rows = rows[own[columns_of(snapshot).file[snapshot.edges.source[rows]]]]
        if packages := list_packages(snapshot, rows):
            data["packages"] = packages
    if not views and "packages" not in data:
        data["emptyBecause"] = empty_because(world, snapshot, hidden)
    files = frozenset(scope.files)
    return Answer(data, lists_of(params), tuple(warnings), incomplete=map_incomplete(world, snapshot), rests_on=files)


def _list_further(world: World, snapshot: Snapshot, scope: Scope, params: Params, *, is_alone: bool) -> Listed:
    """The importers of the files that import one of the scope, and so on."""
    found = further_importers(snapshot, [snapshot.by_path[path].base for path in scope.files], params.depth)
    listed = show_importers(world, snapshot, found, params, scope.role, is_alone=is_alone)
    for view in listed.sections if params.direction == "both" else ():
        view["direction"] = "in"
    return listed


def _find_links(snapshot: Snapshot, inside: Mask, own: Mask, side: Side, params: Params) -> list[FileLink]:
    """The files on one side, the most linked first; on the side of what is used, for those in `own` alone."""
    table, columns = snapshot.edges, columns_of(snapshot)
    rows = np.flatnonzero(table.target < snapshot.first_external)
    kinds = frozenset(EdgeKind[name.upper()] for name in params.edge_kinds) or frozenset(EdgeKind) - {EdgeKind.CONTAINS}
    rows = rows[among(kinds)[table.kind[rows]]]
    source, target = columns.file[table.source[rows]], columns.file[table.target[rows]]
    crossing = inside[target] & ~inside[source] if side == "in" else own[source] & ~inside[target]
    outer = (source if side == "in" else target)[crossing]
    groups: dict[int, list[int]] = {}
    for file, row in zip(outer.tolist(), rows[crossing].tolist(), strict=True):
        groups.setdefault(file, []).append(row)
    found = [make_link(snapshot, file, own, is_in=side == "in") for file, own in groups.items()]
    return sorted(found, key=lambda one: (-one.count, one.path))


def make_link(snapshot: Snapshot, file: int, rows: list[int], *, is_in: bool) -> FileLink:
    """The link with a file that some edges make: their lines where they come from there."""
    table = snapshot.edges
    used: Counter[int] = Counter()
    imported: set[int] = set()
    lines: set[int] = set()
    for row in rows:
        target, count = int(table.target[row]), int(table.count[row])
        first = int(table.first[row])
        sites = table.sites[first : first + count, 0].tolist()
        (imported if table.kind[row] == EdgeKind.IMPORTS else lines).update(sites)
        if not snapshot.is_file(target):
            used[target] += count if table.kind[row] != EdgeKind.IMPORTS else 0
    shown = tuple(sorted(imported) or sorted(lines)[:1]) if is_in else ()
    named = tuple(node for node, _ in used.most_common())
    return FileLink(snapshot.files[file].path, shown, named, sum(used.values()) or len(shown), bool(imported))


def show_link(snapshot: Snapshot, one: FileLink) -> Row:
    """The row of a file: its lines, and the definitions that are used most."""
    names = list(dict.fromkeys(map(snapshot.qualified_name_of, one.named)))
    more = f" and {len(names) - NAMED_MAX} more" if len(names) > NAMED_MAX else ""
    words = [f"{'uses' if one.lines else 'used:'} {', '.join(names[:NAMED_MAX])}{more}"] if names else []
    return Row(one.path, "", [str(line) for line in one.lines[:LINES_MAX]], words)


def list_packages(snapshot: Snapshot, rows: Ints) -> list[str]:
    """The packages outside the repository that some edges lead to, the most used first."""
    counts = Counter(snapshot.edges.target[rows].tolist())
    names = [snapshot.externals[node - snapshot.first_external][1] for node, _ in counts.most_common()]
    return names if len(names) <= PACKAGES_MAX else [*names[:PACKAGES_MAX], f"and {len(names) - PACKAGES_MAX} more"]
