"""Finds the methods that only code outside of the repository can call, by a base of its own: `run` of a thread."""

from __future__ import annotations

import numpy as np

from codemap.facts import SymbolFlag, SymbolKind
from codemap.graph.index.columns import columns_of
from codemap.graph.index.inheritance import ARE_TYPES, LEVELS_MAX
from codemap.graph.index.overrides import overrides
from codemap.graph.index.type_methods import ARE_METHODS
from codemap.graph.model.edges import EdgeKind, Ints, are_among, distinct
from codemap.graph.model.index_slots import Slot, reuse
from codemap.graph.model.snapshot import Snapshot


def _find_callbacks(snapshot: Snapshot) -> Ints:
    """The methods that nothing uses or declares here, of types with a base outside of the repository, in order."""
    columns, table = columns_of(snapshot), snapshot.edges
    inherits = (table.kind == int(EdgeKind.EXTENDS)) | (table.kind == int(EdgeKind.IMPLEMENTS))
    below, above = table.source[inherits], table.target[inherits]
    has_outside = np.zeros(snapshot.node_count, dtype=np.bool_)
    has_outside[snapshot.first_external :] = True
    for _ in range(LEVELS_MAX):
        known = int(np.count_nonzero(has_outside))
        has_outside[below[has_outside[above]]] = True
        if int(np.count_nonzero(has_outside)) == known:
            break
    is_used = np.zeros(snapshot.node_count, dtype=np.bool_)
    is_used[table.target[(table.kind == int(EdgeKind.CALLS)) | (table.kind == int(EdgeKind.REFERENCES))]] = True
    count = snapshot.first_external
    owners = columns.parent[:count]
    is_method = (
        (owners >= 0) & ARE_METHODS[columns.kind[:count]] & has_outside[owners] & ARE_TYPES[columns.kind[owners]]
    )
    runs = (columns.kind[:count] != int(SymbolKind.PROPERTY)) | (columns.flags[:count] & int(SymbolFlag.ACCESSOR) != 0)
    methods = np.flatnonzero(is_method & runs & ~is_used[:count]).astype(np.int32)
    declared = overrides(snapshot, methods, downwards=False)[0]
    return methods[~are_among(methods, distinct(declared))]


CALLBACKS = Slot[Ints](_find_callbacks, rescore=reuse)
"""The methods, in order."""
