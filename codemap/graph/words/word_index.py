"""The postings of a snapshot: those that were made for an earlier one, and those of the files that changed since.

An edit costs nothing here: which files changed is noted, and what they say now is read when a question comes. It is
held by the snapshots whose files it is of.

Rules of the file:
- What is found is what postings made anew would give.
- A term's nodes from before an edit are where they are now, in the same order; those of changed files come after them.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Generator, Iterator, Set
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from codemap.facts import FileFacts
from codemap.graph.model.edges import Ints
from codemap.graph.model.index_slots import Edit, Slot, reuse
from codemap.graph.model.indexed_file import IndexedFile, PackedFile
from codemap.graph.model.snapshot import Snapshot
from codemap.graph.model.steps import finish
from codemap.graph.words.postings import Bytes, Postings, postings_of
from codemap.persistent import PersistentMap

NODES_AT_ONCE = 150_000
"""A repository of so many symbols is indexed while a question waits: a second or two."""
CHANGED_AT_ONCE = 50
"""So many changed files are read while a question waits: some tenths of a second."""
CHANGED_MAX = 500
"""When so many files have changed, their postings are sorted in among the others."""
TERMS_A_STEP = 2_000
"""Terms whose postings are sorted in one step: some milliseconds."""


class Posted(NamedTuple):
    """The nodes in which a term occurs, each once."""

    nodes: Ints
    weights: Bytes


class _Part(NamedTuple):
    """The terms of a changed file, by rows of its symbols."""

    held: FileFacts | PackedFile
    by_term: dict[str, Posted]


class WordIndex:
    """The postings of the files of a snapshot."""

    def __init__(
        self,
        snapshot: Snapshot,
        postings: Postings,
        paths: tuple[str, ...],
        bases: tuple[int, ...],
        changed: frozenset[str] = frozenset(),
        parts: dict[str, _Part] | None = None,
    ) -> None:
        """`postings` are of files with these paths, of which the changed ones have other contents or are gone."""
        self.postings = postings
        self.paths = paths
        self.bases = bases
        self.changed = changed
        """And those that came."""
        self._by_path: PersistentMap[str, IndexedFile] = snapshot.by_path
        self._bases = snapshot.bases
        self._parts = parts or {}
        """What was read of changed files; may be of an earlier content."""

    def after(self, snapshot: Snapshot, changed: Set[str]) -> WordIndex:
        """The index of a snapshot in which some files changed, came or went."""
        return WordIndex(snapshot, self.postings, self.paths, self.bases, self.changed | changed, dict(self._parts))

    def has(self, term: str) -> bool:
        """Whether a term occurs anywhere."""
        return len(self.posted(term).nodes) > 0

    def posted(self, term: str) -> Posted:
        """The nodes in which a term occurs now."""
        postings = self.postings
        place = bisect_left(postings.terms, term)
        begin = end = 0
        if place < len(postings.terms) and postings.terms[place] == term:
            begin, end = postings.start.data[place], postings.start.data[place + 1]
        nodes, weights = postings.nodes[begin:end], postings.weights[begin:end]
        if self.number is not None and end > begin:
            nodes = self.number[nodes]
            is_there = nodes >= 0
            nodes, weights = nodes[is_there], weights[is_there]
        more = [(base, part.by_term[term]) for base, part in self._placed if term in part.by_term]
        if more:
            nodes = np.concatenate([nodes, *(its.nodes + np.int32(base) for base, its in more)])
            weights = np.concatenate([weights, *(its.weights for _, its in more)])
        return Posted(nodes, weights)

    @cached_property
    def number(self) -> Ints | None:
        """The node now of each node of the postings, -1 where it is gone; None where all are where they were."""
        if not self.changed:
            return None
        is_kept = np.ones(len(self.paths), dtype=np.bool_)
        is_old = np.ones(len(self._bases) - 1, dtype=np.bool_)
        for path in self.changed:
            place = bisect_left(self.paths, path)
            if place < len(self.paths) and self.paths[place] == path:
                is_kept[place] = False
            if path in self._by_path:
                is_old[self._by_path[path].number] = False
        before, now = np.array(self.bases, dtype=np.int32), np.array(self._bases, dtype=np.int32)
        shift = np.zeros(len(self.paths), dtype=np.int32)
        shift[is_kept] = now[:-1][is_old] - before[:-1][is_kept]
        sizes = np.diff(before)
        found = np.arange(before[-1], dtype=np.int32) + np.repeat(shift, sizes)
        found[np.repeat(~is_kept, sizes)] = -1
        return found

    @property
    def is_far(self) -> bool:
        """Whether more changed files are to be read than a question can wait for."""
        return len(self.changed) > CHANGED_AT_ONCE and len(self.unread) > CHANGED_AT_ONCE

    @property
    def unread(self) -> list[IndexedFile]:
        """The changed files whose words are not read yet."""
        files = [self._by_path[path] for path in self.changed if path in self._by_path]
        return [file for file in files if file.path not in self._parts or self._parts[file.path].held is not file.held]

    def read(self) -> Generator[None]:
        """Reads the words of the changed files, a step each."""
        for file in self.unread:
            self._parts[file.path] = _part(file)
            yield

    @cached_property
    def _placed(self) -> list[tuple[int, _Part]]:
        """The changed files, each by the node at which it begins."""
        finish(self.read())
        there = (self._by_path[path] for path in sorted(self.changed) if path in self._by_path)
        return [(file.base, self._parts[file.path]) for file in there]

    def compact(self, snapshot: Snapshot) -> Generator[None, None, WordIndex]:
        """The same index with the changed files merged into the postings; itself where none changed. In steps."""
        if not self.changed:
            return self
        yield from self.read()
        came = {term for _, part in self._placed for term in part.by_term}
        terms: list[str] = []
        found: list[Posted] = []
        for count, term in enumerate(sorted(came.union(self.postings.terms))):
            nodes, weights = self.posted(term)
            if len(nodes):
                order = np.argsort(nodes, kind="stable") if term in came else slice(None)
                terms.append(term)
                found.append(Posted(nodes[order], weights[order]))
            if count % TERMS_A_STEP == 0:
                yield
        return WordIndex(snapshot, _joined(terms, found), tuple(self._by_path), self._bases)


def word_index(snapshot: Snapshot) -> WordIndex | None:
    """The index of a snapshot; None where it is not there yet, and to make it now would take too long."""
    held = WORD_INDEX.held_by(snapshot)
    if held is None and snapshot.first_external <= NODES_AT_ONCE:
        held = finish(make_word_index(snapshot))
    if held is not None and held.is_far:
        return None
    return held


def make_word_index(snapshot: Snapshot) -> Generator[None, None, WordIndex]:
    """Makes what `word_index` gives, in steps."""
    held = WORD_INDEX.held_by(snapshot)
    if held is None:
        postings = yield from postings_of(snapshot.files)
        held = WordIndex(snapshot, postings, tuple(snapshot.by_path), snapshot.bases)
    elif held.is_far:
        yield from held.read()
        if len(held.changed) > CHANGED_MAX:
            held = yield from held.compact(snapshot)
    snapshot.indexes.put(WORD_INDEX, held)
    return held


def has_words(snapshot: Snapshot) -> bool:
    """Whether a question in words finds its index made."""
    return WORD_INDEX in snapshot.indexes


def make_words(*snapshots: Snapshot) -> Iterator[None]:
    """Makes the index of snapshots that have the same files, in steps; nothing where it is there."""
    first, *others = snapshots
    held = next((held for each in snapshots if (held := WORD_INDEX.held_by(each)) is not None), None)
    if held is None:
        held = yield from make_word_index(first)
    for each in (first, *others):
        each.indexes.add(WORD_INDEX, held)


def _carry_words(before: WordIndex, edit: Edit) -> WordIndex:
    return before.after(edit.snapshot, edit.paths) if edit.paths else before


WORD_INDEX = Slot[WordIndex](lambda snapshot: finish(make_word_index(snapshot)), carry=_carry_words, rescore=reuse)


def _joined(terms: list[str], found: list[Posted]) -> Postings:
    counts = np.array([0, *(len(posted.nodes) for posted in found)], dtype=np.int64)
    return Postings(
        terms,
        np.cumsum(counts).astype(np.int32),
        np.concatenate([np.empty(0, dtype=np.int32), *(posted.nodes for posted in found)]),
        np.concatenate([np.empty(0, dtype=np.uint8), *(posted.weights for posted in found)]),
    )


def _part(file: IndexedFile) -> _Part:
    postings = finish(postings_of([file]))
    bounds = postings.start.tolist()
    nodes = postings.nodes - np.int32(file.base)
    return _Part(
        file.held,
        {
            term: Posted(nodes[begin:end], postings.weights[begin:end])
            for term, (begin, end) in zip(postings.terms, pairwise(bounds), strict=True)
        },
    )
