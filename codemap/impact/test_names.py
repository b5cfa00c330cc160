"""Holds the words in the names of tests, of their classes and of their files, so that all are compared at once.

A change of a hub reaches most tests of a repository. What their names consist of is read once for each file, when
a change first reaches it, and kept over edits of other files.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Collection, Iterable, Sequence
from functools import cached_property

import msgspec
import numpy as np
from numpy.typing import NDArray

from codemap.graph.index.terms import stem, subwords
from codemap.graph.model.edges import Ints, Mask
from codemap.graph.model.index_slots import Edit, Reach, Slot, reuse
from codemap.graph.model.snapshot import Snapshot
from codemap.impact.folders import FOLDERS
from codemap.impact.inherited_tests import inherited_selectors
from codemap.impact.test_places import TEST_PLACES, mark_files

_OF_TESTS = frozenset(map(stem, ("test", "tests", "tester", "spec", "specs", "suite", "unit", "integration", "case")))
_PLAIN = frozenset(
    map(
        stem,
        (
            *("get", "set", "is", "has", "can", "do", "make", "create", "new", "add", "to", "on", "of", "with", "from"),
            *("for", "by", "in", "as", "at", "and", "or", "not", "no", "the", "handle", "use", "run"),
        ),
    )
)
"""What names begin with, or have between words: it says nothing beside others."""
_PARTS = re.compile(r"::|[#.$]")

Shares = NDArray[np.float64]


def words_of(name: str) -> frozenset[str]:
    """The stems of a name's words, without those that all tests have and plain ones beside others."""
    found = frozenset(map(stem, subwords(name))) - _OF_TESTS
    return found - _PLAIN or found


def words_of_file(path: str) -> frozenset[str]:
    return words_of(path.rpartition("/")[2].partition(".")[0])


class NameTable:
    """Numbers of names and of selectors. It grows, and what was numbered stays."""

    def __init__(self) -> None:
        self._sizes = array("i", [0])
        """Words of each name; name 0 has none."""
        self._with: dict[str, array[int]] = {}
        """Word -> the names that have it, ascending."""
        self._owners = {"": 0}
        """What is before the last part of a selector -> its number."""
        self._first_class = array("i", [0])
        self._classes = array("i", [0])
        """Names of the classes that each owner consists of, one after the other."""
        self._owner = array("i")
        self._last = array("i")
        """By selector: its owner, the name of its last part."""

    def __len__(self) -> int:
        """How many selectors there are."""
        return len(self._owner)

    def add(self, words: Collection[str]) -> int:
        """Numbers a name of some words."""
        number = len(self._sizes)
        for word in words:
            self._with.setdefault(word, array("i")).append(number)
        self._sizes.append(len(words))
        return number

    def add_selector(self, selector: str) -> int:
        """Numbers what selects a test in its file."""
        *classes, last = _PARTS.split(selector)
        owner = selector[: len(selector) - len(last)]
        number = self._owners.get(owner)
        if number is None:
            number = self._owners[owner] = len(self._owners)
            self._first_class.append(len(self._classes))
            self._classes.extend([self.add(words_of(cls)) for cls in classes])
        self._owner.append(number)
        self._last.append(self.add(words_of(last)))
        return len(self._owner) - 1

    def shares(self, targets: Iterable[Collection[str]]) -> Shares:
        """By name: the largest part of the words of it and of a target that both have."""
        sizes = np.array(self._sizes)
        found = np.zeros(len(sizes))
        for target in targets:
            having = [np.array(self._with[word]) for word in target if word in self._with]
            if having:
                common = np.bincount(np.concatenate(having), minlength=len(sizes))
                at = np.flatnonzero(common)
                both = common.take(at)
                found[at] = np.maximum(found.take(at), both / (sizes.take(at) + len(target) - both))
        return found

    def shares_of_classes(self, shares: Shares, selectors: Ints) -> Shares:
        """The largest share among the classes of each selector."""
        best: Shares = np.maximum.reduceat(shares.take(np.array(self._classes)), np.array(self._first_class))
        return best.take(np.array(self._owner).take(selectors))

    def having(self, words: Sequence[str]) -> Mask:
        """Row for each word, column for each name: whether it has it."""
        found = np.zeros((len(words), len(self._sizes)), dtype=np.bool_)
        for row, word in enumerate(words):
            found[row, np.array(self._with.get(word, ()), dtype=np.int32)] = True
        return found

    def last_of(self, selectors: Ints) -> Ints:
        """The name of the last part of each selector."""
        found: Ints = np.array(self._last).take(selectors)
        return found


