"""Weighs the guesses of a chain: which of its undecided calls most likely mean something else.

A search for chains knows only how many definitions have a name. To weigh the candidates of one use takes longer than
the whole search, so that is done for those on the chain that was found, and the search is repeated where others are
likelier. Each use is weighed by itself, whatever else is asked, and once a map.
"""

from __future__ import annotations

from enum import IntEnum

import msgspec
import numpy as np

from codemap.graph.likelihood.candidates import CANDIDATES_MAX
from codemap.graph.likelihood.likelihood import Likelihood
from codemap.graph.likelihood.ranking import Ranked, rank_alone
from codemap.graph.model.snapshot import Snapshot
from codemap.graph.query.chain_steps import BRIDGE, UNDECIDED, Ways
from codemap.graph.query.chains import Alike, Chains, Step, chains

ROUNDS_MAX = 8
"""Chains that are looked at."""


class Standing(IntEnum):
    """Of a candidate beside the others of its use."""

    EVEN = 0
    """Nothing tells them apart."""
    LIKELIEST = 1
    UNLIKELY = 2
    """Another is likelier."""


def weigh(snapshot: Snapshot, row: int, node: int) -> tuple[int, Standing]:
    """How many candidates the undecided use in a row has, and the standing of one of them."""
    its = rank_alone(snapshot, row)
    if node not in its.nodes or its.of(node) != its.likelihood:
        return len(its.nodes), Standing.UNLIKELY
    is_alone = its.likelihoods.count(its.likelihood) == 1
    is_likeliest = is_alone and its.likelihood < Likelihood.LOW
    return len(its.nodes), Standing.LIKELIEST if is_likeliest else Standing.EVEN


def find_likely(ways: Ways, start: int, end: int, max_uses: int, alike: Alike, longest: int = 0) -> Chains:
    """The cheapest chain along candidates once those cost more than which others of their use are likelier; none where
    one of its calls may as well be of so many others that it says nothing."""
    weighed: set[int] = set()
    unlikely: list[tuple[int, int]] = []
    found = chains(ways, start, end, max_uses, 1, longest, alike)
    for _ in range(ROUNDS_MAX):
        rows = {UNDECIDED - step.row for chain in found.chains for step in chain if step.row <= UNDECIDED} - weighed
        fresh = [(row, node) for row in sorted(rows) for node in _list_unlikely(rank_alone(ways.snapshot, row))]
        if not fresh:
            break
        weighed |= rows
        unlikely += fresh
        pairs = np.array(sorted(unlikely), dtype=np.int64)
        ways = msgspec.structs.replace(ways, unlikely=pairs, kept={} if ways.kept is None else ways.kept)
        found = chains(ways, start, end, max_uses, 1, longest, alike)
    telling = tuple(chain for chain in found.chains if all(_tells(ways.snapshot, step) for step in chain))
    return msgspec.structs.replace(found, chains=telling)


def _tells(snapshot: Snapshot, step: Step) -> bool:
    if step.row > UNDECIDED or step.row <= BRIDGE:
        return True
    count, its_standing = weigh(snapshot, UNDECIDED - step.row, step.target)
    return count <= CANDIDATES_MAX or its_standing is Standing.LIKELIEST


def _list_unlikely(its: Ranked) -> list[int]:
    return [node for node, one in zip(its.nodes, its.likelihoods, strict=True) if one != its.likelihood]
