"""The names of a snapshot, indexed for search.

Distinct names stand in order, so that a prefix is a range, and joined to one text, so that a substring is one search.
The index is held by the snapshot that it belongs to, and made when first asked for.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from functools import cached_property

import numpy as np

from codemap.facts import Symbol, SymbolFlag
from codemap.graph.columns import columns_of, gathered
from codemap.graph.edges import Ints, starts
from codemap.graph.snapshot import Snapshot
from codemap.graph.vocabulary import TYPO_MIN_CHARS, Vocabulary

SUBWORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_A-Za-z]+")
"""The words that a name in camelCase or snake_case is made of."""
_HOLDER = "_name_index"
_LAST = chr(0x10FFFF)


def name_index(snapshot: Snapshot) -> NameIndex:
    """The index of a snapshot, the same one at every call. About a microsecond a symbol to make."""
    held = vars(snapshot).get(_HOLDER)
    if held is None:
        held = vars(snapshot).setdefault(_HOLDER, NameIndex(snapshot))
    index: NameIndex = held
    return index


class NameIndex:
    """What searches of one snapshot share. A name belongs to its symbols, a base name to its files."""

    def __init__(self, snapshot: Snapshot) -> None:
        name_of_node = list(_names_of_nodes(snapshot))
        self.snapshot = snapshot
        self.columns = columns_of(snapshot)
        self.names = sorted(sorted(set(name_of_node)), key=str.lower)
        self.lower = [name.lower() for name in self.names]
        self.text = Lines(self.lower)
        number = {name: place for place, name in enumerate(self.names)}
        numbers = np.fromiter(map(number.__getitem__, name_of_node), np.int32, count=len(name_of_node))
        self.name_of_node = numbers
        self.nodes = np.argsort(numbers, kind="stable").astype(np.int32)
        self.node_start = starts(numbers[self.nodes], len(self.names))
        paths = [file.path.lower() for file in snapshot.files]
        self.path_text = Lines(paths)
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
        return self.text.containing(part)

    def files_with(self, part: str) -> Ints:
        """Numbers of the files whose path contains a lower-case text."""
        return self.path_text.containing(part)

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
        words.update(word.lower() for word in SUBWORDS.findall("\n".join(self.names)))
        return Vocabulary(sorted(word for word in words if len(word) >= TYPO_MIN_CHARS))


class Lines:
    """Lines of text joined, so that one search finds all that contain a part."""

    def __init__(self, lines: list[str]) -> None:
        self._text = _octets("\n".join(["", *lines, ""]))
        self._begins = np.flatnonzero(np.frombuffer(self._text, dtype=np.uint8) == ord("\n")).astype(np.int32)

    def __contains__(self, part: str) -> bool:
        return _octets(part) in self._text

    def containing(self, part: str) -> Ints:
        """Numbers of the lines that contain a text of at least one character, in order."""
        wanted = _octets(part)
        gaps = self._text.split(wanted)
        if len(gaps) == 1:
            return np.empty(0, dtype=np.int32)
        ends = np.cumsum(np.fromiter(map(len, gaps), np.int32, count=len(gaps))[:-1] + len(wanted))
        lines = np.searchsorted(self._begins, ends - len(wanted), side="right") - 1
        is_first = np.ones(len(lines), dtype=np.bool_)
        np.not_equal(lines[1:], lines[:-1], out=is_first[1:])
        return lines[is_first].astype(np.int32)


def _octets(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _names_of_nodes(snapshot: Snapshot) -> Iterator[str]:
    """The bare name of each symbol and the base name of each file, in node order."""
    for file in snapshot.files:
        names = file.facts.names
        yield file.path.rpartition("/")[2]
        yield from map(names.__getitem__, file.symbols[Symbol.WIDTH + Symbol.NAME :: Symbol.WIDTH].tolist())
