"""Search: a name, part of one, a path, or a question in words become nodes, best first.

A single word is a name (`codemap.graph.query.name_search`); subwords are tried where whole names leave room. What
nothing is called is looked for in what definitions say, and then among typos. External packages are never found.

Several words are a question: any of them may be meant, and relevance decides (`codemap.graph.words`). What is called by
all of them as a whole comes first: a name that consists of them, or names, folders and files that are the words
(`QuerySet filter` means `QuerySet.filter`). A word that occurs nowhere may be misspelt.
"""

from __future__ import annotations

import re
from collections.abc import Sequence, Set

import msgspec

from codemap.facts import SymbolKind
from codemap.graph.index.name_index import NameIndex, name_index
from codemap.graph.index.terms import subwords
from codemap.graph.model.snapshot import Snapshot
from codemap.graph.query.name_search import (
    by_all_words,
    by_resemblance,
    by_subwords,
    called,
    consisting_of,
    named_as,
    spellings,
)
from codemap.graph.query.search_hits import NOTHING, Found, Tier, ranked
from codemap.graph.words.match_reasons import reason
from codemap.graph.words.question import Concept, concepts_of, names_in
from codemap.graph.words.relevance import relevant
from codemap.graph.words.word_index import WordIndex, word_index
from codemap.stop_words import STOP_WORDS

_ONE_NAME = re.compile(r"\w+")
_SEPARATORS = re.compile(r"::|->|\\")
_QUOTES = "\"'`“”‘’()"
_ENDS = ".,;:?!"
_NAME_WORDS_MAX = 4
"""More words are a question, not the name of anything."""
_REASONS = {
    Tier.PREFIX: "prefix",
    Tier.SUBSTRING: "in name",
    Tier.QUALIFIED: "owner",
    Tier.PATH: "path",
    Tier.SUBWORDS: "subwords",
    Tier.TYPO: "spelling",
}

QUERY_MAX = 1_000
"""Characters that are looked for: no name is as long, and each word of a query costs a search."""


RESPELT_MIN_CHARS = 5
"""Shorter words of a phrase are taken as they are."""


def search(snapshot: Snapshot, query: str, kinds: frozenset[SymbolKind], limit: int) -> Found:
    """The best matches for a query among nodes of some kinds, all kinds when there are none."""
    index = name_index(snapshot)
    query = query[:QUERY_MAX]
    words = [bare for word in query.split() if (bare := word.strip(_QUOTES).rstrip(_ENDS))] or query.split()
    telling = [word for word in words if word.lower() not in STOP_WORDS]
    if not words or not index.names:
        return NOTHING
    if len(telling or words) > 1:
        return _by_words(index, query, words, telling or words, kinds, limit)
    word = (telling or words)[0]
    found = _by_name(index, _SEPARATORS.sub(".", word.removesuffix("()")) or word, kinds, limit)
    return found if found.total or found.hidden else _by_what_is_said(index, word, kinds, limit)


def why(snapshot: Snapshot, found: Found, place: int) -> str:
    """Why the node at a place was found, in a few letters; empty where its name says it all."""
    node = found.nodes[place]
    about = found.about.get(node)
    if about is None:
        return found.reasons[place]
    alike = found.alike.get(node)
    return reason(snapshot, node, about) + (f"; {alike} of this name" if alike else "")


def _by_name(index: NameIndex, word: str, kinds: frozenset[SymbolKind], limit: int) -> Found:
    tiers = named_as(index, word)
    may_have_room = sum(len(hits.nodes) for hits in tiers) < limit
    found = NOTHING if may_have_room else ranked(index, tiers, kinds, limit)
    if found.total < limit:
        more = by_subwords(index, word) if _ONE_NAME.fullmatch(word) else []
        if more or may_have_room:
            found = ranked(index, [*tiers, *more], kinds, limit)
    return _with_reasons(found)


def _by_what_is_said(index: NameIndex, word: str, kinds: frozenset[SymbolKind], limit: int) -> Found:
    """Results for a word that is no name: definitions whose documentation has it, or a name that resembles it."""
    words, concepts = word_index(index.snapshot), concepts_of(word)
    if words is not None and all(words.has(concept.terms[0][0]) for concept in concepts):
        found = _relevant(index, words, concepts, kinds, limit)
        if found.total or found.hidden:
            return found
    found = _with_reasons(ranked(index, by_resemblance(index, [word]), kinds, limit))
    if found.total or found.hidden:
        return found
    if words is None:
        return msgspec.structs.replace(found, is_too_early=True)
    return _relevant(index, words, concepts, kinds, limit)


