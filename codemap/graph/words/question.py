"""Parses a question in words into concepts, each with the terms that may express it.

Rules of the file:
- `::`, `.`, `/`, `_` and the case of letters separate words, as they do in code. Stop words are left out where
  any other word is left.
- Text in double quotes has to occur in every result, where any definition is about all of it.
- A word that is written as code writes a name (`_load`, `flushAll`, `Store.get`, `sorted(`) is that name first.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from codemap.graph.index.terms import SUBWORDS, stems, subwords
from codemap.graph.words.synonyms import abbreviations, base_forms, synonyms

CONCEPTS_MAX = 16
"""Of a longer question the first ones count: a paragraph is as clear by then."""
_HALF_MIN = 3
"""Letters of the shortest word that another may begin or end with."""
SAME, NEARLY, HINT = 1.0, 0.9, 0.25
"""How much of a term's weight counts: of the word itself, of another form of it, of a synonym."""
_QUOTED = re.compile(r'"([^"]+)"|“([^”]+)”')
_WORD = re.compile(r"((?<=\.)|(?<=:)|(?<=>)|(?<=#))?\b([A-Za-z_]\w*)(?=(\(|\.\w|::|->)?)")
"""A word, and where code comes before it, and behind it."""
_WRITTEN = re.compile(r"[_\d]|[a-z][A-Z]|[A-Z][a-z]+[A-Z]")
"""What words of prose do not have."""


class Concept(NamedTuple):
    word: str
    """In lower case, as it was asked for."""
    terms: tuple[tuple[str, float], ...]
    """Each with how much of its weight counts, the word itself first."""
    is_required: bool = False
    is_respelt: bool = False
    """Whether the word occurs nowhere, and the terms are of words that it resembles."""

    def respelt(self, words: list[str]) -> Concept:
        """The same where one of some words is meant; itself where there are none."""
        terms = dict.fromkeys(stems([part for word in words for part in subwords(word)]), NEARLY)
        return self._replace(terms=tuple(terms.items()), is_respelt=True) if terms else self


def halves_of(concepts: Sequence[Concept]) -> list[list[tuple[str, str]]]:
    """The terms of the two words that the word of each concept may consist of, for each place where it can be parted;
    none of one that is respelt."""
    parted = [_parted(concept.word) if not concept.is_respelt else [] for concept in concepts]
    stemmed = iter(stems([half for pairs in parted for pair in pairs for half in pair]))
    return [[(next(stemmed), next(stemmed)) for _ in pairs] for pairs in parted]


def _parted(word: str) -> list[tuple[str, str]]:
    places = range(_HALF_MIN, len(word) - _HALF_MIN + 1) if word.isalpha() else ()
    return [(word[:place], word[place:]) for place in places]


def names_in(question: str) -> list[str]:
    """The words of a question that are written as names of code are, in lower case."""
    found = _WORD.finditer(question)
    return list(
        dict.fromkeys(each[2].lower() for each in found if each[1] == "" or each[3] or _WRITTEN.search(each[2]))
    )


def concepts_of(question: str) -> list[Concept]:
    """The concepts of a question, in order."""
    quoted = {word for found in _QUOTED.finditer(question) for word in subwords(" ".join(filter(None, found.groups())))}
    words = list(dict.fromkeys(subwords(question) or [part.lower() for part in SUBWORDS.findall(question)]))
    words = words[:CONCEPTS_MAX]
    stemmed = stems([*words, *(first + second for first, second in pairwise(words))])
    own, joined = stemmed[: len(words)], stemmed[len(words) :]
    compounds = [[*filter(None, pair)] for pair in pairwise(["", *joined, ""])] if words else []
    found: dict[str, Concept] = {}
    for word, stem, also in zip(words, own, compounds, strict=True):
        if stem not in found:
            found[stem] = Concept(word, _terms(stem, also), word in quoted)
    return list(found.values())


def _terms(stem: str, compounds: list[str]) -> tuple[tuple[str, float], ...]:
    """The terms that may express a word: `compounds` are the word and one beside it, written as one."""
    terms = {stem: SAME, **dict.fromkeys(compounds, NEARLY)}
    base = base_forms().get(stem, stem)
    terms.setdefault(base, NEARLY)
    for table, share in ((abbreviations(), NEARLY), (synonyms(), HINT)):
        for other in (*table.get(stem, ()), *table.get(base, ())):
            terms.setdefault(other, share)
    return tuple(terms.items())
