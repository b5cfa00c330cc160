"""Shows what a class or a file uses through its members, in compact rows by the files that have it.

    {"edge": "references", "through": "members", "rows": {"app/store.py": ["used: Store, Store.open and 3 more"]}}

The edges of a class itself are its bases and decorators, those of a file its imports: what either depends on is in the
members. Of a file only what no import of it names is shown, as the imports say the rest. So it is with who uses a file:
files of its own package need no import of it, nor do those that have its objects from others.
"""

from __future__ import annotations

import re
from typing import cast

import numpy as np
from msgspec.structs import replace

from codemap.envelope.answer import Answer
from codemap.facts import SymbolKind
from codemap.graph.index.columns import columns_of, places
from codemap.graph.index.inheritance import ARE_TYPES
from codemap.graph.model.edges import EdgeKind, Ints, among, are_among
from codemap.graph.model.snapshot import Snapshot
from codemap.tools.compact import FoldedCounts, group_by_file
from codemap.tools.neighbors.asked import Asked
from codemap.tools.neighbors.emptiness import emptiness
from codemap.tools.neighbors.folders import FileLink, list_packages, make_link, show_link
from codemap.tools.neighbors.payload import NeighborView
from codemap.tools.row_selection import folded_counts, place_of_path, sift
from codemap.tools.view import EDGE_NAMES

_NO_USES = (EdgeKind.CONTAINS, EdgeKind.IMPORTS, EdgeKind.EXPORTS)


def add_uses_of_members(asked: Asked, found: Answer) -> Answer:
    """The answer about what a class or a file uses, with what its members do; about who uses a file, with who uses what
    it defines."""
    snapshot, node, params = asked.snapshot, asked.node, asked.params
    if params.direction == "both" or params.depth > 1 or params.rows != "compact" or snapshot.is_external(node):
        return found
    is_file = snapshot.is_file(node)
    if params.direction == "in":
        return _add_users(asked, found) if is_file else found
    if not (is_file or ARE_TYPES[snapshot.kind_of(node)]):
        return found
    rows = _find_rows(asked)
    links = _make_links(snapshot, rows)
    if is_file:
        imported = _find_imported(snapshot, node)
        links = [one for one in links if one.path not in imported]
    shown = sift(links, lambda one: place_of_path(one.path, one.count), params, asked.role)
    packages = [] if is_file else list_packages(snapshot, rows[snapshot.edges.target[rows] >= snapshot.first_external])
    if not (shown.rows or packages):
        return found
    data = dict(found.data)
    if shown.rows:
        only = next(iter(asked.kinds)) if len(asked.kinds) == 1 else EdgeKind.REFERENCES
        view: NeighborView = {"edge": EDGE_NAMES[only], "through": "members"}
        view["rows"] = group_by_file(show_link(snapshot, one) for one in shown.rows)
        data["neighbors"] = [*data["neighbors"], view]
    if packages:
        data["packages"] = packages
    if data.pop("emptyBecause", None) is None:
        return replace(found, data=data)
    advice = emptiness(asked, data.get("unresolvedSites", 0), 0)[1]
    return replace(found, data=data, warnings=tuple(one for one in found.warnings if one not in advice))


def _add_users(asked: Asked, found: Answer) -> Answer:
    """The answer about who imports a file, with the files that use what it defines and import nothing of it."""
    snapshot, columns, table = asked.snapshot, columns_of(asked.snapshot), asked.snapshot.edges
    own = int(columns.file[asked.node])
    rows = np.flatnonzero(table.target < snapshot.first_external)
    rows = rows[columns.file[table.target[rows]] == own]
    source = columns.file[table.source[rows]]
    are_imports = among((EdgeKind.IMPORTS, EdgeKind.EXPORTS))[table.kind[rows]]
    kept = among(asked.kinds.difference(_NO_USES))[table.kind[rows]] & (source != own)
    kept &= ~np.isin(source, source[are_imports])
    groups: dict[int, list[int]] = {}
    for file, row in zip(source[kept].tolist(), rows[kept].tolist(), strict=True):
        groups.setdefault(file, []).append(row)
    links = [make_link(snapshot, file, rows, is_in=True) for file, rows in groups.items()]
    links.sort(key=lambda one: (-one.count, one.path))
    shown = sift(links, lambda one: place_of_path(one.path, one.count), asked.params, asked.role)
    if not shown.rows and not shown.folded:
        return found
    view: NeighborView = {"edge": EDGE_NAMES[EdgeKind.REFERENCES], "through": "definitions"}
    if shown.rows:
        view["rows"] = group_by_file(show_link(snapshot, one) for one in shown.rows)
    if shown.folded:
        view["folded"] = cast("FoldedCounts", folded_counts(shown.folded))
    data = {**found.data, "neighbors": [*found.data["neighbors"], view]}
    if shown.rows:
        data.pop("onlyIn", None)
    return replace(found, data=data)


def _find_rows(asked: Asked) -> Ints:
    """The edges that leave the definitions in the node for others, whatever file these are in."""
    snapshot = asked.snapshot
    table, columns = snapshot.edges, columns_of(snapshot)
    inside = columns.children_of(asked.node).tolist()
    for one in inside:
        inside += columns.children_of(one).tolist()
    members = np.array(sorted(inside), dtype=np.int32)
    rows: Ints = places(table.out_start, members)[0]
    target = table.target[rows]
    kept = among(asked.kinds.difference(_NO_USES))[table.kind[rows]]
    kept &= ~are_among(target, members) & (target != asked.node)
    return rows[kept]


def _make_links(snapshot: Snapshot, rows: Ints) -> list[FileLink]:
    """The files that some edges lead to, the most used first."""
    table, columns = snapshot.edges, columns_of(snapshot)
    rows = rows[table.target[rows] < snapshot.first_external]
    rows = rows[columns.kind[table.target[rows]] != int(SymbolKind.FILE)]
    groups: dict[int, list[int]] = {}
    for file, row in zip(columns.file[table.target[rows]].tolist(), rows.tolist(), strict=True):
        groups.setdefault(file, []).append(row)
    found = [make_link(snapshot, file, own, is_in=False) for file, own in groups.items()]
    return sorted(_drop_namespaces(snapshot, found), key=lambda one: (-one.count, one.path))


def _drop_namespaces(snapshot: Snapshot, links: list[FileLink]) -> list[FileLink]:
    """Some links without those to files of which only the names of namespaces around others are used."""
    around = {
        name[: dot.start()]
        for one in links
        for name in map(snapshot.qualified_name_of, one.named)
        for dot in re.finditer(r"\.", name)
    }
    return [one for one in links if any(snapshot.qualified_name_of(node) not in around for node in one.named)]


def _find_imported(snapshot: Snapshot, file: int) -> set[str]:
    """The file itself, and the files that its imports lead to."""
    edges = snapshot.edges_out(file, (EdgeKind.IMPORTS, EdgeKind.EXPORTS))
    targets = {edge.target for edge in edges if not snapshot.is_external(edge.target)}
    return {snapshot.row_of(one)[0].path for one in (file, *targets)}
