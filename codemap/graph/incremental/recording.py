"""Makes the records of a state from those before and from what was asked while its files were bound."""

from __future__ import annotations

from collections.abc import Iterable, Set

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
        self._guessed: dict[str, bytes] = {}
        self._returns: dict[str, frozenset[str]] = {}
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
        found = self._fresh.get(row)
        if found is None and len(self.before):
            found = self._of_owner(owner).get(row)
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

    def note(self, owner: Owner, numbers: Iterable[int], names: Set[str], *, is_whole: bool) -> None:
        """What an owner asks, and which of its own definitions it is answered with, besides what was noted before where
        that is not the whole."""
        known = self.before.asked.get(owner, b"")
        every = {*numbers} if is_whole else {*numbers, *self.before.numbers_of(owner)}
        made = np.array(sorted(every), np.int32).tobytes()
        if made != known or owner not in self.before.asked:
            self._asked[owner] = made
        if isinstance(owner, str):
            before = self.before.returns.get(owner, frozenset())
            returned = frozenset(names) if is_whole else before | names
            if returned != before:
                self._returns[owner] = returned

    def note_guesses(self, path: str, names: Iterable[str], *, is_whole: bool) -> None:
        """By which names a file guesses, besides those of before where that is not the whole."""
        known = self.before.guessed.get(path, b"")
        numbers = set(map(self._words.add, names))
        every = numbers if is_whole else numbers.union(np.frombuffer(known, np.int32).tolist())
        made = np.array(sorted(every), np.int32).tobytes()
        if made != known:
            self._guessed[path] = made

    def drop(self, path: str) -> None:
        """Takes out a file."""
        self._gone.add(path)

    def done(self) -> Records:
        """The records of now."""
        before, asked, returns = self.before, self.before.asked, self.before.returns
        if self._gone or self._asked:
            asked = {owner: numbers for owner, numbers in {**asked, **self._asked}.items() if owner not in self._gone}
        guessed = before.guessed
        if self._gone or self._guessed:
            listed_names = {**guessed, **self._guessed}
            guessed = {path: names for path, names in listed_names.items() if names and path not in self._gone}
        if self._gone or self._returns:
            listed = {**returns, **self._returns}
            returns = {path: names for path, names in listed.items() if names and path not in self._gone}
        if not self._fresh and not self._answers:
            return Records(self._words, before.cells, before.answers, asked, guessed, returns)
        cells = np.array(list(self._fresh), np.int32).reshape(-1, 5)
        answers = np.concatenate((before.answers, np.zeros(len(cells), np.int64)))
        for number, answer in self._answers.items():
            answers[number] = answer
        return Records(self._words, np.concatenate((before.cells, cells)), answers, asked, guessed, returns)
