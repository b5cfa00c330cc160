"""Finds where the chains of users end because nobody could say who goes on: at definitions whose name so many share
that undecided uses of it are not followed."""

from __future__ import annotations

import msgspec
import numpy as np

from codemap.file_roles import Role
from codemap.graph.index.columns import columns_of
from codemap.graph.index.node_roles import are_in_files_of
from codemap.graph.index.type_methods import constructors_of
from codemap.graph.model.snapshot import Snapshot
from codemap.graph.query.undecided import open_uses
from codemap.impact.arrivals import CANDIDATES_MAX
from codemap.impact.reached import Reach
from codemap.impact.steps import Tier

ENDS_MAX = 50
"""Ends that are looked at: where there are more, one that is lost says little."""
_LOOKED_AT = 4 * ENDS_MAX
"""What is looked at together to find these."""


class Lost(msgspec.Struct, frozen=True):
    nodes: tuple[int, ...]
    """The ends of chains, the nearest first."""
    sites: int
    """Undecided uses that may mean any of them."""


def find_lost(snapshot: Snapshot, reached: Reach) -> Lost:
    """The ends in product code of what is reached."""
    names = snapshot.node_names
    ends = reached.node[(reached.node < snapshot.first_external) & (reached.tier < int(Tier.REMOTE))]
    ends = ends[(columns_of(snapshot).parent[ends] >= 0) & are_in_files_of(snapshot, ends, Role.PRODUCT)]
    own = names.of_node[ends]
    ends = ends[names.start[own + 1] - names.start[own] > CANDIDATES_MAX]
    if not len(ends):
        return Lost((), 0)
    last = ends[:0]
    for begin in range(0, len(ends), _LOOKED_AT):
        some = ends[begin : begin + _LOOKED_AT]
        last = np.concatenate((last, some[~reached.lead_on(some)]))
        if len(last) >= ENDS_MAX:
            break
    last = last[:ENDS_MAX]
    return Lost(*open_uses(snapshot, last[~constructors_of(snapshot)[last]].tolist()))
