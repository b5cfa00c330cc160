"""The definitions that a question is about, best first.

Each definition is scored by the question's concepts that it is written in, the rarer ones counting more; by what it is
(`prior`); and, among the best, by how much of its name was asked for and by what is around it (`comparison`).

Rules of the file:
- Any of the concepts is enough. Those that are required are left out where nothing is about all of them.
- The names of what is around a definition, and what its owner says, say something of it, and bring nothing by
  themselves.
- The cost is that of the rarest concepts' postings: where they have enough nodes, the others bring no more of them.
- Scores are the same for the same snapshot, however its index came to be.

Source: Robertson, Zaragoza: The Probabilistic Relevance Framework: BM25 and Beyond, 2009 (BM25F).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from codemap.facts import SymbolKind
from codemap.graph.index.name_index import NameIndex
from codemap.graph.index.terms import stem, subwords
from codemap.graph.model.edges import Mask, are_first
from codemap.graph.words.postings import IN_NAME, UNITS, WEIGHT_MAX, Bytes
from codemap.graph.words.prior import prior
from codemap.graph.words.question import HINT, NEARLY, Concept, halves_of
from codemap.graph.words.reranking import compare_files, compared
from codemap.graph.words.word_index import WordIndex

Floats = NDArray[np.float32]
Places = NDArray[np.intp]

SATURATION = 2.5
"""`k1` of BM25: the weight of which half counts."""
COVERAGE = 0.4
"""How much of a score depends on the share of the concepts."""
OF_OWNER_NAME, OF_FILE_NAME = 1.5, 1.3
"""The weight of a term in the name of the owner, and in the path of the file."""
OF_OWNER, OF_OWNER_MAX = 0.25, 0.5
"""How much of a term's weight in the owner counts, its documentation above all, and how much at most."""
CANDIDATES = 3_000
"""Nodes of the rarest concepts: when there are so many, other concepts bring no more."""
OF_MOST = 1_000
"""Where the rarest bring fewer, the others bring about as many, those of most concepts."""
_TESTS = frozenset(("test", "tests", "spec", "specs"))
"""A question that begins so asks for tests; one that has the word elsewhere may be about code that runs them."""
BEST = 96
"""Nodes that are compared closely."""


class Relevant(NamedTuple):
    """Nodes by relevance, the best first, and of each the concepts that it is written in."""

    nodes: list[int]
    concepts: list[list[Concept]]
    total: int
    """All nodes with any of the concepts."""
    hidden: int
    """Those of them that are of other kinds."""
    alike: list[int]
    """Of each node, how many of the best have its owner and name, itself included: overloads."""


NOTHING = Relevant([], [], 0, 0, [])


class _Term(NamedTuple):
    """`Posted`, with indices of the width in which arrays are looked up three times as quickly."""

    nodes: Places
    weights: Bytes
    row: Bytes | None = None
    """See `WordIndex.row`."""

    @property
    def named(self) -> Places:
        """The nodes whose names have the term."""
        return self.nodes[(self.weights >= IN_NAME).nonzero()[0]]

    def weigh(self, scratch: Bytes) -> Bytes:
        """The weights of all nodes; in the array given, whatever it holds, where no row is kept."""
        if self.row is not None:
            return self.row
        scratch.fill(0)
        scratch[self.nodes] = self.weights
        return scratch


class _Found(NamedTuple):
    """A concept, and the nodes in which it occurs."""

    concept: Concept
    posted: list[tuple[_Term, float]]
    """By term, with how much of a weight counts; hints first."""
    nodes: int
    """Nodes that the concept brings, each as often as it has terms of it."""


