"""Symbol search: a name, part of one, or several words become nodes, best first.

A match belongs to a tier, the first that fits: exact name, prefix, substring, qualified name (an enclosing definition
has it), path, subwords (`refreshSession` finds `refresh_session_token`), typos (up to two edits). Within a tier: the
case as written before another case, exported before private, then the hub score. Subwords are tried where the others
leave room, typos where they have nothing. External packages are never found.

The index is held by the snapshot that it belongs to and made by the first search: distinct names in order, joined to
one text, so that a query costs a search in that text and array work on what it hits.

Why this file is long: tiers, words and typos are the stages of one ranking over one index.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from enum import IntEnum
from functools import cached_property

import msgspec
import numpy as np
from numpy.typing import NDArray

from codemap.facts import Symbol, SymbolFlag, SymbolKind
from codemap.graph.columns import columns_of, gathered
from codemap.graph.edges import Ints, Mask, starts
from codemap.graph.snapshot import Snapshot

_HOLDER = "_search_index"
_WORDS = re.compile(r"[^\W_]+(?:['’]\w+)?")
_SUBWORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_A-Za-z]+")
_ONE_NAME = re.compile(r"\w+")
_LAST = chr(0x10FFFF)
_PLACE_STEP = 4.0
"""More than any worth, so that a better hit wins."""
_NODE_STEP = 1e-13
"""Less than any difference in worth that counts: among equals the earlier node wins."""

TYPO_MIN_CHARS = 3
"""Shorter words resemble too much."""
ONE_EDIT_MAX_CHARS = 5
"""Words up to this length may differ by one edit, longer ones by two."""
RESEMBLING_MAX = 8
"""Words that one misspelt word may stand for."""


class Tier(IntEnum):
    EXACT = 0
    PREFIX = 1
    SUBSTRING = 2
    QUALIFIED = 3
    PATH = 4
    SUBWORDS = 5
    TYPO = 6


class Found(msgspec.Struct, frozen=True):
    nodes: tuple[int, ...]
    """The best ones."""
    total: int
    """All matches."""
    hidden: int = 0
    """Matches that only the kind filter left out, counted where nothing else was found."""
    tier: Tier = Tier.EXACT
    """Of the first node."""


NOTHING = Found((), 0)


def search(snapshot: Snapshot, query: str, kinds: frozenset[SymbolKind], limit: int) -> Found:
    """The best matches for a query among nodes of some kinds, all kinds when there are none."""
    index = index_of(snapshot)
    words = query.split()
    if not words or not index.names:
        return NOTHING
    tiers = _one_word(index, words[0]) if len(words) == 1 else _all_words(index, [word.lower() for word in words])
    found = _ranked(index, tiers, query, kinds, limit)
    if found.total < limit and _ONE_NAME.fullmatch(query.strip()):
        found = _ranked(index, [*tiers, *_by_subwords(index, query)], query, kinds, limit)
    if found.total or found.hidden:
        return found
    return _ranked(index, _by_resemblance(index, words), query, kinds, limit)


class Index:
    """What searches of one snapshot share. A name belongs to its symbols, a base name to its files."""

    def __init__(self, snapshot: Snapshot) -> None:
        name_of_node = list(_names_of_nodes(snapshot))
        self.snapshot = snapshot
        self.columns = columns_of(snapshot)
        self.names = sorted(sorted(set(name_of_node)), key=str.lower)
        self.lower = [name.lower() for name in self.names]
        self.text = "\n" + "\n".join(self.lower) + "\n"
        self.begins = _begins(self.lower)
        number = {name: place for place, name in enumerate(self.names)}
        numbers = np.fromiter(map(number.__getitem__, name_of_node), np.int32, count=len(name_of_node))
        self.name_of_node = numbers
        self.nodes = np.argsort(numbers, kind="stable").astype(np.int32)
        self.node_start = starts(numbers[self.nodes], len(self.names))
        paths = [file.path.lower() for file in snapshot.files]
        self.path_text = "\n" + "\n".join(paths) + "\n"
        self.path_begins = _begins(paths)
        self.bases = np.array(snapshot.bases, dtype=np.int32)
        self.file_sizes = self.bases[1:] - self.bases[:-1]
        exported = (self.columns.flags & SymbolFlag.EXPORTED) != 0
        exported[self.bases[:-1]] = True
        self.worth = exported + snapshot.scores[: snapshot.first_external] / 2
        """Exported nodes before private ones, then by hub score."""

    def nodes_of(self, names: Ints) -> Ints:
        return gathered(self.nodes, self.node_start, names)[0]

    def names_with(self, part: str) -> Ints:
        """Names that contain a lower-case text."""
        return _places(self.text, self.begins, part)

    def files_with(self, part: str) -> Ints:
        """Numbers of the files whose path contains a lower-case text."""
        return _places(self.path_text, self.path_begins, part)

    def names_from(self, prefix: str) -> range:
        """Names that begin with a lower-case text; they stand together."""
        return range(bisect_left(self.lower, prefix), bisect_left(self.lower, prefix + _LAST))

    def inside(self, nodes: Ints) -> Ints:
        """All definitions inside some nodes, at any depth."""
        found = []
        while len(nodes):
            nodes, _ = gathered(self.columns.children, self.columns.child_start, nodes)
            found.append(nodes)
        return np.concatenate(found) if found else nodes

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """What a misspelt word may have meant: names, and the subwords of names."""
        words = set(self.lower)
        words.update(word.lower() for word in _SUBWORDS.findall("\n".join(self.names)))
        return Vocabulary(sorted(word for word in words if len(word) >= TYPO_MIN_CHARS))


class Vocabulary:
    """Words by length and letters, so that few need an exact comparison."""

    def __init__(self, words: list[str]) -> None:
        self.words = words
        self.lengths = np.array([len(word) for word in words], dtype=np.int32)
        self.codes = _codes("".join(words))
        self.first = np.cumsum(self.lengths) - self.lengths
        bits = np.left_shift(np.uint64(1), (self.codes % 64).astype(np.uint64))
        self.letters = np.bitwise_or.reduceat(bits, self.first) if words else np.empty(0, dtype=np.uint64)

    def resembling(self, word: str) -> list[tuple[int, str]]:
        """(edits, word) of the words that a word may be a misspelling of, the nearest first."""
        if len(word) < TYPO_MIN_CHARS or not self.words:
            return []
        edits = 1 if len(word) <= ONE_EDIT_MAX_CHARS else 2
        codes = _codes(word)
        letters = np.bitwise_or.reduce(np.left_shift(np.uint64(1), (codes % 64).astype(np.uint64)))
        near_in_length = np.abs(self.lengths - len(word)) <= edits
        likely = np.flatnonzero(near_in_length & (np.bitwise_count(self.letters ^ letters) <= 2 * edits))
        places = self.first[likely, None] + np.arange(len(word) + edits)
        others = self.codes[np.minimum(places, len(self.codes) - 1)]
        distances = _edit_distances(codes, others, self.lengths[likely], edits)
        near = np.flatnonzero(distances <= edits)
        found = [(int(distances[place]), self.words[likely[place]]) for place in near]
        return sorted(found)[:RESEMBLING_MAX]


def _codes(text: str) -> NDArray[np.uint32]:
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype="<u4")


def _edit_distances(
    word: NDArray[np.uint32], others: NDArray[np.uint32], lengths: Ints, edits: int
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


def index_of(snapshot: Snapshot) -> Index:
    """The index of a snapshot, the same one at every call. About a microsecond a symbol to make."""
    held = vars(snapshot).get(_HOLDER)
    if held is None:
        held = vars(snapshot).setdefault(_HOLDER, Index(snapshot))
    index: Index = held
    return index


class Hits(msgspec.Struct, frozen=True):
    """Nodes of one tier; a node may stand in several, the first counts."""

    tier: Tier
    nodes: Ints


def _one_word(index: Index, word: str) -> list[Hits]:
    lower = word.lower()
    qualified = _qualified(index, lower)
    if qualified is not None:
        return qualified
    prefixed = index.names_from(lower)
    exact = _run(prefixed, index.lower, lower)
    names = index.names_with(lower)
    files = index.files_with(lower)
    return [
        Hits(Tier.EXACT, index.nodes_of(_ints(exact))),
        Hits(Tier.PREFIX, index.nodes[index.node_start[prefixed.start] : index.node_start[prefixed.stop]]),
        Hits(Tier.SUBSTRING, index.nodes_of(names)),
        Hits(Tier.QUALIFIED, index.inside(_symbols(index, index.nodes_of(names)))),
        Hits(Tier.PATH, index.bases[files]),
    ]


def _run(prefixed: range, lower: list[str], wanted: str) -> Iterable[int]:
    """The names at the beginning of a range that are the wanted one: exact matches come before longer ones."""
    for place in prefixed:
        if lower[place] != wanted:
            return
        yield place


def _symbols(index: Index, nodes: Ints) -> Ints:
    return nodes[index.columns.parent[nodes] >= 0]


def _qualified(index: Index, lower: str) -> list[Hits] | None:
    """Hits for `Owner.member`, `path/file.py#Owner.member` or a node ID; None for a plain word or path."""
    before, hash_, after = lower.partition("#")
    if not hash_ and ("." not in lower.strip(".") or "/" in lower):
        return None
    chain_ = after.partition("~")[0] if hash_ else lower
    path = before.partition(":")[2] or before if hash_ else ""
    *owners, last = chain_.replace("::", ".").split(".")
    nodes = index.nodes_of(_ints(index.names_from(last))) if last else np.empty(0, dtype=np.int32)
    if path:
        files = index.files_with(path)
        nodes = nodes[np.isin(np.searchsorted(index.bases, nodes, side="right") - 1, files)]
    owner_text = ".".join(owners)
    found: dict[Tier, list[int]] = {Tier.EXACT: [], Tier.PREFIX: [], Tier.QUALIFIED: []}
    for node in nodes.tolist():
        whole = index.snapshot.qualified_name_of(node).lower()
        if whole == chain_:
            found[Tier.EXACT].append(node)
        elif not owner_text or f".{whole}".rpartition(".")[0].endswith(f".{owner_text}"):
            tier = Tier.PREFIX if whole.endswith(f".{last}") or whole == last else Tier.QUALIFIED
            found[tier].append(node)
        elif whole.rpartition(".")[0].endswith(owner_text):
            found[Tier.QUALIFIED].append(node)
    hits = [Hits(tier, _ints(members)) for tier, members in found.items()]
    if not hash_ and not any(len(hit.nodes) for hit in hits):
        return None
    return hits


def _all_words(index: Index, words: list[str]) -> list[Hits]:
    return _covered(index, [[word] for word in words], (Tier.EXACT, Tier.SUBSTRING, Tier.QUALIFIED, Tier.PATH))


def _by_subwords(index: Index, query: str) -> list[Hits]:
    words = [word.lower() for part in _WORDS.findall(query) for word in _SUBWORDS.findall(part)]
    return _named(index, [[word] for word in words], (Tier.SUBWORDS,) * 4) if len(words) > 1 else []


def _by_resemblance(index: Index, words: list[str]) -> list[Hits]:
    """Names that resemble the words as a whole, then nodes for which words that resemble them all stand somewhere."""
    whole = [word for _, word in index.vocabulary.resembling("".join(words).lower())]
    hits = [Hits(Tier.TYPO, index.nodes_of(_ints(_run(index.names_from(word), index.lower, word)))) for word in whole]
    choices = [_spellings(index, part.lower()) for word in words for part in _SUBWORDS.findall(word)]
    if choices and all(choices):
        hits += _covered(index, choices, (Tier.TYPO,) * 4)
    return hits


def _spellings(index: Index, word: str) -> list[str]:
    """A word that occurs stands for itself, another one for the nearest that do."""
    if word in index.text or word in index.path_text:
        return [word]
    near = index.vocabulary.resembling(word)
    return [other for edits, other in near if edits == near[0][0]]


Tiers = tuple[Tier, Tier, Tier, Tier]


def _named(index: Index, words: list[list[str]], tiers: Tiers) -> list[Hits]:
    """Nodes whose name has every word, in one of its spellings.

    Those whose name is the words in order first, then those that have them in order, then in any.
    """
    rarest = max(words, key=lambda spellings: min(map(len, spellings)))
    names = np.unique(np.concatenate([index.names_with(word) for word in rarest])).tolist()
    lower = index.lower
    for spellings in words:
        names = [name for name in names if any(word in lower[name] for word in spellings)]
    parts = ["(?:" + "|".join(map(re.escape, spellings)) + ")" for spellings in words]
    whole, ordered = re.compile(r"[\W_]*".join(parts)), re.compile(".*".join(parts))
    return [
        Hits(tiers[0], index.nodes_of(_ints(name for name in names if whole.fullmatch(lower[name])))),
        Hits(tiers[1], index.nodes_of(_ints(name for name in names if ordered.search(lower[name])))),
        Hits(tiers[1], index.nodes_of(_ints(names))),
    ]


def _covered(index: Index, words: list[list[str]], tiers: Tiers) -> list[Hits]:
    """Nodes for which every word, in one of its spellings, stands in the qualified name or the path.

    The name has all words in order; is the last one (`session refresh`: `SessionStore.refresh`); has all, in any order;
    has the last one; has one; has none.
    """
    count = len(index.columns.parent)
    everywhere, some = np.ones(count, dtype=np.bool_), np.zeros(count, dtype=np.bool_)
    last: Mask = some
    for spellings in words:
        names = np.unique(np.concatenate([index.names_with(word) for word in spellings]))
        files = np.zeros(len(index.snapshot.files), dtype=np.bool_)
        for word in spellings:
            files[index.files_with(word)] = True
        nodes = index.nodes_of(names)
        last = np.zeros(count, dtype=np.bool_)
        last[nodes] = True
        some |= last
        around = last | np.repeat(files, index.file_sizes)
        around[index.inside(_symbols(index, nodes))] = True
        everywhere &= around
    named = _named(index, words, tiers)
    called = [name for word in words[-1] for name in _run(index.names_from(word), index.lower, word)]
    nodes = index.nodes_of(_ints(called))
    return [
        *named[:2],
        Hits(tiers[1], nodes[everywhere[nodes]]),
        *named[2:],
        Hits(tiers[2], _numbers(everywhere & last)),
        Hits(tiers[2], _numbers(everywhere & some)),
        Hits(tiers[3], _numbers(everywhere)),
    ]


def _ranked(index: Index, hits: list[Hits], query: str, kinds: frozenset[SymbolKind], limit: int) -> Found:
    """The best nodes: by the place of their first hit, case as written, exported, hub score, node."""
    nowhere = len(hits)
    place_of = np.full(len(index.worth), nowhere, dtype=np.int8)
    for place in reversed(range(len(hits))):
        place_of[hits[place].nodes] = place
    nodes = np.flatnonzero(place_of < nowhere)
    if kinds:
        of_kind = np.isin(index.columns.kind[nodes], [int(kind) for kind in kinds])
        hidden = int(len(nodes) - of_kind.sum())
        nodes = nodes[of_kind]
        if not len(nodes):
            return Found((), 0, hidden)
    if not len(nodes):
        return NOTHING
    key = place_of[nodes] * _PLACE_STEP - index.worth[nodes] + nodes * _NODE_STEP
    count = 2 * limit + 50
    best = nodes if len(nodes) <= count else nodes[np.argpartition(key, count)[:count]]
    key = place_of[best] * _PLACE_STEP - index.worth[best] + best * _NODE_STEP
    best = best[np.argsort(key)]
    needle = query.split()[-1].rpartition(".")[2]
    keyed = [
        (place, needle not in index.names[index.name_of_node[node]], at, node)
        for at, (place, node) in enumerate(zip(place_of[best].tolist(), best.tolist(), strict=True))
    ]
    chosen = [node for *_, node in sorted(keyed)[:limit]]
    return Found(tuple(chosen), len(nodes), 0, hits[int(place_of[chosen[0]])].tier)


def _begins(lines: list[str]) -> NDArray[np.int64]:
    """Where each line begins in the lines joined by, and after, a line break."""
    lengths = np.array([len(line) for line in lines], dtype=np.int64)
    return np.cumsum(lengths + 1) - lengths


def _places(text: str, begins: NDArray[np.int64], part: str) -> Ints:
    """Numbers of the lines that contain a text."""
    places = []
    at = text.find(part)
    while at >= 0:
        places.append(at)
        at = text.find(part, text.find("\n", at))
    return (np.searchsorted(begins, np.array(places, dtype=np.int64), side="right") - 1).astype(np.int32)


def _names_of_nodes(snapshot: Snapshot) -> Iterator[str]:
    """The bare name of each symbol and the base name of each file, in node order."""
    for file in snapshot.files:
        names = file.facts.names
        yield file.path.rpartition("/")[2]
        yield from map(names.__getitem__, file.symbols[Symbol.WIDTH + Symbol.NAME :: Symbol.WIDTH].tolist())


def _numbers(mask: Mask) -> Ints:
    return np.flatnonzero(mask).astype(np.int32)


def _ints(values: Iterable[int]) -> Ints:
    return np.array(list(values), dtype=np.int32)
