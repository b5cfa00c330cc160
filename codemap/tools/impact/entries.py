"""Names where a program is entered that leads to what changes: routes, commands, tasks, handlers.

{"routes": ["app/views.py#login 31", "app/views.py#renew 40", "12 more"], "commands": ["app/main.py#main 8"]}
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from codemap.graph.model.edges import Ints
from codemap.graph.model.snapshot import Snapshot
from codemap.impact.reached import Reach
from codemap.impact.steps import Tier
from codemap.tools.overview.areas import definition_text
from codemap.tools.overview.entries import KINDS, entry_nodes

NAMED_MAX = 3
"""Of one kind, the surest and nearest first."""


def entry_texts(snapshot: Snapshot, changed: Sequence[int], reached: Reach) -> dict[str, list[str]]:
    """Kind -> those that change themselves, and those that are reached for certain or likely."""
    kinds = entry_nodes(snapshot)
    if not kinds:
        return {}
    sure: Ints = reached.node.compress(reached.tier < int(Tier.POSSIBLE))
    entries = np.fromiter(kinds, np.int32, count=len(kinds))
    nodes = dict.fromkeys((*(node for node in changed if node in kinds), *sure[np.isin(sure, entries)].tolist()))
    found: dict[str, list[int]] = {}
    for node in nodes:
        found.setdefault(kinds[node], []).append(node)
    return {kind: _name(snapshot, found[kind]) for kind in KINDS if kind in found}


def _name(snapshot: Snapshot, nodes: Sequence[int]) -> list[str]:
    more = len(nodes) - NAMED_MAX
    texts = [definition_text(snapshot, node) for node in nodes[:NAMED_MAX]]
    return [*texts, f"{more} more"] if more > 0 else texts
