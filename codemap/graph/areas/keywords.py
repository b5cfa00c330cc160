"""Finds the words that distinguish an area from the others, in the names of its hearts and files.

A word counts by how many of them have it, and less the more areas have it (TF-IDF).

Source: Spärck Jones, A statistical interpretation of term specificity and its application in retrieval (1972).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from math import log

WORDS_MAX = 5
LETTERS_MIN = 3
STEM = 4
"""Letters that words of one stem have in common: `revoke`, `revoked`."""
HALF = 20
"""The place of a name that weighs half of what the first one does."""
FEW = 2
"""A word of fewer names does not characterize an area."""
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_NOISE = """
abstract and any are arg args base callback class cls const create data default def del else enum err error exception
for from func function get has impl in index info init int interface internal is item items key kwargs list main make
map mod module name new none not null num obj object on opt options or out param params private public res result self
set size src static str string struct super test tests the this to tmp type types use util utils val value values var
void with
"""
_STOP = frozenset(_NOISE.split())
"""Words of programming, not of what a program is about."""


def distinctive_words(names: Sequence[Sequence[str]], folders: Sequence[str]) -> list[list[str]]:
    """Of each area, the words that its names have and those of others have not, the best first.

    `names` are those of hearts and files by area, the best first; `folders` where the areas are: what a folder says is
    not repeated, nor is a word in another form of it.
    """
    counts = [_counts(its) for its in names]
    areas_with = Counter(word for its in counts for word in its)
    found = []
    for its, folder in zip(counts, folders, strict=True):
        worth = {word: count * log((len(counts) + 1) / areas_with[word]) for word, count in its.items()}
        best = sorted(worth, key=lambda word: (-worth[word], word))
        stems = {word[:STEM] for word in words_in(folder)}
        chosen = []
        for word in best:
            if word[:STEM] not in stems:
                stems.add(word[:STEM])
                chosen.append(word)
        found.append(chosen[:WORDS_MAX])
    return found


def _counts(names: Sequence[str]) -> dict[str, float]:
    """Word -> the names that have it, the first ones weighing more; words of too few names left out."""
    weights: dict[str, float] = {}
    counts = Counter[str]()
    for place, name in enumerate(names):
        for word in set(words_in(name)):
            weights[word] = weights.get(word, 0.0) + 1 / (1 + place / HALF)
            counts[word] += 1
    return {word: weight for word, weight in weights.items() if counts[word] >= FEW}


def words_in(name: str) -> list[str]:
    """The words of a name in camelCase or snake_case, in lower case."""
    words = (word.lower() for word in _WORD.findall(name))
    return [word for word in words if len(word) >= LETTERS_MIN and word not in _STOP]
