"""Memoized evaluation of questions that may depend on themselves.

Answers grow monotonically from "nothing", so a cycle has a least solution that does not depend on which question came
first; that is what makes a graph built step by step equal to one built at once. A question met again while it is being
answered gives its approximation so far; the first question of a cycle (its head) is asked again until it stops growing;
what was computed under an approximation is kept only while that approximation stands.

The scheme is the fixpoint iteration of incremental query systems (Salsa's cycle recovery).
"""

from __future__ import annotations

import sys
from collections.abc import Callable

from codemap.graph.values import NOTHING, Meaning, join

_ROUNDS_MAX = 8
"""A head that has not settled by then keeps what it has: real code settles in two or three."""
_DEPTH_MAX = 150
"""Deeper chains of questions are given up as unknown: each level takes several Python frames."""
NEVER = sys.maxsize

Cell = object
"""None (not asked), a Meaning (final), a _Pending or a _Provisional."""


class _Pending:
    __slots__ = ("approximation", "depth", "is_met")

    def __init__(self, depth: int) -> None:
        self.depth = depth
        self.approximation = NOTHING
        self.is_met = False


class _Provisional:
    __slots__ = ("epoch", "low", "meaning")

    def __init__(self, meaning: Meaning, low: int, epoch: int) -> None:
        self.meaning = meaning
        self.low = low
        self.epoch = epoch


class Solver:
    """The state of one evaluation."""

    def __init__(self) -> None:
        self.low = NEVER
        """The depth of the lowest pending question that was met since `begin`, or NEVER."""
        self._depth = 0
        self._epoch = 0

    def reset(self) -> None:
        """Forgets an evaluation that an exception ended; what it had begun to ask counts as not known."""
        self._depth = 0
        self.low = NEVER

    def begin(self) -> int:
        """Starts watching whether what is evaluated now meets a pending question; give the result to `end`."""
        outer_low, self.low = self.low, NEVER
        return outer_low

    def end(self, outer_low: int, meaning: Meaning) -> Cell:
        """The cell to keep for what was evaluated since `begin`: final when no pending question was met."""
        low = self.low
        if low == NEVER:
            self.low = outer_low
            return meaning
        self.low = min(outer_low, low)
        return _Provisional(meaning, low, self._epoch)

    def known(self, cell: Cell) -> Meaning | None:
        """The meaning in a cell as far as it can be used now, or None when it must be computed."""
        if cell.__class__ is Meaning:
            return cell
        if isinstance(cell, _Pending):
            cell.is_met = True
            self.low = min(self.low, cell.depth)
            return cell.approximation
        if isinstance(cell, _Provisional) and cell.epoch == self._epoch:
            self.low = min(self.low, cell.low)
            return cell.meaning
        return None

    def solve(self, put: Callable[[Cell], None], compute: Callable[[], Meaning]) -> Meaning:
        """Computes the meaning of a cell that `known` did not have; `put` writes the cell."""
        depth = self._depth + 1
        if depth > _DEPTH_MAX:
            self.low = 0
            return NOTHING
        pending = _Pending(depth)
        put(pending)
        outer_low = self.low
        self._depth = depth
        for _ in range(_ROUNDS_MAX):
            self.low = NEVER
            meaning = compute()
            if not pending.is_met or meaning == pending.approximation:
                break
            pending.approximation = join(pending.approximation, meaning)
            self._epoch += 1
        self._depth = depth - 1
        if pending.is_met:
            self._epoch += 1
        if self.low < depth and depth > 1:
            put(_Provisional(meaning, self.low, self._epoch))
            self.low = min(outer_low, self.low)
        else:
            put(meaning)
            self.low = outer_low
        return meaning
