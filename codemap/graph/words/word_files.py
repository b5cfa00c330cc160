"""Which files of a snapshot contain a word, by the marks of the files (`codemap.occurrences.word_marks`).

An edit costs nothing here: which files changed is noted, and their marks are read when a question comes. It is held by
the snapshots whose files it is of.

Rules of the file:
- It may name files that do not have the word, and never leaves out one that has it.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Generator, Iterator, Sequence, Set

import msgspec
import numpy as np
from numpy.typing import NDArray

from codemap.facts import FileFacts
from codemap.graph.model.edges import Ints
from codemap.graph.model.index_slots import Edit, Slot, reuse
from codemap.graph.model.indexed_file import IndexedFile, PackedFile, read_facts
from codemap.graph.model.snapshot import Snapshot
from codemap.graph.model.steps import finish
from codemap.graph.words.word_index import CHANGED_AT_ONCE, CHANGED_MAX, NODES_AT_ONCE
from codemap.occurrences.word_marks import marks_in
from codemap.packed.parts import packed
from codemap.packed.texts import Octets
from codemap.packed.unpacking import unpack
from codemap.persistent import PersistentMap

Marks = NDArray[np.uint32]

FILE_PARTS = 4
"""How many parts it is packed as."""
_SORTED_AT_ONCE = 500
"""Files whose marks are sorted in one step: some milliseconds."""
_RANGES = 64
"""Steps in which those are merged."""
_MARK_BITS = 32


class WordFiles:
    """The files of a snapshot by the marks of their words."""

    def __init__(
        self,
        by_path: PersistentMap[str, IndexedFile],
        marks: Marks,
        start: Ints,
        numbers: NDArray[np.integer],
        paths: tuple[str, ...],
        changed: frozenset[str] = frozenset(),
        read: dict[str, tuple[FileFacts | PackedFile, Marks]] | None = None,
    ) -> None:
        """`marks` are distinct and sorted; those from `start` on in `numbers` are the places in `paths` of the files
        that have it. Changed files have other marks, or are gone."""
        self.marks = marks
        self.start = start
        self.numbers = numbers
        self.paths = paths
        self.changed = changed
        """And those that came."""
        self._by_path = by_path
        self._read = read or {}
        """What was read of changed files; may be of an earlier content."""

    def after(self, snapshot: Snapshot, changed: Set[str]) -> WordFiles:
        """The same of a snapshot in which some files changed, came or went."""
        parts = self.marks, self.start, self.numbers, self.paths
        return WordFiles(snapshot.by_path, *parts, self.changed | changed, dict(self._read))

    def files(self, mark: int) -> list[IndexedFile]:
        """Those that have the mark."""
        marks = self.marks.data  # numbers of it are found sooner than by a search of the array
        place = bisect_left(marks, mark)
        paths: list[str] = []
        if place < len(marks) and marks[place] == mark:
            numbers = self.numbers[self.start[place] : self.start[place + 1]].tolist()
            paths = [path for path in map(self.paths.__getitem__, numbers) if path not in self.changed]
        if not self.changed:
            return [self._by_path[path] for path in paths]
        finish(self.read())
        paths += [path for path in self.changed if path in self._by_path and (self._read[path][1] == mark).any()]
        return [self._by_path[path] for path in paths]

    @property
    def unread(self) -> list[IndexedFile]:
        """The changed files whose marks are not read yet."""
        files = [self._by_path[path] for path in self.changed if path in self._by_path]
        return [file for file in files if file.path not in self._read or self._read[file.path][0] is not file.held]

    def read(self) -> Generator[None]:
        """Reads the marks of the changed files, a step each."""
        for file in self.unread:
            self._read[file.path] = file.held, _marks(file)
            yield

    @property
    def is_far(self) -> bool:
        """Whether more changed files are to be read than a question can wait for."""
        return len(self.changed) > CHANGED_AT_ONCE and len(self.unread) > CHANGED_AT_ONCE


def files_with(snapshot: Snapshot, name: str) -> Sequence[IndexedFile]:
    """Files that may contain a name as a word: all of them while the index is not made."""
    marks = marks_in(name)
    held = WORD_FILES.held_by(snapshot)
    if marks and (held is None or held.is_far) and not is_large(snapshot):
        held = finish(make_word_files(snapshot))
    if not marks or held is None or held.is_far:
        return snapshot.files
    found = held.files(marks[0])
    for mark in marks[1:]:
        paths = {file.path for file in held.files(mark)}
        found = [file for file in found if file.path in paths]
    return found


def is_large(snapshot: Snapshot) -> bool:
    """Whether to read all files takes longer than a question can wait for, and more than should be read unasked."""
    return snapshot.first_external > NODES_AT_ONCE


def has_word_files(snapshot: Snapshot) -> bool:
    """Whether a question finds it made."""
    held = WORD_FILES.held_by(snapshot)
    return held is not None and not held.is_far


def make_word_files(*snapshots: Snapshot) -> Generator[None, None, WordFiles]:
    """Makes what snapshots share that have the same files, in steps; nothing where it is there."""
    held = next((held for each in snapshots if (held := WORD_FILES.held_by(each)) is not None), None)
    if held is not None and held.is_far:
        yield from held.read()
    if held is None or len(held.changed) > CHANGED_MAX:
        held = yield from _made(snapshots[0])
    for each in snapshots:
        each.indexes.put(WORD_FILES, held)
    return held


def _carry_word_files(before: WordFiles, edit: Edit) -> WordFiles:
    return before.after(edit.snapshot, edit.paths) if edit.paths else before


WORD_FILES = Slot[WordFiles](lambda snapshot: finish(make_word_files(snapshot)), carry=_carry_word_files, rescore=reuse)


def _made(snapshot: Snapshot) -> Generator[None, None, WordFiles]:
    files = snapshot.files
    chunks: list[NDArray[np.uint64]] = []
    for first in range(0, len(files), _SORTED_AT_ONCE):
        found: list[NDArray[np.uint64]] = []
        for file in files[first : first + _SORTED_AT_ONCE]:
            found.append(_marks(file).astype(np.uint64) << np.uint64(_MARK_BITS) | np.uint64(file.number))
            yield
        chunks.append(np.sort(np.concatenate(found)))
        yield
    marks, counts, numbers = [np.empty(0, np.uint32)], [np.empty(0, np.int32)], [np.empty(0, np.uint32)]
    for merged in _ranges(chunks):
        own, count = np.unique((merged >> np.uint64(_MARK_BITS)).astype(np.uint32), return_counts=True)
        marks.append(own)
        counts.append(count.astype(np.int32))
        numbers.append(_narrow(merged.astype(np.uint32), len(files)))
        yield
    start = np.cumsum(np.concatenate([[0], *counts]), dtype=np.int32)
    paths = tuple(snapshot.by_path)
    return WordFiles(snapshot.by_path, np.concatenate(marks), start, np.concatenate(numbers[1:] or numbers), paths)


def _ranges(chunks: list[NDArray[np.uint64]]) -> Iterator[NDArray[np.uint64]]:
    """All numbers of sorted chunks, those of a range at a time, sorted."""
    bounds = np.arange(1, _RANGES, dtype=np.uint64) << np.uint64(2 * _MARK_BITS - (_RANGES - 1).bit_length())
    cuts = [[0, *np.searchsorted(chunk, bounds).tolist(), len(chunk)] for chunk in chunks]
    for place in range(_RANGES if chunks else 0):
        yield np.sort(
            np.concatenate([chunk[cut[place] : cut[place + 1]] for chunk, cut in zip(chunks, cuts, strict=True)])
        )


def _narrow(numbers: NDArray[np.uint32], count: int) -> NDArray[np.unsignedinteger]:
    return numbers.astype(np.uint16) if count <= np.iinfo(np.uint16).max else numbers


def _marks(file: IndexedFile) -> Marks:
    return np.frombuffer(read_facts(file.held).marks, "<u4")


# -- kept beside the snapshot ------------------------------------------------------------------------------------------


class _Head(msgspec.Struct, frozen=True, array_like=True):
    changed: tuple[bytes, ...]
    paths: tuple[bytes, ...]
    """None where they are those of the snapshot."""


_encoder = msgspec.msgpack.Encoder()
_head = msgspec.msgpack.Decoder(_Head)


def pack_word_files(snapshot: Snapshot) -> Iterator[bytes]:
    """The parts, in a fixed order. What is not made yet is made. About 3 bytes a word of a file."""
    held = WORD_FILES.of(snapshot)
    paths = tuple(map(_encoded, held.paths)) if held.changed else ()
    yield _encoder.encode(_Head(tuple(map(_encoded, sorted(held.changed))), paths))
    yield packed(held.marks, "<u4")
    yield packed(held.start, "<i4")
    yield packed(held.numbers, "<u4" if held.numbers.itemsize > 2 else "<u2")


def unpack_word_files(parts: Sequence[Octets], snapshot: Snapshot) -> None:
    """Gives a snapshot what was packed with it. Raises ValueError where the parts do not belong together."""
    head = unpack(_head, parts[0])
    paths = tuple(map(_decoded, head.paths)) if head.changed else tuple(snapshot.by_path)
    width = "<u2" if len(paths) <= np.iinfo(np.uint16).max else "<u4"
    marks, start, numbers = map(np.frombuffer, parts[1:], ("<u4", "<i4", width))
    is_whole = len(start) == len(marks) + 1 and int(start[0]) == 0 and int(start[-1]) == len(numbers)
    if not is_whole:
        raise ValueError("words of the files of another snapshot")
    changed = frozenset(map(_decoded, head.changed))
    snapshot.indexes.put(WORD_FILES, WordFiles(snapshot.by_path, marks, start, numbers, paths, changed))


def _encoded(path: str) -> bytes:
    return path.encode("utf-8", "surrogatepass")


def _decoded(path: bytes) -> str:
    return path.decode("utf-8", "surrogatepass")
