"""The definitions that programs begin with, by what kind of entry each is."""

from __future__ import annotations

from collections.abc import Iterator

from codemap.facts import SymbolKind
from codemap.graph.areas.entry_points import mains, registered
from codemap.graph.model.edges import INHERITANCE, Edge, EdgeKind
from codemap.graph.model.snapshot import Snapshot
from codemap.impact.assess import is_public
from codemap.languages import by_name
from codemap.tools.overview.entries import packages_of

EXPORTS = "exports"


def entry_nodes(snapshot: Snapshot) -> dict[int, str]:
    """Commands that manifests state, programs, what frameworks are given to run, and what packages offer to others."""
    found: dict[int, str] = {}
    for package in packages_of(snapshot):
        for entry in package.entries:
            file = snapshot.by_path.get(entry.file)
            if file is None or entry.kind != "command":
                continue
            row = file.rows_by_name.get((entry.symbol, 1), 0) if entry.symbol else 0
            found.setdefault(file.base + row, "commands")
    for one in registered(snapshot):
        found.setdefault(one.node, one.kind)
    for node in mains(snapshot):
        found.setdefault(node, "programs")
    for node in _offered(snapshot):
        found.setdefault(node, EXPORTS)
    return found


def _offered(snapshot: Snapshot) -> Iterator[int]:
    """The files that others import by the name of a package, what these define and pass on, and the bases of that."""
    paths = [entry.file for one in packages_of(snapshot) for entry in one.entries if entry.kind == "library"]
    paths += [path for one in packages_of(snapshot) for path in one.offered]
    waiting = [snapshot.by_path[path].base for path in dict.fromkeys(paths) if path in snapshot.by_path]
    seen = set(waiting)
    while waiting:
        node = waiting.pop()
        yield node
        met = _passed_on(snapshot, node) if snapshot.is_file(node) else _bases(snapshot, node)
        for one in met:
            if one not in seen and not snapshot.is_external(one):
                seen.add(one)
                waiting.append(one)


def _bases(snapshot: Snapshot, node: int) -> Iterator[int]:
    yield from (edge.target for edge in snapshot.edges_out(node, INHERITANCE))


def _passed_on(snapshot: Snapshot, base: int) -> Iterator[int]:
    """What whoever imports a file gets from it. In a package's own file, that is also what it imports itself, a module
    that it imports as a whole, and all of one that it imports with a star."""
    yield from (child for child in snapshot.children_of(base) if is_public(snapshot, child))
    yield from (edge.target for edge in snapshot.edges_out(base, (EdgeKind.EXPORTS,)))
    if not _is_package(snapshot, base):
        return
    imports = [edge for edge in snapshot.edges_out(base, (EdgeKind.IMPORTS,)) if not snapshot.is_external(edge.target)]
    named = [edge for edge in imports if not snapshot.is_file(edge.target)]
    yield from (edge.target for edge in named if is_public(snapshot, edge.target))
    places = {site for edge in named for site in snapshot.sites(edge)}
    files = [edge for edge in imports if snapshot.is_file(edge.target)]
    for edge in files:
        own = set(snapshot.sites(edge)) - places
        if _is_package(snapshot, edge.target):  # an import of what is below it has an edge to it at the same place
            own -= {site for other in files if _is_below(snapshot, other, edge) for site in snapshot.sites(other)}
        if own:
            yield edge.target


def _is_below(snapshot: Snapshot, edge: Edge, package: Edge) -> bool:
    folder = snapshot.row_of(package.target)[0].path.rpartition("/")[0]
    return edge.target != package.target and snapshot.row_of(edge.target)[0].path.startswith(f"{folder}/")


def _is_package(snapshot: Snapshot, target: int) -> bool:
    """Whether a file is that of a package, which is loaded with whatever is imported from below it."""
    file = snapshot.row_of(target)[0]
    package_file = by_name()[file.lang].files.package_file
    stem = file.path.rpartition("/")[2].partition(".")[0]
    return bool(package_file) and stem == package_file and snapshot.kind_of(target) is SymbolKind.FILE
