"""What usually changes with the definition to read first."""

from __future__ import annotations

from codemap.context.seeds import Seed
from codemap.graph.model.snapshot import Snapshot
from codemap.history.companions import Companion, companions
from codemap.history.past import Past, of_node
from codemap.live_queries import Found, PastOf
from codemap.tools.tool import Asking

COMPANIONS_MAX = 5
HISTORY_WAIT_S = 0.2
"""For a history that is behind the head: one that was never read is not waited for."""


def find_companions(snapshot: Snapshot, read: list[Seed]) -> Asking[list[Companion]]:
    """What usually changes with the first, where the history was read already."""
    if not read:
        return []
    (fact,) = yield (PastOf(HISTORY_WAIT_S, begins=False),)
    if not isinstance(fact, Found):
        return []
    past: Past = fact.value
    node = read[0].node
    path = snapshot.row_of(node)[0].path
    return companions(past, snapshot, of_node(past, snapshot, node)[0], {node}, [path])[:COMPANIONS_MAX]
