"""Finds the parts of a type that go on elsewhere, in what a file declares of the module that has it.

    declare module './store' { interface Store { extra: string } }

adds to the interface `Store` of that module, or to the one that it passes on: all of them are one type.

Source: the TypeScript handbook, "Declaration Merging", "Module Augmentation".
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from codemap.facts import SymbolFlag, SymbolKind
from codemap.graph.build.inventory import project_of
from codemap.graph.index.columns import columns_of
from codemap.graph.model.edges import EdgeKind
from codemap.graph.model.index_slots import Slot, reuse
from codemap.graph.model.snapshot import Snapshot
from codemap.languages import by_name
from codemap.project import Module

_DECLARED = int(SymbolFlag.AMBIENT | SymbolFlag.UNNAMED)
"""The flags of a module that a file declares by its specifier."""
_TYPES = (SymbolKind.INTERFACE, SymbolKind.CLASS)
_EXPORTS = (EdgeKind.EXPORTS,)


def find_augmenting(snapshot: Snapshot, node: int) -> tuple[int, ...]:
    """The other parts of a type, the one that they add to first."""
    return _PARTS.of(snapshot).get(node, ())


def _find_parts(snapshot: Snapshot) -> Mapping[int, tuple[int, ...]]:
    columns = columns_of(snapshot)
    declared = np.flatnonzero((columns.flags & _DECLARED == _DECLARED) & (columns.kind == int(SymbolKind.MODULE)))
    project = project_of(snapshot.files, snapshot.configs) if len(declared) else None
    parts: dict[int, list[int]] = {}
    for module in declared.tolist():
        if project is None or snapshot.is_external(module):
            continue
        file = snapshot.row_of(module)[0]
        means = by_name()[file.lang].modules(project).resolve(snapshot.name_of(module), file.path)
        if not isinstance(means, Module) or means.file is None:
            continue
        for child in snapshot.children_of(module):
            if snapshot.kind_of(child) in _TYPES:
                for whole in _offered(snapshot, means.file, snapshot.name_of(child)):
                    parts.setdefault(whole, [whole]).append(child)
    return {one: tuple(other for other in group if other != one) for group in parts.values() for one in group}


_PARTS = Slot[Mapping[int, tuple[int, ...]]](_find_parts, rescore=reuse)


def _offered(snapshot: Snapshot, path: str, name: str) -> Iterator[int]:
    """The type that a file has or passes on under a name."""
    paths = [path]
    for one in paths:
        file = snapshot.by_path.get(one)
        row = None if file is None else file.rows_by_name.get((name, 1))
        if file is None:
            continue
        if row is not None and snapshot.kind_of(file.base + row) in _TYPES:
            yield file.base + row
            return
        for edge in snapshot.edges_out(file.base, _EXPORTS):
            if snapshot.is_external(edge.target):
                continue
            if snapshot.is_file(edge.target):
                further = snapshot.row_of(edge.target)[0].path
                paths += [further] if further not in paths else []
            elif snapshot.name_of(edge.target) == name and snapshot.kind_of(edge.target) in _TYPES:
                yield edge.target
                return
