"""The definitions that programs begin with, by what kind of entry each is."""

from __future__ import annotations

from codemap.graph.areas.entry_points import mains, registered
from codemap.graph.model.snapshot import Snapshot
from codemap.tools.overview.entries import packages_of


def entry_nodes(snapshot: Snapshot) -> dict[int, str]:
    """Commands and library modules that manifests state, programs, and what frameworks are given to run."""
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
    return found
