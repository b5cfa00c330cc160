"""Follows calls from where a program is entered to every definition that they lead to, by the surest path to each.

A step is a use that may run what it names, or one that it implies: see `codemap.graph.query.chain_steps`. Of two ways
the better is the one whose weakest step is the surest, then the shorter.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from codemap.file_roles import Role
from codemap.graph.model.edges import Ints
from codemap.graph.model.snapshot import Snapshot
from codemap.graph.model.values import Confidence
from codemap.graph.query.chain_steps import OVERRIDE, Along, Steps, Ways, implied, uses, ways_of
from codemap.impact.steps import Tier

_UNSEEN = len(Tier)
_TIER_OF = np.array(
    [
        {Confidence.NAME: Tier.LIKELY, Confidence.CANDIDATE: Tier.POSSIBLE}.get(level, Tier.CERTAIN)
        for level in Confidence
    ],
    dtype=np.int8,
)


class Flow:
    """See `flow_from`. By node; `_UNSEEN` is the tier of what nothing leads to."""

    def __init__(self, ways: Ways, seeds: Iterable[int]) -> None:
        self._ways = ways
        count = ways.snapshot.node_count
        self._tier = np.full(count, _UNSEEN, dtype=np.int8)
        self._via = np.full(count, -1, dtype=np.int32)
        self._pending: dict[tuple[int, int], list[Steps]] = {}
        first = np.array(sorted(set(seeds)), dtype=np.int32)
        self._tier[first] = Tier.CERTAIN
        self._note(first, int(Tier.CERTAIN), 1)
        self._run()

    def is_reached(self, node: int) -> bool:
        return int(self._tier[node]) < _UNSEEN

    def reached(self) -> Ints:
        """All nodes that are reached, in order, external ones too."""
        return np.flatnonzero(self._tier < _UNSEEN).astype(np.int32)

    def tier(self, node: int) -> Tier:
        """Of the surest way; the node must be reached."""
        return Tier(int(self._tier[node]))

    def path(self, node: int) -> list[int]:
        """The way to it, from where it begins."""
        found = [node]
        while (before := int(self._via[found[-1]])) >= 0:
            found.append(before)
        return found[::-1]

    def _run(self) -> None:
        while self._pending:
            tier, depth = best = min(self._pending)
            steps = self._pending.pop(best)
            target = np.concatenate([one.target for one in steps])
            source = np.concatenate([one.source for one in steps])
            is_new = self._tier[target] == _UNSEEN
            nodes, first = np.unique(target[is_new], return_index=True)
            if len(nodes):
                self._tier[nodes] = tier
                self._via[nodes] = source[is_new][first]
                self._note(nodes.astype(np.int32), tier, depth + 1)

    def _note(self, nodes: Ints, tier: int, depth: int) -> None:
        """Keeps the steps from some nodes of a tier to others at a depth."""
        inside = nodes[nodes < self._ways.snapshot.first_external]
        for steps in (
            uses(self._ways, inside, is_forward=True),
            implied(self._ways, inside, is_forward=True),
        ):
            rows = np.maximum(steps.row, 0)
            of_edge = _TIER_OF[self._ways.snapshot.edges.confidence[rows]] if len(rows) else np.zeros(0, np.int8)
            own = np.where(steps.row >= 0, of_edge, np.where(steps.row == OVERRIDE, Tier.LIKELY, Tier.CERTAIN))
            tiers = np.maximum(own, tier)
            for level in range(tier, _UNSEEN):
                chosen = tiers == level
                if chosen.any():
                    kept = Steps(steps.source[chosen], steps.target[chosen], steps.row[chosen], steps.cost[chosen])
                    self._pending.setdefault((level, depth), []).append(kept)


def flow_from(snapshot: Snapshot, seeds: Iterable[int], along: Along = Along.CALLS) -> Flow:
    """What some nodes lead to. Cost: each edge of what is reached is looked at once."""
    return Flow(ways_of(snapshot, tuple(Role), along), seeds)
