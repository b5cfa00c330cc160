"""Candidates of undecided uses, the likeliest first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence, Set

import msgspec
import numpy as np

from codemap.file_roles import Role
from codemap.graph.index.columns import columns_of
from codemap.graph.index.node_roles import roles_of_nodes
from codemap.graph.likelihood.candidates import CANDIDATES_MAX, Candidates
from codemap.graph.likelihood.evidence import STEPS_IN_ALL, Witness, is_builtin
from codemap.graph.likelihood.held_functions import Held, find_held
from codemap.graph.likelihood.likelihood import Case, Likelihood, case_of, families, grade, order
from codemap.graph.likelihood.other_names import name_meant
from codemap.graph.likelihood.receivers import Sites
from codemap.graph.model.edges import Unresolved
from codemap.graph.model.index_slots import Slot
from codemap.graph.model.snapshot import Snapshot

STEPS_ALONE = 200
"""Names that data flow looks at for one use: of 326 uses of Django and Celery that 600 make highly likely, 321 are."""
WEIGHED_MAX = 32
"""Candidates of one use that are weighed for being the nearest. Of the others, most are unlikely."""


class Ranked(msgspec.Struct, frozen=True):
    """The candidates of one use."""

    nodes: tuple[int, ...]
    """All of them, the likeliest first, among equals the nearest."""
    likelihoods: tuple[Likelihood, ...]
    """Of each."""

    @property
    def likelihood(self) -> Likelihood:
        """Of the likeliest."""
        return self.likelihoods[0] if self.likelihoods else Likelihood.LOW

    @property
    def likely(self) -> int:
        """How many are as likely as the first; where that is not high, of the named."""
        most = len(self.nodes) if self.likelihood is Likelihood.HIGH else CANDIDATES_MAX
        return self.likelihoods[:most].count(self.likelihood)

    @property
    def named(self) -> tuple[int, ...]:
        """Those that are named."""
        return self.nodes[:CANDIDATES_MAX]

    def alike(self, most: int) -> tuple[int, ...]:
        """The first ones, and the others that are as likely as the first, where something speaks for that."""
        if self.likelihood is Likelihood.LOW:
            return self.nodes[:most]
        return self.nodes[: max(most, self.likelihoods.count(self.likelihood))]

    def of(self, node: int) -> Likelihood:
        """That a node is meant, one of them."""
        return self.likelihoods[self.nodes.index(node)]


class Ranking:
    """Ranks the candidates of the uses of one snapshot, for one question."""

    def __init__(self, snapshot: Snapshot, node: int = -1, steps: int = STEPS_IN_ALL) -> None:
        """`node` is asked about: it is weighed wherever it is a candidate. `steps` are those of data flow in all."""
        self._snapshot = snapshot
        self._node = node
        self._candidates = Candidates(snapshot)
        self._witness = Witness(snapshot, steps)
        self._known: dict[tuple[int, Sites], Ranked] = {}

    def of(self, use: Unresolved, sites: Sites | None = None) -> Ranked:
        """Those of a use, or of some of its sites: each may be on another value."""
        sites = frozenset(self._snapshot.sites(use)) if sites is None else sites
        if (use.row, sites) not in self._known:
            self._known[use.row, sites] = self._of(use, sites)
        return self._known[use.row, sites]

    def unranked(self, use: Unresolved) -> Ranked:
        """The candidates as they are nearest, without a look at the source."""
        nodes = self._candidates.by_distance(use)
        return Ranked(nodes, (Likelihood.LOW,) * len(nodes))

    def _of(self, use: Unresolved, sites: Sites) -> Ranked:
        nodes = self._candidates.by_distance(use)
        if use.is_held:
            return _rank_held(find_held(self._snapshot, use), nodes, self._are_beside(use, [[node] for node in nodes]))
        if names := self._witness.find_other_names(use, sites):
            return Ranked(nodes, (self._of_other_names(use, names, sites),) * len(nodes))
        evidence = self._witness.of(use, sites, nodes, self._candidates.alike(use), WEIGHED_MAX, self._node)
        weighed = tuple(evidence)
        owner = {node: int(columns_of(self._snapshot).parent[node]) for node in weighed}
        above = {cls: self._witness.classes.of(cls).above for cls in owner.values()}
        groups = families(weighed, above, owner)
        cases = [case_of([evidence[node] for node in group]) for group in groups]
        is_beside = self._are_beside(use, groups)
        grades = _grade_all(list(zip(cases, is_beside, strict=True)), is_builtin=is_builtin(self._snapshot, use))
        place = {node: number for number, node in enumerate(weighed)}
        found = []
        for group, case, beside in zip(groups, cases, is_beside, strict=True):
            likelihood = grades[case, beside]
            delegates = not case.is_certain and group == [use.source]  # `def close(self): self.socket.close()`
            if beside or delegates:
                likelihood = max(likelihood, Likelihood.MEDIUM)
            of_group = order(case), min(map(place.__getitem__, group))
            for node in group:
                own = order(case_of([evidence[node]])) if len(group) > 1 else of_group[0]
                is_less = own > of_group[0] and any(
                    owner[other] in above[owner[node]] for other in group if other != node
                )
                one = max(likelihood, Likelihood.MEDIUM) if is_less else likelihood
                found.append((one, *of_group, own, -evidence[node].suits, place[node], node))
        found.sort()
        rest = [node for node in nodes if node not in evidence]
        return Ranked((*(one[-1] for one in found), *rest), (*(one[0] for one in found), *[Likelihood.LOW] * len(rest)))

    def _of_other_names(self, use: Unresolved, names: Set[str], sites: Sites) -> Likelihood:
        """How likely the uses of other names at some of its sites mean something that is called as the use is."""
        snapshot, found = self._snapshot, Likelihood.LOW
        for other in snapshot.unresolved_out(use.source):
            if other.name in names and other.kind == use.kind and not other.is_held:
                ranked = self.of(other, sites & frozenset(snapshot.sites(other)))
                for node, likelihood in zip(ranked.nodes, ranked.likelihoods, strict=True):
                    if likelihood < found and name_meant(snapshot, node) == use.name:
                        found = likelihood
        return found

    def _are_beside(self, use: Unresolved, groups: Sequence[Sequence[int]]) -> list[bool]:
        """Of each family of candidates, whether it is of tests and the like alone: they only stand in for what a use in
        the product means."""
        nodes = [node for group in groups for node in group]
        roles = roles_of_nodes(self._snapshot, np.array([use.source, *nodes]))
        if roles[0] != Role.PRODUCT:
            return [False] * len(groups)
        is_beside = dict(zip(nodes, (roles[1:] != Role.PRODUCT).tolist(), strict=True))
        return [all(map(is_beside.__getitem__, group)) for group in groups]


_ALONE = Slot[dict[int, Ranked]](lambda _: {})
"""By undecided use: those that were asked for."""


def rank_alone(snapshot: Snapshot, row: int) -> Ranked:
    """The candidates of the undecided use in a row, weighed by itself: the same whatever else is asked. The map keeps
    them."""
    known = _ALONE.of(snapshot)
    if row not in known:
        known[row] = Ranking(snapshot, steps=STEPS_ALONE).of(snapshot.unresolved_use(row))
    return known[row]


_Graded = tuple[Case, bool]
"""What is known of a family, and whether it is of tests and the like alone."""


def _grade_all(graded: Sequence[_Graded], *, is_builtin: bool) -> dict[_Graded, Likelihood]:
    """The likelihood of each family beside the others of a use; those of tests do not count beside the product's."""
    counts = Counter(graded)
    found = {}
    for case, is_beside in counts:
        others = [
            other
            for (other, beside), count in counts.items()
            if (is_beside or not beside) and (count > 1 or (other, beside) != (case, is_beside))
        ]
        found[case, is_beside] = grade(case, others, is_builtin=is_builtin)
    return found


def _rank_held(held: Held, nodes: tuple[int, ...], are_beside: Sequence[bool]) -> Ranked:
    """The functions that a variable may hold: those that are given to it before those that only its name leads to."""
    given = frozenset(held.functions)
    found = []
    for place, (node, is_beside) in enumerate(zip(nodes, are_beside, strict=True)):
        likelihood = Likelihood.HIGH if held.is_all and not is_beside else Likelihood.MEDIUM
        found.append((likelihood if node in given else Likelihood.LOW, place, node))
    found.sort()
    return Ranked(tuple(node for *_, node in found), tuple(likelihood for likelihood, *_ in found))
