"""Memoized evaluation of questions that may depend on themselves.

Answers grow monotonically from "nothing", so a cycle has a least solution that does not depend on which question came
first; that is what makes a graph built step by step equal to one built at once. A question met again while it is being
answered gives its approximation so far; the first question of a cycle (its head) is asked again until it stops growing.

Questions that depend on one another are solved as one component. The answer of an inner head holds only under the
approximations of the questions below it on the stack: it is *provisional*, is used again until any approximation grows,
and becomes final, with all others of its component, when the lowest question of the component has settled. An inner
head that is asked again starts from nothing, so that no value made of too little supports itself, but only
`_STARTS_MAX` times: from then on it continues from its last approximation. Each approximation thus grows a bounded
number of times, whatever the nesting of cycles, and each question is computed at most once between two growths.

A chain of questions longer than the stack may be is cut: the question at the cut is *deferred*. It gives its
approximation so far, as the head of a cycle does, and is asked again from an empty stack with all others that were
deferred, until none of them grows. So the length of a chain changes no answer either.

The scheme is the fixpoint iteration of incremental query systems (Salsa's cycle recovery).

The file is long because the solver and the cells that it writes are understood together.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Protocol

from codemap.graph.model.values import NOTHING, VALUES_MAX, Meaning, join

_REPLACED_MAX = 12
"""Rounds in which an answer may change as it likes: real code settles in two or three, nested ones in six."""
_ROUNDS_MAX = _REPLACED_MAX + VALUES_MAX + 8
"""After those it grows by a value or by a confidence in each and is unknown beyond VALUES_MAX: no cycle needs more."""
_STARTS_MAX = 8
"""How often an inner head starts from nothing while its component is being solved."""
_DEPTH_MAX = 150
"""Questions on the stack at one time: each level takes several Python frames, some of them with a C frame between."""
NEVER = sys.maxsize
_DEFERRED = 0
"""The depth of what depends on a deferred question: below every pending one."""

Cell = object
"""None (not asked), a Meaning (final), a _Question, a _Deferred or a _Provisional."""


class Frame(Protocol):
    """Who asks: a file while it is evaluated, or what is in no single file."""

    asked: dict[tuple[object, ...], None]
    """Questions of what is not there, in the order in which they came."""


class Nobody:
    """Who asks when nothing is to be recorded."""

    def __init__(self) -> None:
        self.asked: dict[tuple[object, ...], None] = {}


class _Question:
    """A question on the stack, or one that was there and has a provisional answer."""

    # Most are answered at once: what such a one never changes is an attribute of the class.
    is_pending = True
    approximation = meaning = NOTHING
    is_met = False
    rounds = 0
    starts = 1
    below: _Question | None = None
    """Once it is no longer pending: the lowest question it depends on; None when its answer is final."""
    epoch = 0
    is_given_up = False
    """Whether its component was solved without it."""

    def __init__(self, put: Callable[[Cell], None], depth: int) -> None:
        self.put = put
        self.depth = depth

    def lowest(self) -> int:
        """The depth of the pending question that its answer depends on; NEVER when there is none."""
        question = self
        while not question.is_pending:
            if question.below is None:
                return NEVER
            question = question.below
        return question.depth


class _Deferred:
    """A question that was too deep on the stack, to be asked from an empty one."""

    __slots__ = ("approximation", "compute", "depth", "frame", "is_met", "meaning", "put", "rounds")

    def __init__(self, put: Callable[[Cell], None], compute: Callable[[], Meaning], frame: Frame) -> None:
        self.frame = frame
        self.put = put
        self.compute = compute
        self.depth = _DEFERRED
        self.approximation = self.meaning = NOTHING
        self.is_met = True
        self.rounds = 0


class _Provisional:
    """The meaning of an expression that was evaluated under approximations."""

    __slots__ = ("below", "epoch", "meaning")

    def __init__(self, meaning: Meaning, below: _Question, epoch: int) -> None:
        self.meaning = meaning
        self.below = below
        self.epoch = epoch


class Solver:
    """The state of one evaluation."""

    def __init__(self) -> None:
        self.low = NEVER
        """The depth of the lowest pending question that was met since `begin`, or NEVER."""
        self.frame: Frame = Nobody()
        """In whose terms the present question is answered."""
        self._depth = 0
        self._epoch = 0
        """How often an approximation grew, or a component was solved that has deferred questions."""
        self._stack = [_Question(_ignore, _DEFERRED)]
        """The pending question of each depth up to the present one; that of depth 0 stands for all deferred ones. It
        holds no other: a question leads to its asker, which has the solver, and a build collects no cycles."""
        self._provisional: list[_Question] = []
        """In the order in which they were answered: those of a component follow its lowest question's start."""
        self._deferred: list[_Deferred] = []
        """In the order in which they were met: each is nearer to the first question than what it led to."""

    def reset(self) -> None:
        """Forgets an evaluation that an exception ended; what it had begun to ask counts as not known."""
        for question in self._stack[1:]:
            question.is_pending = False
            question.put(NOTHING)
        del self._stack[1:]
        self._depth = 0
        self.low = NEVER
        self._provisional.clear()
        self._deferred.clear()
        self._epoch += 1

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
        return _Provisional(meaning, self._stack[low], self._epoch)

    def known(self, cell: Cell) -> Meaning | None:
        """The meaning in a cell as far as it can be used now, or None when it must be computed."""
        if cell is None:
            return None
        if cell.__class__ is Meaning:
            return cell
        if isinstance(cell, _Question):
            if cell.is_pending:
                cell.is_met = True
                self.low = min(self.low, cell.depth)
                return cell.approximation
            if cell.epoch == self._epoch:
                self.low = min(self.low, cell.lowest())
                return cell.meaning
        elif isinstance(cell, _Provisional):
            if cell.epoch == self._epoch:
                self.low = min(self.low, cell.below.lowest())
                return cell.meaning
        elif isinstance(cell, _Deferred):
            self.low = _DEFERRED
            return cell.approximation
        return None

    def solve(self, cell: Cell, put: Callable[[Cell], None], compute: Callable[[], Meaning]) -> Meaning:
        """Computes the meaning of a cell that `known` did not have; `put` writes the cell."""
        depth = self._depth + 1
        if depth > _DEPTH_MAX:
            self._defer(put, compute)
            self.low = _DEFERRED
            return NOTHING
        if cell.__class__ is _Question and not cell.is_given_up:
            question: _Question = cell
            self._begin_again(question, depth)
        else:
            question = _Question(put, depth)
            put(question)
        self._stack.append(question)
        first = len(self._provisional)
        outer_low = self.low
        self._depth = depth
        self.low = NEVER
        meaning = compute()
        if question.is_met:
            meaning = self._settle(question, compute, meaning)
        self._depth = depth - 1
        self._stack.pop()
        question.is_pending = False
        if depth == 1 and self._deferred:
            deferred = self._defer(put, compute)
            self._settle_deferred()
            self.low = outer_low
            return deferred.meaning
        if self.low < depth:
            question.meaning = meaning
            question.epoch = self._epoch
            question.below = self._stack[self.low]
            self._provisional.append(question)
            self.low = min(outer_low, self.low)
        else:
            question.below = None
            put(meaning)
            if question.is_met:
                question.put = _ignore
                self._finish(first)
            self.low = outer_low
        return meaning

    def _begin_again(self, question: _Question, depth: int) -> None:
        """Makes a question pending that was before; it starts from nothing, but not for ever."""
        question.is_pending = True
        question.is_met = False
        question.starts += 1
        if question.starts <= _STARTS_MAX:
            question.approximation = NOTHING
            question.rounds = 0
        question.depth = depth

    def _finish(self, first: int) -> None:
        """Makes the answers of a component final; what was answered before the last growth is to be asked again."""
        for question in self._provisional[first:]:
            if question.epoch == self._epoch:
                question.put(question.meaning)
            else:
                question.is_given_up = True
            question.put = _ignore
        del self._provisional[first:]

    def _settle(self, cell: _Question | _Deferred, compute: Callable[[], Meaning], meaning: Meaning) -> Meaning:
        """The answer to a question, `meaning` at first, once what it met of itself no longer grows."""
        for _ in range(_ROUNDS_MAX):
            if not cell.is_met or not self._grows(cell, meaning):
                break
            self.low = NEVER
            meaning = compute()
        return meaning

    def _grows(self, cell: _Question | _Deferred, meaning: Meaning) -> bool:
        """Whether an answer differs from what the question's cycle took for it; then the cycle takes this one.

        An answer takes the place of the one before, which may hold values made of too little; were they joined, what
        is left of them would depend on the way. Where answers do not settle so, they are joined, which must.
        """
        before = cell.approximation
        if _are_same(before, meaning):
            return False
        cell.rounds += 1
        after = meaning if cell.rounds < _REPLACED_MAX else join(before, meaning)
        if _are_same(before, after):
            return False
        cell.approximation = after
        self._epoch += 1
        return True

    def _defer(self, put: Callable[[Cell], None], compute: Callable[[], Meaning]) -> _Deferred:
        deferred = _Deferred(put, compute, self.frame)
        self._deferred.append(deferred)
        put(deferred)
        return deferred

    def _settle_deferred(self) -> None:
        """Answers all deferred questions. Each is asked once to find what lies behind it, then from the far end on."""
        deferred = self._deferred
        found = 0
        is_growing = True
        while is_growing:
            while found < len(deferred):
                self._ask_deferred(deferred[found])
                found += 1
            is_growing = sum(self._ask_deferred(each) for each in reversed(deferred)) > 0 or found < len(deferred)
        for each in deferred:
            each.put(each.meaning)
        deferred.clear()
        self._epoch += 1
        self._finish(0)

    def _ask_deferred(self, deferred: _Deferred) -> bool:
        """Whether its approximation grew."""
        before = deferred.approximation
        self._depth = 1
        self._stack.append(_Question(_ignore, 1))
        frame, self.frame = self.frame, deferred.frame
        self.low = NEVER
        deferred.meaning = self._settle(deferred, deferred.compute, deferred.compute())
        self.frame = frame
        self._stack.pop()
        self._depth = 0
        return deferred.approximation is not before


def _ignore(_: Cell) -> None:
    """Keeps no answer."""


def _are_same(left: Meaning, right: Meaning) -> bool:
    """Whether two answers say the same, in whatever order."""
    if left is right:
        return True
    if left.confidence != right.confidence or len(left.values) != len(right.values):
        return False
    return left.values == right.values or all(value in left.values for value in right.values)
