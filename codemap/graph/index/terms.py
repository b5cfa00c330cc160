"""Reduces words of code and of questions to terms, by which they are compared.

A word of code (`refreshSessions`, `_load_all`) consists of subwords; a term is the stem of a subword in lower case, so
that `cancelled`, `cancels` and `cancel` are one.

Source: Porter's English stemmer, as Snowball has it.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Sequence
from functools import lru_cache
from itertools import accumulate, chain

import numpy as np
import Stemmer

from codemap.graph.model.edges import Ints
from codemap.graph.model.ranges import expand_ranges
from codemap.stop_words import STOP_WORDS

SUBWORDS = re.compile(
    r"(?<![A-Za-z\d])[A-Za-z]\d+[A-Za-z](?![a-z\d])|(?<=[a-z])[A-Z]\d+[a-z](?![a-z\d])"
    r"|[A-Z]{2,}s(?![a-z])|[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_A-Za-z]+"
)
"""The words that a name in camelCase or snake_case is made of. Digits between two letters are part of a word: `a11y`,
`e2e`."""
CHARS_MAX = 40
"""Longer runs of letters are data."""


def stems(words: list[str]) -> list[str]:
    """The stems of words in lower case."""
    found: list[str] = Stemmer.Stemmer("english").stemWords(words)  # one for each caller: it is not for several threads
    return found


@lru_cache(maxsize=10_000)
def stem(word: str) -> str:
    """The stem of a word in lower case; of those that were asked for lately, without a stemmer, which costs as much
    as ten words."""
    return stems([word])[0]


@lru_cache(maxsize=10_000)
def term_of(subword: str) -> str:
    """The term of a subword as `SUBWORDS` finds it; empty for one that means nothing."""
    lower = subword.lower()
    return stem(lower) if 1 < len(lower) <= CHARS_MAX and lower not in STOP_WORDS else ""


def subwords(word: str) -> list[str]:
    """The subwords of a word of code, in lower case, without those that mean nothing."""
    found = [part.lower() for part in SUBWORDS.findall(word)]
    return [part for part in found if 1 < len(part) <= CHARS_MAX and part not in STOP_WORDS]


class _Words(dict[str, int]):
    """Numbers of words, in the order in which they were met."""

    def __init__(self) -> None:
        super().__init__()
        self.fresh: list[str] = []
        """Words that got their number since somebody looked."""

    def __missing__(self, word: str) -> int:
        number = self[word] = len(self)
        self.fresh.append(word)
        return number


class Terms:
    """Numbers of terms, in the order in which they were met, and the terms that each word consists of."""

    def __init__(self) -> None:
        self.numbers: dict[str, int] = {}
        """Term -> its number."""
        self._words = _Words()
        self._of = array("i")
        """The terms of all words, one after the other."""
        self._first = array("i", [0])
        """Element w: where those of word w begin; one longer than there are words."""

    def of(self, words: Sequence[str]) -> tuple[Ints, Ints]:
        """The terms of some words, one after the other, and how many each word has."""
        at = np.fromiter(map(self._words.__getitem__, words), np.int32, count=len(words))
        if self._words.fresh:
            self._add(self._words.fresh)
            self._words.fresh = []
        if not len(at):
            return at, at
        first = np.frombuffer(self._first, np.int32)
        begins = first.take(at)
        counts = first.take(at + 1) - begins
        places, _ = expand_ranges(begins, counts)
        return np.frombuffer(self._of, np.int32).take(places) if len(places) else places, counts

    def _add(self, words: list[str]) -> None:
        parts = [subwords(word) for word in words]
        numbers = self.numbers
        stemmed = stems([*chain.from_iterable(parts)])
        self._of.extend([numbers.setdefault(stem, len(numbers)) for stem in stemmed])
        self._first.extend(accumulate(map(len, parts[1:]), initial=self._first[-1] + len(parts[0])))
