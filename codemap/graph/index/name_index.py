"""The names of a snapshot, indexed for search.

Distinct names are sorted, so that a prefix is a range, and in buckets by the trigrams that they contain, so that few
names are checked for a part.

The file is long because all that searches share is had from the one index.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from functools import cached_property
from itertools import chain
from weakref import ref

import numpy as np
from numpy.typing import NDArray

from codemap.facts import SymbolFlag
from codemap.file_roles import Role
from codemap.graph.index.columns import COLUMNS, columns_of, items_of
from codemap.graph.index.node_roles import FILE_ROLES, IN_TESTS
from codemap.graph.index.path_index import Paths
from codemap.graph.index.spelling_correction import TYPO_MIN_CHARS, edits_of, nearest, one_edit_from
from codemap.graph.index.terms import SUBWORDS
from codemap.graph.index.trigram_index import RUNS_AN_EDIT, Amended, Lines
from codemap.graph.model.edges import Ints, Mask
from codemap.graph.model.index_slots import Edit, Reach, Slot
from codemap.graph.model.node_names import Renamed
from codemap.graph.model.snapshot import Snapshot
from codemap.packed.texts import first_from

FEW = 300
"""Up to so many numbers are processed one by one, which is faster than the dozens of array operations of a search."""
ALIKE = 4
"""Up to so many names with the same beginning are looked at one after the other."""
Numbers = Sequence[int] | Ints
"""Of names, files or nodes: an array where there are more than a few."""
_LAST = chr(0x10FFFF)
_LENGTH_MAX = 128
"""Longer qualified names are cut."""


def name_index(snapshot: Snapshot) -> NameIndex:
    """The index of a snapshot, the same one at every call. About a microsecond a symbol to make."""
    return NAME_INDEX.of(snapshot)


def _make_name_index(snapshot: Snapshot) -> NameIndex:
    lower = [_lower(name) for name in snapshot.node_names.names]
    return NameIndex(snapshot, lower, Paths([file.path for file in snapshot.files]))


def _carry_name_index(before: NameIndex, edit: Edit) -> NameIndex | None:
    if edit.reach is Reach.CONTENTS:
        index = copy(before)
        index.belong_to(edit.snapshot)
        return index
    if edit.renamed is None or COLUMNS.held_by(edit.snapshot) is None:
        return None
    return _rename(before, edit.snapshot, edit.renamed)


def _rename(before: NameIndex, snapshot: Snapshot, renamed: Renamed) -> NameIndex:
    """The index of a snapshot after an edit by which no file came or went."""
    names, added = snapshot.node_names.names, renamed.added
    lower = before.lower
    new = sorted(added, key=renamed.order.__getitem__)
    if names is not before.names:
        all_lower = [*lower, *(_lower(names[place]) for place in new)]
        lower = list(map(all_lower.__getitem__, renamed.order))
    index = NameIndex(snapshot, lower, before.paths)
    if "own_lengths" in vars(before):
        lengths = np.concatenate((before.own_lengths, [len(names[place]) for place in new])).astype(np.int32)
        vars(index)["own_lengths"] = lengths[renamed.order]
    if before._text is not None:
        index._text = before._text.amended(renamed.number, [(name, lower[name]) for name in added])
    return index


def _rescore_name_index(before: NameIndex, snapshot: Snapshot) -> NameIndex:
    index = NameIndex(snapshot, before.lower, before.paths)
    index._text, index._is_test = before._text, before._is_test
    return index


class NameIndex:
    """What searches of one snapshot share. A name belongs to its symbols, a base name to its files."""

    def __init__(self, snapshot: Snapshot, lower: Sequence[str], paths: Paths) -> None:
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
        self._text: Lines | Amended | None = None
        self._is_test: Mask | None = None

    def install(self, text: Lines, worth: NDArray[np.float64]) -> None:
        """Gives it what was derived from it before."""
        self._text = text
        vars(self)["worth"] = worth

    @property
    def stems(self) -> list[str]:
        """The base name of each file up to the first dot."""
        return self.paths.stems

    def belong_to(self, snapshot: Snapshot) -> None:
        """Makes it the index of a snapshot, to which it refers weakly: a reference cycle is not freed while the garbage
        collector is off."""
        self._snapshot = ref(snapshot)

    @property
    def snapshot(self) -> Snapshot:
        """The snapshot that it belongs to, which the caller keeps alive."""
        found = self._snapshot()
        assert found is not None, "an index is had from its snapshot"
        return found

    @property
    def text(self) -> Lines | Amended:
        """The names by what they contain."""
        if self._text is None:
            self._text = Lines(self.lower)
        return self._text

    @property
    def path_text(self) -> Lines:
        return self.paths.text

    @property
    def is_test(self) -> Mask:
        """Whether each node is in a test."""
        if self._is_test is None:
            self._is_test = np.repeat(FILE_ROLES.of(self.snapshot) == Role.TEST, self.file_sizes) | IN_TESTS.of(
                self.snapshot
            )
        return self._is_test

    @cached_property
    def worth(self) -> NDArray[np.float64]:
        """Sources before tests, exported nodes before private ones, then by hub score and shortness together."""
        exported = (self.columns.flags & SymbolFlag.EXPORTED) != 0
        exported[self.bases[:-1]] = True
        short = 1 - np.minimum(self._lengths(), _LENGTH_MAX) / _LENGTH_MAX
        scores = self.snapshot.scores[: self.snapshot.first_external]
        found: NDArray[np.float64] = 2.0 * ~self.is_test + exported + (scores + short) / 2
        return found

    @cached_property
    def own_lengths(self) -> Ints:
        """Characters of each name."""
        return np.fromiter(map(len, self.names), np.int32, count=len(self.names))

    def _lengths(self) -> Ints:
        """Characters of the qualified name of each node."""
        own = self.own_lengths[self.name_of_node]
        lengths, owner = own.copy(), self.columns.parent
        while True:
            is_inside = (owner >= 0) & (self.columns.parent[owner] >= 0)
            if not is_inside.any():
                return lengths
            lengths += np.where(is_inside, own[owner] + 1, 0)
            owner = np.where(is_inside, self.columns.parent[owner], -1)

    def nodes_of(self, names: Numbers) -> Numbers:
        return _items_of(self.nodes, self.node_start, names)

    def nodes_of_run(self, names: range) -> Ints:
        """The nodes of a range of names."""
        return self.nodes[self.node_start[names.start] : self.node_start[names.stop]]

    def nodes_of_files(self, files: list[int]) -> Numbers:
        bases = self.bases.data
        return [bases[file] for file in files]

    def names_with(self, part: str) -> list[int]:
        """Names that contain a lower-case text."""
        return self.text.containing(part)

    def names_perhaps_with(self, parts: list[str]) -> list[int]:
        """A superset of the names that contain all of some lower-case texts, which is found faster."""
        return self.text.perhaps_containing(parts)

    def names_with_at_most(self, part: str) -> int:
        """An upper bound of the names that contain a lower-case text, without a search."""
        return self.text.containing_at_most(part)

    def files_with(self, part: str) -> list[int]:
        """Numbers of the files whose path contains a lower-case text."""
        return self.path_text.containing(part)

    def called(self, word: str) -> Ints:
        """Nodes whose whole name is a lower-case word; of a file, its base name or that up to the first dot."""
        symbols = self.nodes_of_run(self.names_same(word))
        files = np.array(self.paths.called.get(word, ()), dtype=np.int32)
        return np.concatenate((symbols, self.bases[files]))

    def under(self, word: str) -> Ints:
        """Numbers of the files one of whose folders, or whose base name up to the first dot, is a lower-case word."""
        return np.array(self.paths.under.get(word, ()), dtype=np.int32)

    def names_from(self, prefix: str) -> range:
        """The range of names that begin with a lower-case text."""
        lower = self.lower
        begin = end = first_from(lower, prefix)
        last = min(begin + ALIKE, len(lower))
        while end < last and lower[end].startswith(prefix):
            end += 1
        return range(begin, first_from(lower, prefix + _LAST) if end == begin + ALIKE else end)

    def names_same(self, word: str, among: range | None = None) -> range:
        """The range of names that equal a text in lower case, `among` those that begin with it."""
        begin = end = first_from(self.lower, word) if among is None else among.start
        while end < len(self.lower) and self.lower[end] == word:
            end += 1
        return range(begin, end)

    def inside(self, nodes: Numbers) -> Numbers:
        """All definitions inside those of some nodes that are no files, at any depth."""
        columns = self.columns
        if len(nodes) > FEW:
            nodes = np.asarray(nodes, dtype=np.int32)
            nodes = nodes[columns.parent[nodes] >= 0]
        else:
            parent_of = columns.parent.data
            nodes = [node for node in nodes if parent_of[node] >= 0]
        found: list[Numbers] = []
        while len(nodes):
            nodes = _items_of(columns.children, columns.child_start, nodes)
            found.append(nodes)
        return joined(found)

    def resembling(self, word: str) -> list[tuple[int, str]]:
        """(edits, word) of the names, and subwords of names, that a lower-case word may be a misspelling of, the
        nearest first. Of a short word these are names alone."""
        if TYPO_MIN_CHARS <= len(word) <= RUNS_AN_EDIT:
            return [(1, other) for other in sorted(set(one_edit_from(word)) - {word}) if self.names_same(other)]
        for edits in range(1, edits_of(word) + 1):
            names = [self.names[name] for name in self.text.resembling(word, edits)]
            found = nearest(_words_of(names), word)
            if found and found[0][0] <= edits:
                return found
        return []


NAME_INDEX = Slot(_make_name_index, carry=_carry_name_index, rescore=_rescore_name_index)


def _items_of(items: Ints, first: Ints, keys: Numbers) -> Numbers:
    """Like `columns.items_of`."""
    if len(keys) <= FEW:
        begin_of, all_items = first.data, items.data
        found: list[int] = []
        for key in keys:
            found += all_items[begin_of[key] : begin_of[key + 1]]
            if len(found) > FEW:
                break
        else:
            return found
    return items_of(items, first, np.asarray(keys, dtype=np.int32))


def joined(parts: list[Numbers]) -> Numbers:
    """Some numbers after the others."""
    if all(isinstance(part, list) for part in parts):
        return [*chain.from_iterable(parts)]
    return np.concatenate([np.asarray(part, dtype=np.int32) for part in parts])


def _words_of(names: Sequence[str]) -> list[str]:
    """The names, and their subwords, in lower case, each once; those that are too short to be misspelt left out."""
    words = {name.lower() for name in names}
    words.update(word.lower() for word in SUBWORDS.findall("\n".join(names)))
    return [word for word in words if len(word) >= TYPO_MIN_CHARS]


def _lower(name: str) -> str:
    """The name in lower case; the same object where that is what it is."""
    lower = name.lower()
    return name if lower == name else lower
