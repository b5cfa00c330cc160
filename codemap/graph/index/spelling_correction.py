"""Corrects spelling: which of some words a misspelt word may mean.

Words are filtered by length and by the set of their letters; what is left is compared exactly, all words at once.

Source: Damerau-Levenshtein distance in its optimal string alignment form.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from codemap.graph.model.edges import Ints

TYPO_MIN_CHARS = 3
"""Shorter words resemble too much."""
ONE_EDIT_MAX_CHARS = 5
"""Words up to this length may differ by one edit, longer ones by two."""
RESEMBLING_MAX = 8
"""Corrections of one misspelt word, at most."""
LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789_"
"""What an edit of a short word may bring."""


def edits_of(word: str) -> int:
    """By how many edits a misspelt word may differ from what is meant."""
    return 1 if len(word) <= ONE_EDIT_MAX_CHARS else 2


def nearest(words: Sequence[str], word: str) -> list[tuple[int, str]]:
    """(edits, word) of those, of some lower-case words, that one may be a misspelling of, the nearest first."""
    if not words or len(word) < TYPO_MIN_CHARS:
        return []
    edits, codes, all_codes = edits_of(word), _codes(word), _codes("".join(words))
    lengths = np.fromiter(map(len, words), np.int32, count=len(words))
    first = np.cumsum(lengths, dtype=np.int32) - lengths
    letters = np.bitwise_or.reduceat(_bits(all_codes), first) ^ np.bitwise_or.reduce(_bits(codes))
    near_in_length = np.abs(lengths - len(word)) <= edits
    likely = np.flatnonzero(near_in_length & (np.bitwise_count(letters) <= 2 * edits))
    if not len(likely):
        return []
    places = first[likely, None] + np.arange(len(word) + edits)
    others = all_codes[np.minimum(places, len(all_codes) - 1)]
    distances = _edit_distances(codes, others, lengths[likely], edits).tolist()
    found = zip(distances, (words[place] for place in likely.tolist()), strict=True)
    return sorted(one for one in found if one[0] <= edits)[:RESEMBLING_MAX]


def one_edit_from(word: str) -> Iterator[str]:
    """What one edit makes of a lower-case word: some hundreds of a short one."""
    for at in range(len(word) + 1):
        before, after = word[:at], word[at:]
        yield from (f"{before}{letter}{after}" for letter in LETTERS)
        if after:
            yield before + after[1:]
            yield from (f"{before}{letter}{after[1:]}" for letter in LETTERS)
        if len(after) > 1:
            yield f"{before}{after[1]}{after[0]}{after[2:]}"


def _bits(codes: NDArray[np.unsignedinteger]) -> NDArray[np.uint64]:
    """A bit for each character, the same for the same."""
    return np.left_shift(np.uint64(1), (codes % 64).astype(np.uint64))


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
