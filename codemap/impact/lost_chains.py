"""Finds where the chains of users end because nobody could say who goes on: at definitions whose name so many share
that undecided uses of it are not followed."""

from __future__ import annotations

import msgspec
import numpy as np

from codemap.file_roles import Role
from codemap.graph.index.columns import columns_of
from codemap.graph.index.node_roles import are_in_files_of
from codemap.graph.index.type_methods import constructors_of
from codemap.graph.model.edges import EdgeKind
from codemap.graph.model.snapshot import Snapshot
from codemap.graph.query.undecided import Side, undecided_rows
from codemap.impact.arrivals import CANDIDATES_MAX
from codemap.impact.reached import Reach
from codemap.impact.steps import Tier

ENDS_MAX = 50
"""Ends that are looked at: where there are more, one that is lost says little."""
_INTO: tuple[Side, ...] = ("in",)


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
    go_on = np.zeros(snapshot.node_count + 1, dtype=np.bool_)  # one longer for -1
    go_on[reached.last.via] = True
    ends = ends[~go_on[ends]][:ENDS_MAX]
    ends = ends[~constructors_of(snapshot)[ends]]
    rows: set[int] = set()
    nodes = []
    for node in ends.tolist():
        found = undecided_rows(snapshot, node, _INTO, frozenset(EdgeKind))[0]
        rows.update(found.tolist())
        nodes += [node] if len(found) else []
    sites = int(snapshot.unresolved.count[np.array(sorted(rows), dtype=np.int32)].sum()) if rows else 0
    return Lost(tuple(nodes), sites)
