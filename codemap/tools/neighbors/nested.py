"""Finds what the functions defined inside a function use, as part of what that function depends on.

A factory that returns closures, a decorator with its wrapper: the calls are in the inner function, which is their
source. Who asks what the outer one uses means them too. Classes and files are not seen through: their members are
listed, each with what it uses.
"""

from __future__ import annotations

from collections.abc import Iterator

from codemap.graph.model.edges import EdgeKind
from codemap.graph.query.neighborhood import Neighbor
from codemap.tools.neighbors.asked import Asked


def nested_uses(asked: Asked) -> Iterator[Neighbor]:
    """Finds what the definitions inside the function use outside it, each from the one that uses it."""
    within = {asked.node, *asked.inner}
    kinds = asked.kinds - {EdgeKind.CONTAINS}
    for one in asked.inner:
        for edge in asked.snapshot.edges_out(one, kinds):
            if edge.target not in within:
                yield Neighbor(edge.target, edge, "out", 1, one)
