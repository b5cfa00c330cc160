"""Chooses the lines of a function that a task in words is about, as a search for the words shows lines around each.

A line is worth the words of the task that it has, a word that few lines of the function have counting more, and one
that chosen lines have counting less. The header is always shown; lines that follow one another, or nearly, are one
excerpt.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import chain
from math import log1p

from codemap.graph.index.terms import SUBWORDS, stems, subwords, term_of
from codemap.stop_words import STOP_WORDS
from codemap.tools.code.excerpts import Excerpt, Text

PASSAGES_MIN_CHARS = 1_000
"""A function of fewer is shown whole."""
PASSAGES_CHARS = 400
"""Of the chosen lines."""
BEFORE, AFTER = 1, 2
"""Lines before and after one that has words."""
SAID_AGAIN = 0.5
"""What a word is worth each further time that a line with it is shown. Of the lines of 501 long functions that commits
to three repositories changed, asked for by their messages, 0.58 are shown, and 0.56 with 1."""
GAP_MAX = 2
"""Lines between two excerpts that are shown as well: a mark in their place costs as much."""
HEADER_LINES_MAX = 6


def words_of_task(task: str) -> frozenset[str]:
    """The terms that lines are compared with."""
    return frozenset(word for word in stems(subwords(task)) if word not in STOP_WORDS)


def choose_passages(text: Text, first: int, last: int, asked: frozenset[str]) -> list[Excerpt]:
    """The excerpts of the lines from `first` to `last`, the first of them with its header; all lines where none has a
    word of the task, or where little would be left out."""
    lines = text.lines[first - 1 : last]
    if sum(map(len, lines)) + len(lines) <= PASSAGES_MIN_CHARS:
        return [text.excerpt(first, last)]
    kept = _choose_lines(lines, asked)
    if not kept:
        return [text.excerpt(first, last)]
    kept |= set(range(_header_end(lines)))
    excerpts: list[Excerpt] = []
    begin = end = min(kept)
    for at in sorted(kept):
        if at - end > 1 + GAP_MAX:
            excerpts.append(text.excerpt(first + begin, first + end))
            begin = at
        end = at
    end = len(lines) - 1 if len(lines) - 1 - end <= GAP_MAX else end
    return [*excerpts, text.excerpt(first + begin, first + end)]


def _choose_lines(lines: Sequence[str], asked: frozenset[str]) -> set[int]:
    """The numbers, from 0, of the lines with most words and those around them, until there are enough."""
    had = [asked.intersection(map(term_of, SUBWORDS.findall(line))) for line in lines]
    counts = Counter(word for words in had for word in words)
    worth = {word: log1p(len(lines) / count) for word, count in counts.items()}
    left = {at for at, words in enumerate(had) if words}
    kept: set[int] = set()
    chars = 0
    while left and chars < PASSAGES_CHARS:
        best = max(left, key=lambda at: (sum(worth[word] for word in had[at]), -at))
        around = set(range(max(0, best - BEFORE), min(len(lines), best + AFTER + 1))) - kept
        chars += sum(len(lines[one]) + 1 for one in around)
        kept |= around
        left -= around
        for word in chain.from_iterable(had[one] for one in around):
            worth[word] *= SAID_AGAIN
    return kept


def _header_end(lines: Sequence[str]) -> int:
    """The number of lines until the brackets of the first are closed."""
    depth = 0
    for count, line in enumerate(lines[:HEADER_LINES_MAX], 1):
        depth += sum((char in "([") - (char in ")]") for char in line)
        if depth <= 0:
            return count
    return HEADER_LINES_MAX
