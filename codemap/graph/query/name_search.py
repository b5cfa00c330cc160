"""Names: which nodes a word, or several, are the name of, or part of it.

A match belongs to a tier, the first that fits: exact name, prefix, substring, qualified name (an enclosing definition
has it), path, subwords (`refreshSession` finds `refresh_session_token`), typos (up to two edits). Within a tier the
case as written comes before another one, where the word has capitals or is the whole name; then sources before tests,
exported before private, then by hub score and shortness together. One letter finds the names that begin with it:
nearly all have it somewhere.
"""

from __future__ import annotations

import re

from codemap.graph.index.name_index import NameIndex
from codemap.graph.index.terms import SUBWORDS
from codemap.graph.index.trigram_index import with_part
from codemap.graph.query.search_hits import Hits, Tier, listed
from codemap.graph.query.search_words import covered, inside_all, named_by, names_consisting_of, whole_words
from codemap.ids import without_ordinal

_WORDS = re.compile(r"[^\W_]+(?:['’]\w+)?")


def called(index: NameIndex, words: list[str]) -> list[Hits]:
    """Hits for what is called by all of some words: a name that consists of them; names, folders and files that are the
    words; what is called by the last of them, inside what has the others in its name or path (`session refresh`:
    `SessionStore.refresh`)."""
    last = index.nodes_of_run(index.names_same(words[-1]))
    inside = inside_all(index, last, words[:-1])
    return [consisting_of(index, words), *whole_words(index, words), Hits(Tier.QUALIFIED, inside, are_loose=True)]


def consisting_of(index: NameIndex, words: list[str]) -> Hits:
    """Hits for names that consist of some words, in lower case."""
    return Hits(Tier.EXACT, index.nodes_of(names_consisting_of(index, words)))


def named_as(index: NameIndex, word: str) -> list[Hits]:
    """Hits for a name, the beginning or another part of one, a qualified name, a node ID, a path or part of it."""
    lower = word.lower()
    qualified = _qualified(index, word)
    if qualified is not None:
        return qualified
    prefixed = index.names_from(lower)
    exact = index.names_same(lower, prefixed)
    is_letter = len(word) == 1 and bool(prefixed)
    names = list(prefixed) if is_letter else index.names_with(lower)
    files = [] if is_letter else index.files_with(lower)
    nodes = index.nodes_of(names)
    as_written = [] if word == lower else with_part(index.names, names, word)
    return [
        Hits(Tier.EXACT, index.nodes_of([name for name in exact if index.names[name] == word])),
        Hits(Tier.EXACT, index.nodes_of_run(exact)),
        Hits(Tier.PREFIX, index.nodes_of([name for name in as_written if index.names[name].startswith(word)])),
        Hits(Tier.PREFIX, index.nodes_of_run(prefixed)),
        Hits(Tier.SUBSTRING, index.nodes_of(as_written)),
        Hits(Tier.SUBSTRING, nodes),
        Hits(Tier.QUALIFIED, [] if is_letter else index.inside(nodes)),
        Hits(Tier.PATH, index.nodes_of_files(files)),
    ]


def _qualified(index: NameIndex, word: str) -> list[Hits] | None:
    """Hits for `Owner.member`, `path/file.py#Owner.member` or a node ID; None for a plain word or path. What is spelled
    as the query comes first: `Viper.watch` before the `watch` of `viper.go`."""
    lower = word.lower()
    before, hash_, after = lower.partition("#")
    if not hash_ and ("." not in lower.strip(".") or "/" in lower):
        return None
    is_private = bool(hash_) and before[-1:] in ("", ".") and bool(index.names_same(lower.rpartition(".")[2]))
    hash_ = "" if is_private else hash_  # a part of the name, as of JavaScript's private members
    chain_ = without_ordinal(after) if hash_ else lower
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
    spelled = (without_ordinal(word.partition("#")[2]) if hash_ else "") or word
    as_written = [node for node in found[Tier.EXACT] if index.snapshot.qualified_name_of(node) == spelled]
    hits = [Hits(Tier.EXACT, as_written), *(Hits(tier, members) for tier, members in found.items())]
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


def by_all_words(index: NameIndex, words: list[str]) -> list[Hits]:
    """Hits for words that all occur in the qualified name or the path."""
    tiers = (Tier.EXACT, Tier.SUBSTRING, Tier.QUALIFIED, Tier.PATH)
    name_is_words, *rest = covered(index, [[word] for word in words], tiers)
    return [name_is_words, *whole_words(index, words), *rest]


def by_subwords(index: NameIndex, query: str) -> list[Hits]:
    """Hits for names with all subwords of another one."""
    words = [word.lower() for part in _WORDS.findall(query) for word in SUBWORDS.findall(part)]
    if len(words) < 2:
        return []
    return named_by(index, [[word] for word in words], index.names_perhaps_with(words), (Tier.SUBWORDS,) * 4)


def by_resemblance(index: NameIndex, words: list[str]) -> list[Hits]:
    """Names that resemble the words as a whole, then nodes for which words that resemble them all occur."""
    whole = [word for _, word in index.resembling("".join(words).lower())]
    hits = [Hits(Tier.TYPO, index.nodes_of_run(index.names_same(word))) for word in whole]
    choices = [spellings(index, part.lower()) for word in words for part in SUBWORDS.findall(word)]
    if choices and all(choices):
        hits += covered(index, choices, (Tier.TYPO,) * 4)
    return hits


def spellings(index: NameIndex, word: str) -> list[str]:
    """A word that occurs in a name or path stands for itself, another one for the nearest that do."""
    if word in index.text or word in index.path_text:
        return [word]
    near = index.resembling(word)
    return [other for edits, other in near if edits == near[0][0]]