def _by_words(
    index: NameIndex, query: str, asked: list[str], telling: list[str], kinds: frozenset[SymbolKind], limit: int
) -> Found:
    words = word_index(index.snapshot)
    concepts = concepts_of(query)
    said = {its.word for its in concepts if words.has(its.terms[0][0])} if words is not None else set[str]()
    whole = NOTHING
    if words is None or len(telling) <= _NAME_WORDS_MAX:
        lower = [word for each in telling for word in _spelt(index, each, said)]
        tiers = called(index, lower) if len(lower) <= _NAME_WORDS_MAX else []
        if len(telling) < len(asked) <= _NAME_WORDS_MAX:
            tiers = [consisting_of(index, [word.lower() for word in asked]), *tiers]
        whole = ranked(index, tiers, kinds, limit)
    if words is None:
        found = _with_reasons(ranked(index, by_all_words(index, lower), kinds, limit))
        return msgspec.structs.replace(found, is_too_early=True)
    is_phrase = sum(concept.word in said for concept in concepts) > 1
    known = [concept if concept.word in said else _respelt(index, concept, is_phrase=is_phrase) for concept in concepts]
    found = _relevant(index, words, known, kinds, limit, names_in(query))
    named = [
        (node, tier)
        for node, tier in zip(whole.nodes, whole.tiers, strict=True)
        if tier is not Tier.QUALIFIED or not index.is_test[node]  # else in a test, around it, by chance
    ]
    first = {node for node, _ in named}
    others = [place for place, node in enumerate(found.nodes) if node not in first][: limit - len(first)]
    return msgspec.structs.replace(
        found,
        nodes=(*(node for node, _ in named), *(found.nodes[place] for place in others)),
        total=max(found.total, whole.total),
        tiers=(*(tier for _, tier in named), *(found.tiers[place] for place in others)),
        reasons=("",) * (len(named) + len(others)),
        about={node: about for node, about in found.about.items() if node not in first},
    )


def _spelt(index: NameIndex, word: str, said: Set[str]) -> list[str]:
    """A lower-case word, corrected to a name that resembles it; words of the documentation are not corrected."""
    lower = word.lower()
    if said >= {*subwords(word)}:
        return [lower]
    return spellings(index, lower)[:1] or [lower]


def _relevant(
    index: NameIndex,
    words: WordIndex,
    concepts: list[Concept],
    kinds: frozenset[SymbolKind],
    limit: int,
    names: Sequence[str] = (),
) -> Found:
    found = relevant(index, words, concepts, kinds, limit, names)
    are_all_misspelt = bool(concepts) and all(concept.is_respelt for concept in concepts)
    tier = Tier.TYPO if are_all_misspelt else Tier.WORDS
    return Found(
        tuple(found.nodes),
        found.total,
        found.hidden if not found.nodes else 0,
        tiers=(tier,) * len(found.nodes),
        reasons=("",) * len(found.nodes),
        about=dict(zip(found.nodes, found.concepts, strict=True)),
        alike={node: count for node, count in zip(found.nodes, found.alike, strict=True) if count > 1},
    )


def _respelt(index: NameIndex, concept: Concept, *, is_phrase: bool) -> Concept:
    """A concept whose own word occurs nowhere, with the words that it may be a misspelling of. In a phrase it is rather
    a word that the repository does not use than far from one that it does: `refuse` is no `recurse`."""
    if is_phrase and len(concept.terms) > 1:
        return concept
    near = index.resembling(concept.word)
    if is_phrase:
        near = [
            (edits, other)
            for edits, other in near
            if edits == 1 and len(concept.word) >= RESPELT_MIN_CHARS and other[0] == concept.word[0]
        ]
    return concept.respelt([other for edits, other in near if edits == near[0][0]])


def _with_reasons(found: Found) -> Found:
    return msgspec.structs.replace(found, reasons=tuple(_REASONS.get(tier, "") for tier in found.tiers))
