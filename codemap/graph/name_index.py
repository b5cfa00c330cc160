"""The names of a snapshot, indexed for search.

Distinct names stand in order, so that a prefix is a range, and in buckets by the octets that they have, so that those
with a part are few to look at.
The index is held by the snapshot that it belongs to, and made when first asked for.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from functools import cached_property
from itertools import repeat
from operator import contains
from weakref import ref

import numpy as np
from numpy.typing import NDArray

from codemap.facts import SymbolFlag
from codemap.graph.columns import columns_of, items_of
from codemap.graph.edges import Ints, Mask
from codemap.graph.node_names import Renamed
from codemap.graph.snapshot import Snapshot
from codemap.graph.vocabulary import TYPO_MIN_CHARS, Vocabulary

SUBWORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_A-Za-z]+")
"""The words that a name in camelCase or snake_case is made of."""
NAMES_A_STEP = 5_000
"""Names whose words are told apart in one step: some tens of milliseconds."""
NAMES_AT_ONCE = 50_000
"""So many names are gone through while a query waits."""
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
        lower = [_lower(name) for name in snapshot.node_names.names]
        paths = Paths([file.path.lower() for file in snapshot.files])
        held = vars(snapshot).setdefault(_HOLDER, NameIndex(snapshot, lower, paths))
    index: NameIndex = held
    return index


def name_index_after(before: NameIndex, snapshot: Snapshot, renamed: Renamed) -> NameIndex:
    """The index of a snapshot after an edit by which no file came or went."""
    names, added = snapshot.node_names.names, renamed.added
    lower = before.lower
    if names is not before.names:
        known = len(lower)
        lower = [lower[old] if old < known else _lower(names[new]) for new, old in enumerate(renamed.order)]
    index = NameIndex(snapshot, lower, before.paths)
    held, own = vars(before), vars(index)
    if "text" in held:
        text = before.text.amended(renamed.number, [(name, lower[name]) for name in added])
        if text is not None:
            own["text"] = text
    if "vocabulary" in held:
        vocabulary = before.vocabulary.amended(_words_of([names[name] for name in added]))
        if vocabulary is not None:
            own["vocabulary"] = vocabulary
    return index


def name_index_ranked(before: NameIndex, snapshot: Snapshot) -> NameIndex:
    """The index of a snapshot that has other scores, and differs in nothing else."""
    index = NameIndex(snapshot, before.lower, before.paths)
    held = vars(before)
    vars(index).update({name: held[name] for name in ("text", "vocabulary", "is_test") if name in held})
    return index


class Paths:
    """The paths of the files, in lower case."""

    def __init__(self, paths: list[str]) -> None:
        self.paths = paths
        self.stems = [path.rpartition("/")[2].partition(".")[0] for path in paths]
        self.called: dict[str, list[int]] = {}
        """Base name up to the first dot -> numbers of files."""
        self.under: dict[str, list[int]] = {}
        """The same or a folder -> numbers of files."""
        for file, (path, stem) in enumerate(zip(paths, self.stems, strict=True)):
            self.called.setdefault(stem, []).append(file)
            for word in {*path.split("/")[:-1], stem}:
                self.under.setdefault(word, []).append(file)

    @cached_property
    def text(self) -> Lines:
        return Lines(self.paths)

    @cached_property
    def are_tests(self) -> Mask:
        return np.array([bool(_TESTS.search(path)) for path in self.paths], dtype=np.bool_)


class NameIndex:
    """What searches of one snapshot share. A name belongs to its symbols, a base name to its files."""

    def __init__(self, snapshot: Snapshot, lower: list[str], paths: Paths) -> None:
        """`lower` has its names in lower case, `paths` those of its files."""
        self.belong_to(snapshot)
        self.columns = columns_of(snapshot)
        self.names = snapshot.node_names.names
        self.lower = lower
        self.name_of_node = snapshot.node_names.of_node
        self.nodes = snapshot.node_names.nodes
        self.node_start = snapshot.node_names.start
        self.paths = paths
        self.bases = np.array(snapshot.bases, dtype=np.int32)
        self.file_sizes = self.bases[1:] - self.bases[:-1]
        self.stems = self.paths.stems

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
    def text(self) -> Lines | Amended:
        return Lines(self.lower)

    @property
    def path_text(self) -> Lines:
        return self.paths.text

    @cached_property
    def is_test(self) -> Mask:
        """Whether each node is in a test."""
        return np.repeat(self.paths.are_tests, self.file_sizes)

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
        return items_of(self.nodes, self.node_start, names)

    def nodes_of_run(self, names: range) -> Ints:
        """The nodes of names that stand together."""
        return self.nodes[self.node_start[names.start] : self.node_start[names.stop]]

    def names_with(self, part: str) -> Ints:
        """Names that contain a lower-case text."""
        return self.text.containing(part)

    def names_perhaps_with(self, parts: list[str]) -> Ints:
        """Names that contain all of some lower-case texts, and others: sooner had than without them."""
        return self.text.perhaps_containing(parts)

    def files_with(self, part: str) -> Ints:
        """Numbers of the files whose path contains a lower-case text."""
        return self.path_text.containing(part)

    def called(self, word: str) -> Ints:
        """Nodes whose whole name is a lower-case word; of a file, its base name or that up to the first dot."""
        run = self.names_from(word)
        stop = bisect_right(self.lower, word, run.start, run.stop)
        symbols = self.nodes[self.node_start[run.start] : self.node_start[stop]]
        files = np.array(self.paths.called.get(word, ()), dtype=np.int32)
        return np.concatenate((symbols, self.bases[files]))

    def under(self, word: str) -> Ints:
        """Numbers of the files one of whose folders, or whose base name up to the first dot, is a lower-case word."""
        return np.array(self.paths.under.get(word, ()), dtype=np.int32)

    def names_from(self, prefix: str) -> range:
        """Names that begin with a lower-case text; they stand together."""
        return range(bisect_left(self.lower, prefix), bisect_left(self.lower, prefix + _LAST))

    def inside(self, nodes: Ints) -> Ints:
        """All definitions inside some nodes, at any depth."""
        found = []
        while len(nodes):
            nodes = items_of(self.columns.children, self.columns.child_start, nodes)
            found.append(nodes)
        return np.concatenate(found) if found else nodes

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """What a misspelt word may have meant: names, and the subwords of names."""
        for _ in self.make_vocabulary():
            pass
        made: Vocabulary = vars(self)["vocabulary"]
        return made

    def make_vocabulary(self) -> Iterator[None]:
        """Makes what `vocabulary` gives, in steps."""
        made, seen = Vocabulary(), set[str]()
        for begin in range(0, len(self.names), NAMES_A_STEP):
            here = slice(begin, begin + NAMES_A_STEP)
            words = set(_words_of(self.names[here])) - seen
            seen |= words
            made.add(list(words))
            yield
        made.close()
        vars(self)["vocabulary"] = made

    def resembling(self, word: str) -> list[tuple[int, str]]:
        """(edits, word) of the names, and subwords of names, that a lower-case word may be a misspelling of."""
        return self.vocabulary.resembling(word, self._is_word)

    def _is_word(self, word: str) -> bool:
        """Whether a lower-case text is a name or a subword of one."""
        same = self.names_from(word)
        if same and self.lower[same.start] == word:
            return True
        return any(word in _words_of([self.names[name]]) for name in self.names_with(word).tolist())

    @property
    def is_vocabulary_near(self) -> bool:
        """Whether the vocabulary is there, or made in a moment."""
        return "vocabulary" in vars(self) or len(self.names) <= NAMES_AT_ONCE


class Lines:
    """Lines of text, and where in them what stands: one look finds all that contain a part.

    Lines stand in buckets by the hashes of their runs of three octets; only those in the smallest bucket of a part are
    looked at. Source: Cox, "Regular expression matching with a trigram index", 2012.
    """

    def __init__(self, lines: list[str]) -> None:
        self._lines = lines
        self._text = _octets("\n".join(["", *lines, ""]))
        self._begins = np.flatnonzero(np.frombuffer(self._text, dtype=np.uint8) == ord("\n")).astype(np.int32)

    @cached_property
    def _buckets(self) -> tuple[Ints, Ints]:
        """The numbers of the lines of each bucket, in order, and where each bucket begins."""
        octets = np.frombuffer(self._text, dtype=np.uint8)
        hashes = _hashed(octets)
        order = np.argsort(hashes, kind="stable")
        hashes = hashes[order]
        lines = (np.cumsum(octets[: 1 - GRAM] == ord("\n"), dtype=np.int32) - 1)[order]
        is_first = np.ones(len(lines), dtype=np.bool_)
        is_first[1:] = (hashes[1:] != hashes[:-1]) | (lines[1:] != lines[:-1])
        counts = np.bincount(hashes[is_first], minlength=BUCKETS)
        return lines[is_first], np.concatenate(([0], np.cumsum(counts))).astype(np.int32)

    def make(self) -> None:
        """Makes what the first look would."""
        _ = self._buckets

    def amended(self, number: Ints, added: list[tuple[int, str]]) -> Amended | None:
        """The same lines with other numbers, -1 for what is gone, and some more; None for too many more."""
        return Amended(self, number, added) if len(added) <= AMENDED_MAX else None

    def __contains__(self, part: str) -> bool:
        octets = _octets(part)
        return octets in self._text if len(octets) < GRAM else any(self._have(part, self._smallest(octets)))

    def containing(self, part: str) -> Ints:
        """Numbers of the lines that contain a text of at least one character, in order."""
        octets = _octets(part)
        if len(octets) < GRAM:
            return self._containing_few(octets)
        near = self._smallest(octets)
        return near[np.fromiter(self._have(part, near), np.bool_, count=len(near))]

    def _have(self, part: str, numbers: Ints) -> Iterator[bool]:
        """Whether each of some lines contains a text."""
        return map(contains, map(self._lines.__getitem__, numbers.tolist()), repeat(part))

    def perhaps_containing(self, parts: list[str]) -> Ints:
        """Numbers of the lines that contain all of some texts of at least one character, and of others, in order."""
        octets = [_octets(part) for part in parts]
        if max(map(len, octets)) < GRAM:
            return self._containing_few(octets[0])
        return min((self._smallest(each) for each in octets if len(each) >= GRAM), key=len)

    def _smallest(self, octets: bytes) -> Ints:
        """The lines in the smallest bucket of a text, or in one that is small enough."""
        lines, start = self._buckets
        begin_of = start.data
        fewest, at = len(lines) + 1, 0
        for first, second, third in zip(octets, octets[1:], octets[2:], strict=False):
            bucket = (first << 10 ^ second << 5 ^ third) & (BUCKETS - 1)
            begin = begin_of[bucket]
            count = begin_of[bucket + 1] - begin
            if count < fewest:
                fewest, at = count, begin
                if count <= SMALL:
                    break
        return lines[at : at + fewest]

    def _containing_few(self, octets: bytes) -> Ints:
        """Numbers of the lines that contain a text too short for the buckets."""
        gaps = np.fromiter(map(len, self._text.split(octets)), np.int32) + len(octets)
        places = np.cumsum(gaps, dtype=np.int32)[:-1] - len(octets)
        lines = self._begins.searchsorted(places, side="right") - 1
        return lines[np.diff(lines, prepend=-1) > 0].astype(np.int32)


GRAM = 3
SMALL = 48
"""Lines that are sooner looked at than a smaller bucket is looked for."""
BUCKETS = 1 << 16
AMENDED_MAX = 500
"""Lines that are looked through one by one as quickly as an index of all gives those with a part."""


class Amended:
    """Lines after edits: those from before, where they are now, and those that came."""

    def __init__(self, whole: Lines, number: Ints, added: list[tuple[int, str]]) -> None:
        """`number` is that of each line of `whole`, -1 where it is gone; `added` has (number, line)."""
        self._whole = whole
        self._number = number
        self._added = added

    def make(self) -> None:
        self._whole.make()

    def amended(self, number: Ints, added: list[tuple[int, str]]) -> Amended | None:
        kept = [(int(number[its]), line) for its, line in self._added if number[its] >= 0]
        if len(kept) + len(added) > AMENDED_MAX:
            return None
        return Amended(self._whole, np.where(self._number < 0, self._number, number[self._number]), [*kept, *added])

    def __contains__(self, part: str) -> bool:
        return len(self.containing(part)) > 0

    def perhaps_containing(self, parts: list[str]) -> Ints:
        return self._now(self._whole.perhaps_containing(parts), parts)

    def containing(self, part: str) -> Ints:
        return self._now(self._whole.containing(part), [part])

    def _now(self, before: Ints, parts: list[str]) -> Ints:
        """The numbers of lines of the whole, and of those that came that contain some texts."""
        found = self._number[before]
        more = [number for number, line in self._added if all(part in line for part in parts)]
        return np.sort(np.concatenate((found[found >= 0], np.array(more, dtype=np.int32))))


def _hashed(octets: NDArray[np.uint8]) -> NDArray[np.uint16]:
    """The bucket of each run of three octets, as `Lines._smallest` has it. Lower-case letters differ in their low five
    bits."""
    wide = octets.astype(np.uint16)
    found: NDArray[np.uint16] = ((wide[:-2] << 10) ^ (wide[1:-1] << 5) ^ wide[2:]).astype(np.uint16, copy=False)
    return found


def _words_of(names: list[str]) -> list[str]:
    """The names, and their subwords, in lower case, each once; those that are too short to be misspelt left out."""
    words = {name.lower() for name in names}
    words.update(word.lower() for word in SUBWORDS.findall("\n".join(names)))
    return [word for word in words if len(word) >= TYPO_MIN_CHARS]


def _lower(name: str) -> str:
    """The name in lower case; the same object where that is what it is."""
    lower = name.lower()
    return name if lower == name else lower


def _octets(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")
