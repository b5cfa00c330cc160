"""What may run with a function, beside what its own calls say: overrides, fixtures, methods by the beginning of their
names, what a runtime calls on the objects that it makes, undecided calls.

These are the steps of impact (`codemap.impact.arrivals`), looked at from the user's side, each with a cost in the units
of `codemap.graph.query.chain_steps`.
"""

from __future__ import annotations

import msgspec
import numpy as np
from numpy.typing import NDArray

from codemap.facts import SymbolFlag
from codemap.graph.index.columns import columns_of, places
from codemap.graph.index.inheritance import ARE_TYPES
from codemap.graph.likelihood.candidates import undecided_uses_of
from codemap.graph.model.edges import ARE_FUNCTIONS, Ints, Mask, starts
from codemap.graph.model.index_slots import Slot
from codemap.graph.model.snapshot import Snapshot
from codemap.graph.query.chain_steps import USE_MIN
from codemap.impact.arrivals import arrivals
from codemap.impact.steps import How, Tier

_COST = {
    How.CONTAINS: USE_MIN // 2,
    How.INJECTED: USE_MIN,
    How.CONSTRUCTS: USE_MIN + 2,
    How.DISPATCHES: USE_MIN + 4,
    How.EXTENDS: USE_MIN + 4,
    How.REFERENCES: USE_MIN + 4,
    How.UNDECIDED: 2 * USE_MIN,
}
"""Of a step by its kind: to define a function and run it, ..., an undecided call that may mean it."""
NAMESAKES_MAX = 60
"""Definitions of one name up to which an undecided use of the name may mean each of them whose class is made."""
_POSSIBLE_COST = USE_MIN
"""In addition, where it is only possible; an undecided call is always."""


class FurtherRuns(msgspec.Struct, frozen=True):
    """Steps by their user, as columns."""

    start: Ints
    """Element n: where the steps of node n begin; one longer than there are nodes."""
    target: Ints
    cost: Ints
    made: Ints
    """The class that must be made somewhere for a step to be one; -1 where there is none."""

    def steps(self, nodes: Ints) -> tuple[Ints, Ints, Ints, Ints]:
        """(user, what may run, cost, class that must be made) of some users."""
        rows, of = places(self.start, nodes)
        return nodes[of], self.target[rows], self.cost[rows], self.made[rows]


def _find_further_runs(snapshot: Snapshot) -> FurtherRuns:
    """Cost: a look at each use of a function."""
    columns = columns_of(snapshot)
    functions = np.flatnonzero(are_functions(columns.kind, columns.flags)).astype(np.int32)
    found = arrivals(snapshot, functions)
    found = found.where(found.how != How.UNDECIDED)
    is_edge = found.row >= 0
    is_own = np.zeros(len(found.row), dtype=bool)
    is_own[is_edge] = snapshot.edges.target[found.row[is_edge]] == found.via[is_edge]
    found = found.where(~is_own)
    by_how = np.array([_COST.get(how, 2 * USE_MIN) for how in How], dtype=np.int32)
    cost = by_how[found.how] + np.where(found.tier >= Tier.POSSIBLE, _POSSIBLE_COST, 0).astype(np.int32)
    rows, meant = undecided_uses_of(snapshot, functions, NAMESAKES_MAX)
    user = snapshot.unresolved.source[rows]
    owner = columns.parent[meant]
    owner = np.where(ARE_TYPES[columns.kind[np.maximum(owner, 0)]], owner, -1)
    source = np.concatenate((found.source, user))
    order = np.argsort(source, kind="stable")
    return FurtherRuns(
        starts(source[order], snapshot.node_count),
        np.concatenate((found.via, meant))[order],
        np.concatenate((cost, np.full(len(user), _COST[How.UNDECIDED], np.int32)))[order],
        np.concatenate((np.full(len(cost), -1, np.int32), owner))[order].astype(np.int32),
    )


def are_functions(kind: NDArray[np.int8], flags: NDArray[np.int32]) -> Mask:
    """Which definitions run code of their own: functions, methods, and properties that are computed."""
    found: Mask = ARE_FUNCTIONS[kind] | (flags & int(SymbolFlag.ACCESSOR) != 0)
    return found


FURTHER_RUNS = Slot[FurtherRuns](_find_further_runs)
