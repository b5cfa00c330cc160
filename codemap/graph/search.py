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

from codemap.facts import SymbolKind
from codemap.graph.hits import NOTHING, TOO_EARLY, Found, Hits, Tier, listed, ranked
from codemap.graph.lines import with_part
from codemap.graph.name_index import SUBWORDS, NameIndex, name_index
from codemap.graph.search_words import covered, named_by, whole_words
from codemap.graph.snapshot import Snapshot

_WORDS = re.compile(r"[^\W_]+(?:['’]\w+)?")
_ONE_NAME = re.compile(r"\w+")


def search(snapshot: Snapshot, query: str, kinds: frozenset[SymbolKind], limit: int) -> Found:
    """The best matches for a query among nodes of some kinds, all kinds when there are none."""
    index = name_index(snapshot)
    words = query.split()
    if not words or not index.names:
        return NOTHING
    tiers = _one_word(index, words[0]) if len(words) == 1 else _all_words(index, [word.lower() for word in words])
    may_have_room = sum(len(hits.nodes) for hits in tiers) < limit
    found = NOTHING if may_have_room else ranked(index, tiers, kinds, limit)
    if found.total < limit:
        more = _by_subwords(index, query) if _ONE_NAME.fullmatch(query.strip()) else []
        if more or may_have_room:
            found = ranked(index, [*tiers, *more], kinds, limit)
    if found.total or found.hidden:
        return found
    if not index.is_vocabulary_near:
        return TOO_EARLY
    return ranked(index, _by_resemblance(index, words), kinds, limit)


def _one_word(index: NameIndex, word: str) -> list[Hits]:
    lower = word.lower()
    qualified = _qualified(index, lower)
    if qualified is not None:
        return qualified
    prefixed = index.names_from(lower)
    exact = index.names_same(lower)
    names = index.names_with(lower)
    files = index.files_with(lower)
    nodes = index.nodes_of(names)
    as_written = [] if word == lower else with_part(index.names, names, word)
    return [
        Hits(Tier.EXACT, index.nodes_of([name for name in exact if index.names[name] == word])),
        Hits(Tier.EXACT, index.nodes_of_run(exact)),
        Hits(Tier.PREFIX, index.nodes_of([name for name in as_written if index.names[name].startswith(word)])),
        Hits(Tier.PREFIX, index.nodes_of_run(prefixed)),
        Hits(Tier.SUBSTRING, index.nodes_of(as_written)),
        Hits(Tier.SUBSTRING, nodes),
        Hits(Tier.QUALIFIED, index.inside(nodes)),
        Hits(Tier.PATH, index.nodes_of_files(files)),
    ]


def _qualified(index: NameIndex, lower: str) -> list[Hits] | None:
    """Hits for `Owner.member`, `path/file.py#Owner.member` or a node ID; None for a plain word or path."""
    before, hash_, after = lower.partition("#")
    if not hash_ and ("." not in lower.strip(".") or "/" in lower):
        return None
    chain_ = after.partition("~")[0] if hash_ else lower
    path = before.partition(":")[2] or before if hash_ else ""
    *owners, last = chain_.replace("::", ".").split(".")
    nodes = listed(index.nodes_of(index.names_from(last))) if last else []
    if path:
        files = set(index.files_with(path))
        nodes = [node for node in nodes if index.columns.file[node] in files]
    found: dict[Tier, list[int]] = {Tier.EXACT: [], Tier.PREFIX: [], Tier.SUBSTRING: [], Tier.QUALIFIED: []}
    owner_text = ".".join(owners)
    for node in nodes:
        tier = _fit(index, node, chain_, owner_text)
        if tier is not None:
            found[tier].append(node)
    hits = [Hits(tier, members) for tier, members in found.items()]
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
    name_is_words, *rest = covered(index, [[word] for word in words], tiers)
    return [name_is_words, *whole_words(index, words), *rest]


def _by_subwords(index: NameIndex, query: str) -> list[Hits]:
    words = [word.lower() for part in _WORDS.findall(query) for word in SUBWORDS.findall(part)]
    if len(words) < 2:
        return []
    return named_by(index, [[word] for word in words], index.names_perhaps_with(words), (Tier.SUBWORDS,) * 4)


def _by_resemblance(index: NameIndex, words: list[str]) -> list[Hits]:
    """Names that resemble the words as a whole, then nodes for which words that resemble them all stand somewhere."""
    whole = [word for _, word in index.resembling("".join(words).lower())]
    hits = [Hits(Tier.TYPO, index.nodes_of_run(index.names_same(word))) for word in whole]
    choices = [_spellings(index, part.lower()) for word in words for part in SUBWORDS.findall(word)]
    if choices and all(choices):
        hits += covered(index, choices, (Tier.TYPO,) * 4)
    return hits


def _spellings(index: NameIndex, word: str) -> list[str]:
    """A word that occurs stands for itself, another one for the nearest that do."""
    if word in index.text or word in index.path_text:
        return [word]
    near = index.resembling(word)
    return [other for edits, other in near if edits == near[0][0]]
