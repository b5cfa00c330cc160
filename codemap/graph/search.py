"""Symbol search: a name, part of one, or several words become nodes, best first.

A match belongs to a tier, the first that fits: exact name, prefix, substring, qualified name (an enclosing definition
has it), path, subwords (`refreshSession` finds `refresh_session_token`), typos (up to two edits). Within a tier the
case as written comes before another one, where the word has capitals or is the whole name; then sources before tests,
exported before private, then by hub score and shortness together. Subwords are tried where the others leave room, typos
where they have nothing. External packages are never found.

Several words must all stand in the qualified name or the path. Those that are whole names, folders or file names come
before those inside longer ones (`QuerySet filter` means `QuerySet.filter`); among the latter all tests come last,
unless a word asks for tests.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from enum import IntEnum

import msgspec
import numpy as np

from codemap.facts import SymbolKind
from codemap.graph.edges import Ints, Mask
from codemap.graph.name_index import SUBWORDS, NameIndex, name_index
from codemap.graph.snapshot import Snapshot

_WORDS = re.compile(r"[^\W_]+(?:['’]\w+)?")
_ONE_NAME = re.compile(r"\w+")
_PLACE_STEP = 5.0
"""More than any worth, so that a better hit wins."""
_NODE_STEP = 1e-13
"""Less than any difference in worth that counts: among equals the earlier node wins."""


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
    is_too_early: bool = False
    """Whether misspelt names were not looked for: what tells them apart is still being made."""


NOTHING = Found((), 0)
TOO_EARLY = Found((), 0, is_too_early=True)


def search(snapshot: Snapshot, query: str, kinds: frozenset[SymbolKind], limit: int) -> Found:
    """The best matches for a query among nodes of some kinds, all kinds when there are none."""
    index = name_index(snapshot)
    words = query.split()
    if not words or not index.names:
        return NOTHING
    tiers = _one_word(index, words[0]) if len(words) == 1 else _all_words(index, [word.lower() for word in words])
    may_have_room = sum(len(hits.nodes) for hits in tiers) < limit
    found = NOTHING if may_have_room else _ranked(index, tiers, kinds, limit)
    if found.total < limit:
        more = _by_subwords(index, query) if _ONE_NAME.fullmatch(query.strip()) else []
        if more or may_have_room:
            found = _ranked(index, [*tiers, *more], kinds, limit)
    if found.total or found.hidden:
        return found
    if not index.is_vocabulary_near:
        return TOO_EARLY
    return _ranked(index, _by_resemblance(index, words), kinds, limit)


class Hits(msgspec.Struct, frozen=True):
    """Nodes of one tier; a node may stand in several, the first counts."""

    tier: Tier
    nodes: Ints
    are_loose: bool = False
    """Whether those in tests come after all others."""


def _one_word(index: NameIndex, word: str) -> list[Hits]:
    lower = word.lower()
    qualified = _qualified(index, lower)
    if qualified is not None:
        return qualified
    prefixed = index.names_from(lower)
    exact = _run(prefixed, index.lower, lower)
    names = index.names_with(lower)
    files = index.files_with(lower)
    nodes = index.nodes_of(names)
    as_written = names[:0] if word == lower else _ints(name for name in names.tolist() if word in index.names[name])
    return [
        Hits(Tier.EXACT, index.nodes_of(_ints(name for name in exact if index.names[name] == word))),
        Hits(Tier.EXACT, index.nodes_of_run(exact)),
        Hits(Tier.PREFIX, index.nodes_of(_ints(name for name in as_written if index.names[name].startswith(word)))),
        Hits(Tier.PREFIX, index.nodes_of_run(prefixed)),
        Hits(Tier.SUBSTRING, index.nodes_of(as_written)),
        Hits(Tier.SUBSTRING, nodes),
        Hits(Tier.QUALIFIED, index.inside(_symbols(index, nodes))),
        Hits(Tier.PATH, index.bases[files]),
    ]


def _run(prefixed: range, lower: list[str], wanted: str) -> range:
    """The names at the beginning of a range that are the wanted one: exact matches come before longer ones."""
    stop = prefixed.start
    while stop < prefixed.stop and lower[stop] == wanted:
        stop += 1
    return range(prefixed.start, stop)


def _symbols(index: NameIndex, nodes: Ints) -> Ints:
    return nodes[index.columns.parent[nodes] >= 0]


def _qualified(index: NameIndex, lower: str) -> list[Hits] | None:
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
    found: dict[Tier, list[int]] = {Tier.EXACT: [], Tier.PREFIX: [], Tier.SUBSTRING: [], Tier.QUALIFIED: []}
    owner_text = ".".join(owners)
    for node in nodes.tolist():
        tier = _fit(index, node, chain_, owner_text)
        if tier is not None:
            found[tier].append(node)
    hits = [Hits(tier, _ints(members)) for tier, members in found.items()]
    if not hash_ and not any(len(hit.nodes) for hit in hits):
        return None
    return hits


def _fit(index: NameIndex, node: int, chain_: str, owner_text: str) -> Tier | None:
    """How well a node, whose name begins with the end of a dotted chain, fits the rest of it, or None.

    Exact is the whole qualified name, after folders and file name where the chain has more (`models.query.QuerySet`);
    then come its end, its end but for the end of the name, and owners whose names end alike.
    """
    whole = index.snapshot.qualified_name_of(node).lower()
    file = index.snapshot.file_of(node)
    assert file is not None, "external packages are not indexed"
    folder = file.path.rpartition("/")[0].lower().replace("/", ".")
    place = f".{folder}.{index.stems[file.number]}."
    if whole == chain_ or (chain_.endswith(f".{whole}") and f"{place}{whole}".endswith(f".{chain_}")):
        return Tier.EXACT
    owners = f"{place}{whole}".rpartition(".")[0]
    if not owner_text or owners.endswith(f".{owner_text}"):
        return Tier.PREFIX if f".{whole}".endswith(f".{chain_.rpartition('.')[2]}") else Tier.SUBSTRING
    return Tier.QUALIFIED if owners.endswith(owner_text) else None


def _all_words(index: NameIndex, words: list[str]) -> list[Hits]:
    tiers = (Tier.EXACT, Tier.SUBSTRING, Tier.QUALIFIED, Tier.PATH)
    name_is_words, *rest = _covered(index, [[word] for word in words], tiers)
    return [name_is_words, *_whole_words(index, words), *rest]


def _whole_words(index: NameIndex, words: list[str]) -> list[Hits]:
    """Nodes for which every word is a whole name, folder or file name, one of them their own.

    Those that end in the words come first, then those that have them in order, then in any.
    """
    count = len(index.columns.parent)
    everywhere, own = np.ones(count, dtype=np.bool_), np.zeros(count, dtype=np.bool_)
    for word in words:
        nodes = index.called(word)
        files = np.zeros(len(index.snapshot.files), dtype=np.bool_)
        files[index.under(word)] = True
        around = np.repeat(files, index.file_sizes)
        around[nodes] = own[nodes] = True
        around[index.inside(_symbols(index, nodes))] = True
        everywhere &= around
        if not everywhere.any():
            return []
    nodes = _numbers(everywhere & own)
    chains = {node: _chain(index, node) for node in nodes.tolist()}
    at_end = [node for node, chain in chains.items() if chain[-len(words) :] == words]
    in_order = [node for node, chain in chains.items() if chain[-1] == words[-1] and _are_in_order(words, chain)]
    return [Hits(Tier.EXACT, _ints(at_end)), Hits(Tier.EXACT, _ints(in_order)), Hits(Tier.QUALIFIED, nodes)]


def _chain(index: NameIndex, node: int) -> list[str]:
    """The folders, the file and the steps of the qualified name, in lower case."""
    file = index.snapshot.file_of(node)
    assert file is not None, "external packages are not indexed"
    *folders, _ = file.path.lower().split("/")
    qualified = index.snapshot.qualified_name_of(node).lower()
    return [*folders, index.stems[file.number], *(qualified.split(".") if qualified else ())]


def _are_in_order(words: list[str], chain: list[str]) -> bool:
    rest = iter(chain)
    return all(word in rest for word in words)


def _by_subwords(index: NameIndex, query: str) -> list[Hits]:
    words = [word.lower() for part in _WORDS.findall(query) for word in SUBWORDS.findall(part)]
    if len(words) < 2:
        return []
    return _named(index, [[word] for word in words], index.names_perhaps_with(words), (Tier.SUBWORDS,) * 4)


def _by_resemblance(index: NameIndex, words: list[str]) -> list[Hits]:
    """Names that resemble the words as a whole, then nodes for which words that resemble them all stand somewhere."""
    whole = [word for _, word in index.resembling("".join(words).lower())]
    hits = [Hits(Tier.TYPO, index.nodes_of_run(_run(index.names_from(word), index.lower, word))) for word in whole]
    choices = [_spellings(index, part.lower()) for word in words for part in SUBWORDS.findall(word)]
    if choices and all(choices):
        hits += _covered(index, choices, (Tier.TYPO,) * 4)
    return hits


def _spellings(index: NameIndex, word: str) -> list[str]:
    """A word that occurs stands for itself, another one for the nearest that do."""
    if word in index.text or word in index.path_text:
        return [word]
    near = index.resembling(word)
    return [other for edits, other in near if edits == near[0][0]]


Tiers = tuple[Tier, Tier, Tier, Tier]


def _named(index: NameIndex, words: list[list[str]], possible: Ints, tiers: Tiers) -> list[Hits]:
    """Nodes whose name, one of the possible ones, has every word, in one of its spellings.

    Those whose name is the words in order first, then those that have them in order, then in any.
    """
    names, lower = possible.tolist(), index.lower
    for word, *others in sorted(words, key=_length, reverse=True):  # the longer, the rarer
        if others:
            names = [name for name in names if any(other in lower[name] for other in (word, *others))]
        else:
            names = [name for name in names if word in lower[name]]
    ordered = [name for name in names if _has_in_order(lower[name], words)]
    first, last = tuple(words[0]), tuple(words[-1])
    framed = [name for name in ordered if lower[name].startswith(first) and lower[name].endswith(last)]
    whole = [name for name in framed if _consists_of(lower[name], words)]
    return [
        Hits(tiers[0], index.nodes_of(_ints(whole))),
        Hits(tiers[1], index.nodes_of(_ints(ordered))),
        Hits(tiers[1], index.nodes_of(_ints(names))),
    ]


def _length(spellings: list[str]) -> int:
    return len(spellings[0])


def _names_with(index: NameIndex, spellings: list[str]) -> Ints:
    """Names that contain a word in one of its spellings, in order."""
    first, *others = (index.names_with(word) for word in spellings)
    return np.unique(np.concatenate((first, *others))) if others else first


def _has_in_order(name: str, words: list[list[str]]) -> bool:
    """Whether a name has every word, in one of its spellings, each behind the one before."""
    at, nowhere = 0, len(name) + 1
    for spellings in words:
        end = nowhere
        for word in spellings:
            begin = name.find(word, at)
            if begin >= 0:
                end = min(end, begin + len(word))
        if end == nowhere:
            return False
        at = end
    return True


def _consists_of(name: str, words: list[list[str]]) -> bool:
    """Whether a name is the words in order, each in one of its spellings, with nothing but separators between them."""
    begins = {0}
    for spellings in words:
        ends = {begin + len(word) for begin in begins for word in spellings if name.startswith(word, begin)}
        begins = {begin for end in ends for begin in range(end, _after_separators(name, end) + 1)}
    return len(name) in ends


def _after_separators(text: str, place: int) -> int:
    """Where the first letter or digit from a place on stands; the end where there is none."""
    while place < len(text) and not text[place].isalnum():
        place += 1
    return place


def _covered(index: NameIndex, words: list[list[str]], tiers: Tiers) -> list[Hits]:
    """Nodes for which every word, in one of its spellings, stands in the qualified name or the path.

    The name has all words in order; is the last one (`session refresh`: `SessionStore.refresh`); has all, in any order;
    has the last one; has one; has none.
    """
    count = len(index.columns.parent)
    everywhere, some = np.ones(count, dtype=np.bool_), np.zeros(count, dtype=np.bool_)
    last: Mask = some
    names_of_word = [_names_with(index, spellings) for spellings in words]
    for spellings, names in zip(words, names_of_word, strict=True):
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
    named = _named(index, words, min(names_of_word, key=len), tiers)
    called = [name for word in words[-1] for name in _run(index.names_from(word), index.lower, word)]
    nodes = index.nodes_of(_ints(called))
    hits = [
        Hits(tiers[1], nodes[everywhere[nodes]]),
        *named[1:],
        Hits(tiers[2], _numbers(everywhere & last)),
        Hits(tiers[2], _numbers(everywhere & some)),
        Hits(tiers[3], _numbers(everywhere)),
    ]
    if any("test" in word or "spec" in word for spellings in words for word in spellings):
        return [named[0], *hits]
    return [named[0], *(Hits(hit.tier, hit.nodes, are_loose=True) for hit in hits)]


def _ranked(index: NameIndex, hits: list[Hits], kinds: frozenset[SymbolKind], limit: int) -> Found:
    """The best nodes: by the place of their first hit, then worth, then node."""
    if not hits:
        return NOTHING
    hidden = 0
    nodes, places = _firsts(index, hits)
    if kinds:
        of_kind = np.isin(index.columns.kind[nodes], [int(kind) for kind in kinds])
        hidden = int(len(nodes) - of_kind.sum())
        nodes, places = nodes[of_kind], places[of_kind]
    if not len(nodes):
        return Found((), 0, hidden)
    key = places * _PLACE_STEP - index.worth[nodes] + nodes * _NODE_STEP
    best = key.argsort() if len(nodes) <= limit else key.argpartition(limit)[:limit]
    if len(nodes) > limit:
        best = best[key[best].argsort()]
    return Found(tuple(nodes[best].tolist()), len(nodes), 0, hits[int(places[best[0]]) % len(hits)].tier)


def _firsts(index: NameIndex, hits: list[Hits]) -> tuple[Ints, Ints]:
    """Each node that was hit, once, and the place of its first hit; for loose ones in tests, that after all others."""
    nodes = np.concatenate([hit.nodes for hit in hits])
    places = np.repeat(np.arange(len(hits), dtype=np.int32), [len(hit.nodes) for hit in hits])
    order = nodes.argsort(kind="stable")
    nodes = nodes[order]
    is_first = np.ones(len(nodes), dtype=np.bool_)
    np.not_equal(nodes[1:], nodes[:-1], out=is_first[1:])
    nodes, places = nodes[is_first], places[order[is_first]]
    if any(hit.are_loose for hit in hits):
        are_loose = np.array([hit.are_loose for hit in hits])[places]
        places += len(hits) * (are_loose & index.is_test[nodes])
    return nodes, places


def _numbers(mask: Mask) -> Ints:
    return np.flatnonzero(mask).astype(np.int32)


def _ints(values: Iterable[int]) -> Ints:
    return np.array(list(values), dtype=np.int32)
