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
from codemap.graph.index.terms import Terms
from codemap.graph.model.edges import Ints, Numbers, distinct, find_run
from codemap.graph.model.index_slots import IS_UNHURRIED, Edit, Slot, reuse
from codemap.graph.model.indexed_file import IndexedFile, PackedFile
from codemap.graph.model.snapshot import Snapshot
from codemap.graph.model.steps import finish
from codemap.graph.words.postings import (
    FILES_A_STEP,
    Bytes,
    Postings,
    Rows,
    in_order,
    joined_rows,
    postings_of,
    rows_by_file,
)
from codemap.packed.texts import first_from
from codemap.persistent import PersistentMap

NODES_AT_ONCE = 150_000
"""A repository of so many symbols is indexed while a question waits: a second or two."""
CHANGED_AT_ONCE = 50
"""So many changed files are read while a question waits: some hundredths of a second."""
CHANGED_MAX = 500
"""When so many files have changed, their postings are sorted in among the others."""
COMMON_SHARE = 16
"""A term is common where one node of so many has it: at most so many terms are, by so many as a node has."""
POSTINGS_A_STEP = 100_000
"""So many postings are merged in one step: some milliseconds."""


class Posted(NamedTuple):
    """The nodes in which a term occurs, each once."""

    nodes: Ints
    weights: Bytes


class _Part(NamedTuple):
    """What was read of a changed file."""

    held: FileFacts | PackedFile
    rows: Rows
    """Their nodes are rows of its symbols."""


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
        terms: Terms | None = None,
    ) -> None:
        """`postings` are of files with these paths, of which the changed ones have other contents or are gone; `terms`
        has the numbers of the terms in `parts`."""
        self.postings = postings
        self.paths = paths
        self.bases = bases
        self.changed = changed
        """And those that came."""
        self._by_path: PersistentMap[str, IndexedFile] = snapshot.by_path
        self._bases = snapshot.bases
        self._parts = parts or {}
        """What was read of changed files; may be of an earlier content."""
        self._terms = terms or Terms()
        self._rows: dict[str, Bytes] = {}
        """See `row`."""

    def after(self, snapshot: Snapshot, changed: Set[str]) -> WordIndex:
        """The index of a snapshot in which some files changed, came or went."""
        changed = self.changed | changed
        return WordIndex(snapshot, self.postings, self.paths, self.bases, changed, dict(self._parts), self._terms)

    def has(self, term: str) -> bool:
        """Whether a term occurs anywhere."""
        return len(self.posted(term).nodes) > 0

    def posted(self, term: str) -> Posted:
        """The nodes in which a term occurs now."""
        postings = self.postings
        place = first_from(postings.terms, term)
        begin = end = 0
        if place < len(postings.terms) and postings.terms[place] == term:
            begin, end = postings.start.data[place], postings.start.data[place + 1]
        nodes, weights = postings.nodes[begin:end], postings.weights[begin:end]
        if self.number is not None and end > begin:
            nodes = self.number[nodes]
            is_there = nodes >= 0
            nodes, weights = nodes[is_there], weights[is_there]
        if self.changed:
            more, number = self._more, self._terms.numbers.get(term, -1)
            here = find_run(more.terms, number, number + 1)
            nodes = np.concatenate((nodes, more.nodes[here]))
            weights = np.concatenate((weights, more.weights[here]))
        return Posted(nodes, weights)

    def row(self, term: str, posted: Posted) -> Bytes | None:
        """Of all nodes the weight of a term where it is common, as `posted` has it, 0 where it does not occur: kept,
        because many questions have a common word. None where it is not."""
        count = self._bases[-1]
        if len(posted.nodes) * COMMON_SHARE < count:
            return None
        row = self._rows.get(term)
        if row is None:
            row = self._rows[term] = np.zeros(count, dtype=np.uint8)
            row[posted.nodes] = posted.weights
        return row

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
        """Reads the words of the changed files, in steps."""
        unread = self.unread
        for first in range(0, len(unread), FILES_A_STEP):
            files = unread[first : first + FILES_A_STEP]
            for file, own in zip(files, rows_by_file(files, self._terms), strict=True):
                self._parts[file.path] = _Part(file.held, own)
            yield

    @cached_property
    def _more(self) -> Rows:
        """The postings of the changed files."""
        finish(self.read())
        files = [self._by_path[path] for path in sorted(self.changed) if path in self._by_path]
        parts = [self._parts[file.path].rows for file in files]
        nodes = [own.nodes + np.int32(file.base) for file, own in zip(files, parts, strict=True)]
        return in_order([Rows(own.terms, moved, own.weights) for own, moved in zip(parts, nodes, strict=True)])

    def compact(self, snapshot: Snapshot) -> Generator[None, None, WordIndex]:
        """The same index with the changed files merged into the postings; itself where none changed. In steps."""
        if not self.changed:
            return self
        yield from self.read()
        before, more = self.postings, self._more
        names = list(self._terms.numbers)
        came = {names[number]: number for number in distinct(more.terms).tolist()}
        terms = sorted(came.keys() | set(before.terms))
        place = {term: place for place, term in enumerate(terms)}
        of_number = np.zeros(len(names), dtype=np.int32)
        of_number[list(came.values())] = [place[term] for term in came]
        more = in_order([more._replace(terms=of_number[more.terms])])
        yield
        of_term = np.fromiter(map(place.__getitem__, before.terms), np.int32, len(before.terms))
        merged = yield from self._merge(of_term, more, len(terms))
        counts = np.bincount(merged.terms, minlength=len(terms))
        start = np.concatenate(([0], np.cumsum(counts[counts > 0]))).astype(np.int32)
        postings = Postings([terms[at] for at in np.flatnonzero(counts).tolist()], start, merged.nodes, merged.weights)
        return WordIndex(snapshot, postings, tuple(self._by_path), self._bases)

    def _merge(self, of_term: Ints, more: Rows, count: int) -> Generator[None, None, Rows]:
        """The postings of unchanged files merged with `more`, in steps. The terms of both are numbered in one order of
        `count` terms: `of_term` has the numbers of those of the postings."""
        postings = self.postings
        found = []
        limits = np.arange(0, postings.start[-1] + POSTINGS_A_STEP, POSTINGS_A_STEP)
        cuts = distinct(np.concatenate(([0, len(of_term)], np.searchsorted(postings.start[:-1], limits))))
        for first, end in pairwise(cuts.tolist()):
            here = slice(postings.start[first], postings.start[end])
            nodes, weights = postings.nodes[here], postings.weights[here]
            places = np.repeat(of_term[first:end], np.diff(postings.start[first : end + 1]))
            if self.number is not None:
                nodes = self.number[nodes]
                is_there = nodes >= 0
                places, nodes, weights = places[is_there], nodes[is_there], weights[is_there]
            its = find_run(more.terms, of_term[first] if first else 0, of_term[end] if end < len(of_term) else count)
            at = np.searchsorted(_keys(places, nodes), _keys(more.terms[its], more.nodes[its]))
            found.append(
                Rows(
                    np.insert(places, at, more.terms[its]),
                    np.insert(nodes, at, more.nodes[its]),
                    np.insert(weights, at, more.weights[its]),
                )
            )
            yield
        return joined_rows(found or [more])


