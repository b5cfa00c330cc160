"""Finds where the chains of users end because nobody could say who goes on: at definitions whose name so many share
that undecided uses of it are not followed."""

from __future__ import annotations

import numpy as np

from codemap.file_roles import Role
from codemap.graph.index.columns import columns_of
from codemap.graph.index.node_roles import are_in_files_of
from codemap.graph.index.type_methods import constructors_of
from codemap.graph.model.snapshot import Snapshot
from codemap.impact.arrivals import CANDIDATES_MAX
from codemap.impact.reached import Reach
from codemap.impact.steps import Tier

ENDS_MAX = 50
"""Ends that are looked at: where there are more, one that is lost says little."""
_LOOKED_AT = 4 * ENDS_MAX
"""What is looked at together to find these."""


def find_ends(snapshot: Snapshot, reached: Reach) -> list[int]:
    """The first definitions of product code among what is reached, the nearest first, where nothing goes on that is
    known: ends if undecided uses may mean them."""
    names = snapshot.node_names
    ends = reached.node[(reached.node < snapshot.first_external) & (reached.tier < int(Tier.REMOTE))]
    ends = ends[(columns_of(snapshot).parent[ends] >= 0) & are_in_files_of(snapshot, ends, Role.PRODUCT)]
    own = names.of_node[ends]
    ends = ends[names.start[own + 1] - names.start[own] > CANDIDATES_MAX]
    last = ends[:0]
    for begin in range(0, len(ends), _LOOKED_AT):
        some = ends[begin : begin + _LOOKED_AT]
        last = np.concatenate((last, some[~reached.lead_on(some)]))
        if len(last) >= ENDS_MAX:
            break
    last = last[:ENDS_MAX]
    found: list[int] = last[~constructors_of(snapshot)[last]].tolist()
    return found
