"""Finds which of a few definitions may run which others, for all pairs of them at once.

It asks whether a chain of calls exists, and not which: a search for chains costs as much for one pair as this for all.
Both directions are searched from in turns; each node carries a bit for every definition that it is reached from.

Rules of the file:
- What counts as a step is at least what `chain_steps` marks as a call, constructor, override or decorator and knows for
  sure: a pair that is left out has no chain of these. One that is not may still have none.
- The definitions inside one (a class, a file) count as it; as in `chains`.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from codemap.facts import SymbolKind
from codemap.graph.index.columns import Columns, columns_of, gathered, places
from codemap.graph.index.inheritance import ARE_TYPES
from codemap.graph.index.overrides import keep_overrides, overrides
from codemap.graph.index.type_methods import ARE_METHODS, constructors_of
from codemap.graph.model.edges import EdgeKind, Ints, Mask, Numbers, are_first, distinct
from codemap.graph.model.snapshot import Snapshot
from codemap.graph.model.values import Confidence
from codemap.graph.query.chains import IMPLIED_MAX, inside_of

EDGES_MAX = 100_000
"""Edges that one search looks at; beyond, every pair is taken for possible."""
NODES_MAX = 8

_CALLS, _REFERENCES = int(EdgeKind.CALLS), int(EdgeKind.REFERENCES)
_DECORATE = (SymbolKind.FUNCTION, SymbolKind.METHOD, SymbolKind.VARIABLE, SymbolKind.PROPERTY)
_MAY_DECORATE = np.array([kind in _DECORATE for kind in SymbolKind])

Bits = NDArray[np.uint8]
_NONE: Numbers = np.empty(0, dtype=np.int32)


def joined(snapshot: Snapshot, nodes: Sequence[int], max_uses: int) -> frozenset[tuple[int, int]]:
    """Pairs (start, end) of different nodes, at most `NODES_MAX` and none of them external, that a chain of at most
    `max_uses` uses may lead from and to."""
    assert len(nodes) <= NODES_MAX, "a bit each"
    inside = {node: np.array([node, *inside_of(snapshot, node)], dtype=np.int32) for node in nodes}
    forward, backward = (_Side(snapshot, inside, is_forward=is_forward) for is_forward in (True, False))
    found, spent = _meet(nodes, forward, backward, forward.frontier), 0
    for _ in range(max_uses):
        if not len(forward.frontier) or not len(backward.frontier):
            break
        ahead, behind = forward.work(), backward.work()
        spent += min(ahead, behind)
        if spent > EDGES_MAX:
            return frozenset((one, other) for one in nodes for other in nodes if one != other)
        side = forward if ahead <= behind else backward
        side.use()
        found |= _meet(nodes, forward, backward, side.frontier)
    return frozenset(found)


def _meet(nodes: Sequence[int], forward: _Side, backward: _Side, at: Numbers) -> set[tuple[int, int]]:
    """The pairs that meet at some nodes."""
    both = set(zip(forward.bits[at].tolist(), backward.bits[at].tolist(), strict=True))
    return {
        (start, end)
        for ahead, behind in both
        for place, start in enumerate(nodes)
        if ahead >> place & 1
        for other, end in enumerate(nodes)
        if behind >> other & 1 and start != end
    }


class _Side:
    """The nodes that are reached in one direction."""

    def __init__(self, snapshot: Snapshot, inside: dict[int, Ints], *, is_forward: bool) -> None:
        keep_overrides(snapshot)
        self._snapshot = snapshot
        self._columns: Columns = columns_of(snapshot)
        self._constructors: Mask = constructors_of(snapshot)
        self._is_forward = is_forward
        table = snapshot.edges
        self._start = table.out_start if is_forward else table.in_start
        self.bits: Bits = np.zeros(snapshot.first_external, dtype=np.uint8)
        """By node: one for each definition that it is reached from."""
        for place, some in enumerate(inside.values()):
            self.bits[some] |= np.uint8(1 << place)
        ends = distinct(np.concatenate([_NONE, *inside.values()]))
        self.frontier, self._news = self._close(ends, self.bits[ends])
        """Nodes that were reached last, in order, and the bits that are new to each."""

    def work(self) -> int:
        """The number of edges that `use` would look at."""
        return int((self._start[self.frontier + 1] - self._start[self.frontier]).sum())

    def use(self) -> None:
        """One use more, and what it implies."""
        table, outside = self._snapshot.edges, self._snapshot.first_external
        if self._is_forward:
            rows, of = places(table.out_start, self.frontier)
        else:
            rows, of = gathered(table.by_target, table.in_start, self.frontier)
        kinds = table.kind.take(rows)
        at = ((kinds == _CALLS) | (kinds == _REFERENCES)).nonzero()[0]
        at = at.compress(table.confidence.take(rows.take(at)) < Confidence.NAME)
        target = table.target.take(rows.take(at))
        reached = target if self._is_forward else table.source.take(rows.take(at))
        inside = (reached < outside).nonzero()[0]
        at, target, reached = at.take(inside), target.take(inside), reached.take(inside)
        counts = (kinds.take(at) == _CALLS) | _MAY_DECORATE.take(self._columns.kind.take(target))
        self.frontier, self._news = self._close(
            *self._reach(reached.compress(counts), self._news.take(of.take(at.compress(counts))))
        )

    def _reach(self, nodes: Ints, bits: Bits) -> tuple[Ints, Bits]:
        """Adds bits to nodes: those that are new, by node."""
        nodes, bits = _unite(nodes, bits)
        bits = bits & ~self.bits[nodes]
        fresh = bits.nonzero()[0]
        nodes, bits = nodes[fresh], bits[fresh]
        self.bits[nodes] |= bits
        return nodes, bits

    def _close(self, nodes: Ints, bits: Bits) -> tuple[Ints, Bits]:
        """Adds what is implied by some that were reached: all of them, by node."""
        all_nodes, all_bits = [nodes], [bits]
        for _ in range(IMPLIED_MAX):
            implied = self._imply(nodes) if len(nodes) else []
            if not implied:
                break
            of = np.concatenate([own for own, _ in implied])
            nodes, bits = self._reach(np.concatenate([others for _, others in implied]), bits[of])
            all_nodes.append(nodes)
            all_bits.append(bits)
        return _unite(np.concatenate(all_nodes), np.concatenate(all_bits)) if len(all_nodes) > 1 else (nodes, bits)

    def _imply(self, nodes: Ints) -> list[tuple[Ints, Ints]]:
        """Constructors and overrides of some nodes, or what they construct and override, each with the place of its
        node."""
        columns, found = self._columns, []
        kinds, are_constructors = columns.kind.take(nodes), self._constructors.take(nodes)
        if self._is_forward:
            types = ARE_TYPES.take(kinds).nonzero()[0].astype(np.int32)
            methods, of = gathered(columns.children, columns.child_start, nodes[types])
            chosen = self._constructors.take(methods).nonzero()[0]
            found.append((types[of[chosen]], methods[chosen]))
        else:
            methods = are_constructors.nonzero()[0].astype(np.int32)
            owners = columns.parent[nodes[methods]]
            chosen = ARE_TYPES.take(columns.kind.take(owners)).nonzero()[0]
            found.append((methods[chosen], owners[chosen]))
        methods = nodes[ARE_METHODS.take(kinds) & ~are_constructors]
        if len(methods):
            own, others = overrides(self._snapshot, methods, downwards=self._is_forward)
            found.append((nodes.searchsorted(own).astype(np.int32), others))
        return [one for one in found if len(one[0])]


def _unite(nodes: Ints, bits: Bits) -> tuple[Ints, Bits]:
    """The nodes in order, each once, with all of its bits."""
    if not len(nodes):
        return nodes, bits
    order = nodes.argsort(kind="stable")
    nodes = nodes[order]
    first = are_first(nodes).nonzero()[0]
    return nodes[first], np.bitwise_or.reduceat(bits[order], first)
