"""Chooses which of the reached definitions are listed, as `codemap.tools.row_selection` does it, and in what order.

What must change along comes first: overrides of a changed method, heirs of a changed type. Direct users are next, then
those of the overrides, as a new signature is one for all of them, then the rest. What is reached by way of a class
alone is counted, as tests are but for overrides in them, unless there is nothing else to show.

A hub reaches most of a repository, and a page shows some hundreds of rows: all that is done with every definition is
done by columns.
"""

from __future__ import annotations

import msgspec
import numpy as np
from numpy.typing import NDArray

from codemap.file_roles import ROLE_NAMES, Role
from codemap.graph.index.columns import columns_of
from codemap.graph.index.node_roles import roles_of_nodes
from codemap.graph.model.edges import Ints, Mask, Numbers, are_among, distinct, first_places
from codemap.graph.model.snapshot import Snapshot
from codemap.impact.assess import Assessed, Listed
from codemap.impact.reached import Reach, tables_of_steps
from codemap.impact.steps import How, Tier
from codemap.tools.impact.params import Params
from codemap.tools.row_selection import is_plain, passes_filter, policy_of


class Choice(msgspec.Struct, frozen=True):
    """Places among what is reached."""

    ranks: NDArray[np.int8]
    """Of each place: see `OVERRIDES` and those after it."""
    shown: Numbers
    """Product code first, each part in the order that is given above, else in that of the search."""
    folded: Numbers
    remote: Numbers
    """What is counted because only a class leads to it."""
    hidden: int = 0
    """How many the filter leaves out, or `tests` where that does not count them."""
    only: tuple[str, ...] = ()
    """The roles of all there is, where that would be folded and is shown for want of anything else."""


def choose(snapshot: Snapshot, found: Assessed, params: Params, own: Role) -> Choice:
    """The rows to show, where the question is about something of a role: what has the same is not folded."""
    none, reached = np.empty(0, dtype=np.int64), found.reached
    ranks = _ranks_of(found)
    if is_plain(params):
        return Choice(ranks, np.argsort(ranks, kind="stable"), none, none)
    policy = policy_of(params)
    roles = roles_of_nodes(snapshot, reached.node)
    passes = _pass_filter(snapshot, reached.node, params.file_filter)
    are_own = (roles == int(own)) | (ranks == OVERRIDES)
    are_plain = passes & ((roles == int(Role.PRODUCT)) | (are_own & (policy == "fold")))
    order = np.argsort(2 * ranks + (roles != int(Role.PRODUCT)), kind="stable")
    plain, rest = order[are_plain[order]], order[(passes & ~are_plain)[order]]
    rest = rest[np.argsort(roles[rest], kind="stable")]
    hidden = len(reached) - len(plain) - len(rest)
    are_near = reached.tier[plain] < int(Tier.REMOTE)
    near, remote = (plain[are_near], plain[~are_near]) if are_near.any() else (plain, none)
    match policy:
        case "include":
            return Choice(ranks, np.concatenate((plain, rest)), none, none, hidden)
        case "only":
            return Choice(ranks, rest, none, none, hidden + len(plain))
        case "exclude":
            return Choice(ranks, near, none, remote, hidden + len(rest))
        case "fold" if len(near):
            return Choice(ranks, near, rest, remote, hidden)
    return Choice(ranks, rest, none, none, hidden, tuple(ROLE_NAMES[role] for role in distinct(roles[rest]).tolist()))


OVERRIDES, EXTENDS, IMPLEMENTS, DIRECT, OF_OVERRIDES, OTHERS = range(6)
"""Ranks: what overrides what changed, extends or implements it, uses it otherwise, uses what overrides it, or uses any
of these."""


def _ranks_of(found: Assessed) -> NDArray[np.int8]:
    """The rank of each place."""
    reached = found.reached
    ranks = np.where((reached.depth == 1) & (reached.tier < int(Tier.REMOTE)), DIRECT, OTHERS).astype(np.int8)
    direct = np.flatnonzero(ranks == DIRECT)
    hows = reached.last_at(direct).how
    for how, rank in ((How.EXTENDS, EXTENDS), (How.IMPLEMENTS, IMPLEMENTS)):
        ranks[direct.compress(hows == int(how))] = rank
    overrides = distinct(found.overrides)
    if len(overrides):
        others = np.flatnonzero((reached.tier < int(Tier.REMOTE)) & (ranks == OTHERS))
        ranks[others.compress(are_among(reached.last_at(others).via, overrides))] = OF_OVERRIDES
        ranks[are_among(reached.node, overrides)] = OVERRIDES
    return ranks


def _pass_filter(snapshot: Snapshot, nodes: Ints, pattern: str) -> Mask:
    if not pattern:
        return np.ones(len(nodes), dtype=np.bool_)
    files = columns_of(snapshot).file[nodes]
    passes = passes_filter(pattern)
    numbers, of = np.unique(files, return_inverse=True)
    found = np.array([passes(snapshot.files[number].path) for number in numbers.tolist()], dtype=np.bool_)
    return found[of]


def near_places(shown: Reach, ranks: NDArray[np.int8], far_max: int) -> Numbers:
    """The places of the sections of what is shown; of what is no more than reached, of the first that have so many."""
    groups, depths = _group(shown, ranks)
    far = OTHERS * len(Tier) * depths
    counts = np.bincount(groups)[far:].cumsum()
    return np.flatnonzero(groups <= far + np.searchsorted(counts, far_max))


def sections_of(snapshot: Snapshot, shown: Listed, ranks: NDArray[np.int8]) -> list[Numbers]:
    """Places among what is shown by rank, tier and depth, overrides by rank alone; in each by file, in the order of the
    first of each, in a file by line."""
    if not len(shown):
        return []
    groups, depths = _group(shown, ranks)
    keys = groups * len(snapshot.files) + columns_of(snapshot).file.take(shown.node)
    first = first_places(keys, (OTHERS + 1) * len(Tier) * depths * len(snapshot.files)).take(keys)
    line, column = _first_sites(snapshot, shown.row, shown.how)
    order = np.lexsort((column, line, first, groups))
    ordered = groups[order]
    return np.split(order, np.flatnonzero(ordered[1:] != ordered[:-1]) + 1)


def _group(shown: Reach | Listed, ranks: NDArray[np.int8]) -> tuple[Numbers, int]:
    """The number of the section of each place, in their order, and how many there may be for a rank and tier."""
    depths = int(shown.depth.max(initial=0)) + 1
    groups = (ranks.astype(np.int64) * len(Tier) + shown.tier) * depths + shown.depth
    groups[ranks == OVERRIDES] = 0
    return groups, depths


def _first_sites(snapshot: Snapshot, rows: Ints, hows: Ints) -> tuple[Ints, Ints]:
    """Line and column of the first use of each step; -1 where it stands for none."""
    line, column = np.full((2, len(rows)), -1, dtype=np.int32)
    for table, are_its in tables_of_steps(snapshot, rows, hows):
        at = np.flatnonzero(are_its)
        if len(at):
            sites = table.sites.take(table.first.take(rows.take(at)), axis=0)
            line[at], column[at] = sites[:, 0], sites[:, 1]
    return line, column