def _keys(terms: Ints, nodes: Ints) -> Numbers:
    return terms.astype(np.int64) << 32 | nodes


def word_index(snapshot: Snapshot) -> WordIndex | None:
    """The index of a snapshot; None where it is not there yet, and to make it now would take too long."""
    held = WORD_INDEX.held_by(snapshot)
    if held is not None and not held.is_far:
        return held
    may_wait = snapshot.first_external <= NODES_AT_ONCE or IS_UNHURRIED.of(snapshot)
    return finish(make_word_index(snapshot)) if may_wait else None


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
    held = WORD_INDEX.held_by(snapshot)
    return held is not None and not held.is_far


def make_words(*snapshots: Snapshot) -> Iterator[None]:
    """Makes the index of snapshots that have the same files, in steps; nothing where it is there."""
    first, *others = snapshots
    held = next((held for each in snapshots if (held := WORD_INDEX.held_by(each)) is not None), None)
    if held is None or held.is_far:
        held = yield from make_word_index(first)
    for each in (first, *others):
        each.indexes.put(WORD_INDEX, held)


def _carry_words(before: WordIndex, edit: Edit) -> WordIndex:
    return before.after(edit.snapshot, edit.paths) if edit.paths else before


WORD_INDEX = Slot[WordIndex](lambda snapshot: finish(make_word_index(snapshot)), carry=_carry_words, rescore=reuse)
