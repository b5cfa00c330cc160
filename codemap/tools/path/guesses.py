"""Weighs the guesses of a chain: which of its undecided calls most likely mean something else.

A search for chains knows only how many definitions have a name. To weigh the candidates of one use takes longer than
the whole search, so that is done for those on the chain that was found, and the search is repeated where others are
likelier.
"""

from __future__ import annotations

from enum import IntEnum

import msgspec
import numpy as np

from codemap.graph.likelihood.likelihood import Likelihood
from codemap.graph.likelihood.ranking import Ranked, Ranking
from codemap.graph.model.snapshot import Snapshot
from codemap.graph.query.chain_steps import UNDECIDED, Ways
from codemap.graph.query.chains import Alike, Chains, chains

ROUNDS_MAX = 8
"""Chains that are looked at."""


class Standing(IntEnum):
    """Of a candidate beside the others of its use."""

    EVEN = 0
    """Nothing tells them apart."""
    LIKELIEST = 1
    UNLIKELY = 2
    """Another is likelier."""


class Guesses:
    """The candidates of undecided calls, weighed when they are asked for."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self._ranking = Ranking(snapshot)

    def standing(self, row: int, node: int) -> Standing:
        """Of a candidate of the undecided use in a row."""
        ranked = self.ranked(row)
        if node not in ranked.nodes or ranked.of(node) != ranked.likelihood:
            return Standing.UNLIKELY
        is_alone = ranked.likelihoods.count(ranked.likelihood) == 1
        return Standing.LIKELIEST if is_alone and ranked.likelihood < Likelihood.LOW else Standing.EVEN

    def ranked(self, row: int) -> Ranked:
        return self._ranking.of(self._snapshot.unresolved_use(row))


def find_likely(
    ways: Ways, start: int, end: int, max_uses: int, alike: Alike, guesses: Guesses, longest: int = 0
) -> Chains:
    """The cheapest chain along candidates once those cost more than which others of their use are likelier."""
    weighed: set[int] = set()
    unlikely: list[tuple[int, int]] = []
    found = chains(ways, start, end, max_uses, 1, longest, alike)
    for _ in range(ROUNDS_MAX):
        rows = {UNDECIDED - step.row for chain in found.chains for step in chain if step.row <= UNDECIDED} - weighed
        fresh = [(row, node) for row in sorted(rows) for node in _list_unlikely(guesses.ranked(row))]
        if not fresh:
            break
        weighed |= rows
        unlikely += fresh
        ways = msgspec.structs.replace(ways, unlikely=np.array(sorted(unlikely), dtype=np.int64))
        found = chains(ways, start, end, max_uses, 1, longest, alike)
    return found


def _list_unlikely(ranked: Ranked) -> list[int]:
    return [node for node, its in zip(ranked.nodes, ranked.likelihoods, strict=True) if its != ranked.likelihood]
