"""Finds everyone that depends on changed definitions, directly or through others, the surest and nearest first.

Each definition is listed once. Its best chain is the best one of something that it uses and a step from there: the one
whose weakest step is the surest, and among those the shortest. What steps there are, `codemap.impact.arrivals` says.
"""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from codemap.file_roles import Role
from codemap.graph.index.columns import columns_of
from codemap.graph.index.node_roles import are_in_files_of
from codemap.graph.likelihood.likelihood import Likelihood
from codemap.graph.likelihood.ranking import rank_alone
from codemap.graph.model.edges import Ints, are_among
from codemap.graph.model.snapshot import Snapshot
from codemap.impact.arrivals import arrivals, find_undecided, importing, overriding, weaken
from codemap.impact.folders import are_near_calls
from codemap.impact.reached import Reach, Recorded
from codemap.impact.step_table import TIERS, WIDE, StepTable, table_for
from codemap.impact.steps import NO_NODES, Arrivals, How, Tier, joined
from codemap.impact.wide_reach import wide_reach

WEIGHED_MAX = 32
"""Undecided uses of a question that are weighed."""


def reach(
    snapshot: Snapshot, changed: Collection[int], gone: Collection[int] = (), depth_max: int | None = None
) -> Reach:
    """Who is reached from some nodes; importers count for those that are `gone`, which may be among them. No undecided
    use is weighed.

    Cost: each node that is reached is looked at once.
    """
    return _reach_from(snapshot, *_begin(snapshot, changed, gone), depth_max)


def weighed_reach(snapshot: Snapshot, changed: Collection[int], gone: Collection[int] = ()) -> Reach:
    """The same, where uses that most likely mean what is reached are likely steps: of those beside sure and likely
    chains the nearest, as many as `WEIGHED_MAX`. Where more than `WIDE` nodes are reached, none is weighed.

    Cost: as `reach`, twice where there are such uses, and some milliseconds for each, once a map.
    """
    seeds, others = _begin(snapshot, changed, gone)
    found = _reach_from(snapshot, seeds, others)
    if len(found) > WIDE or not _may_be_surer(snapshot, found, seeds):
        return found
    search = _Search(snapshot, seeds, WEIGHED_MAX)
    search.run(others, None)
    return search.found()


def _reach_from(snapshot: Snapshot, seeds: Ints, others: Arrivals, depth_max: int | None = None) -> Reach:
    table = table_for(snapshot, len(seeds))
    search = _Search(snapshot, seeds)
    if table is None:
        table = search.run(others, depth_max)
    return search.found() if table is None else wide_reach(snapshot, table, seeds, others, depth_max)


def _may_be_surer(snapshot: Snapshot, found: Reach, seeds: Ints) -> bool:
    """Whether a use of what is reached for sure or likely may turn out to be a likely step, and that surer or shorter
    than what leads there: more than are weighed, or one that is."""
    sure = found.node.compress(found.tier <= int(Tier.LIKELY))
    uses = find_undecided(snapshot, np.sort(np.concatenate((seeds, sure))))
    uses = uses.where(are_among(uses.source, np.sort(found.node.compress(found.tier > int(Tier.CERTAIN)))))
    return len(uses.source) > WEIGHED_MAX or any(_is_likely(snapshot, uses, place) for place in range(len(uses.source)))


def _is_likely(snapshot: Snapshot, uses: Arrivals, place: int) -> bool:
    """Whether an undecided use most likely means what it may be a use of."""
    its, via = rank_alone(snapshot, int(uses.row[place])), int(uses.via[place])
    return via in its.nodes and its.of(via) is Likelihood.HIGH


def _begin(snapshot: Snapshot, changed: Collection[int], gone: Collection[int]) -> tuple[Ints, Arrivals]:
    """The nodes to begin at, and the first steps besides their uses."""
    seeds = np.array(sorted({*changed, *gone}), dtype=np.int32)
    missing = np.array(sorted(gone), dtype=np.int32)
    return seeds, joined([overriding(snapshot, seeds), importing(snapshot, missing)])