class NamedTests(msgspec.Struct, frozen=True, dict=True):
    """Some tests, by their numbers in a table of names."""

    names: NameTable
    folders: Sequence[str]
    """The folders that they are in."""
    folder: Ints
    """Of each file of tests: place in `folders`."""
    stems: Ints
    """The name of each."""
    file: Ints
    """Of each test: place in `stems`."""
    selector: Ints

    @cached_property
    def last(self) -> Ints:
        return self.names.last_of(self.selector)


class _Read:
    """The names in the files of a snapshot that were asked for."""

    def __init__(self, file_count: int) -> None:
        self.names = NameTable()
        self.first = np.full(file_count, -1, dtype=np.int32)
        """By file number: its first selector, and its name; -1 where it was not read."""
        self.stem = self.first.copy()
        self.inherited: dict[str, int] = {}
        """Selectors that are in no file's own -> their numbers."""
        self.dropped = 0
        """Selectors of what files were before an edit."""

    def without(self, numbers: Iterable[int], counts: Iterable[int]) -> _Read:
        """The same where some files are to be read again, which had so many selectors."""
        found = _Read(0)
        found.names, found.inherited = self.names, self.inherited
        found.first, found.stem, found.dropped = self.first.copy(), self.stem.copy(), self.dropped
        for number, count in zip(numbers, counts, strict=True):
            found.dropped += count if found.first[number] >= 0 else 0
            found.first[number] = -1
        return found


def _carry(before: _Read, edit: Edit) -> _Read | None:
    """Nothing where most of it is of files as they were."""
    if edit.reach is Reach.FILES or 2 * before.dropped > len(before.names):
        return None
    selectors = TEST_PLACES.of(edit.previous).selectors
    numbers = [edit.snapshot.by_path[path].number for path in edit.paths]
    return before.without(numbers, [len(selectors[number]) for number in numbers]) if numbers else before


_READ = Slot[_Read](lambda snapshot: _Read(len(snapshot.files)), carry=_carry, rescore=reuse)


_OF_INHERITED = Slot["array[int]"](lambda _: array("i"), rescore=reuse)
"""The numbers of `inherited_selectors`."""


def named_tests(snapshot: Snapshot, file: Ints, number: Ints, inherited: Ints) -> NamedTests:
    """Tests by the number of their file, theirs in it and `inherited`, as in `More`."""
    read, are_asked = _READ.of(snapshot), mark_files(snapshot, file)
    files = np.flatnonzero(are_asked)
    selectors = TEST_PLACES.of(snapshot).selectors
    for each in files.compress(read.first.take(files) < 0).tolist():
        read.stem[each] = read.names.add(words_of_file(snapshot.files[each].path))
        read.first[each] = len(read.names)
        for selector in selectors[each]:
            read.names.add_selector(selector)
    selector = read.first.take(file) + number
    if len(inherited):
        known = _OF_INHERITED.of(snapshot)
        for one in inherited_selectors(snapshot)[len(known) :]:
            if one not in read.inherited:
                read.inherited[one] = read.names.add_selector(one)
            known.append(read.inherited[one])
        others = np.flatnonzero(number < 0)
        selector[others] = np.array(known).take(inherited).take(-1 - number.take(others))
    folders, place = FOLDERS.of(snapshot), are_asked.cumsum(dtype=np.int32) - 1
    columns = folders.of_file.take(files), read.stem.take(files), place.take(file), selector
    return NamedTests(read.names, folders.paths, *columns)
