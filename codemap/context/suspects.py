"""Finds what ran before a test failed: the definitions that its frames and the test itself lead to by calls.

A failing assertion has one frame, that of the test: the fault is in something that it called. Each definition is as
near as the cheapest chain of calls that leads to it. What is called after the line that failed has hardly run.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import msgspec
import numpy as np

from codemap.file_roles import Role
from codemap.graph.index.node_roles import role_of_node
from codemap.graph.likelihood.candidates import Candidates
from codemap.graph.model.edges import FUNCTION_KINDS, EdgeKind, Ints, are_first, distinct
from codemap.graph.model.snapshot import Snapshot
from codemap.graph.query.chain_steps import NEVER, USE_MIN, Along, Steps, Ways, implied, uses, ways_of
from codemap.impact.injected import INJECTED_USERS

ORIGINS_MAX = 12
"""Frames and tests that are followed: more failures of one fault lead to the same."""
HALVED = 2 * USE_MIN
"""The cost of steps that halves what leads to a definition."""
COST_MAX = 10 * USE_MIN
INSIDE_COST = 5
"""Of a function that is defined in one that runs: to be run."""
LATER_COST = USE_MIN
"""Of a use after the line that failed."""
UNDECIDED_COST = 2 * USE_MIN
CANDIDATES_MAX = 4
"""Definitions that an undecided use may mean, to count for each."""
IMPLIED_MAX = 3
"""Steps in a row that are implied by one use."""
FRONTIER_MAX = 2_000


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
    candidates = Candidates(snapshot)
    fixtures = _find_fixtures(snapshot, [origin.node for origin in origins[:ORIGINS_MAX]])
    found: dict[int, list[float]] = {}
    for origin in origins[:ORIGINS_MAX]:
        cost = _spread(ways, candidates, origin, fixtures.get(origin.node, ()))
        for node in np.flatnonzero(cost < NEVER).tolist():
            is_function = node < snapshot.first_external and snapshot.kind_of(node) in FUNCTION_KINDS
            if is_function and node != origin.node and role_of_node(snapshot, node) is Role.PRODUCT:
                found.setdefault(node, []).append(origin.weight * 2.0 ** (-float(cost[node]) / HALVED))
    count = max(1, min(len(origins), ORIGINS_MAX))
    return {node: max(some) + sum(some) / count for node, some in found.items()}


def _find_fixtures(snapshot: Snapshot, nodes: Sequence[int]) -> dict[int, list[int]]:
    """The fixtures that each of some tests names, and those that these name."""
    named: dict[int, list[int]] = {}
    for fixture, users in INJECTED_USERS.of(snapshot).items():
        for user in users.nodes.tolist():
            named.setdefault(user, []).append(fixture)
    found: dict[int, list[int]] = {}
    for node in nodes:
        waiting = list(named.get(node, ()))
        for fixture in waiting:
            waiting += [one for one in named.get(fixture, ()) if one not in waiting]
        found[node] = waiting
    return found


def _spread(ways: Ways, candidates: Candidates, origin: Origin, fixtures: Iterable[int]) -> Ints:
    """The cost of the cheapest chain from an origin to each node; `NEVER` where there is none."""
    cost = np.full(ways.snapshot.node_count, NEVER, dtype=np.int32)
    begin = np.array(sorted({origin.node, *fixtures}), dtype=np.int32)
    cost[begin] = np.where(begin == origin.node, 0, USE_MIN)
    frontier, is_first = begin, True
    while len(frontier):
        steps = uses(ways, frontier, is_forward=True)
        if is_first and origin.line:
            steps = _price_later(ways, steps, origin)
        fresh = _improve(cost, steps.source, steps.target, steps.cost)
        more = list(_find_further(ways.snapshot, candidates, frontier))
        source, target, price = np.array(more, dtype=np.int32).reshape(-1, 3).T
        fresh = distinct(np.concatenate((fresh, _improve(cost, source, target, price))))
        improved = [fresh]
        for turn in range(IMPLIED_MAX):
            inferred = implied(ways, fresh, is_forward=True, is_first=not turn)
            fresh = _improve(cost, inferred.source, inferred.target, inferred.cost)
            improved.append(fresh)
        frontier = distinct(np.concatenate(improved))
        frontier = frontier[(frontier < ways.snapshot.first_external) & (cost[frontier] < COST_MAX)][:FRONTIER_MAX]
        is_first = False
    return cost


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
    """The steps of the first use, dearer where all of their sites come after the line that failed."""
    table = ways.snapshot.edges
    lines = [
        int(table.sites[int(table.first[row]) : int(table.first[row]) + int(table.count[row]), 0].min())
        for row in steps.row.tolist()
    ]
    is_later = (np.array(lines, dtype=np.int32) > origin.line) & (steps.source == origin.node)
    return msgspec.structs.replace(steps, cost=steps.cost + np.where(is_later, LATER_COST, 0).astype(np.int32))


def _find_further(snapshot: Snapshot, candidates: Candidates, nodes: Ints) -> Iterator[tuple[int, int, int]]:
    """(user, what may run, cost) of what functions define in themselves, and of their undecided calls that can mean
    few definitions."""
    for node in nodes.tolist():
        if snapshot.kind_of(node) in FUNCTION_KINDS:
            for child in snapshot.children_of(node):
                if snapshot.kind_of(child) in FUNCTION_KINDS:
                    yield node, child, INSIDE_COST
        for use in snapshot.unresolved_out(node):
            if use.kind is EdgeKind.CALLS:
                possible = [
                    one for one in candidates.possible(use).tolist() if role_of_node(snapshot, one) is Role.PRODUCT
                ]
                if len(possible) <= CANDIDATES_MAX:
                    yield from ((node, one, UNDECIDED_COST) for one in possible)