class _Search:
    """A search that finds the steps as it goes, and weighs some undecided uses."""

    def __init__(self, snapshot: Snapshot, seeds: Ints, to_weigh: int = 0) -> None:
        self._snapshot, self._seeds = snapshot, seeds
        self._to_weigh = to_weigh
        """How many more are weighed."""
        self._are_unseen = np.ones(snapshot.node_count, dtype=np.bool_)
        self._are_unseen[seeds] = False
        self._columns = columns_of(snapshot)
        self._via, self._row, self._how, self._first = np.empty((4, snapshot.node_count), dtype=np.int32)
        """By node. Of a round, the place of the first step that leads to it."""
        self._pending: dict[tuple[int, int], list[Arrivals]] = {}
        """Steps by the tier and depth of what they lead to."""
        self._unweighed: dict[int, list[Arrivals]] = {}
        """Undecided uses of what is reached for sure or likely, by the depth that they lead to."""
        self._rounds: list[tuple[Ints, int, int]] = []
        """Nodes that were reached together, the best hub first, with their tier and depth."""

    def run(self, others: Arrivals, depth_max: int | None) -> StepTable | None:
        """Takes the steps in order of tier, then depth; `others` are first ones besides the uses of the seeds. Where
        they turn out to be many, the table of all steps, to search in that, if none is to be weighed."""
        asked, is_weighing = len(self._seeds), self._to_weigh > 0
        first = joined([arrivals(self._snapshot, self._seeds), others])
        self._note(self._where_unseen(first), 0, 1)
        while self._pending or self._unweighed:
            self._weigh_before(min(self._pending, default=(TIERS, 0)))
            tier, depth = best = min(self._pending, default=(TIERS, 0))
            ranks = np.sort(np.concatenate([NO_NODES, *(self._take(some) for some in self._pending.pop(best, ()))]))
            if not len(ranks):
                continue
            nodes = self._columns.by_rank.take(ranks)
            self._rounds.append((nodes, tier, depth))
            if depth_max is None or depth < depth_max:
                asked += len(nodes)
                table = None if is_weighing else table_for(self._snapshot, asked)
                if table is not None:
                    return table
                found = weaken(self._snapshot, arrivals(self._snapshot, np.sort(nodes)))
                self._note(self._where_unseen(found), tier, depth + 1)
        return None

    def _where_unseen(self, found: Arrivals) -> Arrivals:
        return found.where(self._are_unseen[found.source])

    def _note(self, found: Arrivals, tier: int, depth: int) -> None:
        """Keeps steps from definitions of a tier to others at a depth."""
        tiers = np.maximum(found.tier, tier)
        if self._to_weigh and tier < Tier.POSSIBLE:
            are_unweighed = (found.how == int(How.UNDECIDED)) & (tiers == int(Tier.POSSIBLE))
            if are_unweighed.any():
                self._unweighed.setdefault(depth, []).append(found.where(are_unweighed))
                found, tiers = found.where(~are_unweighed), tiers[~are_unweighed]
        for level in range(tier, TIERS):
            some = found.where(tiers == level)
            if len(some.source):
                self._pending.setdefault((level, depth), []).append(some)

    def _weigh_before(self, best: tuple[int, int]) -> None:
        """Weighs undecided uses that may come before the pending steps of a tier and depth."""
        while self._unweighed and (int(Tier.LIKELY), depth := min(self._unweighed)) <= best:
            found = self._where_unseen(joined(self._unweighed.pop(depth)))
            are_likely = np.zeros(len(found.source), dtype=np.bool_)
            are_tests = are_in_files_of(self._snapshot, found.source, Role.TEST)
            for place in np.argsort(are_tests, kind="stable")[: self._to_weigh].tolist():
                are_likely[place] = _is_likely(self._snapshot, found, place)
                self._to_weigh -= 1
            for tier, chosen in ((Tier.LIKELY, are_likely), (Tier.POSSIBLE, ~are_likely)):
                if chosen.any():
                    self._pending.setdefault((int(tier), depth), []).append(found.where(chosen))
            best = min(self._pending, default=best)

    def _take(self, found: Arrivals) -> Ints:
        """Takes the first step to each node that was not reached yet; the ranks of these nodes."""
        found = self._where_unseen(found)
        are_near = are_near_calls(self._snapshot, found.source, found.via, found.how)
        if are_near.any():
            found = found.where(np.argsort(~are_near, kind="stable"))
        places = np.arange(len(found.source), dtype=np.int32)
        self._first[found.source[::-1]] = places[::-1]  # of equal ones the last is written
        found = found.where(self._first.take(found.source) == places)
        self._are_unseen[found.source] = False
        self._via[found.source], self._row[found.source], self._how[found.source] = found.via, found.row, found.how
        return self._columns.rank.take(found.source)

    def found(self) -> Reach:
        """What was reached, in order."""
        nodes = np.concatenate([NO_NODES, *(nodes for nodes, _, _ in self._rounds)])
        counts = [len(nodes) for nodes, _, _ in self._rounds]
        tier = np.array([tier for _, tier, _ in self._rounds], dtype=np.int32).repeat(counts)
        depth = np.array([depth for _, _, depth in self._rounds], dtype=np.int32).repeat(counts)
        return Reach(nodes, tier, depth, Recorded(self._via, self._row, self._how))
