"""Finds the cheapest chains of steps from one definition to another, in the direction of calls.

Both ends are searched from in turns, the one with less to look at first, by uses: after n uses the cost of a node is
that of the cheapest chain with at most n uses. So the length of chains is bounded, work ends where no cheaper chain can
come, and at `EDGES_MAX` edges looked at.

Several chains differ: each further one is the cheapest once the nodes of earlier ones cost `AGAIN` more, and a third of
what is inside it is in none before it.

Rules of the file:
- The definitions inside an end (a file, a class) count as that end.
- A chain leads through no external package, though it may end at one.
- The same question to the same snapshot finds the same chains.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import msgspec
import numpy as np

from codemap.facts import SymbolKind
from codemap.graph.frameworks.outside_callers import CALLBACKS
from codemap.graph.index.columns import columns_of
from codemap.graph.model.edges import Ints, Numbers, are_first, distinct
from codemap.graph.model.snapshot import Snapshot
from codemap.graph.query.chain_steps import (
    ANY_NAMED,
    MEMBER,
    NEVER,
    USE_MIN,
    Along,
    Steps,
    Ways,
    use_count,
)
from codemap.graph.query.step_tables import implied, uses

EDGES_MAX = 400_000
"""Edges that one search looks at."""
IMPLIED_MAX = 12
"""Steps in a row that are implied by one use."""
AGAIN = 15
"""The cost of a node that is part of an earlier chain."""
WORSE_MAX = 2
"""How many times as much as the first a further chain may cost."""
NEW_PART = 3
"""The part of what is inside a further chain that is in none before it: a third."""
INSIDE_COST = 1
"""Of an end that is inside the one that was asked about."""
OWNER_COST = 12
"""Of the class that the end is a member of, along references: it is reached, and not the end itself."""
CALLED_OWNER_COST = 16
"""The same where a base outside may call the end, which says more."""

_BITS = 20
"""Of a part of a key: more than `NEVER` has, and most nodes."""
_MANY = 1_000

Alike = tuple[Sequence[int], Sequence[int]]
"""What counts as the start, and what as the end: their overloads."""
_RUNNING = (int(SymbolKind.FUNCTION), int(SymbolKind.METHOD))
"""A call of these does not run the definitions inside them."""


class Step(msgspec.Struct, frozen=True):
    source: int
    target: int
    row: int
    """Of the edge, or as in `Steps`."""


class Chains(msgspec.Struct, frozen=True):
    chains: tuple[tuple[Step, ...], ...]
    """The cheapest first; none is empty."""
    is_whole: bool
    """Whether the search was exhaustive: no other chain, and no cheaper one, exists."""
    is_longer: bool = False
    """Whether there is none of as few uses as were asked for, so that these have more."""


def chains(
    ways: Ways, start: int, end: int, max_uses: int, most: int, longest: int = 0, alike: Alike = ((), ())
) -> Chains:
    """At most so many chains of at most `max_uses` uses from one node to another one; where there is none, of at most
    `longest`."""
    search = _Search(ways, start, end, max_uses, longest, alike)
    found: list[tuple[Step, ...]] = []
    inside: set[int] = set()
    limit = NEVER
    cheapest = NEVER
    while len(found) < most:
        cost, steps = search.cheapest(inside, limit)
        nodes = {step.source for step in steps[1:]}
        if not steps or (found and len(nodes - inside) * NEW_PART < max(len(nodes), 1)):
            break
        cost -= AGAIN * sum(step.target in inside for step in steps)
        cheapest = min(cheapest, cost)
        if cost > cheapest * WORSE_MAX:
            break
        found.append(steps)
        inside |= nodes
        limit = cheapest * WORSE_MAX + AGAIN * len(inside) + 1
    return Chains(tuple(found), search.is_whole, bool(found) and search.is_longer)


def inside_of(snapshot: Snapshot, node: int) -> list[int]:
    """The definitions in a node, however deep, where they count as it."""
    columns = columns_of(snapshot)
    found: list[int] = []
    waiting = [node]
    while waiting:
        one = waiting.pop()
        if not snapshot.is_external(one) and int(columns.kind[one]) not in _RUNNING:
            children = columns.children_of(one).tolist()
            found += children
            waiting += children
    return sorted(found)


class _Layer(msgspec.Struct, frozen=True):
    """The nodes that became cheaper at once."""

    nodes: Ints
    """In order."""
    via: Ints
    """The predecessor of each; -1 for a node where the search began."""
    row: Ints


class _Met:
    """The cheapest chain that is known: its cost, and a node where it was met from both ends."""

    def __init__(self, limit: int) -> None:
        self.cost, self.node = limit, -1


class _Side:
    """The search from one end: the cheapest way from it, or to it, to each node reached."""

    def __init__(self, ways: Ways, ends: Mapping[int, int], *, is_forward: bool) -> None:
        self._ways = ways
        self._ends = np.array(sorted(ends), dtype=np.int32)
        self._costs = np.array([ends[node] for node in sorted(ends)], dtype=np.int32)
        self.is_forward = is_forward
        self.cost = np.full(ways.snapshot.node_count, NEVER, dtype=np.int32)
        self.frontier = self._ends
        self.work = 0
        """The number of edges that the next step of the search looks at."""
        self.uses = 0
        self._layers: list[_Layer] = []

    def begin(self) -> None:
        """Forget what is known but the end itself."""
        for layer in self._layers:
            self.cost[layer.nodes] = NEVER
        none = np.full(len(self._ends), -1, dtype=np.int32)
        self._layers = [_Layer(self._ends, none, none)]
        self.cost[self._ends] = self._costs
        self.frontier = self._ends
        self.uses = 0

    def use(self, entering: Ints | None, other: _Side, met: _Met) -> None:
        """One use more; what is dearer than a chain that is known is left out."""
        steps = uses(self._ways, self.frontier, is_forward=self.is_forward)
        self.uses += 1
        self.close(self._improve(steps, entering, other, met), entering, other, met)

    def close(self, fresh: Ints, entering: Ints | None, other: _Side, met: _Met) -> None:
        """Adds what the last steps imply, and sets the nodes to go on from."""
        improved = [fresh]
        for turn in range(IMPLIED_MAX if self._ways.along is not Along.IMPORTS else 0):
            fresh = self._improve(
                implied(self._ways, fresh, is_forward=self.is_forward, is_first=not turn), entering, other, met
            )
            if not len(fresh):
                break
            improved.append(fresh)
        self.frontier = distinct(np.concatenate(improved)) if len(improved) > 1 else improved[0]
        self.work = use_count(self._ways, self.frontier, is_forward=self.is_forward)

    def _improve(self, steps: Steps, entering: Ints | None, other: _Side, met: _Met) -> Ints:
        """The nodes that some steps make cheaper, in order; of equally cheap ways the first node's counts. `entering`
        is what each node costs more than its step."""
        old, new = (steps.source, steps.target) if self.is_forward else (steps.target, steps.source)
        if not len(new):
            return new
        cost = self.cost.take(old) + steps.cost
        if entering is not None:
            cost += entering.take(steps.target)
        better = (cost < np.minimum(self.cost.take(new), met.cost)).nonzero()[0]
        if not len(better):
            return new.take(better)
        old, new, row, cost = old.take(better), new.take(better), steps.row.take(better), cost.take(better)
        if new.max() >= self._ways.snapshot.first_external:
            outside = new >= self._ways.snapshot.first_external
            better = np.flatnonzero(~outside | (other.cost[new] < NEVER))
            old, new, row, cost = old[better], new[better], row[better], cost[better]
            if not len(new):
                return new
        order = sort_ways(new, cost, old, row)
        nodes = new.take(order)
        are_chosen = are_first(nodes)
        order, nodes = order.compress(are_chosen), nodes.compress(are_chosen)
        cost = cost.take(order)
        self.cost[nodes] = cost
        self._layers.append(_Layer(nodes, old.take(order), row.take(order)))
        total = cost + other.cost.take(nodes)
        best = int(np.argmin(total))
        if total[best] < met.cost:
            met.cost, met.node = int(total[best]), int(nodes[best])
        return nodes

    def trail(self, node: int) -> list[Step]:
        """The steps between a node and the end, beginning at the node."""
        found: list[Step] = []
        for layer in reversed(self._layers):
            at = int(np.searchsorted(layer.nodes, np.int32(node)))
            if at == len(layer.nodes) or layer.nodes[at] != node:
                continue
            via = int(layer.via[at])
            if via < 0:
                break
            found.append(Step(*((via, node) if self.is_forward else (node, via)), int(layer.row[at])))
            node = via
        return found


def sort_ways(new: Ints, cost: Ints, old: Ints, row: Ints) -> Numbers:
    """The places of some ways in order of the node, then of cost and the others. Of many, one number for the first
    three is sorted in a tenth of the time; few are the same in all of these."""
    if len(new) > _MANY and max(new.max(), old.max()) < 1 << _BITS:
        keys = (new.astype(np.int64) << _BITS | cost) << _BITS | old
        order = np.argsort(keys)
        keys = keys.take(order)
        if not (keys[1:] == keys[:-1]).any():
            return order
    return np.lexsort((row, old, cost, new))


class _Search:
    """Repeated searches between two ends; what is as long as the graph is made once."""

    def __init__(self, ways: Ways, start: int, end: int, max_uses: int, longest: int, alike: Alike) -> None:
        snapshot = ways.snapshot
        starts, ends = (
            {one: 0} | dict.fromkeys((*inside_of(snapshot, one), *others), INSIDE_COST)
            for one, others in zip((start, end), alike, strict=True)
        )
        if end in starts:  # from what else is inside
            starts = {one: cost for one, cost in starts.items() if one not in ends}
        elif start in ends:
            ends = {end: 0}
        owner = snapshot.parent_of(end)
        self._owner = owner if owner is not None and owner not in starts and _is_owner(ways, owner) else -1
        if self._owner >= 0:
            ends[self._owner] = CALLED_OWNER_COST if end in CALLBACKS.of(snapshot) else OWNER_COST
        self._end, self._node_count = end, snapshot.node_count
        self._max_uses, self._longest = max_uses, longest
        self._forward = _Side(ways, starts, is_forward=True)
        self._backward = _Side(ways, ends, is_forward=False)
        self.is_whole, self.is_longer = True, False

    def cheapest(self, dear: Collection[int], limit: int) -> tuple[int, tuple[Step, ...]]:
        """The cost of the cheapest chain below a limit, and its steps; none where there is none."""
        forward, backward, met = self._forward, self._backward, _Met(limit)
        entering = None
        if dear:
            entering = np.zeros(self._node_count, dtype=np.int32)
            entering[sorted(dear)] = AGAIN
        for side in (backward, forward):
            side.begin()
        for side, other in ((backward, forward), (forward, backward)):
            side.close(side.frontier, entering, other, met)
        spent = 0
        while min(len(forward.frontier), len(backward.frontier)):
            done = forward.uses + backward.uses
            if done == self._max_uses and met.node < 0 and limit == NEVER and self._longest > done:
                self._max_uses, self.is_longer = self._longest, True
            if done == self._max_uses or met.cost <= (done + 1) * USE_MIN:
                break
            ahead, behind = forward.work, backward.work
            spent += min(ahead, behind)
            if spent > EDGES_MAX:
                self.is_whole = False
                break
            side, other = (forward, backward) if ahead <= behind else (backward, forward)
            side.use(entering, other, met)
        if met.node < 0:
            return NEVER, ()
        steps = [*reversed(forward.trail(met.node)), *backward.trail(met.node)]
        if steps[-1].target == self._owner:
            steps.append(Step(self._owner, self._end, MEMBER))
        return met.cost, tuple(steps)


def _is_owner(ways: Ways, node: int) -> bool:
    """Whether what is in a node may run where the node is only named or made."""
    return ways.along in ANY_NAMED and ways.snapshot.kind_of(node) in (SymbolKind.CLASS, SymbolKind.INTERFACE)
