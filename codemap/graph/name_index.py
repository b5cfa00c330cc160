"""The names of a snapshot, indexed for search.

Distinct names stand in order, so that a prefix is a range, and joined to one text, so that a substring is one search.
The index is held by the snapshot that it belongs to, and made when first asked for.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from functools import cached_property
from weakref import ref

import numpy as np
from numpy.typing import NDArray

from codemap.facts import SymbolFlag
from codemap.graph.columns import columns_of, gathered
from codemap.graph.edges import Ints, Mask, starts
from codemap.graph.snapshot import Snapshot
from codemap.graph.vocabulary import TYPO_MIN_CHARS, Vocabulary

SUBWORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_A-Za-z]+")
"""The words that a name in camelCase or snake_case is made of."""
_HOLDER = "_name_index"
_LAST = chr(0x10FFFF)
_LENGTH_MAX = 128
"""Longer qualified names are not told apart."""
_TESTS = re.compile(r"(?:\A|/)(?:tests|__tests__|specs?)/|\Atest/|(?:\A|/)test_[^/]*\Z|[._-](?:test|spec)\.[^/]*\Z")
"""Paths of tests, in lower case. A folder `test` further down is as often what a package offers to testers."""


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
        self.belong_to(snapshot)
        self.columns = columns_of(snapshot)
        self.names = snapshot.node_names.names
        self.lower = [name.lower() for name in self.names]
        numbers = snapshot.node_names.of_node
        self.name_of_node = numbers
        self.nodes = np.argsort(numbers, kind="stable").astype(np.int32)
        self.node_start = starts(numbers[self.nodes], len(self.names))
        paths = self._paths = [file.path.lower() for file in snapshot.files]
        self.bases = np.array(snapshot.bases, dtype=np.int32)
        self.file_sizes = self.bases[1:] - self.bases[:-1]
        self.stems = [path.rpartition("/")[2].partition(".")[0] for path in paths]
        self._files_called: dict[str, list[int]] = {}
        self._files_under: dict[str, list[int]] = {}
        for file, (path, stem) in enumerate(zip(paths, self.stems, strict=True)):
            self._files_called.setdefault(stem, []).append(file)
            for word in {*path.split("/")[:-1], stem}:
                self._files_under.setdefault(word, []).append(file)

    def belong_to(self, snapshot: Snapshot) -> None:
        """Makes it the index of a snapshot, which holds it. It does not hold the snapshot in turn: what holds itself is
        never freed where the collector does not look."""
        self._snapshot = ref(snapshot)

    @property
    def snapshot(self) -> Snapshot:
        """The snapshot that it belongs to; whoever asks the index holds it."""
        found = self._snapshot()
        assert found is not None, "an index is had from its snapshot"
        return found

    @cached_property
    def text(self) -> Lines:
        return Lines(self.lower)

    @cached_property
    def path_text(self) -> Lines:
        return Lines(self._paths)

    @cached_property
    def is_test(self) -> Mask:
        """Whether each node is in a test."""
        found = np.array([bool(_TESTS.search(path)) for path in self._paths], dtype=np.bool_)
        return np.repeat(found, self.file_sizes)

    @cached_property
    def worth(self) -> NDArray[np.float64]:
        """Sources before tests, exported nodes before private ones, then by hub score and shortness together."""
        exported = (self.columns.flags & SymbolFlag.EXPORTED) != 0
        exported[self.bases[:-1]] = True
        short = 1 - np.minimum(self._lengths(), _LENGTH_MAX) / _LENGTH_MAX
        scores = self.snapshot.scores[: self.snapshot.first_external]
        found: NDArray[np.float64] = 2.0 * ~self.is_test + exported + (scores + short) / 2
        return found

    def _lengths(self) -> Ints:
        """Characters of the qualified name of each node."""
        own = np.fromiter(map(len, self.names), np.int32, count=len(self.names))[self.name_of_node]
        lengths, owner = own.copy(), self.columns.parent
        while True:
            is_inside = (owner >= 0) & (self.columns.parent[owner] >= 0)
            if not is_inside.any():
                return lengths
            lengths += np.where(is_inside, own[owner] + 1, 0)
            owner = np.where(is_inside, self.columns.parent[owner], -1)

    def nodes_of(self, names: Ints) -> Ints:
        return gathered(self.nodes, self.node_start, names)[0]

    def names_with(self, part: str) -> Ints:
        """Names that contain a lower-case text."""
        return self.text.containing(part)

    def files_with(self, part: str) -> Ints:
        """Numbers of the files whose path contains a lower-case text."""
        return self.path_text.containing(part)

    def called(self, word: str) -> Ints:
        """Nodes whose whole name is a lower-case word; of a file, its base name or that up to the first dot."""
        run = self.names_from(word)
        stop = bisect_right(self.lower, word, run.start, run.stop)
        symbols = self.nodes[self.node_start[run.start] : self.node_start[stop]]
        files = np.array(self._files_called.get(word, ()), dtype=np.int32)
        return np.concatenate((symbols, self.bases[files]))

    def under(self, word: str) -> Ints:
        """Numbers of the files one of whose folders, or whose base name up to the first dot, is a lower-case word."""
        return np.array(self._files_under.get(word, ()), dtype=np.int32)

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
    """Lines of text joined, so that one look finds all that contain a part.

    Places in the text stand in buckets by a hash of the three octets there; only those of the rarest three octets of a
    part are looked at. Source: Cox, "Regular expression matching with a trigram index", 2012.
    """

    def __init__(self, lines: list[str]) -> None:
        self._text = _octets("\n".join(["", *lines, ""]))
        self._octets = np.frombuffer(self._text, dtype=np.uint8)
        self._begins = np.flatnonzero(self._octets == ord("\n")).astype(np.int32)

    @cached_property
    def buckets(self) -> tuple[Ints, Ints]:
        """Places in order of bucket, and where each bucket begins."""
        hashes = _hashed(self._octets)
        places = np.argsort(hashes, kind="stable").astype(np.int32)
        counts = np.bincount(hashes, minlength=BUCKETS)
        return places, np.concatenate(([0], np.cumsum(counts))).astype(np.int32)

    def __contains__(self, part: str) -> bool:
        return len(self._places(_octets(part))) > 0

    def containing(self, part: str) -> Ints:
        """Numbers of the lines that contain a text of at least one character, in order."""
        places = np.sort(self._places(_octets(part)))
        lines = np.searchsorted(self._begins, places, side="right") - 1
        is_first = np.ones(len(lines), dtype=np.bool_)
        np.not_equal(lines[1:], lines[:-1], out=is_first[1:])
        return lines[is_first].astype(np.int32)

    def _places(self, wanted: bytes) -> Ints:
        """Where a text of at least one octet begins, in any order."""
        if len(wanted) < GRAM:
            gaps = np.fromiter(map(len, self._text.split(wanted)), np.int32) + len(wanted)
            return np.cumsum(gaps, dtype=np.int32)[:-1] - len(wanted)
        octets = np.frombuffer(wanted, dtype=np.uint8)
        places, start = self.buckets
        buckets = _hashed(octets)
        counts = start[buckets + np.int32(1)] - start[buckets]
        rarest = int(np.argmin(counts))
        first = int(start[buckets[rarest]])
        found = places[first : first + int(counts[rarest])] - rarest
        found = found[(found >= 0) & (found <= len(self._octets) - len(octets))]
        for offset, octet in enumerate(octets.tolist()):
            found = found[self._octets[found + offset] == octet]
        return found


GRAM = 3
BUCKETS = 1 << 16


def _hashed(octets: NDArray[np.uint8]) -> NDArray[np.uint16]:
    """The bucket of each run of three octets. Lower-case letters differ in their low five bits."""
    wide = octets.astype(np.uint16)
    found: NDArray[np.uint16] = ((wide[:-2] << 10) ^ (wide[1:-1] << 5) ^ wide[2:]).astype(np.uint16, copy=False)
    return found


def _octets(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")
