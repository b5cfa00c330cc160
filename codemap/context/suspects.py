"""Finds what ran before a test failed: the definitions that its frames and the test itself lead to by calls.

A failing assertion has one frame, that of the test: the fault is in something that it called. Each definition is as
near as the cheapest chain of calls that leads to it. What is called after the line that failed has hardly run.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import numpy as np

from codemap.context.further_runs import FURTHER_RUNS, FurtherRuns, are_functions
from codemap.file_roles import Role
from codemap.graph.index.columns import columns_of
from codemap.graph.index.node_roles import role_of_node
from codemap.graph.model.edges import Ints, are_first, distinct
from codemap.graph.model.snapshot import Snapshot
from codemap.graph.query.chain_steps import NEVER, USE_MIN, Along, Steps, Ways, implied, uses, ways_of

ORIGINS_MAX = 12
"""Frames and tests that are followed: more failures of one fault lead to the same."""
HALVED = 2 * USE_MIN
"""The cost of steps that halves what leads to a definition."""
COST_MAX = 10 * USE_MIN
LATER_COST = USE_MIN
"""Of a use after the line that failed."""
NEAR_LINES, AWAY_COST, AWAY_MAX = 12, USE_MIN, 4
"""In a file of blocks each so many lines before the one that failed cost so much, up to so many times."""
IMPLIED_MAX = 3
"""Steps in a row that are implied by one use."""
FRONTIER_MAX = 2_000
PASSES_MAX = 4
"""Searches from an origin: each may find classes that are made, whose methods undecided calls may mean then."""


class Origin(msgspec.Struct, frozen=True):
    """A definition that ran when a test failed."""

    node: int
    line: int
    """Where it was then; 0 where that is not known."""
    weight: float


def weigh_suspects(snapshot: Snapshot, origins: Sequence[Origin]) -> dict[int, float]:
    """The functions of the product that the origins lead to, each with its weight: the best of them, and a share of the
    others."""
    ways = ways_of(snapshot, (Role.TEST,), Along.CALLS)
    further = FURTHER_RUNS.of(snapshot)
    columns = columns_of(snapshot)
    runs = are_functions(columns.kind, columns.flags)
    found: dict[int, list[float]] = {}
    for origin in origins[:ORIGINS_MAX]:
        cost = _spread(ways, further, origin)
        for node in np.flatnonzero((cost[: snapshot.first_external] < NEVER) & runs).tolist():
            if node != origin.node and role_of_node(snapshot, node) is Role.PRODUCT:
                found.setdefault(node, []).append(origin.weight * 2.0 ** (-float(cost[node]) / HALVED))
    count = max(1, min(len(origins), ORIGINS_MAX))
    return {node: max(some) + sum(some) / count for node, some in found.items()}


def _spread(ways: Ways, further: FurtherRuns, origin: Origin) -> Ints:
    """The cost of the cheapest chain from an origin to each node; `NEVER` where there is none."""
    cost = np.full(ways.snapshot.node_count, NEVER, dtype=np.int32)
    frontier = np.array([origin.node], dtype=np.int32)
    cost[frontier] = 0
    line = origin.line
    for _ in range(PASSES_MAX):
        while len(frontier):
            frontier = _step(ways, further, cost, frontier, line, origin)
            line = 0
        frontier = _improve(cost, *_find_made(further, cost, np.flatnonzero(cost < COST_MAX).astype(np.int32)))
        if not len(frontier):
            break
    return cost


def _step(ways: Ways, further: FurtherRuns, cost: Ints, frontier: Ints, line: int, origin: Origin) -> Ints:
    """One step from some nodes, with what that implies: the nodes to go on from; notes their costs."""
    steps = uses(ways, frontier, is_forward=True)
    if line:
        steps = _price_later(ways, steps, origin)
    fresh = _improve(cost, steps.source, steps.target, steps.cost)
    fresh = distinct(np.concatenate((fresh, _improve(cost, *_find_made(further, cost, frontier)))))
    improved = [fresh]
    for turn in range(IMPLIED_MAX):
        inferred = implied(ways, fresh, is_forward=True, is_first=not turn)
        fresh = _improve(cost, inferred.source, inferred.target, inferred.cost)
        improved.append(fresh)
    reached = distinct(np.concatenate(improved))
    is_near = (reached < ways.snapshot.first_external) & (cost[reached] < COST_MAX)
    found: Ints = reached[is_near][:FRONTIER_MAX]
    return found


def _find_made(further: FurtherRuns, cost: Ints, nodes: Ints) -> tuple[Ints, Ints, Ints]:
    """(user, what may run, cost) of some users; methods only of classes that were made on the way."""
    source, target, price, made = further.steps(nodes)
    counts = (made < 0) | (cost[made] < NEVER)
    return source[counts], target[counts], price[counts]


def _improve(cost: Ints, source: Ints, target: Ints, price: Ints) -> Ints:
    """The nodes that some steps make cheaper, in order; notes their costs."""
    total = cost[source] + price
    better = total < cost[target]
    target, total = target[better], total[better]
    order = np.lexsort((total, target))
    target, total = target[order], total[order]
    chosen = are_first(target)
    cost[target[chosen]] = total[chosen]
    found: Ints = target[chosen]
    return found


def _price_later(ways: Ways, steps: Steps, origin: Origin) -> Steps:
    """The steps of the first use, dearer where all of their sites come after the line that failed; from a file, whose
    tests are blocks and no definitions, the further the nearest one comes before that line."""
    table = ways.snapshot.edges
    is_file = not ways.snapshot.row_of(origin.node)[1]
    prices = []
    for row in steps.row.tolist():
        sites = table.sites[int(table.first[row]) : int(table.first[row]) + int(table.count[row]), 0]
        before = sites[sites <= origin.line]
        away = (origin.line - int(before.max())) // NEAR_LINES if is_file and len(before) else 0
        prices.append(min(away, AWAY_MAX) * AWAY_COST if len(before) else LATER_COST)
    price = np.where(steps.source == origin.node, np.array(prices, dtype=np.int32), 0)
    return msgspec.structs.replace(steps, cost=steps.cost + price.astype(np.int32))
