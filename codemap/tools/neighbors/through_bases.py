"""Finds calls that name a method which the node overrides: any of them may run the node, and no edge says so.

Calls of abstract methods are among the undecided uses of what implements them; those of a method with a body of its
own are counted, and listed with `family`.
"""

from __future__ import annotations

import numpy as np

from codemap.facts import SymbolKind
from codemap.graph.index.columns import columns_of
from codemap.graph.index.overrides import overrides
from codemap.graph.model.edges import EdgeKind
from codemap.graph.query.dispatch import is_abstract
from codemap.graph.query.override_family import is_constructor
from codemap.tools.compact import short_id
from codemap.tools.neighbors.asked import Asked

_CALLS = frozenset((EdgeKind.CALLS,))


def calls_through_bases(asked: Asked) -> list[str]:
    """Says what to do about such calls; empty where there are none, or uses of the node are not asked for."""
    snapshot, node = asked.snapshot, asked.node
    if snapshot.is_external(node) or columns_of(snapshot).kind[node] != SymbolKind.METHOD:
        return []
    is_asked = "in" in asked.sides and EdgeKind.CALLS in asked.kinds and not asked.params.family
    if not is_asked or is_constructor(snapshot, node):
        return []
    name = snapshot.name_of(node)
    warnings = []
    for base in overrides(snapshot, np.array([node], dtype=np.int32), downwards=False)[1].tolist():
        if is_abstract(snapshot, base):
            continue
        calls = (edge for edge in snapshot.edges_in(base, _CALLS) if snapshot.name_of(edge.source) != name)
        if count := sum(len(snapshot.sites(edge)) for edge in calls):  # one from a method of the name is of `super`
            named = short_id(snapshot, base)
            warnings.append(f"{count} call(s) of {named}, which it overrides, may run it: pass family:true.")
    return warnings
