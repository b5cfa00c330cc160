"""Makes the records of a state from those before and from what was asked while its files were bound."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from codemap.graph.model.records import NUMBER, OWNER, Owner, Question, Records

_OWNERS_MAX = 16
"""Owners whose questions are looked for one by one; for more, the questions are sorted by owner once."""


class Recording:
    """Records that are being made from those before."""

    def __init__(self, before: Records) -> None:
        self.before = before
        self._asked: dict[Owner, bytes] = {}
        self._gone: set[Owner] = set()
        self._words = before.words
        self._answers: dict[int, int] = {}
        """Question of before -> its fingerprint now."""
        self._fresh: dict[tuple[int, ...], int] = {}
        self._questions: dict[Question, int] = {}
        self._known: dict[int, dict[tuple[int, ...], int]] = {}
        self._sorted: NDArray[np.int64] | None = None

    def number(self, question: Question) -> int:
        """Of a question, which may be new."""
        add = self._words.add
        owner = -1 if question.owner is None else add(question.owner)
        row = (NUMBER[question.kind], owner, question.row, add(question.name), add(question.how))
        found = self._of_owner(owner).get(row)
        if found is None:
            found = self._fresh.get(row)
        if found is None:
            found = self._fresh[row] = len(self.before) + len(self._fresh)
            self._questions[question] = found
        return found

    def _of_owner(self, owner: int) -> dict[tuple[int, ...], int]:
        known = self._known.get(owner)
        if known is None:
            cells = self.before.cells
            if self._sorted is None and len(self._known) >= _OWNERS_MAX:
                self._sorted = np.argsort(cells[:, OWNER], kind="stable")
            if self._sorted is None:
                numbers = np.flatnonzero(cells[:, OWNER] == owner)
            else:
                first, last = np.searchsorted(cells[:, OWNER], (owner, owner + 1), sorter=self._sorted).tolist()
                numbers = self._sorted[first:last]
            known = self._known[owner] = dict(zip(map(tuple, cells[numbers].tolist()), numbers.tolist(), strict=True))
        return known

    def fresh(self) -> list[tuple[Question, int]]:
        """The new questions with their numbers."""
        return list(self._questions.items())

    def answer(self, number: int, answer: int) -> None:
        self._answers[number] = answer

    def note(self, owner: Owner, numbers: Iterable[int], *, is_whole: bool) -> None:
        """What an owner asks, besides what it asked before where that is not the whole."""
        known = self.before.asked.get(owner, b"")
        every = {*numbers} if is_whole else {*numbers, *np.frombuffer(known, np.int32).tolist()}
        made = np.array(sorted(every), np.int32).tobytes()
        if made != known or owner not in self.before.asked:
            self._asked[owner] = made

    def drop(self, path: str) -> None:
        """Takes out a file."""
        self._gone.add(path)

    def done(self) -> Records:
        """The records of now."""
        before, asked = self.before, self.before.asked
        if self._gone or self._asked:
            asked = {owner: numbers for owner, numbers in {**asked, **self._asked}.items() if owner not in self._gone}
        if not self._fresh and not self._answers:
            return Records(self._words, before.cells, before.answers, asked)
        cells = np.array(list(self._fresh), np.int32).reshape(-1, 5)
        answers = np.concatenate((before.answers, np.zeros(len(cells), np.int64)))
        for number, answer in self._answers.items():
            answers[number] = answer
        return Records(self._words, np.concatenate((before.cells, cells)), answers, asked)