def relevant(
    index: NameIndex,
    words: WordIndex,
    concepts: Sequence[Concept],
    kinds: frozenset[SymbolKind],
    limit: int,
    names: Sequence[str] = (),
) -> Relevant:
    """The nodes of some kinds, all kinds when there are none, that are about some concepts; at most `limit`.

    `names` are in the question as code writes them, in lower case.
    """
    parted = zip(concepts, halves_of(concepts), strict=True)
    found = [its for concept, halves in parted if (its := _found(index, words, concept, halves)) is not None]
    if not found:
        return NOTHING
    count = index.snapshot.first_external
    nodes, total = _candidates(found, count)
    nodes = nodes[index.columns.are_definitions(nodes)]
    table, of_owners, named = _table(index, found, nodes, count)
    rarity, with_tests = _rarity(found, count), bool(concepts) and concepts[0].word in _TESTS
    scores = _scores(table + of_owners, rarity) * prior(index, nodes, named, with_tests=with_tests)
    is_asked = _has_required(table, found, concepts) if any(concept.is_required for concept in concepts) else None
    if is_asked is not None and is_asked.any() and not is_asked.all():
        nodes, scores, named, table = nodes[is_asked], scores[is_asked], named[is_asked], table[:, is_asked]
        total = len(nodes)
    best = _best(scores, max(BEST, limit))
    of_files = compare_files(index, nodes[best], table[:, best], rarity)
    close = compared(index, nodes[best], scores[best], named[best], of_files, names)
    hidden = 0
    if kinds:
        kind = index.columns.kind
        numbers = [int(each) for each in kinds]
        is_of_kind = np.isin(kind[nodes], numbers)
        of_kind = np.flatnonzero(is_of_kind)
        more = of_kind[_best(scores[of_kind], limit)]
        more = more[~np.isin(more, best)]
        best, close = np.concatenate((best, more)), np.concatenate((close, scores[more]))
        is_kept = is_of_kind[best]
        best, close = best[is_kept], close[is_kept]
        hidden, total = total - len(of_kind), len(of_kind)
    chosen, alike = _first_of_name(index, nodes, best[np.lexsort((nodes[best], -close))])
    chosen = chosen[:limit]
    about = [
        [its.concept for its, weight in zip(found, column, strict=True) if weight]
        for column in table[:, chosen].T.tolist()
    ]
    return Relevant(nodes[chosen].tolist(), about, total, hidden, alike[:limit].tolist())


def _first_of_name(index: NameIndex, nodes: Places, ordered: Places) -> tuple[Places, Places]:
    """Of some places of nodes the first of each owner and name, in that order, and how many there are of each."""
    chosen = nodes[ordered]
    names = index.name_of_node[chosen] + index.columns.parent[chosen].astype(np.int64) * len(index.names)
    by_name = names.argsort(kind="stable")
    begins = are_first(names[by_name]).nonzero()[0]
    first, count = by_name[begins], np.diff(begins, append=len(names))
    order = first.argsort()
    return ordered[first[order]], count[order]


def _found(index: NameIndex, words: WordIndex, concept: Concept, halves: Sequence[tuple[str, str]]) -> _Found | None:
    """The nodes in which the terms of a concept occur, or two of which its word may consist; None where there are
    none."""
    posted = []
    for term, share in reversed(concept.terms):
        its = words.posted(term)
        if len(its.nodes):
            posted.append((_Term(its.nodes.astype(np.intp), its.weights, words.row(term, its)), share))
    halved = (_halved(index, words, *both) for both in halves)
    posted += [(term, NEARLY) for term in halved if term is not None]
    if not posted:
        return None
    own = [len(its.nodes) for its, share in posted if share > HINT]
    return _Found(concept, posted, max(own) if own else sum(len(its.nodes) for its, _ in posted))


def _halved(index: NameIndex, words: WordIndex, first: str, second: str) -> _Term | None:
    """The nodes whose names have two terms, one behind the other: `memTable` is a `memtable`. None where there are
    none, as for most places at which a word can be parted: little is spent on these."""
    begun = words.posted(first)
    ended = words.posted(second) if len(begun.nodes) else begun
    if not len(ended.nodes):
        return None
    begins, ends = (_Term(its.nodes.astype(np.intp), its.weights) for its in (begun, ended))
    both, places, _ = np.intersect1d(begins.named, ends.named, assume_unique=True, return_indices=True)
    names = index.name_of_node[both].tolist()
    joined = {name for name in set(names) if (first, second) in pairwise(map(stem, subwords(index.names[name])))}
    if not joined:
        return None
    kept = np.array([name in joined for name in names], dtype=np.bool_)
    return _Term(both[kept], begins.weights[begins.weights >= IN_NAME][places[kept]])


def _candidates(found: Sequence[_Found], count: int) -> tuple[Places, int]:
    """The nodes that any concept brings; where these are too many, those of the rarest concepts, and those of most
    concepts. And the number of those that any brings.

    What only hints at a concept brings nodes by their names alone.
    """
    concepts, marks = np.zeros((2, count), dtype=np.uint8)
    mark = marks.view(np.bool_)
    rarest: Mask | None = None
    total = 0
    for place, its in enumerate(sorted(found, key=_count)):
        total += sum(len(posted.nodes) for posted, _ in its.posted)
        if place and rarest is None and total > CANDIDATES:
            rarest = concepts > 0
        mark.fill(False)
        for posted, share in its.posted:
            if posted.row is not None:
                mark |= posted.row >= (IN_NAME if share == HINT else 1)
            else:
                mark[posted.named if share == HINT else posted.nodes] = True
        concepts += marks
    marked = int(np.count_nonzero(concepts))
    if rarest is None or marked <= CANDIDATES:
        return concepts.nonzero()[0], marked
    if np.count_nonzero(rarest) > OF_MOST:
        return rarest.nonzero()[0], marked
    of_most = range(len(found), 1, -1)
    enough = next((least for least in of_most if np.count_nonzero(concepts >= least) > OF_MOST), 1)
    return (rarest | (concepts > enough)).nonzero()[0], marked


