"""Nodes that several words mean: words of the query, or the subwords of one, each in one or several spellings."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from codemap.graph.index.name_index import NameIndex
from codemap.graph.model.edges import Ints, Mask
from codemap.graph.query.search_hits import Hits, Tier, ints, numbers
from codemap.packed.texts import first_from

FEW = 300
"""Up to so many nodes are checked one by one, which is faster than finding all nodes with a word."""
_SEPARATORS = (("", "0"), (":", "_"), ("__", "_`"), ("`", "a"), ("{", "\x80"))
"""Ranges of what may follow the first word of a name in lower case, beside the second one or that behind `_`: any
character of ASCII but digits and letters."""
Tiers = tuple[Tier, Tier, Tier, Tier]


def whole_words(index: NameIndex, words: list[str]) -> list[Hits]:
    """Nodes for which every word is a whole name, folder or file name, one of them their own.

    Those that end in the words come first, then those that have them in order, then in any.
    """
    own, under = list[Ints](), list[Ints]()
    for word in words:
        own.append(index.called(word))
        under.append(index.under(word))
        if not len(own[-1]) and not len(under[-1]):
            return []
    nodes = _all_around(index, own, under)
    chains = {node: _chain(index, node) for node in nodes.tolist()}
    at_end = [node for node, chain in chains.items() if chain[-len(words) :] == words]
    in_order = [node for node, chain in chains.items() if chain[-1] == words[-1] and _are_in_order(words, chain)]
    return [Hits(Tier.EXACT, at_end), Hits(Tier.EXACT, in_order), Hits(Tier.QUALIFIED, nodes)]


def _all_around(index: NameIndex, own: list[Ints], under: list[Ints]) -> Ints:
    """The nodes with a word of their own, in order, for which each word is a name of theirs or around them: `own` and
    `under` have, by word, the nodes that it is the name of, and the files that it is a name around."""
    if sum(map(len, own)) <= FEW:
        return _few_around(index, own, under)
    count = len(index.columns.parent)
    everywhere, any_own = np.ones(count, dtype=np.bool_), np.zeros(count, dtype=np.bool_)
    for nodes, files in zip(own, under, strict=True):
        is_file = np.zeros(len(index.snapshot.files), dtype=np.bool_)
        is_file[files] = True
        around = np.repeat(is_file, index.file_sizes)
        around[nodes] = any_own[nodes] = True
        around[index.inside(nodes)] = True
        everywhere &= around
        if not everywhere.any():
            break
    return numbers(everywhere & any_own)


def _few_around(index: NameIndex, own: list[Ints], under: list[Ints]) -> Ints:
    """`_all_around` where words are the names of few nodes: of those in files that have all words, each is checked."""
    file_of = index.columns.file
    called = [frozenset(nodes.tolist()) for nodes in own]
    around = [frozenset(files.tolist()) for files in under]
    in_files = [files.union(file_of[nodes].tolist()) for files, nodes in zip(around, own, strict=True)]
    files_of_all = frozenset.intersection(*in_files)
    if not files_of_all:
        return ints(())
    rarest_first = sorted(zip(called, around, strict=True), key=_count)
    nodes = sorted(node for node in frozenset[int]().union(*called) if file_of.data[node] in files_of_all)
    return ints(node for node in nodes if all(_is_inside(index, node, its, files) for its, files in rarest_first))


def _count(around: tuple[frozenset[int], frozenset[int]]) -> int:
    nodes, files = around
    return len(nodes) + len(files)


def _is_inside(index: NameIndex, node: int, called: frozenset[int], files: frozenset[int]) -> bool:
    """Whether a node is one of some, in one of them that is no file, or in one of some files."""
    if node in called or index.columns.file.data[node] in files:
        return True
    parent_of = index.columns.parent.data
    parent = parent_of[node]
    while parent >= 0 and parent_of[parent] >= 0:
        if parent in called:
            return True
        parent = parent_of[parent]
    return False


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


def named_by(index: NameIndex, words: list[list[str]], possible: list[int], tiers: Tiers) -> list[Hits]:
    """Nodes whose name, one of the possible ones, has every word, in one of its spellings.

    Those whose name is the words in order first, then those that have them in order, then in any.
    """
    lower = index.lower
    names = {name: lower[name] for name in possible}
    for spellings in sorted(words, key=_length, reverse=True):  # the longer, the rarer
        names = _with_word(names, spellings)
    ordered = {name: text for name, text in names.items() if _has_in_order(text, words)}
    first, last = tuple(words[0]), tuple(words[-1])
    framed = {name: text for name, text in ordered.items() if text.startswith(first) and text.endswith(last)}
    whole = [name for name, text in framed.items() if _consists_of(text, words)]
    return [
        Hits(tiers[0], index.nodes_of(whole)),
        Hits(tiers[1], index.nodes_of([*ordered])),
        Hits(tiers[1], index.nodes_of([*names])),
    ]


def _with_word(names: Mapping[int, str], spellings: list[str]) -> dict[int, str]:
    """Of some names, in lower case, those that contain a word in one of its spellings."""
    if len(spellings) == 1:
        (word,) = spellings
        return {name: text for name, text in names.items() if word in text}
    return {name: text for name, text in names.items() if any(word in text for word in spellings)}


def names_consisting_of(index: NameIndex, words: list[str]) -> list[int]:
    """Names that are some words in order, with nothing but separators between them."""
    first, *others = words
    spelt = [[word] for word in words]
    beginnings = [index.names_from(first + join + others[0]) for join in ("", "_")] if others else []
    lower = index.lower
    beginnings += [range(first_from(lower, first + at), first_from(lower, first + to)) for at, to in _SEPARATORS]
    framed = [name for names in beginnings for name in names if lower[name].endswith(words[-1])]
    return [name for name in framed if _consists_of(lower[name], spelt)]


def _length(spellings: list[str]) -> int:
    return len(spellings[0])


def names_with(index: NameIndex, spellings: list[str]) -> list[int]:
    """Names that contain a word in one of its spellings, in order."""
    first, *others = (index.names_with(word) for word in spellings)
    return sorted({*first}.union(*others)) if others else first


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
    """The position of the first letter or digit from a place on; the end where there is none."""
    while place < len(text) and not text[place].isalnum():
        place += 1
    return place


def covered(index: NameIndex, words: list[list[str]], tiers: Tiers) -> list[Hits]:
    """Nodes for which every word, in one of its spellings, occurs in the qualified name or the path.

    The name has all words in order; is the last one (`session refresh`: `SessionStore.refresh`); has all, in any order;
    has the last one; has one; has none.
    """
    rarest_first = sorted(words, key=lambda spellings: sum(map(index.names_with_at_most, spellings)))
    everywhere = _everywhere(index, rarest_first)
    own = [_are_called(index, everywhere, spellings) for spellings in words]
    named = named_by(index, words, names_with(index, rarest_first[0]), tiers)
    called = [name for word in words[-1] for name in index.names_same(word)]
    nodes = np.asarray(index.nodes_of(called), dtype=np.int32)
    hits = [
        Hits(tiers[1], nodes[np.isin(nodes, everywhere)]),
        *named[1:],
        Hits(tiers[2], everywhere[own[-1]]),
        Hits(tiers[2], everywhere[np.logical_or.reduce(own)]),
        Hits(tiers[3], everywhere),
    ]
    if any("test" in word or "spec" in word for spellings in words for word in spellings):
        return [named[0], *hits]
    return [named[0], *(Hits(hit.tier, hit.nodes, are_loose=True) for hit in hits)]


def _everywhere(index: NameIndex, words: list[list[str]]) -> Ints:
    """Nodes for which every word, in one of its spellings, occurs in the qualified name or the path, in order."""
    first, *others = words
    nodes = numbers(_are_around(index, first))
    for spellings in others:
        if len(nodes) > FEW:
            nodes = nodes[_are_around(index, spellings)[nodes]]
        else:
            nodes = ints(node for node in nodes.tolist() if _is_around(index, node, spellings, {}))
    return nodes


def _are_around(index: NameIndex, spellings: list[str]) -> Mask:
    """Whether a word, in one of its spellings, occurs in the qualified name or the path, of each node."""
    files = np.zeros(len(index.snapshot.files), dtype=np.bool_)
    for word in spellings:
        files[index.files_with(word)] = True
    nodes = index.nodes_of(names_with(index, spellings))
    around = np.repeat(files, index.file_sizes)
    around[nodes] = True
    around[index.inside(nodes)] = True
    return around


def inside_all(index: NameIndex, nodes: Ints, words: list[str]) -> list[int]:
    """Of some nodes those in whose qualified name, or path, each of some words occurs."""
    found: list[int] = nodes.tolist()
    for word in sorted(words, key=index.names_with_at_most):  # the rarest first
        known: dict[int, bool] = {}
        found = [node for node in found if _is_around(index, node, [word], known)] if found else found
    return found


def _is_around(index: NameIndex, node: int, spellings: list[str], known: dict[int, bool]) -> bool:
    """Whether a word, in one of its spellings, occurs in the qualified name or the path of a node.

    `known` has what was found before.
    """
    found = known.get(node)
    if found is None:
        parent = index.columns.parent.data[node]
        if parent < 0:
            found = any(map(index.paths.paths[index.columns.file.data[node]].__contains__, spellings))
        else:
            text = index.lower[index.name_of_node.data[node]]
            found = _is_around(index, parent, spellings, known) or any(map(text.__contains__, spellings))
        known[node] = found
    return found


def _are_called(index: NameIndex, nodes: Ints, spellings: list[str]) -> Mask:
    """Whether a word, in one of its spellings, occurs in the name, of each of some nodes."""
    names, lower = index.name_of_node[nodes], index.lower
    if len(nodes) > FEW:
        has_word = np.zeros(len(lower), dtype=np.bool_)
        has_word[names_with(index, spellings)] = True
        return has_word[names]
    own = [any(word in lower[name] for word in spellings) for name in names.tolist()]
    return np.array(own, dtype=np.bool_)
