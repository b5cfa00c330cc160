"""Leaves out of what is reached the prototypes of definitions that are reached themselves: a method that a header
declares and a source defines is one."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from codemap.facts import SymbolFlag
from codemap.graph.index.columns import columns_of
from codemap.graph.model.edges import are_among, distinct
from codemap.graph.model.index_slots import Slot, reuse
from codemap.graph.model.snapshot import Snapshot
from codemap.graph.query.override_family import find_wholes
from codemap.impact.reached import Reach

_DECLARATION = int(SymbolFlag.DECLARATION)


def _has_declarations(snapshot: Snapshot) -> bool:
    return bool((columns_of(snapshot).flags & _DECLARATION).any())


_HAS_DECLARATIONS = Slot[bool](_has_declarations, rescore=reuse)
"""Whether any definition is a prototype: in most languages none is."""


def drop_prototypes(snapshot: Snapshot, reached: Reach, changed: Iterable[int]) -> Reach:
    """Without prototypes of what is reached or was `changed`. Cost: a look at the definitions of the name of each."""
    if not _HAS_DECLARATIONS.of(snapshot):
        return reached
    inside = reached.node < snapshot.first_external
    flags = columns_of(snapshot).flags
    declared = np.flatnonzero(inside)[flags[reached.node[inside]] & _DECLARATION != 0]
    if not len(declared):
        return reached
    names = snapshot.node_names.of_node
    every = np.concatenate((reached.node[inside], np.array(list(changed), dtype=np.int32)))
    others = every[flags[every] & _DECLARATION == 0]
    declared = declared[are_among(names[reached.node[declared]], distinct(names[others]))]
    known = set(others.tolist())
    nodes = reached.node[declared].tolist()
    dropped = [
        place
        for place, node, whole in zip(declared.tolist(), nodes, find_wholes(snapshot, nodes), strict=True)
        if whole != node and whole in known
    ]
    keep = np.ones(len(reached), dtype=np.bool_)
    keep[dropped] = False
    return reached.where(keep)