def _count(found: _Found) -> int:
    return found.nodes


def _table(index: NameIndex, found: Sequence[_Found], nodes: Places, count: int) -> tuple[Floats, Floats, Floats]:
    """Row c: how much each node is about concept c, by itself and by the names around it; how much more by what its
    owner says. And how many concepts each node's name has."""
    size = len(nodes)
    base = index.bases[index.columns.file[nodes]]
    owner = index.columns.parent[nodes]
    is_inside = (owner >= 0) & (owner != base)
    own, hinted, marks = _weigh(found, np.concatenate((nodes, owner, base)), size, count)
    are_named = marks >= IN_NAME
    table = np.float32(OF_OWNER_NAME) * is_inside * are_named[:, size : 2 * size]
    table += np.float32(OF_FILE_NAME) * (nodes != base) * are_named[:, 2 * size :]
    np.maximum(table, hinted * np.float32(HINT / UNITS), out=table)
    table += own[:, :size]
    of_owners = np.minimum(own[:, size : 2 * size] * np.float32(OF_OWNER), np.float32(OF_OWNER_MAX) * is_inside)
    return table, of_owners, are_named[:, :size].sum(axis=0, dtype=np.float32)


def _weigh(found: Sequence[_Found], nodes: Places, size: int, count: int) -> tuple[Floats, Bytes, Bytes]:
    """Row c, of some nodes the weight of concept c; of so many of them, the first, the greatest that only hints at it,
    in units; of all, whether their names have it, as postings mark that. Of -1, which is no node, it is anything."""
    own = np.zeros((len(found), len(nodes)), dtype=np.float32)
    marks = np.zeros((len(found), len(nodes)), dtype=np.uint8)
    hinted = np.zeros((len(found), size), dtype=np.uint8)
    nodes = nodes.astype(np.intp, copy=False)
    scratch = np.empty(count, dtype=np.uint8)
    for place, its in enumerate(found):
        for posted, share in its.posted:
            weights = posted.weigh(scratch)
            if share == HINT:
                np.maximum(hinted[place], weights.take(nodes[:size]) & WEIGHT_MAX, out=hinted[place])
            else:
                here = weights.take(nodes, mode="wrap")
                own[place] += (here & WEIGHT_MAX) * np.float32(share / UNITS)
                marks[place] |= here
    return own, hinted, marks


def _has_required(table: Floats, found: Sequence[_Found], concepts: Sequence[Concept]) -> Mask:
    """Whether each node is about all that is required."""
    nowhere = sum(concept.is_required for concept in concepts) - sum(its.concept.is_required for its in found)
    has_all = np.full(table.shape[1], nowhere == 0)
    for row, its in zip(table, found, strict=True):
        if its.concept.is_required:
            has_all &= row > 0
    return has_all


def _rarity(found: Sequence[_Found], count: int) -> Floats:
    return np.array([math.log(1 + (count - its.nodes + 0.5) / (its.nodes + 0.5)) for its in found], dtype=np.float32)


def _scores(table: Floats, rarity: Floats) -> Floats:
    """BM25F, the more so the more of the concepts a node has."""
    scores = rarity @ (table * np.float32(SATURATION + 1) / (np.float32(SATURATION) + table))
    share = rarity @ np.minimum(table / 2, 1) / rarity.sum()
    covering: Floats = scores * (np.float32(1 - COVERAGE) + np.float32(COVERAGE) * share)
    return covering


def _best(scores: Floats, most: int) -> Places:
    """The places of the highest scores, ascending; among equals, of the earlier ones."""
    if len(scores) <= most:
        return np.arange(len(scores))
    least = np.partition(scores, len(scores) - most)[len(scores) - most]
    are_best: Mask = scores > least
    are_best[(scores == least).nonzero()[0][: most - np.count_nonzero(are_best)]] = True
    return are_best.nonzero()[0]
