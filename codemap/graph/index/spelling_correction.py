"""Corrects spelling: finds the words of the repository that a misspelt word may mean.

Words are filtered by length and by the set of their letters; what is left is compared exactly, all words at once.

Source: Damerau-Levenshtein distance in its optimal string alignment form.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from codemap.graph.model.edges import Ints

TYPO_MIN_CHARS = 3
"""Shorter words resemble too much."""
ONE_EDIT_MAX_CHARS = 5
"""Words up to this length may differ by one edit, longer ones by two."""
RESEMBLING_MAX = 8
"""Corrections of one misspelt word, at most."""


WORDS_A_PART = 50_000
"""Words that are looked through together; so many take a tenth of a second to index."""


WORDS_MORE = 2_000
"""Words that edits may add before it is rebuilt."""


class Vocabulary:
    """Distinct lower-case words, in parts."""

    def __init__(self) -> None:
        self._parts: list[_Words] = []
        self._waiting: list[str] = []
        self._more: list[str] = []

    def add(self, words: list[str]) -> None:
        """Adds words that it has not yet; they are found when there are many, or after `close`."""
        self._waiting += words
        if len(self._waiting) >= WORDS_A_PART:
            self.close()

    def close(self) -> None:
        """Has what was added found."""
        if self._waiting:
            self._parts.append(_Words(self._waiting))
            self._waiting = []

    def amended(self, words: list[str]) -> Vocabulary | None:
        """The same with more words, which it may have already; None for too many. Some of those that it had may be gone
        from the repository."""
        more = [*self._more, *words]
        if len(more) > WORDS_MORE:
            return None
        made = Vocabulary()
        made._parts = self._parts if not self._more else self._parts[:-1]
        made._more = more
        if more:
            made._parts = [*made._parts, _Words(more)]
        return made

    def resembling(self, word: str, is_there: Callable[[str], bool]) -> list[tuple[int, str]]:
        """(edits, word) of the words that are still there and that one may be a misspelling of, the nearest first."""
        if len(word) < TYPO_MIN_CHARS:
            return []
        found = sorted({near for part in self._parts for near in part.resembling(word)})
        return list(islice((near for near in found if is_there(near[1])), RESEMBLING_MAX))


class _Words:
    """Words by length and letters."""

    def __init__(self, words: list[str]) -> None:
        """At least one."""
        self.lengths = np.fromiter(map(len, words), np.int32, count=len(words))
        self.codes = _codes("".join(words))
        self.first = np.cumsum(self.lengths, dtype=np.int32) - self.lengths
        bits = np.left_shift(np.uint64(1), (self.codes % 64).astype(np.uint64))
        self.letters = np.bitwise_or.reduceat(bits, self.first)

    def __getitem__(self, place: int) -> str:
        """A word: as numbers they take a fraction of the memory."""
        first = int(self.first[place])
        return "".join(map(chr, self.codes[first : first + int(self.lengths[place])].tolist()))

    def resembling(self, word: str) -> list[tuple[int, str]]:
        """(edits, word) of those that a word may be a misspelling of."""
        edits = 1 if len(word) <= ONE_EDIT_MAX_CHARS else 2
        codes = _codes(word)
        letters = np.bitwise_or.reduce(np.left_shift(np.uint64(1), (codes % 64).astype(np.uint64)))
        near_in_length = np.abs(self.lengths - len(word)) <= edits
        likely = np.flatnonzero(near_in_length & (np.bitwise_count(self.letters ^ letters) <= 2 * edits))
        if not len(likely):
            return []
        places = self.first[likely, None] + np.arange(len(word) + edits)
        others = self.codes[np.minimum(places, len(self.codes) - 1)]
        distances = _edit_distances(codes, others, self.lengths[likely], edits)
        near = np.flatnonzero(distances <= edits)
        return [(int(distances[place]), self[likely[place]]) for place in near]


def _codes(text: str) -> NDArray[np.unsignedinteger]:
    """The code point of each character."""
    if text.isascii():
        return np.frombuffer(text.encode(), dtype=np.uint8)
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype="<u4")


def _edit_distances(
    word: NDArray[np.unsignedinteger], others: NDArray[np.unsignedinteger], lengths: Ints, edits: int
) -> NDArray[np.int8]:
    """Insertions, deletions, replacements and swaps of neighbours from a word to each of some others, one a row.

    Only distances up to `edits` are exact; larger ones stand for more. Columns beyond an other's length do not matter.
    """
    count, width = others.shape
    far = edits + 1
    before = np.full((count, width + 1), far, dtype=np.int8)
    row = np.full((count, width + 1), far, dtype=np.int8)
    row[:, : edits + 1] = np.arange(edits + 1)
    for i in range(1, len(word) + 1):
        earlier, before, row = before, row, np.full((count, width + 1), far, dtype=np.int8)
        if i <= edits:
            row[:, 0] = i
        for j in range(max(1, i - edits), min(width, i + edits) + 1):
            cost = before[:, j - 1] + (others[:, j - 1] != word[i - 1])
            np.minimum(cost, before[:, j] + 1, out=cost)
            np.minimum(cost, row[:, j - 1] + 1, out=cost)
            if i > 1 and j > 1:
                is_swap = (others[:, j - 2] == word[i - 1]) & (others[:, j - 1] == word[i - 2])
                cost = np.where(is_swap, np.minimum(cost, earlier[:, j - 2] + 1), cost)
            row[:, j] = np.minimum(cost, far)
    return np.take_along_axis(row, lengths[:, None], axis=1)[:, 0]
