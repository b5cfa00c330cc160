"""The evidence that something is unused, and the reasons to doubt it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import msgspec
import numpy as np

from codemap.graph.index.columns import columns_of
from codemap.graph.model.edges import EdgeTable, Ints, Mask, UnresolvedTable, find_run
from codemap.graph.model.snapshot import Snapshot
from codemap.unused.steps import Doubt, Steps, Why
from codemap.unused.texts import Note

REASONS_MAX = 4
"""Reasons that are named for one definition."""
USERS_MAX = 3
CERTAIN, LIKELY, POSSIBLE = 0, 1, 2


class Reason(msgspec.Struct, frozen=True):
    """Why a definition may be used all the same."""

    why: Why
    count: int
    """How often."""
    place: Note | None
    """The first of them."""
    user: int
    """Who would use it; -1 for nobody in the repository."""


class Finding(msgspec.Struct, frozen=True):
    """Something that nothing uses."""

    node: int
    tier: int
    reasons: tuple[Reason, ...] = ()
    users: tuple[int, ...] = ()
    """What uses it and is unused itself, some of them."""
    users_count: int = 0
    inside: int = 0
    """Definitions in it, which are unused as well."""


class Evidence:
    """What leads to a node that nothing uses."""

    def __init__(self, snapshot: Snapshot, every: Steps, far: Mask, notes: Sequence[Note]) -> None:
        self._snapshot = snapshot
        self._far = far
        self._notes = notes
        order = np.argsort(every.target, kind="stable")
        self._steps = every.where(order)

    def explain(self, finding: Finding) -> Finding:
        """A definition or file that nothing uses, with what leads to it."""
        node, columns = finding.node, columns_of(self._snapshot)
        is_file = bool(columns.parent[node] < 0)
        found, users = self._gather(node)
        if is_file and not found:  # what is in it keeps it
            for child in columns.children_of(node).tolist():
                found |= self._gather(child)[0] if self._far[child] else {}
        reasons = [
            Reason(why, len(places), next((one for one in places if one is not None), None), who)
            for (why, who), places in sorted(found.items(), key=lambda one: one[0])
        ]
        return Finding(
            node,
            finding.tier,
            tuple(reasons[:REASONS_MAX]),
            tuple(users[:USERS_MAX]),
            len(users),
            0 if is_file else _count_inside(columns.children_of, node),
        )

    def _gather(self, node: int) -> tuple[dict[tuple[Why, int], list[Note | None]], list[int]]:
        """The steps that keep a node, by reason and user; and what uses it and is unused as surely as can be."""
        parent = columns_of(self._snapshot).parent
        found: dict[tuple[Why, int], list[Note | None]] = {}
        users = set[int]()
        for source, doubt, why, place in self._into(node):
            who = source if source < self._snapshot.first_external else -1
            if who >= 0 and (_is_around(parent, who, node) or _is_around(parent, node, who)) and why is Why.BELONGS:
                continue
            if who >= 0 and not self._far[who]:
                users.update(() if why is Why.BELONGS or _is_around(parent, node, who) else (who,))
            elif not _is_around(parent, node, who) and not (doubt == Doubt.NONE and why is Why.BELONGS):
                found.setdefault((why, who if why is Why.USE else -1), []).append(place)
        return found, sorted(users)

    def _into(self, node: int) -> Iterator[tuple[int, Doubt, Why, Note | None]]:
        """The steps to a node; those over a name from what has the name."""
        its = find_run(self._steps.target, node, node + 1)
        columns = (self._steps.source, self._steps.doubt, self._steps.why, self._steps.place)
        for source, doubt, why, place in zip(*(column[its].tolist() for column in columns), strict=True):
            if source > self._snapshot.node_count:
                for user, other, reason, note in self._into(source):
                    yield user, Doubt(max(doubt, other)), reason, note
            else:
                yield source, Doubt(doubt), Why(why), self._noted(Why(why), place)

    def _noted(self, why: Why, place: int) -> Note | None:
        snapshot = self._snapshot
        if place < 0:
            return None
        if why in (Why.USE, Why.NAME_GUESS, Why.IMPORTED):
            table: EdgeTable | UnresolvedTable = snapshot.edges
        elif why is Why.UNDECIDED:
            table = snapshot.unresolved
        else:
            return self._notes[place]
        source = int(table.source[place])
        return Note(snapshot.row_of(source)[0].path, int(table.sites[int(table.first[place]), 0]))


def _is_around(parent: Ints, outer: int, node: int) -> bool:
    """Whether a node is another, or is in it."""
    while node >= 0:
        if node == outer:
            return True
        node = int(parent[node]) if node < len(parent) else -1
    return False


def _count_inside(children_of: Callable[[int], Ints], node: int) -> int:
    count, waiting = 0, [node]
    while waiting:
        inner = children_of(waiting.pop()).tolist()
        count += len(inner)
        waiting += inner
    return count
