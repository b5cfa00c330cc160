"""Finds what definitions lead to, and what leads to them, by the steps of chains."""

from __future__ import annotations

import numpy as np

from codemap.graph.model.edges import Ints, are_among, distinct
from codemap.graph.query.chain_steps import Steps, Ways
from codemap.graph.query.chains import inside_of
from codemap.graph.query.step_tables import implied, uses

LEVELS_MAX = 10


def reach(ways: Ways, ends: Ints, *, is_forward: bool, most: int) -> Ints:
    """What ends lead to, or what leads to them, the nearest first; `most` or the whole last level more."""
    seen = distinct(ends)
    found, count, level = [seen], len(seen), seen
    for _ in range(LEVELS_MAX):
        fresh = _step(uses(ways, level, is_forward=is_forward), is_forward=is_forward)
        further = fresh
        for turn in range(LEVELS_MAX):
            further = _step(implied(ways, further, is_forward=is_forward, is_first=not turn), is_forward=is_forward)
            further = further[~are_among(further, fresh)]
            if not len(further):
                break
            fresh = distinct(np.concatenate((fresh, further)))
        level = fresh[(fresh < ways.snapshot.first_external) & ~are_among(fresh, seen)]
        count += len(level)
        if not len(level):
            break
        found.append(level)
        seen = distinct(np.concatenate((seen, level)))
        if count > most:
            break
    return np.concatenate(found)


def _step(steps: Steps, *, is_forward: bool) -> Ints:
    return distinct(steps.target if is_forward else steps.source)


def whole(ways: Ways, *nodes: int) -> Ints:
    """Those of some nodes that are here, with what is inside them and counts as them."""
    inside = [node for node in nodes if not ways.snapshot.is_external(node)]
    return distinct(np.array([one for node in inside for one in (node, *inside_of(ways.snapshot, node))], np.int32))
