"""A chain of calls between two of the definitions to read first."""

from __future__ import annotations

from codemap.context.seeds import Seed
from codemap.graph.model.edges import EdgeKind
from codemap.graph.model.snapshot import Snapshot
from codemap.graph.model.values import Confidence
from codemap.graph.query.chain_marks import Mark
from codemap.graph.query.reachability import joined
from codemap.tools.path.found import chain_of_calls
from codemap.tools.path.views import chain_texts
from codemap.tools.tool import World

PATH_MAX = 5
PATH_STARTS, PATH_ENDS = 2, 4
"""Of those to read first, between which a path is looked for."""
_STEPS = frozenset((Mark.CALL, Mark.CONSTRUCTOR, Mark.OVERRIDE, Mark.DECORATED))
"""Of a path that is worth its room: what runs when the first runs."""


def find_path(world: World, snapshot: Snapshot, read: list[Seed]) -> list[str]:
    """A chain of calls from one of the best to another, where there is one."""
    nodes = [seed.node for seed in read[:PATH_ENDS]]
    possible = joined(snapshot, nodes, PATH_MAX)
    for one in nodes[:PATH_STARTS]:
        for other in nodes[1:]:
            for start, end in ((one, other), (other, one)):
                if (start, end) not in possible or _calls(snapshot, start, end):
                    continue
                chain = chain_of_calls(snapshot, start, end, PATH_MAX)
                if len(chain) > 1 and all(link.mark in _STEPS and link.confidence < Confidence.NAME for link in chain):
                    return chain_texts(world, snapshot, start, chain)
    return []


def _calls(snapshot: Snapshot, start: int, end: int) -> bool:
    """Whether a call leads there at once: no chain costs less, and one of a single step is not worth its room."""
    table = snapshot.edges
    rows = table.leaving(start)
    rows = rows[(table.target[rows] == end) & (table.kind[rows] == EdgeKind.CALLS)]
    return bool((table.confidence[rows] < Confidence.NAME).any())
